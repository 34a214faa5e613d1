"""Reading, searching, adding, reviewing and deleting agent playbooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from reflexio._call import Call, as_list, as_model, given, iso_time, rows_of
from reflexio._endpoint import endpoint
from reflexio.enums import PlaybookStatus, SearchMode, Status
from reflexio.models.operations import BulkDeleteResponse, DeleteAgentPlaybookResponse
from reflexio.models.playbooks import AgentPlaybook
from reflexio.models.responses import (
    AddAgentPlaybookResponse,
    GetAgentPlaybooksViewResponse,
    SearchAgentPlaybooksViewResponse,
    UpdateAgentPlaybookResponse,
    UpdatePlaybookStatusResponse,
)
from reflexio.models.reviews import (
    AgentPlaybookDiffResponse,
    AgentPlaybookHistoryResponse,
    ImportAgentPlaybooksResponse,
)


class AgentPlaybookEndpoints:
    """Methods about lessons that hold for all users of an agent."""

    @endpoint
    def get_agent_playbooks(
        self,
        *,
        limit: int | None = None,
        agent_playbook_id: int | None = None,
        query: str | None = None,
        playbook_name: str | None = None,
        agent_version: str | None = None,
        start_time: datetime | str | None = None,
        end_time: datetime | str | None = None,
        status_filter: Sequence[Status | str | None] | Status | str | None = None,
        playbook_status_filter: Sequence[PlaybookStatus | str] | PlaybookStatus | str | None = None,
        tags: Sequence[str] | None = None,
        request_id: str | None = None,
        session_id: str | None = None,
        force_refresh: bool = False,
    ) -> Call[GetAgentPlaybooksViewResponse]:
        """Agent playbooks, newest first.

        The answer is remembered for ten minutes, or until this client changes something.

        Args:
            limit: How many at most (100 unless given).
            agent_playbook_id: Only this one.
            query: Only those that match these words.
            playbook_name: Only of this type.
            agent_version: Only of this agent version.
            start_time: Nothing created before this time.
            end_time: Nothing created after this time.
            status_filter: Only with one of these statuses; ``Status.PENDING`` gives the
                playbooks that wait for approval.
            playbook_status_filter: Only those approved, rejected or pending; one or several.
            tags: Only with these tags.
            request_id: The agent's request this call serves, for the server's log.
            session_id: The agent's session this call serves, for the server's log.
            force_refresh: Ask the server even if the answer is remembered.

        Example:
            >>> review = client.get_agent_playbooks(status_filter=[Status.PENDING], limit=50)
        """
        return Call(
            "POST",
            "/api/get_agent_playbooks",
            as_model(GetAgentPlaybooksViewResponse),
            body=given(
                limit=limit,
                agent_playbook_id=agent_playbook_id,
                query=query,
                playbook_name=playbook_name,
                agent_version=agent_version,
                start_time=iso_time(start_time),
                end_time=iso_time(end_time),
                status_filter=as_list(status_filter),
                playbook_status_filter=playbook_status_filter,
                tags=as_list(tags),
                request_id=request_id,
                session_id=session_id,
            ),
            cached=True,
            force_refresh=force_refresh,
            repeatable=True,
        )

    @endpoint
    def search_agent_playbooks(
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
        playbook_status_filter: Sequence[PlaybookStatus | str] | PlaybookStatus | str | None = None,
        tags: Sequence[str] | None = None,
        top_k: int | None = None,
        threshold: float | None = None,
        enable_reformulation: bool | None = None,
        search_mode: SearchMode | str | None = None,
        request_id: str | None = None,
        session_id: str | None = None,
    ) -> Call[SearchAgentPlaybooksViewResponse]:
        """Agent playbooks that match a query.

        Args:
            query: What to look for.
            user_id: The user the agent serves.
            agent_version: Only of this agent version.
            playbook_name: Only of this type.
            source: Only from this source.
            start_time: Nothing created before this time.
            end_time: Nothing created after this time.
            status_filter: Only with one of these statuses; ``None`` in the list means current.
            playbook_status_filter: Which approvals, one or several (approved unless given).
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
            "/api/search_agent_playbooks",
            as_model(SearchAgentPlaybooksViewResponse),
            body=given(
                query=query,
                user_id=user_id,
                agent_version=agent_version,
                playbook_name=playbook_name,
                source=source,
                start_time=iso_time(start_time),
                end_time=iso_time(end_time),
                status_filter=as_list(status_filter),
                playbook_status_filter=as_list(playbook_status_filter),
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
    def add_agent_playbooks(
        self, agent_playbooks: Iterable[AgentPlaybook | Mapping[str, Any]] | AgentPlaybook
    ) -> Call[AddAgentPlaybookResponse]:
        """Add agent playbooks by hand.

        Example:
            >>> client.add_agent_playbooks(
            ...     [AgentPlaybook(agent_version="v2.1.0", content="Confirm that the fix worked")]
            ... )
        """
        return Call(
            "POST",
            "/api/add_agent_playbook",
            as_model(AddAgentPlaybookResponse),
            body={"agent_playbooks": rows_of(agent_playbooks)},
            changes_data=True,
        )

    @endpoint
    def update_agent_playbook(
        self,
        agent_playbook_id: int,
        *,
        playbook_name: str | None = None,
        content: str | None = None,
        trigger: str | None = None,
        instruction: str | None = None,
        pitfall: str | None = None,
        rationale: str | None = None,
        playbook_status: PlaybookStatus | str | None = None,
        reason: str | None = None,
    ) -> Call[UpdateAgentPlaybookResponse]:
        """Change the given fields of an agent playbook and leave the others.

        An empty text takes a field away; ``reason`` says why it was decided so.
        Raises ``NotFoundError`` when there is no such playbook.
        """
        return Call(
            "PUT",
            "/api/update_agent_playbook",
            as_model(UpdateAgentPlaybookResponse),
            body=given(
                agent_playbook_id=agent_playbook_id,
                playbook_name=playbook_name,
                content=content,
                trigger=trigger,
                instruction=instruction,
                pitfall=pitfall,
                rationale=rationale,
                playbook_status=playbook_status,
                reason=reason,
            ),
            changes_data=True,
        )

    @endpoint
    def update_agent_playbook_status(
        self,
        agent_playbook_id: int,
        playbook_status: PlaybookStatus | str,
        reason: str | None = None,
    ) -> Call[UpdatePlaybookStatusResponse]:
        """Approve or reject an agent playbook, and say why.

        Example:
            >>> client.update_agent_playbook_status(17, PlaybookStatus.APPROVED)
        """
        return Call(
            "PUT",
            "/api/update_agent_playbook_status",
            as_model(UpdatePlaybookStatusResponse),
            body=given(
                agent_playbook_id=agent_playbook_id,
                playbook_status=playbook_status,
                reason=reason,
            ),
            changes_data=True,
        )

    @endpoint
    def get_agent_playbook_diff(self, agent_playbook_id: int) -> Call[AgentPlaybookDiffResponse]:
        """What approving a successor would change, word by word.

        Example:
            >>> for field in client.get_agent_playbook_diff(17).fields:
            ...     print(field.field, [part.text for part in field.parts if part.op != "same"])
        """
        return Call(
            "GET",
            f"/api/agent_playbooks/{agent_playbook_id}/diff",
            as_model(AgentPlaybookDiffResponse),
            repeatable=True,
        )

    @endpoint
    def get_agent_playbook_history(
        self, agent_playbook_id: int
    ) -> Call[AgentPlaybookHistoryResponse]:
        """Who did what to an agent playbook, why, and the text before; oldest first."""
        return Call(
            "GET",
            f"/api/agent_playbooks/{agent_playbook_id}/history",
            as_model(AgentPlaybookHistoryResponse),
            repeatable=True,
        )

    @endpoint
    def import_agent_playbooks(
        self, agent_playbooks: Iterable[Mapping[str, Any]], dry_run: bool = False
    ) -> Call[ImportAgentPlaybooksResponse]:
        """Bring rules back from files: edited texts wait for review, all of them or none.

        Each rule has ``agent_version`` and texts as an agent playbook has them;
        ``agent_playbook_id`` and ``exported_hash`` (the rule's ``content_hash`` when it was
        exported) unless it is new.

        Example:
            >>> rule = {"agent_version": "v2.1.0", "trigger": "A refund", "instruction": "Be quick"}
            >>> client.import_agent_playbooks([rule], dry_run=True).results[0].action
            'added'
        """
        return Call(
            "POST",
            "/api/agent_playbooks/import",
            as_model(ImportAgentPlaybooksResponse),
            body={"agent_playbooks": as_list(agent_playbooks), "dry_run": dry_run},
            changes_data=True,
        )

    @endpoint
    def delete_agent_playbook(
        self, agent_playbook_id: int, wait_for_response: bool = False
    ) -> Call[DeleteAgentPlaybookResponse | None]:
        """Delete an agent playbook, in the background unless ``wait_for_response`` is true."""
        return Call(
            "DELETE",
            "/api/delete_agent_playbook",
            as_model(DeleteAgentPlaybookResponse),
            body={"agent_playbook_id": agent_playbook_id},
            changes_data=True,
            detached=not wait_for_response,
        )

    @endpoint
    def delete_agent_playbooks_by_ids(
        self, agent_playbook_ids: Iterable[int]
    ) -> Call[BulkDeleteResponse]:
        """Delete several agent playbooks."""
        return Call(
            "DELETE",
            "/api/delete_agent_playbooks_by_ids",
            as_model(BulkDeleteResponse),
            body={"agent_playbook_ids": as_list(agent_playbook_ids)},
            changes_data=True,
        )

    @endpoint
    def delete_all_agent_playbooks(self) -> Call[BulkDeleteResponse]:
        """Delete every agent playbook."""
        return Call(
            "DELETE",
            "/api/delete_all_agent_playbooks",
            as_model(BulkDeleteResponse),
            changes_data=True,
        )

    @endpoint
    def delete_all_playbooks(self) -> Call[BulkDeleteResponse]:
        """Delete every user playbook and every agent playbook."""
        return Call(
            "DELETE", "/api/delete_all_playbooks", as_model(BulkDeleteResponse), changes_data=True
        )
