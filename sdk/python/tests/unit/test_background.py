"""Calls whose answer nobody waits for: delivered, in order, even at the very end."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from support import ScriptedServer

from reflexio import (
    AsyncReflexioClient,
    NotFoundError,
    OperationFailedError,
    ReflexioClient,
    ReflexioConnectionError,
)

REFUSED = {"success": False, "msg": "learning is not available"}


class RecordingServer(ThreadingHTTPServer):
    """A real HTTP server, slow enough that a script's main thread ends before it answers."""

    def __init__(self) -> None:
        self.received: list[str] = []
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: RecordingServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        time.sleep(0.05)
        self.server.received.append(f"{self.path} {body}")
        answer = b'{"success": true}'
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_DELETE = do_POST

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def recording_server() -> Iterator[RecordingServer]:
    server = RecordingServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


BLOCKING_SCRIPT = """
from reflexio import ReflexioClient
client = ReflexioClient(url_endpoint="http://localhost:PORT")
for number in range(5):
    client.manual_profile_generation(user_id=f"user_{number}")
"""
ASYNC_SCRIPT = """
import asyncio
from reflexio import AsyncReflexioClient
async def main():
    client = AsyncReflexioClient(url_endpoint="http://localhost:PORT")
    for number in range(5):
        await client.manual_profile_generation(user_id=f"user_{number}")
asyncio.run(main())
"""
EXIT_WITH_ERROR = BLOCKING_SCRIPT + "raise SystemExit(3)\n"
AT_EXIT_SCRIPT = """
import atexit
from reflexio import ReflexioClient
client = ReflexioClient(url_endpoint="http://localhost:PORT")
@atexit.register
def last():
    for number in range(5):
        client.manual_profile_generation(user_id=f"user_{number}")
"""


@pytest.mark.parametrize(
    ("script", "exit_code"),
    [(BLOCKING_SCRIPT, 0), (EXIT_WITH_ERROR, 3), (AT_EXIT_SCRIPT, 0), (ASYNC_SCRIPT, 0)],
    ids=["blocking", "exit", "atexit", "async"],
)
def test_script_may_end_right_after_the_calls(
    script: str, exit_code: int, recording_server: RecordingServer
) -> None:
    source = script.replace("PORT", str(recording_server.server_port))
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=30
    )
    assert done.returncode == exit_code, done.stderr
    assert done.stderr == ""
    expected = [f'/api/manual_profile_generation {{"user_id":"user_{n}"}}' for n in range(5)]
    assert list(dict.fromkeys(recording_server.received)) == expected


def test_result_is_none_and_order_is_kept() -> None:
    server = ScriptedServer({"success": True})
    client = server.client()
    for number in range(20):
        assert client.delete_user_playbook(number) is None
    client.flush()
    assert [server.body(n)["user_playbook_id"] for n in range(20)] == list(range(20))


def test_flush_without_background_calls_returns_at_once() -> None:
    ScriptedServer().client().flush()


def test_first_error_is_logged_and_raised_by_flush_once(caplog: pytest.LogCaptureFixture) -> None:
    missing = httpx.Response(404, json={"detail": "no playbook 1"})
    server = ScriptedServer(
        missing, httpx.Response(500, json={"detail": "second"}), {"success": True}
    )
    client = server.client()
    with caplog.at_level(logging.WARNING, logger="reflexio"):
        for number in (1, 2, 3):
            client.delete_user_playbook(number)
        with pytest.raises(NotFoundError, match="no playbook 1"):
            client.flush()
    client.flush()
    assert len(server.requests) == 3
    assert "no playbook 1" in caplog.text
    assert "second" in caplog.text
    assert {record.levelno for record in caplog.records} == {logging.WARNING}


def test_refusal_in_the_answer_is_an_error_too(caplog: pytest.LogCaptureFixture) -> None:
    client = ScriptedServer(REFUSED).client()
    client.manual_playbook_generation(agent_version="v1")
    with pytest.raises(OperationFailedError, match="learning is not available"):
        client.flush()
    assert "learning is not available" in caplog.text


def test_unreachable_server_is_reported_by_flush() -> None:
    client = ScriptedServer(httpx.ConnectError("refused")).client()
    client.rerun_profile_generation()
    with pytest.raises(ReflexioConnectionError, match="refused"):
        client.flush()


def test_flush_does_not_wait_longer_than_asked() -> None:
    answered = threading.Event()

    def slow(request: httpx.Request) -> httpx.Response:
        answered.wait(10)
        return httpx.Response(200, json={"success": True})

    client = ReflexioClient(url_endpoint="http://x", transport=httpx.MockTransport(slow))
    client.manual_profile_generation()
    with pytest.raises(TimeoutError):
        client.flush(timeout=0.01)
    answered.set()
    client.flush()


def test_close_and_context_manager_wait_for_delivery() -> None:
    server = ScriptedServer({"success": True})
    with server.client() as client:
        for _ in range(5):
            client.manual_profile_generation()
    assert len(server.requests) == 5


def test_idle_client_keeps_no_thread() -> None:
    client = ScriptedServer({"success": True}).client()
    client.manual_profile_generation()
    client.flush()
    for _ in range(100):
        if not any(thread.name == "reflexio-background" for thread in threading.enumerate()):
            return
        time.sleep(0.01)
    pytest.fail("the background thread is still alive")


def test_asynchronous_client_delivers_in_order_and_reports() -> None:
    server = ScriptedServer({"success": True}, REFUSED, {"success": True})

    async def run() -> None:
        async with server.async_client() as client:
            for number in range(3):
                assert await client.delete_user_playbook(number) is None
            with pytest.raises(OperationFailedError, match="not available"):
                await client.flush()
            await client.flush()
            await client.delete_user_playbook(3)

    asyncio.run(run())
    assert [server.body(n)["user_playbook_id"] for n in range(4)] == list(range(4))


def test_asynchronous_flush_does_not_wait_longer_than_asked() -> None:
    async def run() -> None:
        released = asyncio.Event()

        async def slow(request: httpx.Request) -> httpx.Response:
            await released.wait()
            return httpx.Response(200, json={"success": True})

        client = AsyncReflexioClient(url_endpoint="http://x", transport=httpx.MockTransport(slow))
        await client.manual_profile_generation()
        with pytest.raises(TimeoutError):
            await client.flush(timeout=0.01)
        released.set()
        await client.aclose()

    asyncio.run(run())
