"""Runs of Markdown playbooks."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from reflexio.models.base import Response, WireModel


class PlaybookRun(WireModel):
    """A run. ``status`` is ``running``, ``waiting`` or ``needs_model`` while it goes on."""

    run_id: str
    playbook: str
    version: str = ""
    user_id: str = ""
    status: str
    reason: str | None = None
    entries: int = 0
    created_at: int = 0
    updated_at: int = 0


class PlaybookRunResponse(Response):
    """One run."""

    run: PlaybookRun
    msg: str | None = None


class ListPlaybookRunsResponse(Response):
    """A page of runs, the newest first."""

    runs: list[PlaybookRun] = Field(default_factory=list)
    has_more: bool = False
    msg: str | None = None


class PlaybookMessage(WireModel):
    """A message of a run. ``from`` is ``user`` or ``agent``."""

    id: str
    sender: str = Field(alias="from")
    to: str = ""
    text: str
    playbook: str | None = None
    step: str | None = None


class PlaybookStateResponse(Response):
    """A run after ``position`` entries of its journal."""

    run: PlaybookRun
    position: int = 0
    conversation: list[PlaybookMessage] = Field(default_factory=list)
    variables: dict[str, Any] = Field(default_factory=dict)
    model_calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    steps: int = 0
    waits_for_user: bool = False
    waits_for_approval: bool = False
    next_timer: int | None = None
    result: Any = None


class PlaybookEntry(WireModel):
    """Something that happened in a run; ``entry["entry"]`` says what kind it is."""

    position: int
    entry: dict[str, Any] = Field(default_factory=dict)


class PlaybookJournalResponse(Response):
    """Entries of a journal, in order."""

    entries: list[PlaybookEntry] = Field(default_factory=list)


class PlaybookProgram(WireModel):
    """A program that can be run; ``problem`` says why it cannot."""

    name: str
    version: str = ""
    playbooks: list[str] = Field(default_factory=list)
    problem: str | None = None


class ListPlaybooksResponse(Response):
    """The programs of the server."""

    playbooks: list[PlaybookProgram] = Field(default_factory=list)


class PlaybookAssistantResponse(WireModel):
    """The next answer of a conversation."""

    content: str
