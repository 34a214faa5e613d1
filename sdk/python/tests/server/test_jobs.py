"""Background work, seen and changed through the client."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from conftest import StartServer

from reflexio import AsyncReflexioClient, JobState, NotFoundError, ReflexioClient


@pytest.fixture(scope="module")
def idle_url(start_server: StartServer) -> str:
    """A server that leaves jobs alone."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("REFLEXIO_LEARNING_WORKERS", "0")
        return start_server().url


@pytest.fixture
def client(idle_url: str) -> Iterator[ReflexioClient]:
    with ReflexioClient(url_endpoint=idle_url) as client:
        yield client


def test_a_publish_is_seen_as_a_job_that_can_be_cancelled_and_retried(
    client: ReflexioClient, user_id: str
) -> None:
    client.publish_interaction(user_id, [{"content": "x"}], wait_for_response=True)
    listed = client.list_jobs(user_id=user_id, kind="learn", limit=5)
    assert len(listed.jobs) == 1
    assert not listed.has_more
    job = listed.jobs[0]
    assert (job.kind, job.user_id) == ("learn", user_id)
    assert client.get_job(job.job_id).job.job_id == job.job_id
    cancelled = client.cancel_job(job.job_id).job
    assert cancelled.state is JobState.CANCELLED
    assert [entry.outcome for entry in cancelled.history] == ["cancelled"]
    assert client.list_jobs(JobState.CANCELLED, user_id=user_id).jobs == [cancelled]
    assert client.retry_job(job.job_id).job.state is JobState.QUEUED
    client.cancel_job(job.job_id)


def test_a_job_that_is_not_there_is_told(client: ReflexioClient) -> None:
    for call in (client.get_job, client.retry_job, client.cancel_job):
        with pytest.raises(NotFoundError, match="job `999999` does not exist"):
            call(999999)


def test_the_asynchronous_client_lists_jobs(idle_url: str, user_id: str) -> None:
    async def run() -> None:
        async with AsyncReflexioClient(url_endpoint=idle_url) as client:
            await client.publish_interaction(user_id, [{"content": "x"}])
            await client.flush()
            (job,) = (await client.list_jobs(user_id=user_id)).jobs
            assert (await client.cancel_job(job.job_id)).job.state is JobState.CANCELLED
            assert (await client.retry_job(job.job_id)).job.state is JobState.QUEUED
            assert (await client.get_job(job.job_id)).job.user_id == user_id

    asyncio.run(run())
