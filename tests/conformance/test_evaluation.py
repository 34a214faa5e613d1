"""How sessions ended and how they are judged: group C, as far as the server has it."""

from __future__ import annotations

import time

import pytest
import requests

from expect import plain_error, refused, same_shape

GOOD = [
    {"role": "User", "content": "How do I reset my password?"},
    {"role": "Agent", "content": "Use the link on the login page."},
    {"role": "User", "content": "That worked, thanks!"},
]


@pytest.fixture
def session(client, user, name):
    client.publish_interaction(
        user, GOOD, agent_version="v2.1.0", session_id=name("s"), source="chat"
    )
    return name("s")


def now() -> int:
    return int(time.time())


def test_an_outcome_is_recorded_once(client, session, user):
    at = now()
    first = client.mark_session_outcome(session_id=session, outcome="success", occurred_at=at)
    assert (first.success, first.recorded, first.user_id, first.source) == (
        True,
        True,
        user,
        "chat",
    )
    same_shape("B.mark_session_outcome", client.last())
    again = client.mark_session_outcome(session_id=session, outcome="success", occurred_at=at)
    assert (again.success, again.recorded) == (True, False)
    assert again.outcome_id == first.outcome_id
    other = client.mark_session_outcome(session_id=session, outcome="failure", occurred_at=at)
    assert (other.success, other.reason) == (False, "conflicting_finalization")
    same_shape("B.mark_session_outcome.repeat_conflict", client.last())


def test_an_outcome_of_nothing_is_refused(client, name):
    answer = client.mark_session_outcome(
        session_id=name("nosuch"), outcome="success", occurred_at=now()
    )
    assert (answer.success, answer.reason) == (False, "unknown_session")
    same_shape("B.mark_session_outcome.unknown", client.last())


def test_outcomes_are_read_back_with_every_filter(client, session, user):
    client.mark_session_outcome(
        session_id=session,
        outcome="failure",
        occurred_at=now(),
        label="late",
        value=-1.5,
        metadata={"order": 7},
    )
    rows = client.get_session_outcomes(session_ids=[session]).session_outcomes
    assert len(rows) == 1
    same_shape("B.get_session_outcomes", client.last())
    row = rows[0]
    assert (row.label, row.value, row.metadata) == ("late", -1.5, {"order": 7})
    for found, filters in [
        (1, {"outcome": "failure", "label": "late", "source": "chat"}),
        (0, {"outcome": "success"}),
        (0, {"label": "early"}),
        (0, {"source": "mail"}),
        (0, {"end_time": 1}),
        (0, {"offset": 1}),
    ]:
        rows = client.get_session_outcomes(user_id=user, **filters).session_outcomes
        assert len(rows) == found, filters


def test_outcomes_are_counted_when_their_user_is_erased(client, session, user):
    client.mark_session_outcome(session_id=session, outcome="unknown", occurred_at=now())
    assert client.clear_user_data(user).deleted_counts["session_outcomes"] == 1
    assert client.get_session_outcomes(user_id=user).session_outcomes == []


def test_a_session_is_graded_and_the_grade_is_kept(client, session, user):
    first = client.grade_on_demand(session_id=session, agent_version="v2.1.0")
    assert (first.session_id, first.cached, first.skipped_reason) == (session, False, None)
    assert first.result_id
    same_shape("C.grade_on_demand", client.last())
    again = client.grade_on_demand(session_id=session, agent_version="v2.1.0")
    assert (again.cached, again.result_id) == (True, first.result_id)
    results = client.get_agent_success_evaluation_results(limit=1000)
    same_shape("C.get_agent_success_evaluation_results", client.last(), may_be_empty=True)
    row = next(
        row for row in results.agent_success_evaluation_results if row.result_id == first.result_id
    )
    assert (row.is_success, row.user_id, row.agent_version) == (True, user, "v2.1.0")
    assert row.failure_type is None


def test_a_session_that_is_not_there_is_skipped(client, name):
    answer = client.grade_on_demand(session_id=name("nosuch"), agent_version="v1")
    assert answer.result_id is None
    assert answer.skipped_reason


def test_learnings_that_were_served_are_judged(client, user, name):
    turns = [
        {"role": "User", "content": "Where is my parcel from Berlin?"},
        {
            "role": "Agent",
            "content": "It arrives tomorrow.",
            "retrieved_learnings": [{"kind": "profile", "learning_id": "gone"}],
        },
    ]
    client.publish_interaction(user, turns, agent_version="v1", session_id=name("s"))
    graded = client.grade_on_demand(session_id=name("s"), agent_version="v1")
    assert graded.retrieved_learning_status == "degraded"
    results = client.get_retrieved_learning_evaluation_results(user_id=user).results
    same_shape("C.get_retrieved_learning_evaluation_results", client.last(), may_be_empty=True)
    assert [(row.kind, row.learning_id) for row in results] == [("profile", "gone")]


def test_past_sessions_are_judged_anew(own_client):
    for number in range(3):
        own_client.publish_interaction(
            f"u{number}", GOOD, agent_version="v1", session_id=f"s{number}"
        )
    started = own_client.regenerate_evaluations(from_ts=now() - 3600, to_ts=now() + 60)
    assert started.total == 3
    same_shape("C.regenerate_evaluations", own_client.last())
    deadline = time.time() + 60
    # The client itself insists on `finished_at`, also while the job runs.
    while (status := own_client.get_evaluation_regeneration_status(started.job_id)).status == (
        "running"
    ):
        assert time.time() < deadline, status
        time.sleep(0.05)
    same_shape("C.get_evaluation_regeneration_status", own_client.last())
    assert (status.status, status.completed, status.failed) == ("completed", 3, 0)
    results = own_client.get_agent_success_evaluation_results()
    assert len(results.agent_success_evaluation_results) == 3


def test_a_regeneration_is_cancelled_or_over(own_client):
    own_client.publish_interaction("u", GOOD, agent_version="v1", session_id="s")
    started = own_client.regenerate_evaluations(from_ts=now() - 3600, to_ts=now() + 60)
    assert own_client.cancel_evaluation_regeneration(started.job_id)["status"] in {
        "cancelled",
        "completed",
    }
    same_shape("C.cancel_evaluation_regeneration", own_client.last())


def test_an_unknown_regeneration_is_a_404(client, api):
    with pytest.raises(requests.HTTPError):
        client.get_evaluation_regeneration_status("nope")
    plain_error(api.get("/api/evaluations/regenerate/nope"), 404)


def test_times_that_run_backwards_are_refused(api):
    answer = api.post("/api/evaluations/regenerate", {"from_ts": 2, "to_ts": 1})
    refused(answer, "value_error", "body", "to_ts")
    answer = api.post("/api/get_session_outcomes", {"start_time": 2, "end_time": 1})
    refused(answer, "value_error", "body", "start_time")
