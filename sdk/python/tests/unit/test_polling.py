"""Reruns that are waited for."""

from __future__ import annotations

import itertools
import time
from typing import Any

import httpx
import pytest
from support import ScriptedServer

from reflexio import OperationTimeoutError
from reflexio._polling import (
    LONGEST_INTERVAL_SECONDS,
    ended_operation,
)
from reflexio._steps import Pause
from reflexio.models.operations import GetOperationStatusResponse, OperationStatusInfo

STARTED = {"success": True, "msg": "started", "operation_id": "op-1"}


def status(state: str, operation_id: str | None = "op-1", **fields: Any) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "service_name": "profile_generation",
        "status": state,
        "started_at": int(time.time()),
        "request_params": {"operation_id": operation_id} if operation_id else {},
        **fields,
    }
    return {"success": True, "operation_status": operation}


def test_waits_until_the_operation_is_completed() -> None:
    server = ScriptedServer(
        STARTED,
        {"success": True},
        status("in_progress"),
        status("completed", processed_users=2, stats={"total_generated": 7}),
    )
    answer = server.client().rerun_profile_generation(user_id="u", wait_for_response=True)
    assert answer is not None
    assert answer.success
    assert answer.profiles_generated == 7
    assert answer.operation_id == "op-1"
    assert server.paths() == ["/api/rerun_profile_generation"] + ["/api/get_operation_status"] * 3
    assert server.requests[1].url.params["service_name"] == "profile_generation"


def test_processed_users_stand_in_for_an_unknown_count() -> None:
    server = ScriptedServer(STARTED, status("completed", processed_users=2))
    answer = server.client().rerun_playbook_generation("v1", wait_for_response=True)
    assert answer is not None
    assert answer.playbooks_generated == 2
    assert server.requests[1].url.params["service_name"] == "playbook_generation"


def test_refused_start_is_returned_without_polling() -> None:
    server = ScriptedServer({"success": False, "msg": "another run is in progress"})
    answer = server.client().rerun_profile_generation(wait_for_response=True)
    assert answer is not None
    assert not answer.success
    assert answer.msg == "another run is in progress"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("ended", "message"),
    [
        (status("failed", error_message="no interactions"), "no interactions"),
        (status("cancelled"), "profile_generation cancelled"),
    ],
)
def test_operation_that_did_not_complete_is_no_success(ended: dict[str, Any], message: str) -> None:
    server = ScriptedServer(STARTED, ended)
    answer = server.client().rerun_profile_generation(wait_for_response=True)
    assert answer is not None
    assert not answer.success
    assert answer.msg == message


def test_other_operations_are_ignored() -> None:
    server = ScriptedServer(
        STARTED, status("completed", "op-0", processed_users=9), status("completed")
    )
    answer = server.client().rerun_profile_generation(wait_for_response=True)
    assert answer is not None
    assert answer.profiles_generated == 0


@pytest.mark.parametrize("start", [{"success": True}, {**STARTED, "operation_id": None}])
def test_operation_without_an_id_is_known_by_its_time(start: dict[str, Any]) -> None:
    old = status("completed", None, started_at=int(time.time()) - 60, processed_users=9)
    server = ScriptedServer(start, old, status("completed", None, processed_users=1))
    answer = server.client().rerun_profile_generation(wait_for_response=True)
    assert answer is not None
    assert answer.profiles_generated == 1


@pytest.mark.parametrize(
    "failure",
    [
        httpx.Response(500, json={"detail": "x"}),
        httpx.Response(429, json={"error": "slow down"}),
        httpx.ReadTimeout("slow"),
    ],
)
def test_failed_status_call_is_only_a_reason_to_ask_again(failure: Any) -> None:
    server = ScriptedServer(STARTED, failure, status("completed", processed_users=1))
    answer = server.client().rerun_profile_generation(wait_for_response=True)
    assert answer is not None
    assert answer.success


def test_waiting_has_an_end() -> None:
    server = ScriptedServer(STARTED, status("in_progress"))
    with pytest.raises(OperationTimeoutError, match="profile_generation"):
        server.client().rerun_profile_generation(wait_for_response=True, timeout=0.01)


def test_questions_become_rarer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reflexio._polling.FIRST_INTERVAL_SECONDS", 0.25)
    running = OperationStatusInfo.model_validate(status("in_progress")["operation_status"])

    def ask(_: Any) -> Any:
        return GetOperationStatusResponse(success=True, operation_status=running)
        yield

    flow = ended_operation("profile_generation", "op-1", 0.0, 1000.0, ask)
    pauses = [step.seconds for step in itertools.islice(flow, 12) if isinstance(step, Pause)]
    assert pauses[0] == 0.25
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_INTERVAL_SECONDS == 3.0
