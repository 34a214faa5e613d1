"""The fixed vocabularies of the API.

Every enum is also a string, so a plain string with the same value may be given wherever an enum
is expected.
"""

from __future__ import annotations

from enum import Enum


class Status(str, Enum):
    """Where a learned row stands in its life.

    Rows that are in use carry no status at all (``row.status is None``); ``CURRENT`` exists to
    ask for them in a ``status_filter``, where ``None`` means the same.
    """

    CURRENT = "current"
    PENDING = "pending"
    ARCHIVED = "archived"
    ARCHIVE_IN_PROGRESS = "archive_in_progress"
    MERGED = "merged"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"

    @classmethod
    def _missing_(cls, value: object) -> Status | None:
        return cls.CURRENT if value is None or value == "None" else None


class PlaybookStatus(str, Enum):
    """What a person decided about an agent playbook."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"


class UserActionType(str, Enum):
    """What the user did, beside or instead of saying something."""

    NONE = "none"
    CLICK = "click"
    SCROLL = "scroll"
    TYPE = "type"


class ProfileTimeToLive(str, Enum):
    """How long a profile stays valid."""

    ONE_DAY = "one_day"
    ONE_WEEK = "one_week"
    ONE_MONTH = "one_month"
    ONE_QUARTER = "one_quarter"
    ONE_YEAR = "one_year"
    INFINITY = "infinity"


class OptimizationState(str, Enum):
    """How far a run that looks for a better wording is."""

    QUEUED = "queued"
    RUNNING = "running"
    COMMITTED = "committed"
    UNCHANGED = "unchanged"
    FAILED = "failed"
    CANCELLED = "cancelled"


class RegularVsShadow(str, Enum):
    """Which answer served the user better: the one that was given, or its ``shadow_content``."""

    REGULAR_IS_BETTER = "regular_is_better"
    REGULAR_IS_SLIGHTLY_BETTER = "regular_is_slightly_better"
    SHADOW_IS_BETTER = "shadow_is_better"
    SHADOW_IS_SLIGHTLY_BETTER = "shadow_is_slightly_better"
    TIED = "tied"


class SearchMode(str, Enum):
    """How a search finds its rows: by meaning, by words, or by both."""

    VECTOR = "vector"
    FTS = "fts"
    HYBRID = "hybrid"


class CostBy(str, Enum):
    """By what calls of models are put together."""

    DAY = "day"
    ROLE = "role"
    MODEL = "model"
    USER = "user"
    CONFIG = "config"
    RUN = "run"


class JobState(str, Enum):
    """How a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    DEAD = "dead"
    CANCELLED = "cancelled"


class RunState(str, Enum):
    """Whether what a run did stands."""

    DONE = "done"
    UNDONE = "undone"


class OperationStatus(str, Enum):
    """The state of a long-running operation such as a rerun."""

    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class BlockingIssueKind(str, Enum):
    """Why an agent could not do what a playbook asks."""

    MISSING_TOOL = "missing_tool"
    PERMISSION_DENIED = "permission_denied"
    EXTERNAL_DEPENDENCY = "external_dependency"
    POLICY_RESTRICTION = "policy_restriction"


class ExtractionPreset(str, Enum):
    """Ready-made window and stride sizes."""

    QUICK_CHAT = "quick_chat"
    STANDARD = "standard"
    LONG_FORM = "long_form"
    HIGH_VOLUME = "high_volume"


class SessionOutcomeKind(str, Enum):
    """How a session ended."""

    SUCCESS = "success"
    FAILURE = "failure"
    UNKNOWN = "unknown"


class SessionOutcomeFailureReason(str, Enum):
    """Why an outcome was not recorded."""

    CONFLICTING_FINALIZATION = "conflicting_finalization"
    UNKNOWN_SESSION = "unknown_session"
    OCCURRED_BEFORE_SESSION = "occurred_before_session"
    OCCURRED_IN_FUTURE = "occurred_in_future"
    AFTER_OUTCOME_WINDOW = "after_outcome_window"
    SUBJECT_NOT_WRITABLE = "subject_not_writable"
    STORAGE_ERROR = "storage_error"
