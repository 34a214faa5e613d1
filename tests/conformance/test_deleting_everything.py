"""delete_all_* and clear_user_data: complete, honest in their count, and no wider."""

from __future__ import annotations

import pytest
from reflexio import AgentPlaybook, UserPlaybook

from conversations import THREE_TURNS
from expect import same_shape
from observing import ObservedClient

USERS = ("ann", "bob")


@pytest.fixture
def full(own_client) -> ObservedClient:
    """Two users, each with 3 turns, 2 profiles and 1 playbook, beside 2 agent playbooks."""
    for user in USERS:
        own_client.publish_interaction(user, THREE_TURNS, session_id=f"session-{user}")
        own_client.add_user_profile(
            [{"user_id": user, "content": f"fact {number} about {user}"} for number in range(2)]
        )
        own_client.add_user_playbook(
            [
                UserPlaybook(
                    user_id=user, agent_version="v1", request_id="r", content=f"rule of {user}"
                )
            ]
        )
    own_client.add_agent_playbooks(
        [AgentPlaybook(agent_version="v1", content=f"common rule {number}") for number in range(2)]
    )
    return own_client


def stored(client: ObservedClient, user: str | None = None) -> dict[str, int]:
    """How many rows of each kind there are, of one user or in all."""

    def mine(rows) -> int:
        return len([row for row in rows if user in (None, row.user_id)])

    return {
        "interactions": mine(client.get_all_interactions().interactions),
        "profiles": mine(client.get_all_profiles().user_profiles),
        "user_playbooks": mine(client.get_user_playbooks().user_playbooks),
        "agent_playbooks": len(client.get_agent_playbooks(force_refresh=True).agent_playbooks),
    }


FULL = {"interactions": 6, "profiles": 4, "user_playbooks": 2, "agent_playbooks": 2}


def test_the_full_server_holds_what_the_other_tests_delete(full):
    assert stored(full) == FULL


def test_all_interactions_are_deleted_and_counted(full):
    answer = full.delete_all_interactions()
    assert (answer.success, answer.deleted_count) == (True, 6)
    same_shape("B.delete_all_interactions", full.last())
    assert stored(full) == FULL | {"interactions": 0}
    assert full.get_requests().sessions == []


def test_all_profiles_are_deleted_and_counted(full):
    answer = full.delete_all_profiles()
    assert (answer.success, answer.deleted_count) == (True, 4)
    same_shape("B.delete_all_profiles", full.last())
    assert stored(full) == FULL | {"profiles": 0}


def test_all_playbooks_of_both_kinds_are_deleted_and_counted(full):
    answer = full.delete_all_playbooks()
    assert (answer.success, answer.deleted_count) == (True, 4)
    same_shape("B.delete_all_playbooks", full.last())
    assert stored(full) == FULL | {"user_playbooks": 0, "agent_playbooks": 0}


def test_all_user_playbooks_are_deleted_and_counted(full):
    answer = full.delete_all_user_playbooks()
    assert (answer.success, answer.deleted_count) == (True, 2)
    same_shape("B.delete_all_user_playbooks", full.last())
    assert stored(full) == FULL | {"user_playbooks": 0}


def test_all_agent_playbooks_are_deleted_and_counted(full):
    answer = full.delete_all_agent_playbooks()
    assert (answer.success, answer.deleted_count) == (True, 2)
    same_shape("B.delete_all_agent_playbooks", full.last())
    assert stored(full) == FULL | {"agent_playbooks": 0}


def test_clearing_a_user_leaves_the_others(full):
    answer = full.clear_user_data("ann")
    assert answer.success
    expected = {"interactions": 3, "requests": 1, "profiles": 2, "user_playbooks": 1}
    assert {key: answer.deleted_counts[key] for key in expected} == expected
    same_shape("A.clear_user_data", full.last())
    assert stored(full, "ann") == {
        "interactions": 0,
        "profiles": 0,
        "user_playbooks": 0,
        "agent_playbooks": 2,
    }
    assert stored(full, "bob") == {
        "interactions": 3,
        "profiles": 2,
        "user_playbooks": 1,
        "agent_playbooks": 2,
    }


def test_clearing_twice_succeeds_with_zeros(full):
    full.clear_user_data("ann")
    answer = full.clear_user_data("ann")
    assert answer.success
    assert set(answer.deleted_counts.values()) == {0}
    same_shape("A.clear_user_data.again", full.last())


def test_a_cleared_user_is_found_by_no_search(full):
    full.clear_user_data("ann")
    assert full.search_interactions(user_id="ann", query="delivery address").interactions == []
    assert full.search_user_profiles(user_id="ann", query="fact").user_profiles == []
    assert full.search_user_playbooks(user_id="ann", query="rule").user_playbooks == []
    assert full.get_requests(user_id="ann").sessions == []
    assert [
        log for log in full.get_profile_change_log().profile_change_logs if log.user_id == "ann"
    ] == []
