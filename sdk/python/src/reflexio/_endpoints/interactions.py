"""Reading, searching and deleting interactions."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from urllib.parse import quote

from reflexio._call import Call, as_list, as_model, given, iso_time, query_of
from reflexio._endpoint import endpoint
from reflexio.enums import SearchMode
from reflexio.models.operations import (
    BulkDeleteResponse,
    DeleteRequestResponse,
    DeleteSessionResponse,
    DeleteUserInteractionResponse,
)
from reflexio.models.responses import (
    GetInteractionsViewResponse,
    GetRequestsViewResponse,
    SearchInteractionsViewResponse,
)


class InteractionEndpoints:
    """Methods about what was published."""

    @endpoint
    def get_interactions(
        self,
        user_id: str,
        *,
        start_time: datetime | str | None = None,
        end_time: datetime | str | None = None,
        top_k: int | None = None,
    ) -> Call[GetInteractionsViewResponse]:
        """One user's interactions, newest first.

        Args:
            user_id: The user.
            start_time: Nothing before this time.
            end_time: Nothing after this time.
            top_k: How many at most (30 unless given).
        """
        return Call(
            "POST",
            "/api/get_interactions",
            as_model(GetInteractionsViewResponse),
            body=given(
                user_id=user_id,
                start_time=iso_time(start_time),
                end_time=iso_time(end_time),
                top_k=top_k,
            ),
            repeatable=True,
        )

    @endpoint
    def get_all_interactions(self, limit: int = 100) -> Call[GetInteractionsViewResponse]:
        """The newest interactions of all users."""
        return Call(
            "GET",
            "/api/get_all_interactions",
            as_model(GetInteractionsViewResponse),
            query=query_of(limit=limit),
            repeatable=True,
        )

    @endpoint
    def get_requests(
        self,
        *,
        user_id: str | None = None,
        request_id: str | None = None,
        session_id: str | None = None,
        source: str | None = None,
        start_time: datetime | str | None = None,
        end_time: datetime | str | None = None,
        top_k: int | None = None,
        offset: int | None = None,
    ) -> Call[GetRequestsViewResponse]:
        """Publish calls with their interactions, grouped by session, newest first.

        Args:
            user_id: Only this user's.
            request_id: Only this call.
            session_id: Only this session.
            source: Only from this source.
            start_time: Nothing before this time.
            end_time: Nothing after this time.
            top_k: How many sessions at most (30 unless given).
            offset: How many sessions to leave out, for the next page while ``has_more`` is true.
        """
        return Call(
            "POST",
            "/api/get_requests",
            as_model(GetRequestsViewResponse),
            body=given(
                user_id=user_id,
                request_id=request_id,
                session_id=session_id,
                source=source,
                start_time=iso_time(start_time),
                end_time=iso_time(end_time),
                top_k=top_k,
                offset=offset,
            ),
            repeatable=True,
        )

    @endpoint
    def search_interactions(
        self,
        user_id: str,
        query: str | None = None,
        *,
        request_id: str | None = None,
        start_time: datetime | str | None = None,
        end_time: datetime | str | None = None,
        top_k: int | None = None,
        most_recent_k: int | None = None,
        threshold: float | None = None,
        search_mode: SearchMode | str | None = None,
        session_id: str | None = None,
        explain: bool | None = None,
        recency: float | None = None,
    ) -> Call[SearchInteractionsViewResponse]:
        """One user's interactions that match a query, or the most recent ones.

        Args:
            user_id: The user.
            query: What to look for.
            request_id: Only from this publish call.
            start_time: Nothing before this time.
            end_time: Nothing after this time.
            top_k: How many at most.
            most_recent_k: The last so many, oldest first.
            threshold: The least similarity of a row that has none of the words (0 to 1).
            search_mode: ``vector``, ``fts`` or ``hybrid`` (the default).
            session_id: Only from this session.
            explain: Show what each score is made of, as ``score_parts``.
            recency: How much newer rows gain (0 to 1).

        Example:
            >>> client.search_interactions(user_id="user_123", query="product preferences")
        """
        return Call(
            "POST",
            "/api/search_interactions",
            as_model(SearchInteractionsViewResponse),
            body=given(
                user_id=user_id,
                query=query,
                request_id=request_id,
                start_time=iso_time(start_time),
                end_time=iso_time(end_time),
                top_k=top_k,
                most_recent_k=most_recent_k,
                threshold=threshold,
                search_mode=search_mode,
                session_id=session_id,
                explain=explain,
                recency=recency,
            ),
            repeatable=True,
        )

    @endpoint
    def get_similar_interactions(
        self, interaction_id: int, *, top_k: int | None = None, everybody: bool | None = None
    ) -> Call[SearchInteractionsViewResponse]:
        """Interactions that are like a given one, of the same user unless ``everybody`` is true."""
        return Call(
            "GET",
            f"/api/interactions/{interaction_id}/similar",
            as_model(SearchInteractionsViewResponse),
            query=query_of(top_k=top_k, everybody="true" if everybody else None),
            repeatable=True,
        )

    @endpoint
    def get_image(self, image_id: str) -> Call[bytes]:
        """The bytes of an image that was published with an interaction.

        Its identifier and type are ``interaction.image_id`` and ``interaction.image_media_type``.
        """
        path = f"/api/images/{quote(image_id, safe='')}"
        return Call("GET", path, lambda response: response.content, repeatable=True)

    @endpoint
    def delete_interaction(
        self, user_id: str, interaction_id: int, wait_for_response: bool = False
    ) -> Call[DeleteUserInteractionResponse | None]:
        """Delete one interaction, in the background unless ``wait_for_response`` is true."""
        return Call(
            "DELETE",
            "/api/delete_interaction",
            as_model(DeleteUserInteractionResponse),
            body={"user_id": user_id, "interaction_id": interaction_id},
            changes_data=True,
            detached=not wait_for_response,
        )

    @endpoint
    def delete_request(
        self, request_id: str, wait_for_response: bool = False
    ) -> Call[DeleteRequestResponse | None]:
        """Delete a publish call, in the background unless ``wait_for_response`` is true."""
        return Call(
            "DELETE",
            "/api/delete_request",
            as_model(DeleteRequestResponse),
            body={"request_id": request_id},
            changes_data=True,
            detached=not wait_for_response,
        )

    @endpoint
    def delete_session(
        self, session_id: str, wait_for_response: bool = False
    ) -> Call[DeleteSessionResponse | None]:
        """Delete a session, in the background unless ``wait_for_response`` is true."""
        return Call(
            "DELETE",
            "/api/delete_session",
            as_model(DeleteSessionResponse),
            body={"session_id": session_id},
            changes_data=True,
            detached=not wait_for_response,
        )

    @endpoint
    def delete_requests_by_ids(self, request_ids: Iterable[str]) -> Call[BulkDeleteResponse]:
        """Delete several publish calls."""
        return Call(
            "DELETE",
            "/api/delete_requests_by_ids",
            as_model(BulkDeleteResponse),
            body={"request_ids": as_list(request_ids)},
            changes_data=True,
        )

    @endpoint
    def delete_all_interactions(self) -> Call[BulkDeleteResponse]:
        """Delete every interaction of every user."""
        return Call(
            "DELETE",
            "/api/delete_all_interactions",
            as_model(BulkDeleteResponse),
            changes_data=True,
        )
