"""Single deletes and deletes by ids remove what was named, report it, and touch nothing else."""

from __future__ import annotations

import pytest
from reflexio import AgentPlaybook, UserPlaybook

from conversations import THREE_TURNS
from expect import same_shape
from observing import eventually

WAITING = pytest.mark.parametrize("waits", [True, False], ids=["waits", "fire-and-forget"])


def publish(client, user, session) -> str:
    return client.publish_interaction(user, THREE_TURNS, session_id=session).request_id


def user_playbooks(client, user, count=2) -> list[int]:
    rows = [
        UserPlaybook(user_id=user, agent_version="v3", request_id="r", content=f"rule {number}")
        for number in range(count)
    ]
    client.add_user_playbook(rows)
    return [row.user_playbook_id for row in client.get_user_playbooks(user_id=user).user_playbooks]


def agent_playbooks(client, version, count=2) -> list[int]:
    client.add_agent_playbooks(
        [AgentPlaybook(agent_version=version, content=f"rule {number}") for number in range(count)]
    )
    return [
        row.agent_playbook_id
        for row in client.get_agent_playbooks(agent_version=version).agent_playbooks
    ]


def profiles(client, user, count=2) -> list[str]:
    client.add_user_profile(
        [{"user_id": user, "content": f"fact {number}"} for number in range(count)]
    )
    return [row.profile_id for row in client.get_profiles(user_id=user).user_profiles]


def done(client, waits, answer, label, path) -> None:
    """A waiting call returns the answer; the other returns None and is answered a little later."""
    assert (answer is not None) is waits
    body = client.last(path) if waits else client.answered(path)
    assert body.get("success") is True, body
    same_shape(label, body)


@WAITING
def test_one_interaction_is_deleted(client, user, name, waits):
    publish(client, user, name("s"))
    first, *others = client.get_interactions(user_id=user).interactions
    answer = client.delete_interaction(user, first.interaction_id, wait_for_response=waits)
    done(client, waits, answer, "B.delete_interaction.wait", "/api/delete_interaction")
    left = {row.interaction_id for row in client.get_interactions(user_id=user).interactions}
    assert left == {row.interaction_id for row in others}


@WAITING
def test_a_request_is_deleted_with_its_turns(client, user, name, waits):
    gone, kept = publish(client, user, name("s")), publish(client, user, name("s"))
    done(
        client,
        waits,
        client.delete_request(gone, wait_for_response=waits),
        "B.delete_request.wait",
        "/api/delete_request",
    )
    assert {row.request_id for row in client.get_interactions(user_id=user).interactions} == {kept}
    assert client.get_requests(request_id=gone).sessions == []


@WAITING
def test_a_session_is_deleted_with_its_requests(client, user, name, waits):
    publish(client, user, name("s"))
    publish(client, user, name("s"))
    kept = publish(client, user, name("t"))
    done(
        client,
        waits,
        client.delete_session(name("s"), wait_for_response=waits),
        "B.delete_session.wait",
        "/api/delete_session",
    )
    assert (client.last("/api/delete_session"))["deleted_requests_count"] == 2
    assert {row.request_id for row in client.get_interactions(user_id=user).interactions} == {kept}


@WAITING
def test_one_profile_is_deleted(client, user, waits):
    gone, kept = profiles(client, user)
    answer = client.delete_profile(user, profile_id=gone, wait_for_response=waits)
    done(client, waits, answer, "B.delete_profile.wait", "/api/delete_profile")
    assert [
        row.profile_id
        for row in client.get_profiles(user_id=user, force_refresh=True).user_profiles
    ] == [kept]


@WAITING
def test_one_user_playbook_is_deleted(client, user, waits):
    gone, kept = user_playbooks(client, user)
    answer = client.delete_user_playbook(gone, wait_for_response=waits)
    done(client, waits, answer, "B.delete_user_playbook.wait", "/api/delete_user_playbook")
    assert [
        row.user_playbook_id for row in client.get_user_playbooks(user_id=user).user_playbooks
    ] == [kept]


@WAITING
def test_one_agent_playbook_is_deleted(client, name, waits):
    gone, kept = agent_playbooks(client, name("v"))
    answer = client.delete_agent_playbook(gone, wait_for_response=waits)
    done(client, waits, answer, "B.delete_agent_playbook.wait", "/api/delete_agent_playbook")
    rows = client.get_agent_playbooks(agent_version=name("v"), force_refresh=True).agent_playbooks
    assert [row.agent_playbook_id for row in rows] == [kept]


def test_deleting_a_profile_needs_an_id_or_a_query(client, user):
    kept = profiles(client, user)
    assert client.delete_profile(user, wait_for_response=True).success is False
    same_shape("B.delete_profile.neither", client.last())
    assert [
        row.profile_id
        for row in client.get_profiles(user_id=user, force_refresh=True).user_profiles
    ] == kept


def test_a_profile_is_only_deleted_for_its_own_user(client, user, name, api):
    kept = profiles(client, user)
    answer = api.delete("/api/delete_profile", {"user_id": name("thief"), "profile_id": kept[0]})
    assert answer.status_code == 404, answer.text
    assert [
        row.profile_id
        for row in client.get_profiles(user_id=user, force_refresh=True).user_profiles
    ] == kept


def test_requests_are_deleted_by_ids_with_an_honest_count(client, user, name):
    gone, kept = publish(client, user, name("s")), publish(client, user, name("t"))
    answer = client.delete_requests_by_ids([gone, name("unknown")])
    assert (answer.success, answer.deleted_count) == (True, 1)
    same_shape("B.delete_requests_by_ids", client.last())
    assert {row.request_id for row in client.get_interactions(user_id=user).interactions} == {kept}


def test_profiles_are_deleted_by_ids_with_an_honest_count(client, user, name):
    gone, kept = profiles(client, user)
    answer = client.delete_profiles_by_ids([gone, name("unknown")])
    assert (answer.success, answer.deleted_count) == (True, 1)
    same_shape("B.delete_profiles_by_ids", client.last())
    assert [
        row.profile_id
        for row in client.get_profiles(user_id=user, force_refresh=True).user_profiles
    ] == [kept]


def test_user_playbooks_are_deleted_by_ids_with_an_honest_count(client, user):
    gone, kept = user_playbooks(client, user)
    answer = client.delete_user_playbooks_by_ids([gone, 999_999_999])
    assert (answer.success, answer.deleted_count) == (True, 1)
    same_shape("B.delete_user_playbooks_by_ids", client.last())
    assert [
        row.user_playbook_id for row in client.get_user_playbooks(user_id=user).user_playbooks
    ] == [kept]


def test_agent_playbooks_are_deleted_by_ids_with_an_honest_count(client, name):
    gone, kept = agent_playbooks(client, name("v"))
    answer = client.delete_agent_playbooks_by_ids([gone, 999_999_999])
    assert (answer.success, answer.deleted_count) == (True, 1)
    same_shape("B.delete_agent_playbooks_by_ids", client.last())
    rows = client.get_agent_playbooks(agent_version=name("v"), force_refresh=True).agent_playbooks
    assert [row.agent_playbook_id for row in rows] == [kept]


def test_deleted_turns_are_no_longer_found_by_search(client, user, name):
    request = publish(client, user, name("s"))
    assert client.search_interactions(user_id=user, query="delivery").interactions
    client.delete_request(request, wait_for_response=False)
    eventually(
        lambda: client.search_interactions(user_id=user, query="delivery").interactions == [],
        "the deletion",
    )
