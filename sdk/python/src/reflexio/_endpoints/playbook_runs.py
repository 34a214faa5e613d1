"""Runs of Markdown playbooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reflexio._call import Call, as_model, given, query_of
from reflexio._endpoint import endpoint
from reflexio.models.playbook_runs import (
    ListPlaybookRunsResponse,
    ListPlaybooksResponse,
    PlaybookAssistantResponse,
    PlaybookJournalResponse,
    PlaybookRunResponse,
    PlaybookStateResponse,
)


class PlaybookRunEndpoints:
    """Methods that run Markdown playbooks on the server."""

    @endpoint
    def list_playbooks(self) -> Call[ListPlaybooksResponse]:
        """Programs that can be run."""
        return Call("GET", "/api/playbooks", as_model(ListPlaybooksResponse), repeatable=True)

    @endpoint
    def start_playbook_run(
        self,
        playbook: str,
        user_id: str | None = None,
        start: str | None = None,
        args: Mapping[str, Any] | None = None,
        variables: Mapping[str, Any] | None = None,
        message: str | None = None,
        max_model_calls: int | None = None,
        max_seconds: int | None = None,
        max_cost_usd: float | None = None,
        publish: bool | None = None,
        recall: bool | None = None,
    ) -> Call[PlaybookRunResponse]:
        """Start a run.

        Args:
            playbook: The name of a program.
            user_id: Who talks to it (``anonymous`` unless given).
            start: The playbook of the program to start; those that begin by themselves otherwise.
            args: Parameters of what starts.
            variables: Variables that every agent starts with.
            message: The first message of the user.
            max_model_calls: At this many calls of a model, the run ends with what it has.
            max_seconds: The same for its time.
            max_cost_usd: The same for what it costs.
            publish: Whether the conversation is published (yes unless given).
            recall: Whether learned rules are shown to the model (yes unless given).
        """
        return Call(
            "POST",
            "/api/playbook_runs",
            as_model(PlaybookRunResponse),
            body=given(
                playbook=playbook,
                user_id=user_id,
                start=start,
                args=None if args is None else dict(args),
                variables=None if variables is None else dict(variables),
                message=message,
                max_model_calls=max_model_calls,
                max_seconds=max_seconds,
                max_cost_usd=max_cost_usd,
                publish=publish,
                recall=recall,
            ),
            changes_data=True,
        )

    @endpoint
    def list_playbook_runs(
        self,
        user_id: str | None = None,
        playbook: str | None = None,
        status: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Call[ListPlaybookRunsResponse]:
        """Runs, the newest first."""
        return Call(
            "GET",
            "/api/playbook_runs",
            as_model(ListPlaybookRunsResponse),
            query=query_of(
                user_id=user_id, playbook=playbook, status=status, limit=limit, offset=offset
            ),
            repeatable=True,
        )

    @endpoint
    def get_playbook_run(self, run_id: str, at: int | None = None) -> Call[PlaybookStateResponse]:
        """How a run stands, or how it stood after ``at`` entries of its journal."""
        return Call(
            "GET",
            f"/api/playbook_runs/{run_id}",
            as_model(PlaybookStateResponse),
            query=query_of(at=at),
            repeatable=True,
        )

    @endpoint
    def tell_playbook_run(self, run_id: str, text: str) -> Call[PlaybookRunResponse]:
        """Say something to a run; it is answered when its turn comes."""
        return Call(
            "POST",
            f"/api/playbook_runs/{run_id}/messages",
            as_model(PlaybookRunResponse),
            body={"text": text},
            changes_data=True,
        )

    @endpoint
    def decide_playbook_run(
        self, run_id: str, approved: bool, by: str | None = None
    ) -> Call[PlaybookRunResponse]:
        """Decide about the approval that a run waits for."""
        return Call(
            "POST",
            f"/api/playbook_runs/{run_id}/approval",
            as_model(PlaybookRunResponse),
            body=given(approved=approved, by=by),
            changes_data=True,
        )

    @endpoint
    def cancel_playbook_run(self, run_id: str) -> Call[PlaybookRunResponse]:
        """End a run where it is."""
        return Call(
            "POST",
            f"/api/playbook_runs/{run_id}/cancel",
            as_model(PlaybookRunResponse),
            changes_data=True,
            repeatable=True,
        )

    @endpoint
    def get_playbook_journal(
        self, run_id: str, after: int | None = None, limit: int | None = None
    ) -> Call[PlaybookJournalResponse]:
        """Everything that happened in a run, from the entry after ``after`` on."""
        return Call(
            "GET",
            f"/api/playbook_runs/{run_id}/journal",
            as_model(PlaybookJournalResponse),
            query=query_of(after=after, limit=limit),
            repeatable=True,
        )

    @endpoint
    def ask_playbook_assistant(
        self,
        name: str,
        messages: Sequence[Mapping[str, Any]],
        playbooks: Sequence[Mapping[str, Any]] = (),
    ) -> Call[PlaybookAssistantResponse]:
        """The next answer of a conversation, with rules to try; tools give recorded results."""
        return Call(
            "POST",
            f"/api/playbooks/{name}/assistant",
            as_model(PlaybookAssistantResponse),
            body={
                "messages": [dict(message) for message in messages],
                "playbooks": [dict(playbook) for playbook in playbooks],
            },
        )
