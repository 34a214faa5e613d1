"""Outcomes and judgements of sessions, on a real server."""

from __future__ import annotations

import time

import pytest

from reflexio import ReflexioClient, SessionOutcomeFailureReason, SessionOutcomeKind

pytestmark = pytest.mark.server

TURNS = [
    {"role": "User", "content": "How do I reset my password?"},
    {"role": "Agent", "content": "Use the link on the login page."},
    {"role": "User", "content": "That worked, thanks!"},
]


def published(client: ReflexioClient, user_id: str) -> str:
    session_id = f"session of {user_id}"
    client.publish_interaction(
        user_id, TURNS, session_id=session_id, agent_version="v1", wait_for_response=True
    )
    return session_id


def test_an_outcome_is_said_once(client: ReflexioClient, user_id: str) -> None:
    session_id, at = published(client, user_id), int(time.time())
    first = client.mark_session_outcome(session_id, SessionOutcomeKind.SUCCESS, at, value=1.5)
    assert (first.success, first.recorded, first.user_id) == (True, True, user_id)
    again = client.mark_session_outcome(session_id, "success", at, value=1.5)
    assert (again.success, again.recorded) == (True, False)
    other = client.mark_session_outcome(session_id, "failure", at)
    assert other.reason is SessionOutcomeFailureReason.CONFLICTING_FINALIZATION
    rows = client.get_session_outcomes(user_id=user_id).session_outcomes
    assert [(row.outcome, row.value) for row in rows] == [(SessionOutcomeKind.SUCCESS, 1.5)]


def test_a_session_is_graded(client: ReflexioClient, user_id: str) -> None:
    session_id = published(client, user_id)
    graded = client.grade_on_demand(session_id, "v1")
    assert graded.result_id is not None
    assert not graded.cached
    assert client.grade_on_demand(session_id, "v1").cached
    rows = client.get_agent_success_evaluation_results(
        session_id=session_id
    ).agent_success_evaluation_results
    assert [(row.is_success, row.evaluated_by) for row in rows] == [(True, "builtin")]
    assert client.get_retrieved_learning_evaluation_results(session_id=session_id).results == []
