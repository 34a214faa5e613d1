"""What becomes of agent playbooks: differences, history, rules that come back from files."""

from __future__ import annotations

from pydantic import Field

from reflexio.models.base import Response, WireModel


class DiffPart(WireModel):
    """Words that stay (``same``), go (``removed``) or come (``added``)."""

    op: str
    text: str


class FieldDiff(WireModel):
    """A field that approving a successor would change, word by word."""

    field: str
    parts: list[DiffPart] = Field(default_factory=list)


class AgentPlaybookDiffResponse(Response):
    """What approving an agent playbook would change of the rule whose place it takes."""

    agent_playbook_id: int = 0
    successor_of: int | None = None
    fields: list[FieldDiff] = Field(default_factory=list)


class FieldChange(WireModel):
    """What an edit made of one field."""

    field: str
    before: str | None = None
    after: str | None = None


class AgentPlaybookEvent(WireModel):
    """One line of an agent playbook's history.

    ``actor`` is the key that did it; it is missing for the machine and for callers without a key.
    """

    action: str
    actor: str | None = None
    created_at: int
    reason: str | None = None
    changes: list[FieldChange] = Field(default_factory=list)


class AgentPlaybookHistoryResponse(Response):
    """What happened to an agent playbook, oldest first."""

    agent_playbook_id: int = 0
    events: list[AgentPlaybookEvent] = Field(default_factory=list)


class ImportResult(WireModel):
    """What became of one rule.

    ``action`` is ``unchanged``, ``added``, ``proposed``, ``edited``, ``approved``, ``rejected`` or
    ``refused``; ``message`` says why.
    """

    action: str
    agent_playbook_id: int | None = None
    message: str | None = None


class ImportAgentPlaybooksResponse(Response):
    """What became of an import, rule by rule; ``applied`` says whether anything was stored."""

    applied: bool = False
    results: list[ImportResult] = Field(default_factory=list)
