"""Which rules agents got for their prompts, and what they did."""

from __future__ import annotations

from pydantic import Field

from reflexio.models.base import Response, WireModel
from reflexio.models.interactions import RetrievedLearning


class InjectedRule(WireModel):
    """A rule as the agent got it; ``wording`` is a fingerprint of its words."""

    kind: str
    learning_id: str
    wording: str = ""


class Injection(WireModel):
    """Rules that an agent got for a prompt.

    ``route`` is ``context``, ``search``, ``search_agent_playbooks``, ``search_user_playbooks``
    or ``reported``.
    """

    injection_id: int
    created_at: int
    route: str
    session_id: str | None = None
    user_id: str | None = None
    agent_version: str | None = None
    request_id: str | None = None
    block_version: str | None = None
    rules: list[InjectedRule] = Field(default_factory=list)


class GetInjectionsResponse(Response):
    """Records of retrieved rules, newest first."""

    injections: list[Injection] = Field(default_factory=list)
    msg: str | None = None


class AddInjectionResponse(Response):
    """What was recorded; ``unknown`` rules are not there, the others were recorded."""

    injection_id: int | None = None
    recorded: int = 0
    unknown: list[RetrievedLearning] = Field(default_factory=list)
    msg: str | None = None


class Share(WireModel):
    """So many of so many, and the share with its 95 % interval (Wilson)."""

    count: int = 0
    total: int = 0
    share: float | None = None
    low: float | None = None
    high: float | None = None


class Difference(WireModel):
    """The difference of two shares and its 95 % interval (Newcombe)."""

    value: float
    low: float
    high: float


class ImpactComparison(WireModel):
    """Sessions with a rule beside sessions without it.

    ``effect`` is ``too_few``, ``unclear``, ``helps`` or ``hurts``; ``summary`` says it in words.
    """

    effect: str = "too_few"
    summary: str = ""
    with_rule: Share = Field(default_factory=Share, alias="with")
    without_rule: Share = Field(default_factory=Share, alias="without")
    difference: Difference | None = None
    told_sessions: int = 0
    judged_sessions: int = 0


class WordingImpact(ImpactComparison):
    """One wording of a rule; an edit makes the next one."""

    revision: int
    wording: str
    is_current: bool = False
    retrievals: int = 0
    sessions: int = 0
    first_used_at: int
    last_used_at: int


class AgentPlaybookImpactResponse(Response, ImpactComparison):
    """How often agents got a rule, and how sessions with it ended beside sessions without it.

    ``caveat`` says what these numbers cannot tell: they are an observation, not a trial.
    """

    agent_playbook_id: int = 0
    playbook_name: str = ""
    content: str = ""
    retrievals: int = 0
    sessions: int = 0
    since: int | None = None
    until: int | None = None
    agent_versions: list[str] = Field(default_factory=list)
    compared_with: str = "with_rules"
    wordings: list[WordingImpact] = Field(default_factory=list)
    incomplete: bool = False
    caveat: str = ""
