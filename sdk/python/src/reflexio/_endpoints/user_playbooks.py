"""Reading, searching, adding, changing and deleting user playbooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from reflexio._call import Call, as_list, as_model, given, iso_time, rows_of
from reflexio._endpoint import endpoint
from reflexio.enums import SearchMode, Status
from reflexio.models.operations import BulkDeleteResponse, DeleteUserPlaybookResponse
from reflexio.models.playbooks import UserPlaybook
from reflexio.models.responses import (
    AddUserPlaybookResponse,
    GetUserPlaybooksViewResponse,
    SearchUserPlaybooksViewResponse,
    UpdateUserPlaybookResponse,
)


class UserPlaybookEndpoints:
    """Methods about lessons learned from single users."""

    @endpoint
    def get_user_playbooks(
        self,
        *,
        limit: int | None = None,
        user_playbook_id: int | None = None,
        user_id: str | None = None,
        request_id: str | None = None,
        query: str | None = None,
        playbook_name: str | None = None,
        agent_version: str | None = None,
        start_time: datetime | str | None = None,
        end_time: datetime | str | None = None,
        status_filter: Sequence[Status | str | None] | Status | str | None = None,
        tags: Sequence[str] | None = None,
    ) -> Call[GetUserPlaybooksViewResponse]:
        """User playbooks, newest first.

        Args:
            limit: How many at most (100 unless given).
            user_playbook_id: Only this one.
            user_id: Only this user's.
            request_id: Only those learned from this publish call.
            query: Only those that match these words.
            playbook_name: Only of this type.
            agent_version: Only of this agent version.
            start_time: Nothing created before this time.
            end_time: Nothing created after this time.
            status_filter: Only with one of these statuses; ``None`` in the list means current.
            tags: Only with these tags.

        Example:
            >>> client.get_user_playbooks(playbook_name="response_quality", status_filter=[None])
        """
        return Call(
            "POST",
            "/api/get_user_playbooks",
            as_model(GetUserPlaybooksViewResponse),
            body=given(
                limit=limit,
                user_playbook_id=user_playbook_id,
                user_id=user_id,
                request_id=request_id,
                query=query,
                playbook_name=playbook_name,
                agent_version=agent_version,
                start_time=iso_time(start_time),
                end_time=iso_time(end_time),
                status_filter=as_list(status_filter),
                tags=as_list(tags),
            ),
            repeatable=True,
        )

    @endpoint
    def search_user_playbooks(
        self,
        query: str | None = None,
        *,
        user_id: str | None = None,
        agent_version: str | None = None,
        playbook_name: str | None = None,
        source: str | None = None,
        start_time: datetime | str | None = None,
        end_time: datetime | str | None = None,
        status_filter: Sequence[Status | str | None] | Status | str | None = None,
        tags: Sequence[str] | None = None,
        top_k: int | None = None,
        threshold: float | None = None,
        enable_reformulation: bool | None = None,
        search_mode: SearchMode | str | None = None,
        request_id: str | None = None,
        session_id: str | None = None,
    ) -> Call[SearchUserPlaybooksViewResponse]:
        """User playbooks that match a query.

        Args:
            query: What to look for.
            user_id: Only this user's.
            agent_version: Only of this agent version.
            playbook_name: Only of this type.
            source: Only from this source.
            start_time: Nothing created before this time.
            end_time: Nothing created after this time.
            status_filter: Only with one of these statuses; ``None`` in the list means current.
            tags: Only with these tags.
            top_k: How many at most (10 unless given).
            threshold: Leave out matches that score less (0 to 1).
            enable_reformulation: Let the server rewrite the query first.
            search_mode: ``vector``, ``fts`` or ``hybrid`` (the default).
            request_id: The agent's request this search serves, for the server's log.
            session_id: The agent's session this search serves, for the server's log.
        """
        return Call(
            "POST",
            "/api/search_user_playbooks",
            as_model(SearchUserPlaybooksViewResponse),
            body=given(
                query=query,
                user_id=user_id,
                agent_version=agent_version,
                playbook_name=playbook_name,
                source=source,
                start_time=iso_time(start_time),
                end_time=iso_time(end_time),
                status_filter=as_list(status_filter),
                tags=as_list(tags),
                top_k=top_k,
                threshold=threshold,
                enable_reformulation=enable_reformulation,
                search_mode=search_mode,
                request_id=request_id,
                session_id=session_id,
            ),
            repeatable=True,
        )

    @endpoint
    def add_user_playbook(
        self, user_playbooks: Iterable[UserPlaybook | Mapping[str, Any]] | UserPlaybook
    ) -> Call[AddUserPlaybookResponse]:
        """Add user playbooks by hand; each needs a ``content`` or a ``trigger``.

        Example:
            >>> client.add_user_playbook(
            ...     [UserPlaybook(agent_version="v2.1.0", request_id="r1", content="Be brief")]
            ... )
        """
        return Call(
            "POST",
            "/api/add_user_playbook",
            as_model(AddUserPlaybookResponse),
            body={"user_playbooks": rows_of(user_playbooks)},
            changes_data=True,
        )

    @endpoint
    def update_user_playbook(
        self,
        user_playbook_id: int,
        *,
        playbook_name: str | None = None,
        content: str | None = None,
        trigger: str | None = None,
        rationale: str | None = None,
    ) -> Call[UpdateUserPlaybookResponse]:
        """Change the given fields of a user playbook and leave the others.

        Raises ``NotFoundError`` when there is no such playbook.
        """
        return Call(
            "PUT",
            "/api/update_user_playbook",
            as_model(UpdateUserPlaybookResponse),
            body=given(
                user_playbook_id=user_playbook_id,
                playbook_name=playbook_name,
                content=content,
                trigger=trigger,
                rationale=rationale,
            ),
            changes_data=True,
        )

    @endpoint
    def delete_user_playbook(
        self, user_playbook_id: int, wait_for_response: bool = False
    ) -> Call[DeleteUserPlaybookResponse | None]:
        """Delete a user playbook, in the background unless ``wait_for_response`` is true."""
        return Call(
            "DELETE",
            "/api/delete_user_playbook",
            as_model(DeleteUserPlaybookResponse),
            body={"user_playbook_id": user_playbook_id},
            changes_data=True,
            detached=not wait_for_response,
        )

    @endpoint
    def delete_user_playbooks_by_ids(
        self, user_playbook_ids: Iterable[int]
    ) -> Call[BulkDeleteResponse]:
        """Delete several user playbooks."""
        return Call(
            "DELETE",
            "/api/delete_user_playbooks_by_ids",
            as_model(BulkDeleteResponse),
            body={"user_playbook_ids": as_list(user_playbook_ids)},
            changes_data=True,
        )

    @endpoint
    def delete_all_user_playbooks(self) -> Call[BulkDeleteResponse]:
        """Delete every user playbook."""
        return Call(
            "DELETE",
            "/api/delete_all_user_playbooks",
            as_model(BulkDeleteResponse),
            changes_data=True,
        )
