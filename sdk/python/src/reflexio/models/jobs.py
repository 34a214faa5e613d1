"""Background work on the server."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from reflexio.enums import JobState
from reflexio.models.base import Response, WireModel


class JobProgress(WireModel):
    """How far a job says it is."""

    done: int = 0
    total: int | None = None
    message: str | None = None


class JobAttempt(WireModel):
    """How an attempt ended, or what else happened to the job.

    ``outcome`` is ``done``, ``failed``, ``expired``, ``released``, ``cancelled`` or ``retried``.
    """

    at: int
    attempt: int
    outcome: str
    reason: str | None = None


class Job(WireModel):
    """A unit of background work."""

    job_id: int
    user_id: str | None = None
    kind: str
    lane: str | None = None
    state: JobState
    payload: Any = None
    attempts: int = 0
    max_attempts: int = 0
    created_at: int
    run_after: int
    started_at: int | None = None
    finished_at: int | None = None
    lease_until: int | None = None
    worker: str | None = None
    cancel_asked: bool = False
    progress: JobProgress | None = None
    last_error: str | None = None
    history: list[JobAttempt] = Field(default_factory=list)


class JobCounts(WireModel):
    """How many jobs of the org are in which state."""

    queued: int = 0
    running: int = 0
    dead: int = 0


class ListJobsResponse(Response):
    """A page of jobs, latest arrival first."""

    jobs: list[Job] = Field(default_factory=list)
    has_more: bool = False
    counts: JobCounts = Field(default_factory=JobCounts)
    msg: str | None = None


class JobResponse(Response):
    """One job."""

    job: Job
    msg: str | None = None
