"""What publish_interaction makes of its arguments."""

from __future__ import annotations

import logging
import warnings
from typing import Any

import pytest
from support import ScriptedServer

from reflexio import InteractionData, ToolUsed, UserActionType

STORED = {"success": True, "request_id": "r"}


def published(interactions: Any) -> list[dict[str, Any]]:
    """The rows on the wire, without their times."""
    server = ScriptedServer(STORED)
    server.client().publish_interaction(user_id="u", interactions=interactions)
    rows: list[dict[str, Any]] = server.body()["interaction_data_list"]
    for row in rows:
        row.pop("created_at", None)
    return rows


def test_one_and_many_and_nested_interactions_are_accepted() -> None:
    first = InteractionData(content="one")
    second = {"role": "Agent", "content": "two"}
    assert published(first) == [{"content": "one"}]
    assert published(second) == [second]
    assert published([first, second]) == [{"content": "one"}, second]
    assert published([[first], [[second]], ()]) == [{"content": "one"}, second]
    assert published(row for row in (second,)) == [second]


def test_dicts_are_sent_as_they_are() -> None:
    odd = {"Content": "misspelled", "extra": 1}
    assert published([odd]) == [odd]


def test_models_and_enums_inside_dicts_become_json() -> None:
    row = {"user_action": UserActionType.CLICK, "tools_used": [ToolUsed(tool_name="search")]}
    assert published([row]) == [
        {
            "user_action": "click",
            "tools_used": [{"tool_name": "search", "tool_data": {}, "status": ""}],
        }
    ]


def test_action_may_be_an_enum_or_a_string() -> None:
    by_name = InteractionData(user_action="click", user_action_description="d")  # type: ignore[arg-type]
    by_enum = InteractionData(user_action=UserActionType.CLICK, user_action_description="d")
    assert published([by_name]) == published([by_enum])
    assert published([by_enum]) == [{"user_action": "click", "user_action_description": "d"}]


def test_time_of_the_interaction_is_sent() -> None:
    server = ScriptedServer(STORED)
    server.client().publish_interaction("u", [InteractionData(created_at=17, content="x")])
    assert server.body()["interaction_data_list"] == [{"created_at": 17, "content": "x"}]


def test_numbers_that_json_does_not_know_become_null() -> None:
    row = {"tools_used": [{"tool_name": "t", "tool_data": {"score": float("nan")}}]}
    assert published([row]) == [
        {"tools_used": [{"tool_name": "t", "tool_data": {"score": None}}]},
    ]


@pytest.mark.parametrize("bad", [object(), b"\xff", "\ud800"])
def test_something_that_is_no_json_is_refused(bad: Any) -> None:
    server = ScriptedServer(STORED)
    with pytest.raises(TypeError, match="JSON"):
        server.client().publish_interaction("u", [{"content": bad}])
    assert server.requests == []


@pytest.mark.parametrize("bad", ["hello", ["hello"], [3], None])
def test_something_that_is_no_interaction_is_refused(bad: Any) -> None:
    server = ScriptedServer(STORED)
    with pytest.raises(TypeError, match="InteractionData"):
        server.client().publish_interaction(user_id="u", interactions=bad)
    assert server.requests == []


def test_placeholder_alone_sends_nothing_and_says_why() -> None:
    server = ScriptedServer(STORED)
    with pytest.warns(UserWarning, match="placeholder") as caught:
        answer = server.client().publish_interaction(user_id="u", interactions=[...])
    assert server.requests == []
    assert not answer.success
    assert "placeholder" in answer.message
    assert caught[0].filename == __file__


def test_placeholder_beside_interactions_is_skipped() -> None:
    with pytest.warns(UserWarning, match="placeholder"):
        assert published([{"content": "x"}, ...]) == [{"content": "x"}]


def test_ordinary_publish_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        published([{"content": "x"}])


def test_every_argument_reaches_the_wire() -> None:
    server = ScriptedServer(STORED)
    server.client().publish_interaction(
        user_id="u",
        interactions=[{"content": "x"}],
        source="chat",
        agent_version="v1",
        session_id="s",
        wait_for_response=True,
        skip_aggregation=True,
        force_extraction=True,
        evaluation_only=False,
        override_learning_stall=True,
        request_id="mine",
        retrieval_experiment_id="e",
        retrieval_experiment_arm="holdout",
    )
    assert str(server.requests[0].url.query, "ascii") == "wait_for_response=true"
    assert server.body() == {
        "request_id": "mine",
        "user_id": "u",
        "interaction_data_list": [{"content": "x"}],
        "source": "chat",
        "agent_version": "v1",
        "session_id": "s",
        "skip_aggregation": True,
        "force_extraction": True,
        "evaluation_only": False,
        "override_learning_stall": True,
        "retrieval_experiment_id": "e",
        "retrieval_experiment_arm": "holdout",
    }


def test_what_was_not_given_is_left_to_the_server() -> None:
    server = ScriptedServer(STORED)
    server.client().publish_interaction("u", [{"content": "x"}])
    body = server.body()
    assert len(body.pop("request_id")) == 32
    assert "session_id" not in body
    assert "agent_version" not in body
    assert server.requests[0].url.query == b""


def test_warnings_of_the_server_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    server = ScriptedServer({"success": True, "warnings": ["unknown key `Content` was dropped"]})
    with caplog.at_level(logging.WARNING, logger="reflexio"):
        answer = server.client().publish_interaction("u", [{"Content": "x", "content": "y"}])
    assert answer.warnings == ["unknown key `Content` was dropped"]
    assert "unknown key `Content` was dropped" in caplog.text
