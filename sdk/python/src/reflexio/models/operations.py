"""Answers about deletions, generation runs, the server's state and its configuration."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from reflexio.enums import OperationStatus
from reflexio.models.base import Response, WireModel


class DeleteUserProfileResponse(Response):
    """Whether a profile was deleted."""

    message: str = ""


class DeleteUserInteractionResponse(Response):
    """Whether an interaction was deleted."""

    message: str = ""


class DeleteRequestResponse(Response):
    """Whether a request was deleted."""

    message: str = ""


class DeleteSessionResponse(Response):
    """How many requests were deleted with their session."""

    message: str = ""
    deleted_requests_count: int = 0


class DeleteAgentPlaybookResponse(Response):
    """Whether an agent playbook was deleted."""

    message: str = ""


class DeleteUserPlaybookResponse(Response):
    """Whether a user playbook was deleted."""

    message: str = ""


class BulkDeleteResponse(Response):
    """How many rows were deleted."""

    deleted_count: int = 0
    message: str = ""


class ClearUserDataResponse(Response):
    """How many rows of each kind were deleted for one user."""

    deleted_counts: dict[str, int] = Field(default_factory=dict)
    message: str | None = None


class RerunProfileGenerationResponse(Response):
    """The outcome of a profile rerun."""

    msg: str | None = None
    profiles_generated: int | None = None
    operation_id: str = "rerun_profile_generation"
    run_id: str | None = None


class RerunPlaybookGenerationResponse(Response):
    """The outcome of a playbook rerun."""

    msg: str | None = None
    playbooks_generated: int | None = None
    operation_id: str = "rerun_playbook_generation"
    run_id: str | None = None


class ManualProfileGenerationResponse(Response):
    """The outcome of a manual profile generation; the client reads it only for errors."""

    msg: str | None = None
    profiles_generated: int | None = None


class ManualPlaybookGenerationResponse(Response):
    """The outcome of a manual playbook generation; the client reads it only for errors."""

    msg: str | None = None
    playbooks_generated: int | None = None


class UpgradeProfilesResponse(Response):
    """How many profiles changed their state in an upgrade."""

    profiles_archived: int = 0
    profiles_promoted: int = 0
    profiles_deleted: int = 0
    message: str = ""
    run_id: str | None = None


class UpgradeUserPlaybooksResponse(Response):
    """How many user playbooks changed their state in an upgrade."""

    user_playbooks_archived: int = 0
    user_playbooks_promoted: int = 0
    user_playbooks_deleted: int = 0
    message: str = ""
    run_id: str | None = None


class DowngradeProfilesResponse(Response):
    """How many profiles changed their state in a downgrade."""

    profiles_demoted: int = 0
    profiles_restored: int = 0
    message: str = ""
    run_id: str | None = None


class DowngradeUserPlaybooksResponse(Response):
    """How many user playbooks changed their state in a downgrade."""

    user_playbooks_demoted: int = 0
    user_playbooks_restored: int = 0
    message: str = ""
    run_id: str | None = None


class RunPlaybookAggregationResponse(Response):
    """What an aggregation run did."""

    message: str = ""
    clusters_found: int = 0
    playbooks_generated: int = 0
    run_ids: list[str] = Field(default_factory=list)


class OperationStatusInfo(WireModel):
    """The progress of one long-running operation."""

    service_name: str
    status: OperationStatus
    started_at: int
    completed_at: int | None = None
    total_users: int = 0
    processed_users: int = 0
    failed_users: int = 0
    current_user_id: str | None = None
    processed_user_ids: list[str] = Field(default_factory=list)
    failed_user_ids: list[dict[str, Any]] = Field(default_factory=list)
    request_params: dict[str, Any] = Field(default_factory=dict)
    stats: dict[str, Any] = Field(default_factory=dict)
    error_message: str | None = None
    progress_percentage: float = 0.0


class GetOperationStatusResponse(Response):
    """The latest operation of one service, if there ever was one."""

    operation_status: OperationStatusInfo | None = None
    msg: str | None = None


class StallStateResponse(WireModel):
    """Whether learning is paused because a model provider refused the server's credentials.

    ``reason`` is ``billing_error`` or ``auth_error``.
    """

    stalled: bool
    reason: str | None = None
    stalled_at: datetime | None = None
    reset_estimate: datetime | None = None
    notified_in_cc: bool = False
    error_message: str | None = None


class MarkNotifiedResponse(WireModel):
    """The new value of ``notified_in_cc``."""

    notified_in_cc: bool


class WhoamiResponse(Response):
    """Who the server takes the caller for, and where it stores the data.

    ``scopes`` says what the key may do; ``key_id`` is its public part.
    """

    org_id: str
    storage_type: str | None = None
    storage_label: str | None = None
    storage_configured: bool = False
    message: str = ""
    scopes: list[str] = Field(default_factory=list)
    key_id: str | None = None


class StorageStatsResponse(Response):
    """How much the server knows."""

    profile_count: int = 0
    playbook_count: int = 0
    user_playbook_count: int | None = None
    agent_playbook_count: int | None = None
    interaction_count: int | None = None
    request_count: int | None = None
    oldest_profile_modified: datetime | None = None
    newest_profile_modified: datetime | None = None
    msg: str | None = None


class ConfigWriteResponse(Response):
    """Whether a configuration was stored. Fields can also be read like those of a dict."""

    msg: str | None = None

    def __getitem__(self, key: str) -> Any:
        return self.model_dump()[key]

    def get(self, key: str, default: Any = None) -> Any:
        """The field called ``key``, or ``default`` when there is none."""
        return self.model_dump().get(key, default)


class HealthResponse(WireModel):
    """The server's own word on its health; ``status`` is ``healthy`` when all is well."""

    status: str
    detail: str | None = None
