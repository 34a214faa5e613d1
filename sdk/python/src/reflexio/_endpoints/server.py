"""Questions about the server itself."""

from __future__ import annotations

from reflexio._call import Call, as_model, query_of
from reflexio._endpoint import endpoint
from reflexio.models.operations import (
    HealthResponse,
    MarkNotifiedResponse,
    StallStateResponse,
    StorageStatsResponse,
    WhoamiResponse,
)


class ServerEndpoints:
    """Methods about the server's state."""

    @endpoint
    def health(self) -> Call[HealthResponse]:
        """Whether the server is up."""
        return Call("GET", "/health", as_model(HealthResponse), repeatable=True)

    @endpoint
    def whoami(self) -> Call[WhoamiResponse]:
        """Who the server takes the caller for, and where it stores the data."""
        return Call("GET", "/api/whoami", as_model(WhoamiResponse), repeatable=True)

    @endpoint
    def storage_stats(self, user_id: str | None = None) -> Call[StorageStatsResponse]:
        """How many profiles and playbooks there are, for one user or for all."""
        return Call(
            "GET",
            "/api/storage_stats",
            as_model(StorageStatsResponse),
            query=query_of(user_id=user_id),
            repeatable=True,
        )

    @endpoint
    def get_stall_state(self) -> Call[StallStateResponse]:
        """Whether learning is paused because a model provider refused the server's credentials.

        Example:
            >>> state = client.get_stall_state()
            >>> if state.stalled:
            ...     print(state.reason, state.error_message)
        """
        return Call("GET", "/stall_state", as_model(StallStateResponse), repeatable=True)

    @endpoint
    def mark_stall_notified(self) -> Call[MarkNotifiedResponse]:
        """Note that the current stall was reported to a person; doing it twice does no harm."""
        return Call(
            "POST", "/stall_state/notified", as_model(MarkNotifiedResponse), repeatable=True
        )
