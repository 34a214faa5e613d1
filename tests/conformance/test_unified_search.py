"""search and search_async over profiles, user playbooks and agent playbooks."""

from __future__ import annotations

import asyncio

import pytest
from reflexio import AgentPlaybook, PlaybookStatus, UserPlaybook

from expect import same_shape


@pytest.fixture
def learned_about_food(client, user, name):
    """One row of each kind that speaks of vegetarian food; returns the user."""
    version = name("v")
    client.add_user_profile(
        [
            {"user_id": user, "content": "Prefers vegetarian food"},
            {"user_id": user, "content": "Lives in Berlin"},
        ]
    )
    client.add_user_playbook(
        [
            UserPlaybook(
                user_id=user,
                agent_version=version,
                request_id="r",
                playbook_name="menu",
                content="List vegetarian dishes first",
                trigger="asks for food",
            )
        ]
    )
    client.add_agent_playbooks(
        [
            AgentPlaybook(
                agent_version=version,
                playbook_name="menu",
                content="Mark vegetarian dishes",
                trigger="asks for food",
                playbook_status=PlaybookStatus.APPROVED,
            )
        ]
    )
    return user


def found(answer) -> tuple[list[str], list[str], list[str]]:
    return tuple(
        [row.content for row in rows]
        for rows in (answer.profiles, answer.user_playbooks, answer.agent_playbooks)
    )


def test_one_search_answers_with_all_three_kinds(client, learned_about_food, name):
    answer = client.search(
        query="vegetarian food", user_id=learned_about_food, agent_version=name("v")
    )
    profiles, user_playbooks, agent_playbooks = found(answer)
    assert profiles[0] == "Prefers vegetarian food"
    assert (user_playbooks, agent_playbooks) == (
        ["List vegetarian dishes first"],
        ["Mark vegetarian dishes"],
    )


def test_the_answer_has_the_recorded_keys(client, user):
    client.add_user_profile([{"user_id": user, "content": "Prefers vegetarian food"}])
    assert client.search(query="vegetarian", user_id=user, entity_types=["profiles"]).success
    same_shape("B.search", client.last())


def test_entity_types_limit_the_answer(client, learned_about_food, name):
    answer = client.search(
        query="vegetarian",
        user_id=learned_about_food,
        agent_version=name("v"),
        entity_types=["user_playbooks"],
    )
    assert found(answer) == ([], ["List vegetarian dishes first"], [])


def test_top_k_limits_each_kind(client, user):
    client.add_user_profile(
        [{"user_id": user, "content": f"Owns bicycle number {number}"} for number in range(6)]
    )
    assert len(client.search(query="bicycle", user_id=user, top_k=2).profiles) == 2


def test_profiles_of_other_users_are_not_found(client, learned_about_food, name):
    assert (
        client.search(
            query="vegetarian", user_id=name("stranger"), agent_version=name("v")
        ).profiles
        == []
    )


def test_approval_filter_limits_agent_playbooks(client, learned_about_food, name):
    version = name("v")
    client.add_agent_playbooks(
        [
            AgentPlaybook(
                agent_version=version, content="Warn about vegetarian allergies", trigger="food"
            )
        ]
    )
    pending = client.search(
        query="vegetarian",
        agent_version=version,
        agent_playbook_status_filter=[PlaybookStatus.PENDING],
    )
    assert [row.content for row in pending.agent_playbooks] == ["Warn about vegetarian allergies"]


@pytest.mark.parametrize("mode", ["fts", "hybrid"])
def test_text_modes_find_the_word(client, learned_about_food, mode):
    answer = client.search(
        query="Berlin", user_id=learned_about_food, search_mode=mode, entity_types=["profiles"]
    )
    assert [row.content for row in answer.profiles][:1] == ["Lives in Berlin"]


def test_history_and_reformulation_are_accepted(client, learned_about_food):
    history = [{"role": "user", "content": "hi"}]
    answer = client.search(
        query="food",
        user_id=learned_about_food,
        top_k=2,
        conversation_history=history,
        enable_reformulation=True,
    )
    assert answer.success
    # Without a model there is nothing to reformulate with, and null fields are left out.
    same_shape("B.search.history+reformulate", client.last(), besides={"reformulated_query"})


def test_search_async_answers_as_the_blocking_call_does(client, learned_about_food, name):
    question = {
        "query": "vegetarian food",
        "user_id": learned_about_food,
        "agent_version": name("v"),
    }
    assert found(asyncio.run(client.search_async(**question))) == found(client.search(**question))


def test_search_async_has_the_recorded_keys(client, user):
    client.add_user_profile([{"user_id": user, "content": "Lives in Berlin"}])
    assert asyncio.run(client.search_async(query="Berlin", user_id=user)).profiles
    same_shape("B.search_async", client.last())
