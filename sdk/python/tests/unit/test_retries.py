"""What happens when the connection fails."""

from __future__ import annotations

import httpx
import pytest
from support import BASE_URL, ScriptedServer

from reflexio import ReflexioConnectionError, ReflexioTimeoutError

REFUSED = httpx.ConnectError("Connection refused")
LOST = httpx.ReadError("Connection reset by peer")
STORED = {"success": True, "request_id": "r"}
DUPLICATE = {"success": False, "duplicate": True, "message": "already stored"}
TURN = [{"content": "x"}]


@pytest.mark.parametrize(
    "error", [REFUSED, LOST, httpx.RemoteProtocolError("closed"), httpx.WriteError("broken pipe")]
)
def test_publish_is_sent_again_under_the_same_request_id(error: Exception) -> None:
    server = ScriptedServer(error, error, STORED)
    answer = server.client().publish_interaction("u", TURN)
    assert answer.success
    assert len(server.requests) == 3
    assert len({request.content for request in server.requests}) == 1
    assert server.body()["request_id"]


def test_duplicate_after_a_lost_answer_is_success() -> None:
    server = ScriptedServer(LOST, DUPLICATE)
    answer = server.client().publish_interaction("u", TURN)
    assert answer.success
    assert answer.duplicate
    assert answer.request_id == server.body()["request_id"]


def test_duplicate_at_the_first_attempt_is_the_callers_own() -> None:
    answer = ScriptedServer(DUPLICATE).client().publish_interaction("u", TURN, request_id="r")
    assert not answer.success
    assert answer.duplicate


def test_duplicate_after_refused_connections_is_the_callers_own() -> None:
    server = ScriptedServer(REFUSED, DUPLICATE)
    answer = server.client().publish_interaction("u", TURN, request_id="r")
    assert not answer.success


def test_three_attempts_are_the_limit() -> None:
    server = ScriptedServer(LOST)
    with pytest.raises(ReflexioConnectionError, match="Connection reset by peer"):
        server.client().publish_interaction("u", TURN)
    assert len(server.requests) == 3


def test_reads_are_sent_again_after_a_lost_answer() -> None:
    server = ScriptedServer(LOST, {"success": True, "user_playbooks": []})
    assert server.client().get_user_playbooks().success


def test_writes_are_not_sent_again_after_a_lost_answer() -> None:
    server = ScriptedServer(LOST, {"success": True})
    with pytest.raises(ReflexioConnectionError):
        server.client().clear_user_data("u")
    assert len(server.requests) == 1


def test_writes_are_sent_again_when_they_never_left() -> None:
    server = ScriptedServer(REFUSED, {"success": True})
    assert server.client().clear_user_data("u").success


def test_error_names_the_address_and_how_to_start_a_server() -> None:
    with pytest.raises(ReflexioConnectionError) as caught:
        ScriptedServer(REFUSED).client().whoami()
    assert caught.value.url == f"{BASE_URL}/api/whoami"
    for part in (caught.value.url, "Connection refused", "make run", "reflexio serve"):
        assert part in str(caught.value)


def test_timeout_is_not_repeated_and_has_its_own_error() -> None:
    server = ScriptedServer(httpx.ReadTimeout("timed out"))
    with pytest.raises(ReflexioTimeoutError, match="within 7 s") as caught:
        server.client(timeout=7).publish_interaction("u", TURN)
    assert isinstance(caught.value, TimeoutError)
    assert len(server.requests) == 1


def test_refused_request_is_no_reason_to_repeat() -> None:
    server = ScriptedServer(httpx.Response(503, json={"detail": "busy"}))
    with pytest.raises(Exception, match="busy"):
        server.client().publish_interaction("u", TURN)
    assert len(server.requests) == 1
