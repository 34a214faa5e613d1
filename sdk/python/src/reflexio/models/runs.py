"""Operations that changed what was learned."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from reflexio.enums import RunState
from reflexio.models.base import Response, WireModel


class Run(WireModel):
    """An aggregation, rerun, upgrade, downgrade, import or undo that changed rows.

    ``kind`` is one of these words, or one that a newer server knows. ``loss`` says why it cannot be
    undone any more: ``user_erased`` or ``expired``.
    """

    run_id: str
    kind: str
    state: RunState
    scope: str = ""
    actor: str | None = None
    automatic: bool = False
    job_id: int | None = None
    started_at: int
    ended_at: int
    added: int = 0
    changed: int = 0
    retired: int = 0
    cost_usd: float | None = None
    undoes: str | None = None
    undone_by: str | None = None
    loss: str | None = None


class RunChange(WireModel):
    """One change of a run; of a row that changed, both sides hold only the fields that differ.

    ``action`` is ``added``, ``changed`` or ``deleted``.
    """

    sequence: int
    action: str
    row_kind: str
    row_id: str
    user_id: str | None = None
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None


class BlockedRow(WireModel):
    """A row that is not as the run left it, and what happened to it since."""

    row_kind: str
    row_id: str
    user_id: str | None = None
    reason: str


class GetRunsResponse(Response):
    """A page of runs, latest first."""

    runs: list[Run] = Field(default_factory=list)
    has_more: bool = False
    msg: str | None = None


class GetRunResponse(Response):
    """A run with what it changed."""

    run: Run
    changes: list[RunChange] = Field(default_factory=list)
    has_more: bool = False
    msg: str | None = None


class UndoRunResponse(Response):
    """What an undo did, or with ``dry_run`` would do; ``run`` is the one to undo to redo it."""

    dry_run: bool = False
    run: Run | None = None
    rows: int = 0
    touches_approved: bool = False
    blocked: list[BlockedRow] = Field(default_factory=list)
    msg: str | None = None
