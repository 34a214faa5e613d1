"""Generating again, promoting what was generated, aggregating, clearing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar

from reflexio._call import Call, Poll, as_list, as_model, given, iso_time
from reflexio._endpoint import endpoint
from reflexio._polling import status_call
from reflexio.enums import OperationStatus
from reflexio.models.base import Response
from reflexio.models.operations import (
    ClearUserDataResponse,
    DowngradeProfilesResponse,
    DowngradeUserPlaybooksResponse,
    GetOperationStatusResponse,
    ManualPlaybookGenerationResponse,
    ManualProfileGenerationResponse,
    OperationStatusInfo,
    RerunPlaybookGenerationResponse,
    RerunProfileGenerationResponse,
    RunPlaybookAggregationResponse,
    UpgradeProfilesResponse,
    UpgradeUserPlaybooksResponse,
)

A = TypeVar("A", bound=Response)
DEFAULT_WAIT_SECONDS = 600.0


class OperationEndpoints:
    """Methods that start work on the server, or change many rows at once."""

    @endpoint
    def rerun_profile_generation(
        self,
        user_id: str | None = None,
        *,
        start_time: datetime | str | None = None,
        end_time: datetime | str | None = None,
        source: str | None = None,
        extractor_names: Sequence[str] | None = None,
        wait_for_response: bool = False,
        timeout: float = DEFAULT_WAIT_SECONDS,
    ) -> Call[RerunProfileGenerationResponse | None]:
        """Generate profiles anew from all interactions, with status PENDING.

        Current profiles stay as they are until ``upgrade_profiles()``.

        Args:
            user_id: Only this user's; all users otherwise.
            start_time: Only interactions from this time on.
            end_time: Only interactions up to this time.
            source: Only interactions from this source.
            extractor_names: Accepted for older callers.
            wait_for_response: Wait for the end and return the outcome; otherwise the call is made
                in the background and ``None`` is returned.
            timeout: How many seconds to wait before raising ``OperationTimeoutError``.
        """
        return Call(
            "POST",
            "/api/rerun_profile_generation",
            as_model(RerunProfileGenerationResponse),
            body=given(
                user_id=user_id,
                start_time=iso_time(start_time),
                end_time=iso_time(end_time),
                source=source,
                extractor_names=as_list(extractor_names),
            ),
            changes_data=True,
            detached=not wait_for_response,
            poll=_poll("profile_generation", "profiles_generated", timeout, wait_for_response),
        )

    @endpoint
    def rerun_playbook_generation(
        self,
        agent_version: str | None = None,
        *,
        start_time: datetime | str | None = None,
        end_time: datetime | str | None = None,
        playbook_name: str | None = None,
        source: str | None = None,
        wait_for_response: bool = False,
        timeout: float = DEFAULT_WAIT_SECONDS,
    ) -> Call[RerunPlaybookGenerationResponse | None]:
        """Generate user playbooks anew from all interactions, with status PENDING.

        Current user playbooks stay as they are until ``upgrade_user_playbooks()``.

        Args:
            agent_version: Whose interactions are read (``agent-v0`` unless given).
            start_time: Only interactions from this time on.
            end_time: Only interactions up to this time.
            playbook_name: Only this type of playbook.
            source: Only interactions from this source.
            wait_for_response: Wait for the end and return the outcome; otherwise the call is made
                in the background and ``None`` is returned.
            timeout: How many seconds to wait before raising ``OperationTimeoutError``.
        """
        return Call(
            "POST",
            "/api/rerun_playbook_generation",
            as_model(RerunPlaybookGenerationResponse),
            body=given(
                agent_version=agent_version,
                start_time=iso_time(start_time),
                end_time=iso_time(end_time),
                playbook_name=playbook_name,
                source=source,
            ),
            changes_data=True,
            detached=not wait_for_response,
            poll=_poll("playbook_generation", "playbooks_generated", timeout, wait_for_response),
        )

    @endpoint
    def manual_profile_generation(
        self,
        user_id: str | None = None,
        source: str | None = None,
        extractor_names: Sequence[str] | None = None,
    ) -> Call[ManualProfileGenerationResponse | None]:
        """Generate profiles now from the last window of interactions, with status CURRENT.

        Always made in the background: returns ``None`` at once. ``flush()`` waits for it and
        raises if the server refused.

        Args:
            user_id: Only this user's; all users otherwise.
            source: Only interactions from this source.
            extractor_names: Accepted for older callers.
        """
        return Call(
            "POST",
            "/api/manual_profile_generation",
            as_model(ManualProfileGenerationResponse),
            body=given(user_id=user_id, source=source, extractor_names=as_list(extractor_names)),
            changes_data=True,
            detached=True,
        )

    @endpoint
    def manual_playbook_generation(
        self,
        agent_version: str | None = None,
        source: str | None = None,
        playbook_name: str | None = None,
    ) -> Call[ManualPlaybookGenerationResponse | None]:
        """Generate user playbooks now from the last window of interactions, with status CURRENT.

        Always made in the background: returns ``None`` at once. ``flush()`` waits for it and
        raises if the server refused.

        Args:
            agent_version: Whose interactions are read (``agent-v0`` unless given).
            source: Only interactions from this source.
            playbook_name: Accepted for older callers.
        """
        return Call(
            "POST",
            "/api/manual_playbook_generation",
            as_model(ManualPlaybookGenerationResponse),
            body=given(agent_version=agent_version, source=source, playbook_name=playbook_name),
            changes_data=True,
            detached=True,
        )

    @endpoint
    def get_operation_status(
        self, service_name: str = "profile_generation"
    ) -> Call[GetOperationStatusResponse]:
        """The latest operation of ``profile_generation`` or ``playbook_generation``."""
        return status_call(service_name)

    @endpoint
    def upgrade_profiles(
        self,
        user_id: str | None = None,
        profile_ids: Sequence[str] | None = None,
        only_affected_users: bool = True,
    ) -> Call[UpgradeProfilesResponse]:
        """Promote PENDING profiles to CURRENT, archive the old ones, delete the older ones.

        Args:
            user_id: Only this user's; all users otherwise.
            profile_ids: Only these profiles.
            only_affected_users: Leave users without pending profiles alone.
        """
        return Call(
            "POST",
            "/api/upgrade_all_profiles",
            as_model(UpgradeProfilesResponse),
            body=given(
                user_id=user_id,
                profile_ids=as_list(profile_ids),
                only_affected_users=only_affected_users,
            ),
            changes_data=True,
        )

    @endpoint
    def upgrade_user_playbooks(
        self,
        agent_version: str | None = None,
        playbook_name: str | None = None,
        archive_current: bool = True,
    ) -> Call[UpgradeUserPlaybooksResponse]:
        """Promote PENDING user playbooks to CURRENT, archive the old ones, delete the older ones.

        Args:
            agent_version: Only of this agent version.
            playbook_name: Only of this type.
            archive_current: Archive the user playbooks that are current now.
        """
        return Call(
            "POST",
            "/api/upgrade_all_user_playbooks",
            as_model(UpgradeUserPlaybooksResponse),
            body=given(
                agent_version=agent_version,
                playbook_name=playbook_name,
                archive_current=archive_current,
            ),
            changes_data=True,
        )

    @endpoint
    def downgrade_profiles(
        self,
        user_id: str | None = None,
        only_affected_users: bool = True,
    ) -> Call[DowngradeProfilesResponse]:
        """Take an upgrade back: ARCHIVED profiles become CURRENT, CURRENT ones ARCHIVED.

        Args:
            user_id: Only this user's; all users otherwise.
            only_affected_users: Leave users without archived profiles alone.
        """
        return Call(
            "POST",
            "/api/downgrade_all_profiles",
            as_model(DowngradeProfilesResponse),
            body=given(user_id=user_id, only_affected_users=only_affected_users),
            changes_data=True,
        )

    @endpoint
    def downgrade_user_playbooks(
        self,
        agent_version: str | None = None,
        playbook_name: str | None = None,
    ) -> Call[DowngradeUserPlaybooksResponse]:
        """Take an upgrade back: ARCHIVED user playbooks become CURRENT, CURRENT ones ARCHIVED.

        Args:
            agent_version: Only of this agent version.
            playbook_name: Only of this type.
        """
        return Call(
            "POST",
            "/api/downgrade_all_user_playbooks",
            as_model(DowngradeUserPlaybooksResponse),
            body=given(agent_version=agent_version, playbook_name=playbook_name),
            changes_data=True,
        )

    @endpoint
    def run_playbook_aggregation(
        self,
        agent_version: str | None = None,
        playbook_name: str | None = None,
        wait_for_response: bool = True,
    ) -> Call[RunPlaybookAggregationResponse | None]:
        """Cluster user playbooks into agent playbooks.

        Args:
            agent_version: The agent version to aggregate (``agent-v0`` unless given).
            playbook_name: Only this type of playbook.
            wait_for_response: Return what happened; otherwise the call is made in the background
                and ``None`` is returned.
        """
        return Call(
            "POST",
            "/api/run_playbook_aggregation",
            as_model(RunPlaybookAggregationResponse),
            body=given(agent_version=agent_version, playbook_name=playbook_name),
            changes_data=True,
            detached=not wait_for_response,
        )

    @endpoint
    def clear_user_data(self, user_id: str) -> Call[ClearUserDataResponse]:
        """Delete one user's interactions, requests, profiles and user playbooks.

        Agent playbooks stay, since they belong to all users.

        Example:
            >>> client.clear_user_data(user_id="user_123").deleted_counts
        """
        return Call(
            "POST",
            "/api/clear_user_data",
            as_model(ClearUserDataResponse),
            body={"user_id": user_id},
            changes_data=True,
        )


def _poll(service_name: str, count_field: str, timeout: float, wait: bool) -> Poll[A] | None:
    if not wait:
        return None

    def finish(answer: A, operation: OperationStatusInfo) -> A:
        completed = operation.status is OperationStatus.COMPLETED
        outcome: dict[str, object] = {"success": completed}
        if completed:
            outcome[count_field] = operation.stats.get("total_generated", operation.processed_users)
        else:
            outcome["msg"] = operation.error_message or f"{service_name} {operation.status.value}"
        return answer.model_copy(update=outcome)

    return Poll(service_name, timeout, finish)
