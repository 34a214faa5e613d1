"""Which answers are remembered, and when they are forgotten."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from support import ScriptedServer

from reflexio import NotFoundError, PlaybookStatus, ReflexioClient, Status
from reflexio._cache import LIFETIME_SECONDS, MOST_ENTRIES, ResponseCache

PLAYBOOK = {"agent_playbook_id": 1, "agent_version": "v1", "content": "c"}
EVERYTHING = {"success": True, "user_profiles": [], "agent_playbooks": [PLAYBOOK]}
STATUS = {
    "success": True,
    "operation_status": {
        "service_name": "profile_generation",
        "status": "completed",
        "started_at": 9999999999,
    },
}

WRITES: dict[str, Callable[[ReflexioClient], Any]] = {
    "publish_interaction": lambda c: c.publish_interaction("u", [{"content": "x"}]),
    "add_user_profile": lambda c: c.add_user_profile([{"user_id": "u", "content": "c"}]),
    "add_user_playbook": lambda c: c.add_user_playbook([{"content": "c"}]),
    "add_agent_playbooks": lambda c: c.add_agent_playbooks([{"content": "c"}]),
    "update_user_playbook": lambda c: c.update_user_playbook(1, content="c"),
    "update_agent_playbook": lambda c: c.update_agent_playbook(1, content="c"),
    "update_agent_playbook_status": lambda c: c.update_agent_playbook_status(
        1, PlaybookStatus.APPROVED
    ),
    "delete_profile": lambda c: c.delete_profile("u", "p", wait_for_response=True),
    "delete_profile in the background": lambda c: c.delete_profile("u", "p"),
    "delete_interaction": lambda c: c.delete_interaction("u", 1, wait_for_response=True),
    "delete_request": lambda c: c.delete_request("r", wait_for_response=True),
    "delete_session": lambda c: c.delete_session("s", wait_for_response=True),
    "delete_agent_playbook": lambda c: c.delete_agent_playbook(1, wait_for_response=True),
    "delete_user_playbook": lambda c: c.delete_user_playbook(1, wait_for_response=True),
    "delete_requests_by_ids": lambda c: c.delete_requests_by_ids(["r"]),
    "delete_profiles_by_ids": lambda c: c.delete_profiles_by_ids(["p"]),
    "delete_agent_playbooks_by_ids": lambda c: c.delete_agent_playbooks_by_ids([1]),
    "delete_user_playbooks_by_ids": lambda c: c.delete_user_playbooks_by_ids([1]),
    "delete_all_interactions": lambda c: c.delete_all_interactions(),
    "delete_all_profiles": lambda c: c.delete_all_profiles(),
    "delete_all_playbooks": lambda c: c.delete_all_playbooks(),
    "delete_all_user_playbooks": lambda c: c.delete_all_user_playbooks(),
    "delete_all_agent_playbooks": lambda c: c.delete_all_agent_playbooks(),
    "upgrade_profiles": lambda c: c.upgrade_profiles("u"),
    "upgrade_user_playbooks": lambda c: c.upgrade_user_playbooks("v1"),
    "downgrade_profiles": lambda c: c.downgrade_profiles("u"),
    "downgrade_user_playbooks": lambda c: c.downgrade_user_playbooks("v1"),
    "run_playbook_aggregation": lambda c: c.run_playbook_aggregation("v1"),
    "clear_user_data": lambda c: c.clear_user_data("u"),
    "rerun_profile_generation": lambda c: c.rerun_profile_generation(wait_for_response=True),
    "rerun_playbook_generation": lambda c: c.rerun_playbook_generation("v1"),
    "manual_profile_generation": lambda c: c.manual_profile_generation("u"),
    "manual_playbook_generation": lambda c: c.manual_playbook_generation("v1"),
}


def reads(server: ScriptedServer) -> int:
    return sum(path in ("/api/get_profiles", "/api/get_agent_playbooks") for path in server.paths())


def test_equal_call_makes_no_request() -> None:
    server = ScriptedServer(EVERYTHING)
    client = server.client()
    first = client.get_agent_playbooks(playbook_name="n", status_filter=[Status.PENDING, None])
    again = client.get_agent_playbooks(playbook_name="n", status_filter=[Status.PENDING, None])
    assert len(server.requests) == 1
    assert again == first
    assert client.get_profiles("u") == client.get_profiles("u")
    assert len(server.requests) == 2


def test_other_arguments_make_a_request() -> None:
    server = ScriptedServer(EVERYTHING)
    client = server.client()
    client.get_profiles("u")
    client.get_profiles("v")
    client.get_profiles("u", top_k=3)
    client.get_agent_playbooks()
    client.get_agent_playbooks(status_filter=[None])
    assert len(server.requests) == 5


def test_force_refresh_asks_and_remembers_the_new_answer() -> None:
    server = ScriptedServer({**EVERYTHING, "msg": "old"}, {**EVERYTHING, "msg": "new"})
    client = server.client()
    client.get_agent_playbooks()
    assert client.get_agent_playbooks(force_refresh=True).msg == "new"
    assert client.get_agent_playbooks().msg == "new"
    assert len(server.requests) == 2


def test_callers_cannot_change_what_is_remembered() -> None:
    client = ScriptedServer(EVERYTHING).client()
    client.get_agent_playbooks().agent_playbooks.clear()
    assert len(client.get_agent_playbooks().agent_playbooks) == 1


def test_clients_do_not_share_what_they_remember() -> None:
    server = ScriptedServer(EVERYTHING)
    server.client().get_profiles("u")
    server.client().get_profiles("u")
    assert len(server.requests) == 2


def test_user_playbooks_are_never_remembered() -> None:
    server = ScriptedServer({"success": True, "user_playbooks": []})
    client = server.client()
    client.get_user_playbooks()
    client.get_user_playbooks()
    assert len(server.requests) == 2


@pytest.mark.parametrize("write", list(WRITES))
def test_every_write_forgets(write: str) -> None:
    server = ScriptedServer({**EVERYTHING, **STATUS})
    client = server.client()
    client.get_profiles("u")
    client.get_agent_playbooks()
    WRITES[write](client)
    client.flush()
    client.get_profiles("u")
    client.get_agent_playbooks()
    assert reads(server) == 4


def test_failed_write_forgets_too() -> None:
    server = ScriptedServer(EVERYTHING, httpx.Response(404, json={"detail": "none"}), EVERYTHING)
    client = server.client()
    client.get_profiles("u")
    with pytest.raises(NotFoundError):
        client.update_user_playbook(9, content="c")
    client.get_profiles("u")
    assert reads(server) == 2


def test_errors_are_not_remembered() -> None:
    server = ScriptedServer(httpx.Response(404, json={"detail": "none"}), EVERYTHING)
    client = server.client()
    with pytest.raises(NotFoundError):
        client.get_profiles("u")
    assert client.get_profiles("u").success


def test_answer_is_forgotten_after_ten_minutes() -> None:
    now = [0.0]
    cache = ResponseCache(clock=lambda: now[0])
    cache.put("k", httpx.Response(200), cache.generation)
    now[0] = LIFETIME_SECONDS - 1
    assert cache.get("k") is not None
    now[0] = LIFETIME_SECONDS
    assert cache.get("k") is None
    assert LIFETIME_SECONDS == 600


def test_answer_that_was_under_way_during_a_write_is_not_remembered() -> None:
    cache = ResponseCache()
    generation = cache.generation
    cache.clear()
    cache.put("k", httpx.Response(200), generation)
    assert cache.get("k") is None


def test_cache_does_not_grow_without_bound() -> None:
    cache = ResponseCache()
    for key in range(MOST_ENTRIES + 5):
        cache.put(key, httpx.Response(200), cache.generation)
    assert cache.get(0) is None
    assert cache.get(MOST_ENTRIES + 4) is not None
