"""The calls that learn. Results are asserted once the engine is there: see `NEEDS_LEARNING`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from conversations import THREE_TURNS
from expect import LEARNED_KEYS, NEEDS_LEARNING, learned, same_shape


@pytest.fixture
def talked(client, user, name):
    client.publish_interaction(
        user, THREE_TURNS, agent_version=name("v"), session_id=name("s"), source="chat"
    )
    return user


def unlearned_keys(method: str) -> set[str]:
    return LEARNED_KEYS if method in NEEDS_LEARNING else set()


def test_profile_rerun_that_waits_answers_with_an_operation(client, talked):
    method = "rerun_profile_generation"
    answer = client.rerun_profile_generation(user_id=talked, wait_for_response=True)
    learned(method, answer.model_dump())
    same_shape(
        "A.rerun_profile_generation.wait", client.last(f"/api/{method}"), path=f"/api/{method}"
    )


def test_profile_rerun_that_does_not_wait_is_answered(client, talked):
    assert (
        client.rerun_profile_generation(
            user_id=talked, start_time=datetime.now(UTC) - timedelta(days=1)
        )
        is None
    )
    body = client.answered("/api/rerun_profile_generation")
    learned("rerun_profile_generation", body)
    same_shape("A.rerun_profile_generation.nowait", body)


def test_playbook_rerun_that_waits_answers_with_an_operation(client, talked, name):
    method = "rerun_playbook_generation"
    answer = client.rerun_playbook_generation(agent_version=name("v"), wait_for_response=True)
    learned(method, answer.model_dump())
    same_shape(
        "A.rerun_playbook_generation.wait", client.last(f"/api/{method}"), path=f"/api/{method}"
    )


def test_playbook_rerun_that_does_not_wait_is_answered(client, talked, name):
    assert client.rerun_playbook_generation(agent_version=name("v"), playbook_name="style") is None
    body = client.answered("/api/rerun_playbook_generation")
    learned("rerun_playbook_generation", body)
    same_shape("A.rerun_playbook_generation.wait", body, path="/api/rerun_playbook_generation")


def test_manual_profile_generation_is_answered(client, talked):
    method = "manual_profile_generation"
    assert client.manual_profile_generation(user_id=talked, source="chat") is None
    body = client.answered(f"/api/{method}")
    learned(method, body)
    same_shape("A.manual_profile_generation", body, besides=unlearned_keys(method))


def test_manual_playbook_generation_is_answered(client, talked, name):
    method = "manual_playbook_generation"
    assert client.manual_playbook_generation(agent_version=name("v"), source="chat") is None
    body = client.answered(f"/api/{method}")
    learned(method, body)
    same_shape("A.manual_playbook_generation", body, besides=unlearned_keys(method))


def test_aggregation_that_waits_answers_with_a_message(client, talked, name):
    method = "run_playbook_aggregation"
    answer = client.run_playbook_aggregation(agent_version=name("v"), wait_for_response=True)
    learned(method, answer.model_dump())
    assert answer.message
    same_shape("A.run_playbook_aggregation.wait", client.last())


def test_aggregation_that_does_not_wait_is_answered(client, talked, name):
    assert client.run_playbook_aggregation(agent_version=name("v"), playbook_name="style") is None
    body = client.answered("/api/run_playbook_aggregation")
    learned("run_playbook_aggregation", body)
    same_shape("A.run_playbook_aggregation.nowait", body)


def test_a_learning_call_leaves_current_rows_alone(client, talked, name):
    client.add_user_profile([{"user_id": talked, "content": "Prefers tea"}])
    client.rerun_profile_generation(user_id=talked, wait_for_response=True)
    current = client.get_profiles(user_id=talked, force_refresh=True).user_profiles
    assert [row.content for row in current] == ["Prefers tea"]
