"""Publishing to the real server and reading back."""

from __future__ import annotations

import base64
import uuid
from datetime import datetime, timedelta, timezone

import pytest
from images import png
from raw_api import RawApi

from reflexio import (
    InteractionData,
    NotFoundError,
    ReflexioClient,
    ReflexioValidationError,
    ToolUsed,
    UserActionType,
)

pytestmark = pytest.mark.server


def test_what_is_published_is_stored(client: ReflexioClient, raw: RawApi, user_id: str) -> None:
    answer = client.publish_interaction(
        user_id=user_id,
        interactions=[
            {"role": "User", "content": "Grüße aus Köln"},
            InteractionData(
                role="Agent",
                content="Guten Tag",
                tools_used=[ToolUsed(tool_name="lookup", tool_data={"q": 1}, status="success")],
            ),
        ],
        source="chat",
        agent_version="v1",
        session_id=f"session_{user_id}",
    )
    assert answer.success
    assert answer.warnings == []
    (stored,) = raw.requests(user_id=user_id)
    assert stored["request"]["request_id"] == answer.request_id
    assert stored["request"]["session_id"] == f"session_{user_id}"
    first, second = raw.interactions(user_id)
    assert first["content"] == "Grüße aus Köln"
    assert second["tools_used"][0]["tool_name"] == "lookup"


def test_missing_session_and_version_get_their_defaults(
    client: ReflexioClient, user_id: str
) -> None:
    answer = client.publish_interaction(user_id, {"content": "hello"})
    (session,) = client.get_requests(user_id=user_id).sessions
    request = session.requests[0].request
    assert request.session_id == session.session_id == answer.request_id == request.request_id
    assert request.agent_version == "agent-v0"
    assert answer.session_id == answer.request_id


def test_own_request_id_is_stored_once(client: ReflexioClient, raw: RawApi, user_id: str) -> None:
    request_id = uuid.uuid4().hex
    turn = [{"content": "once"}]
    first = client.publish_interaction(user_id, turn, request_id=request_id)
    second = client.publish_interaction(user_id, turn, request_id=request_id)
    assert (first.success, first.request_id) == (True, request_id)
    assert (second.success, second.duplicate) == (False, True)
    assert len(raw.interactions(user_id)) == 1


def test_unknown_keys_are_reported_not_fatal(client: ReflexioClient, user_id: str) -> None:
    answer = client.publish_interaction(user_id, [{"content": "x", "mood": "good"}])
    assert answer.success
    assert any("mood" in warning for warning in answer.warnings)


def test_invalid_interaction_is_explained(client: ReflexioClient, user_id: str) -> None:
    with pytest.raises(ReflexioValidationError) as caught:
        client.publish_interaction(user_id, [{"content": "x", "user_action": "jump"}])
    (error,) = caught.value.errors
    assert error.field == "interaction_data_list.0.user_action"
    assert error.message in str(caught.value)
    assert caught.value.request_id


def test_empty_list_is_refused(client: ReflexioClient, user_id: str) -> None:
    with pytest.raises(ReflexioValidationError, match="interaction_data_list"):
        client.publish_interaction(user_id, [])


def test_image_can_be_fetched_again(client: ReflexioClient, user_id: str) -> None:
    encoded = base64.b64encode(png()).decode()
    client.publish_interaction(user_id, InteractionData(content="look", image_encoding=encoded))
    (interaction,) = client.get_interactions(user_id).interactions
    assert interaction.image_id is not None
    assert interaction.image_media_type == "image/png"
    assert client.get_image(interaction.image_id) == png()
    with pytest.raises(NotFoundError):
        client.get_image("no-such-image")


def test_time_of_the_interaction_is_honoured(client: ReflexioClient, user_id: str) -> None:
    long_ago = datetime.now(timezone.utc) - timedelta(days=30)
    rows = [
        InteractionData(content="old", created_at=int(long_ago.timestamp())),
        InteractionData(content="new"),
    ]
    client.publish_interaction(user_id, rows)
    recent = client.get_interactions(user_id, start_time=long_ago + timedelta(days=1))
    assert [row.content for row in recent.interactions] == ["new"]
    old = client.get_interactions(user_id, end_time=long_ago + timedelta(days=1))
    assert [row.content for row in old.interactions] == ["old"]


def test_interactions_can_be_searched(client: ReflexioClient, user_id: str) -> None:
    turns = [{"content": text} for text in ("I love hiking", "My laptop is slow", "Good bye")]
    client.publish_interaction(user_id, turns)
    found = client.search_interactions(user_id, "laptop", search_mode="fts")
    assert [row.content for row in found.interactions] == ["My laptop is slow"]
    recent = client.search_interactions(user_id, most_recent_k=2).interactions
    assert [row.content for row in recent] == ["My laptop is slow", "Good bye"]
    assert client.get_all_interactions(limit=1).success


def test_interactions_can_be_deleted(client: ReflexioClient, user_id: str) -> None:
    turns = [{"content": "a"}, {"content": "b"}]
    kept = client.publish_interaction(user_id, turns, session_id=f"kept_{user_id}")
    gone = client.publish_interaction(user_id, turns, session_id=f"gone_{user_id}")
    first = client.get_interactions(user_id).interactions[-1]
    answer = client.delete_interaction(user_id, first.interaction_id, wait_for_response=True)
    assert answer is not None
    assert answer.success
    deleted = client.delete_session(f"gone_{user_id}", wait_for_response=True)
    assert deleted is not None
    assert deleted.deleted_requests_count == 1
    left = {row.request_id for row in client.get_interactions(user_id).interactions}
    assert left == {kept.request_id}
    with pytest.raises(NotFoundError):
        client.delete_request(str(gone.request_id), wait_for_response=True)
    assert client.delete_requests_by_ids([str(kept.request_id)]).deleted_count == 1
    assert client.get_requests(user_id=user_id).sessions == []


def test_learning_status_is_known(client: ReflexioClient, user_id: str) -> None:
    answer = client.publish_interaction(user_id, [{"content": "x"}])
    status = client.get_learning_status(str(answer.request_id))
    assert status in {"pending", "processing", "done", "not_tracked"}
    with pytest.raises(NotFoundError):
        client.get_learning_status("no-such-request")


def test_actions_are_stored(client: ReflexioClient, raw: RawApi, user_id: str) -> None:
    for action in (UserActionType.CLICK, "scroll", "type"):
        row = {"user_action": action, "user_action_description": "did it"}
        client.publish_interaction(user_id, [row])
    stored = [row["user_action"] for row in raw.interactions(user_id)]
    assert stored == ["click", "scroll", "type"]
