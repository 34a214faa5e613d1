"""get_interactions, get_all_interactions, search_interactions and get_requests."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from reflexio.models.api_schema.retriever_schema import SearchMode

from conversations import THREE_TURNS, now
from expect import same_shape

PAST = now() - 7200


@pytest.fixture
def spaced(client, user, name):
    """Four turns, a minute apart, in one request."""
    turns = [
        {"content": f"parcel number {number} is late", "created_at": PAST + 60 * number}
        for number in range(4)
    ]
    client.publish_interaction(user, turns, session_id=name("s"))
    return user


def contents(answer) -> list[str]:
    return [row.content for row in answer.interactions]


def numbered(*numbers: int) -> list[str]:
    return [f"parcel number {number} is late" for number in numbers]


def moment(number: float, *, aware: bool = True) -> datetime:
    at = datetime.fromtimestamp(PAST + 60 * number, UTC)
    return at if aware else at.replace(tzinfo=None)


def test_interactions_come_newest_first(client, spaced):
    assert contents(client.get_interactions(user_id=spaced)) == numbered(3, 2, 1, 0)
    same_shape("A.get_interactions", client.last())


def test_turns_of_one_moment_keep_their_order(client, user, name):
    client.publish_interaction(
        user, [turn | {"created_at": PAST} for turn in THREE_TURNS], session_id=name("s")
    )
    assert contents(client.get_interactions(user_id=user)) == [
        turn["content"] for turn in THREE_TURNS
    ]


def test_top_k_limits_interactions_to_the_newest(client, spaced):
    assert contents(client.get_interactions(user_id=spaced, top_k=2)) == numbered(3, 2)
    same_shape("Y.get_interactions.top2", client.last())


def test_interactions_of_an_unknown_user_are_an_empty_list(client, name):
    assert client.get_interactions(user_id=name("nobody")).interactions == []
    same_shape("A.get_interactions.unknown_user", client.last())


@pytest.mark.parametrize("aware", [True, False], ids=["aware", "naive"])
def test_time_range_limits_interactions(client, spaced, aware):
    answer = client.get_interactions(
        user_id=spaced, start_time=moment(0.5, aware=aware), end_time=moment(2.5, aware=aware)
    )
    assert contents(answer) == numbered(2, 1)
    same_shape("Y.aware_datetime" if aware else "Y.naive_datetime", client.last())


def test_all_interactions_are_limited_and_newest_first(client, spaced):
    rows = client.get_all_interactions(limit=2).interactions
    assert len(rows) == 2
    assert rows[0].created_at >= rows[1].created_at
    same_shape("B.get_all_interactions", client.last())


def test_all_interactions_include_every_user(own_client):
    own_client.publish_interaction("ann", [{"content": "from ann"}], session_id="s1")
    own_client.publish_interaction("bob", [{"content": "from bob"}], session_id="s2")
    assert {row.user_id for row in own_client.get_all_interactions().interactions} == {"ann", "bob"}


@pytest.mark.parametrize("mode", [None, SearchMode.FTS], ids=["hybrid", "fts"])
def test_search_finds_the_turn_that_holds_the_word(client, user, name, mode):
    client.publish_interaction(user, THREE_TURNS, session_id=name("s"))
    assert (
        contents(client.search_interactions(user_id=user, query="delivery", search_mode=mode))[0]
        == THREE_TURNS[0]["content"]
    )
    same_shape("A.search_interactions", client.last())


def test_vector_search_answers_in_the_recorded_shape(client, spaced):
    assert client.search_interactions(
        user_id=spaced, query="late parcel", search_mode=SearchMode.VECTOR
    ).success
    same_shape("A.search_interactions.vector", client.last(), may_be_empty=True)


def test_search_without_query_answers_in_the_recorded_shape(client, spaced):
    assert client.search_interactions(user_id=spaced).success
    same_shape("A.search_interactions.noquery", client.last())


def test_search_stays_with_the_user(client, spaced, name):
    assert client.search_interactions(user_id=name("other"), query="parcel").interactions == []


def test_most_recent_k_gives_the_last_turns_oldest_first(client, spaced):
    assert contents(client.search_interactions(user_id=spaced, most_recent_k=2)) == numbered(2, 3)
    same_shape("Y.search_interactions.most_recent_k", client.last())


def test_search_can_be_limited_to_one_request(client, spaced, name):
    other = client.publish_interaction(
        spaced, [{"content": "another parcel"}], session_id=name("t")
    )
    answer = client.search_interactions(user_id=spaced, query="parcel", request_id=other.request_id)
    assert contents(answer) == ["another parcel"]


def test_requests_come_with_their_session_and_turns(client, user, name):
    published = client.publish_interaction(
        user, THREE_TURNS, source="support_chat", agent_version="v2.1.0", session_id=name("s")
    )
    (session,) = client.get_requests(user_id=user).sessions
    (entry,) = session.requests
    assert (session.session_id, entry.request.session_id) == (name("s"), name("s"))
    assert (entry.request.request_id, entry.request.user_id) == (published.request_id, user)
    assert (entry.request.source, entry.request.agent_version) == ("support_chat", "v2.1.0")
    assert [row.content for row in entry.interactions] == [turn["content"] for turn in THREE_TURNS]
    same_shape("B.get_requests", client.last())


def test_requests_are_paged_by_session_newest_first(client, user, name):
    published = []
    for session in ("a", "b", "a", "b"):
        published.append(
            client.publish_interaction(
                user, [{"content": "hello"}], session_id=name(session)
            ).request_id
        )
        time.sleep(1.05)  # request times have whole seconds
    first, second = client.get_requests(user_id=user).sessions
    assert [first.session_id, second.session_id] == [name("b"), name("a")]
    assert [entry.request.request_id for entry in first.requests] == [published[3], published[1]]
    page = client.get_requests(user_id=user, top_k=1)
    assert [session.session_id for session in page.sessions] == [name("b")]
    assert page.has_more is True
    same_shape("Y.get_requests.top1", client.last())


def test_requests_can_be_asked_by_session_request_and_source(client, user, name):
    wanted = client.publish_interaction(user, THREE_TURNS, session_id=name("s"), source="chat")
    client.publish_interaction(user, THREE_TURNS, session_id=name("t"), source="mail")
    for filters in (
        {"session_id": name("s")},
        {"request_id": wanted.request_id},
        {"user_id": user, "source": "chat"},
    ):
        sessions = client.get_requests(**filters).sessions
        assert [
            [entry.request.request_id for entry in session.requests] for session in sessions
        ] == [[wanted.request_id]], filters
    same_shape("B.get_requests.session", client.last())


def test_requests_can_be_limited_in_time(client, user, name):
    client.publish_interaction(user, THREE_TURNS, session_id=name("s"))
    soon = datetime.now(UTC) + timedelta(minutes=5)
    assert len(client.get_requests(user_id=user, end_time=soon).sessions) == 1
    assert client.get_requests(user_id=user, start_time=soon).sessions == []
