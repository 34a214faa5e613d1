"""Background work: what waits, what failed and why."""

from __future__ import annotations

from reflexio._call import Call, as_model, query_of
from reflexio._endpoint import endpoint
from reflexio.enums import JobState
from reflexio.models.jobs import JobResponse, ListJobsResponse


class JobEndpoints:
    """Methods that show jobs and change what becomes of them."""

    @endpoint
    def list_jobs(
        self,
        state: JobState | str | None = None,
        kind: str | None = None,
        user_id: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Call[ListJobsResponse]:
        """Jobs of your org, latest arrival first.

        Args:
            state: Only those in this state.
            kind: Only those of this kind, such as ``learn``.
            user_id: Only those of this user.
            limit: How many (100 unless given, 1000 at most).
            offset: How many to pass over.

        Example:
            >>> for job in client.list_jobs(state=JobState.DEAD).jobs:
            ...     print(job.job_id, job.last_error)
        """
        return Call(
            "GET",
            "/api/jobs",
            as_model(ListJobsResponse),
            query=query_of(state=state, kind=kind, user_id=user_id, limit=limit, offset=offset),
            repeatable=True,
        )

    @endpoint
    def get_job(self, job_id: int) -> Call[JobResponse]:
        """One job with its history."""
        return Call("GET", f"/api/jobs/{job_id}", as_model(JobResponse), repeatable=True)

    @endpoint
    def retry_job(self, job_id: int) -> Call[JobResponse]:
        """Give a dead or cancelled job new attempts."""
        return Call(
            "POST",
            f"/api/jobs/{job_id}/retry",
            as_model(JobResponse),
            changes_data=True,
            repeatable=True,
        )

    @endpoint
    def cancel_job(self, job_id: int) -> Call[JobResponse]:
        """Cancel a queued job at once, or ask a running one to stop."""
        return Call(
            "POST",
            f"/api/jobs/{job_id}/cancel",
            as_model(JobResponse),
            changes_data=True,
            repeatable=True,
        )
