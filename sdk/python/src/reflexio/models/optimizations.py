"""Runs that look for better wordings of playbooks, and how much playbooks help."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from reflexio.enums import OptimizationState
from reflexio.models.base import Response, WireModel


class OptimizationWindow(WireModel):
    """A situation that is replayed; ``role`` is ``train``, ``validation`` or ``both``."""

    window: int
    role: str
    user_id: str
    user_playbook_id: int
    request_id: str
    interaction_ids: list[int] = Field(default_factory=list)


class Optimization(WireModel):
    """A run that looks for a better wording of one playbook.

    ``successor_id`` is the playbook with the better wording, which waits for a person;
    ``decision`` says why the run ended as it did.
    """

    optimization_id: int
    agent_playbook_id: int | None = None
    user_playbook_id: int | None = None
    state: OptimizationState
    successor_id: int | None = None
    decision: str | None = None
    incumbent: str
    trigger: str = ""
    windows: list[OptimizationWindow] = Field(default_factory=list)
    warnings: list[str] = Field(default_factory=list)
    policy: dict[str, Any] = Field(default_factory=dict)
    estimate: dict[str, Any] = Field(default_factory=dict)
    report: dict[str, Any] | None = None
    job_id: int | None = None
    created_at: int
    finished_at: int | None = None


class OptimizationCandidate(WireModel):
    """A wording that was tried; number 0 is the one that was there.

    ``fate`` is ``incumbent``, ``accepted``, ``rejected`` or ``winner``; ``mean`` is over the
    held-out windows.
    """

    candidate: int
    content: str
    parents: list[int] = Field(default_factory=list)
    mean: float | None = None
    scores: dict[int, float] = Field(default_factory=dict)
    fate: str


class RolloutMessage(WireModel):
    """One message of a replayed conversation; ``role`` is ``user`` or ``assistant``."""

    role: str
    content: str


class RolloutJudgement(WireModel):
    """What the judge says of two conversations; a ``score`` above 0.5 favours the candidate."""

    score: float
    verdict: str
    likert: int
    rationale: str = ""
    failure_modes: list[str] = Field(default_factory=list)
    regressions: list[str] = Field(default_factory=list)
    winning_behaviors: list[str] = Field(default_factory=list)
    missing_instruction: str | None = None
    recommended_mutation: str | None = None
    orders_agree: bool = True
    judged_by: str = ""


class OptimizationTrial(WireModel):
    """One wording replayed in one window, beside the wording that was there."""

    candidate: int
    window: int
    incumbent_rollout: list[RolloutMessage] = Field(default_factory=list)
    candidate_rollout: list[RolloutMessage] = Field(default_factory=list)
    judgement: RolloutJudgement | None = None


class StartOptimizationResponse(Response):
    """A run that was started, or what it would cost."""

    optimization: Optimization | None = None
    estimate: dict[str, Any] = Field(default_factory=dict)
    windows: list[OptimizationWindow] = Field(default_factory=list)
    warnings: list[str] = Field(default_factory=list)
    msg: str | None = None


class GetOptimizationsResponse(Response):
    """A page of runs, newest first."""

    optimizations: list[Optimization] = Field(default_factory=list)
    has_more: bool = False
    msg: str | None = None


class OptimizationResponse(Response):
    """A run with everything that was tried."""

    optimization: Optimization
    candidates: list[OptimizationCandidate] = Field(default_factory=list)
    trials: list[OptimizationTrial] = Field(default_factory=list)
    msg: str | None = None


class LiftWindow(WireModel):
    """One window with and without the playbook."""

    window: int
    lift: float
    judgement: RolloutJudgement
    with_playbook: list[RolloutMessage] = Field(default_factory=list)
    without_playbook: list[RolloutMessage] = Field(default_factory=list)


class LiftResponse(Response):
    """How much a playbook helps, from -1 over 0 (no difference) to 1.

    ``low`` and ``high`` are its 95 % interval; all three are missing until it is measured.
    """

    agent_playbook_id: int
    state: OptimizationState
    lift: float | None = None
    low: float | None = None
    high: float | None = None
    windows: list[LiftWindow] = Field(default_factory=list)
    decision: str | None = None
    content: str = ""
    measured_at: int | None = None
