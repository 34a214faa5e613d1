"""publish_interaction, publish_interaction_async and get_learning_status."""

from __future__ import annotations

import asyncio

import pytest
import requests
from reflexio import InteractionData, ToolUsed, UserActionType

from conversations import THREE_TURNS, encoded, now, png
from expect import same_shape

LEARNING_WORDS = {"pending", "processing", "done", "not_tracked"}


def test_publish_answers_with_a_request_id_and_the_recorded_keys(client, user, name):
    answer = client.publish_interaction(
        user, THREE_TURNS, source="support_chat", agent_version="v2.1.0", session_id=name("s")
    )
    assert answer.success
    assert answer.request_id
    assert answer.warnings == []
    assert answer.learning_status == "deferred"
    same_shape("A.publish.3turns.nowait", client.last())


def test_publish_that_waits_answers_with_counts(client, user, name):
    answer = client.publish_interaction(
        user, THREE_TURNS, session_id=name("s"), wait_for_response=True
    )
    assert answer.success
    assert answer.profiles_added >= 0
    assert answer.playbooks_added >= 0
    assert answer.learning_status in ("done", "deferred")
    same_shape("A.publish.3turns.wait(window3)", client.last())


def test_published_turns_come_back_as_sent(client, user, name):
    published = client.publish_interaction(user, THREE_TURNS, session_id=name("s"))
    rows = client.get_interactions(user_id=user).interactions
    assert [(row.role, row.content) for row in rows] == [
        (turn["role"], turn["content"]) for turn in THREE_TURNS
    ]
    assert {row.request_id for row in rows} == {published.request_id}
    assert all(
        row.user_id == user and row.interaction_id > 0 and abs(row.created_at - now()) < 60
        for row in rows
    )


def test_text_outside_ascii_survives(client, user, name):
    text = "Grüße, 注文の住所を変更したい 🚚 \u202eabc\n\ttab"
    client.publish_interaction(user, [{"content": text}], session_id=name("s"))
    assert client.get_interactions(user_id=user).interactions[0].content == text


def test_an_action_with_its_description_survives(client, user, name):
    action = InteractionData(
        user_action=UserActionType.CLICK,
        user_action_description="pressed Buy",
        interacted_image_url="https://example.com/a.png",
    )
    client.publish_interaction(user, [action], session_id=name("s"))
    row = client.get_interactions(user_id=user, top_k=2).interactions[0]
    assert (row.user_action, row.user_action_description) == (UserActionType.CLICK, "pressed Buy")
    assert row.interacted_image_url == "https://example.com/a.png"
    same_shape("A.get_interactions.act", client.last())


def test_an_embedded_image_is_accepted(client, user, name):
    turn = {"content": "the colours look wrong", "image_encoding": encoded(png(8))}
    assert client.publish_interaction(user, [turn], session_id=name("s"), source="design").success
    same_shape("A.publish.image_encoding", client.last())
    assert len(client.get_interactions(user_id=user).interactions) == 1


def test_shadow_and_expert_answers_survive(client, user, name):
    turn = {
        "role": "Agent",
        "content": "Ask the shop.",
        "shadow_content": "Use the form.",
        "expert_content": "Open the return form first.",
    }
    client.publish_interaction(user, [THREE_TURNS[0], turn], session_id=name("s"))
    row = client.get_interactions(user_id=user).interactions[1]
    assert (row.content, row.shadow_content, row.expert_content) == (
        turn["content"],
        turn["shadow_content"],
        turn["expert_content"],
    )


def test_tools_and_retrieved_learnings_survive(client, user, name):
    turn = {
        "role": "Agent",
        "content": "done",
        "tools_used": [
            ToolUsed(
                tool_name="lookup",
                tool_data={"input": {"q": "x", "n": [1, 2.5, None]}},
                status="success",
            )
        ],
        "citations": [{"kind": "user_playbook", "real_id": "1"}],
        "retrieved_learnings": [{"kind": "profile", "learning_id": "p1"}],
    }
    client.publish_interaction(user, [turn], session_id=name("s"))
    same_shape("A.publish.tools_used+citations", client.last())
    row = client.get_interactions(user_id=user).interactions[0]
    assert (row.tools_used[0].tool_name, row.tools_used[0].status) == ("lookup", "success")
    assert row.tools_used[0].tool_data == {"input": {"q": "x", "n": [1, 2.5, None]}}
    assert [(learning.kind, learning.learning_id) for learning in row.retrieved_learnings] == [
        ("profile", "p1")
    ]


def test_empty_turns_are_left_out_with_a_warning(client, user, name):
    answer = client.publish_interaction(
        user,
        [{"content": "hi", "mood": "good"}, {"role": "Agent", "content": ""}],
        session_id=name("s"),
    )
    assert any("mood" in warning for warning in answer.warnings)
    assert len(client.get_interactions(user_id=user).interactions) == 1
    same_shape("A.publish.unknown_field+empty_row", client.last("/api/publish_interaction"))


def test_unknown_fields_and_empty_rows_are_named_in_warnings(api, user, name):
    rows = [{"role": "User", "content": "hi", "foo": 1}, {"role": "Agent", "content": ""}]
    answer = api.publish(user_id=user, session_id=name("s"), bogus=1, interaction_data_list=rows)
    assert answer.status_code == 200
    assert answer.json()["success"] is True
    warnings = "\n".join(answer.json()["warnings"])
    assert "foo" in warnings
    assert "bogus" in warnings
    assert "1" in warnings
    same_shape("A.raw.publish.unknown_field+empty_row", answer.json())
    assert [row["content"] for row in api.stored_interactions(user)] == ["hi"]


def test_any_role_name_is_kept(client, user, name):
    client.publish_interaction(
        user,
        [{"role": "Support_Agent", "content": "a"}, {"role": "system", "content": "b"}],
        session_id=name("s"),
    )
    same_shape("A.publish.custom_roles", client.last())
    assert [row.role for row in client.get_interactions(user_id=user).interactions] == [
        "Support_Agent",
        "system",
    ]


def test_publish_async_stores_as_the_blocking_call_does(client, user, name):
    answer = asyncio.run(
        client.publish_interaction_async(
            user, [{"content": "sent from a coroutine"}], session_id=name("s"), source="chat"
        )
    )
    assert answer.success
    assert answer.request_id
    same_shape("B.publish_interaction_async", client.last())
    assert client.get_interactions(user_id=user).interactions[0].content == "sent from a coroutine"


def test_evaluation_only_is_kept_and_never_learned(client, user, name):
    answer = client.publish_interaction(
        user,
        [{"content": "only to be graded"}],
        session_id=name("s"),
        evaluation_only=True,
        wait_for_response=True,
    )
    assert (answer.learning_status, answer.profiles_added, answer.playbooks_added) == ("done", 0, 0)
    same_shape("B.publish.evaluation_only", client.last())
    assert client.get_requests(user_id=user).sessions[0].requests[0].request.evaluation_only is True


def test_every_publish_switch_is_accepted(client, user, name):
    switches = {"skip_aggregation": True, "force_extraction": True, "override_learning_stall": True}
    assert client.publish_interaction(user, THREE_TURNS, session_id=name("s"), **switches).success


def test_learning_status_of_a_published_request_is_a_contract_word(client, user, name):
    published = client.publish_interaction(user, THREE_TURNS, session_id=name("s"))
    assert client.get_learning_status(published.request_id) in LEARNING_WORDS
    same_shape("A.get_learning_status.right_after", client.last())


def test_learning_status_of_an_unknown_request_answers_404(client, name):
    with pytest.raises(requests.HTTPError) as caught:
        client.get_learning_status(name("never-published"))
    assert caught.value.response.status_code == 404
    same_shape("A.get_learning_status.unknown", client.last())
