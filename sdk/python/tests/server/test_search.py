"""Searches and the context block on the real server."""

from __future__ import annotations

import pytest

from reflexio import ReflexioClient

pytestmark = pytest.mark.server


def test_scores_are_explained(client: ReflexioClient, user_id: str) -> None:
    client.publish_interaction(
        user_id=user_id,
        interactions=[{"role": "User", "content": "My parcel from Bergen is late"}],
        wait_for_response=True,
    )
    found = client.search_interactions(user_id, "parcel", explain=True, recency=0.5).interactions
    assert [turn.content for turn in found] == ["My parcel from Bergen is late"]
    assert found[0].score_parts is not None
    assert sum(found[0].score_parts.values()) == pytest.approx(found[0].score)
    assert client.get_similar_interactions(found[0].interaction_id, everybody=True).success


def test_a_session_gets_each_row_once(client: ReflexioClient, user_id: str) -> None:
    client.add_user_profile([{"user_id": user_id, "content": "Drinks oolong tea"}])
    session = f"session-{user_id}"
    assert len(client.search("oolong", user_id=user_id, session_id=session).profiles) == 1
    assert client.search("oolong", user_id=user_id, session_id=session).profiles == []
    again = client.search("oolong", user_id=user_id, session_id=session, skip_served=False)
    assert len(again.profiles) == 1


def test_the_context_block_is_stable_and_says_what_it_holds(
    client: ReflexioClient, user_id: str
) -> None:
    client.add_user_profile([{"user_id": user_id, "content": "Drinks oolong tea"}])
    block = client.get_context(user_id=user_id, query="tea", token_budget=800)
    assert "Drinks oolong tea" in block.context
    assert [learning.kind for learning in block.learnings].count("profile") == 1
    assert client.get_context(user_id=user_id, query="tea", token_budget=800) == block


def test_the_state_of_embeddings_is_told(client: ReflexioClient) -> None:
    status = client.get_embedding_status()
    assert {counts.kind for counts in status.kinds} >= {"interaction", "profile"}
    assert client.rebuild_embeddings().success
