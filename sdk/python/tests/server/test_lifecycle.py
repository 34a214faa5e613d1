"""Health, background calls, clearing, and the asynchronous client on the real server."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from raw_api import RawApi

from reflexio import (
    AsyncReflexioClient,
    NotFoundError,
    ReflexioClient,
    ReflexioConnectionError,
)

pytestmark = pytest.mark.server


def test_server_is_healthy_and_says_who_we_are(client: ReflexioClient) -> None:
    assert client.health().status == "healthy"
    who = client.whoami()
    assert who.success
    assert who.org_id


def test_nobody_listens_on_a_closed_port() -> None:
    client = ReflexioClient(url_endpoint="http://127.0.0.1:9")
    with pytest.raises(ReflexioConnectionError, match="reflexio serve"):
        client.health()


def test_deletion_in_the_background_arrives(
    client: ReflexioClient, raw: RawApi, user_id: str
) -> None:
    answer = client.publish_interaction(user_id, [{"content": "x"}])
    assert client.delete_request(str(answer.request_id)) is None
    client.flush()
    assert raw.requests(user_id=user_id) == []


def test_failed_deletion_in_the_background_is_reported(client: ReflexioClient) -> None:
    client.delete_request("no-such-request")
    with pytest.raises(NotFoundError):
        client.flush()


def test_script_may_end_right_after_a_background_call(
    server_url: str, client: ReflexioClient, raw: RawApi, user_id: str
) -> None:
    ids = [client.publish_interaction(user_id, [{"content": "x"}]).request_id for _ in range(5)]
    by_name = server_url.replace("127.0.0.1", "localhost")
    script = (
        "from reflexio import ReflexioClient\n"
        f"client = ReflexioClient(url_endpoint={by_name!r})\n"
        f"for request_id in {ids!r}:\n"
        "    client.delete_request(request_id)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert raw.requests(user_id=user_id) == []


def test_clearing_a_user_leaves_the_others(
    client: ReflexioClient, raw: RawApi, user_id: str
) -> None:
    other = f"other_{user_id}"
    for user in (user_id, other):
        client.publish_interaction(user, [{"content": "x"}, {"content": "y"}])
        client.add_user_profile([{"user_id": user, "content": "c"}])
    counts = client.clear_user_data(user_id).deleted_counts
    assert (counts["interactions"], counts["requests"], counts["profiles"]) == (2, 1, 1)
    assert raw.interactions(user_id) == []
    assert raw.profiles(user_id) == []
    assert len(raw.interactions(other)) == 2
    assert len(raw.profiles(other)) == 1
    assert sum(client.clear_user_data(user_id).deleted_counts.values()) == 0


def test_learning_is_not_stalled(client: ReflexioClient) -> None:
    assert not client.get_stall_state().stalled
    assert client.mark_stall_notified() == client.mark_stall_notified()


def test_operation_status_of_an_idle_server(client: ReflexioClient) -> None:
    answer = client.get_operation_status("playbook_generation")
    assert answer.operation_status is None or answer.success


def test_asynchronous_client_does_the_same(server_url: str, raw: RawApi, user_id: str) -> None:
    async def run() -> None:
        async with AsyncReflexioClient(url_endpoint=server_url) as client:
            answers = await asyncio.gather(
                *(client.publish_interaction(user_id, [{"content": f"{n}"}]) for n in range(5))
            )
            assert all(answer.success for answer in answers)
            rows = (await client.get_interactions(user_id)).interactions
            assert sorted(row.content for row in rows) == ["0", "1", "2", "3", "4"]
            for answer in answers:
                assert await client.delete_request(str(answer.request_id)) is None
            await client.flush()
            assert (await client.search_async("nothing here", user_id=user_id)).success

    asyncio.run(run())
    assert raw.requests(user_id=user_id) == []


def test_blocking_client_offers_coroutines_too(client: ReflexioClient, user_id: str) -> None:
    async def run() -> None:
        answer = await client.publish_interaction_async(user_id, [{"content": "x"}])
        assert answer.success
        assert (await client.search_async("x", user_id=user_id)).success

    asyncio.run(run())
