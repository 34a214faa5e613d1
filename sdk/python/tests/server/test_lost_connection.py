"""A connection that breaks after the server has done its work."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from raw_api import RawApi

from reflexio import ReflexioClient, ReflexioConnectionError

pytestmark = pytest.mark.server


class LosingProxy(ThreadingHTTPServer):
    """Passes every request on, and loses the answers to the first ``losses`` of them."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.losses = 0
        self.passed_on = 0
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: LosingProxy
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {"content-type": "application/json"}
        with httpx.Client(trust_env=False) as http:
            answer = http.post(self.server.target + self.path, content=body, headers=headers)
        self.server.passed_on += 1
        if self.server.losses > 0:
            self.server.losses -= 1
            self.close_connection = True
            return
        self.send_response(answer.status_code)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer.content)))
        self.end_headers()
        self.wfile.write(answer.content)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def proxy(server_url: str) -> Iterator[LosingProxy]:
    proxy = LosingProxy(server_url)
    thread = threading.Thread(target=proxy.serve_forever, args=(0.01,))
    thread.start()
    yield proxy
    proxy.shutdown()
    thread.join()
    proxy.server_close()


@pytest.mark.parametrize("losses", [1, 2])
def test_publish_with_lost_answers_succeeds_and_is_stored_once(
    proxy: LosingProxy, raw: RawApi, user_id: str, losses: int
) -> None:
    proxy.losses = losses
    client = ReflexioClient(url_endpoint=f"http://127.0.0.1:{proxy.server_port}")
    answer = client.publish_interaction(user_id, [{"content": "only once"}])
    assert answer.success
    assert answer.duplicate
    assert proxy.passed_on == losses + 1
    (stored,) = raw.requests(user_id=user_id)
    assert stored["request"]["request_id"] == answer.request_id
    assert len(stored["interactions"]) == 1


def test_publish_gives_up_after_three_attempts(
    proxy: LosingProxy, raw: RawApi, user_id: str
) -> None:
    proxy.losses = 9
    client = ReflexioClient(url_endpoint=f"http://127.0.0.1:{proxy.server_port}")
    with pytest.raises(ReflexioConnectionError, match="may have carried the call out"):
        client.publish_interaction(user_id, [{"content": "only once"}])
    assert proxy.passed_on == 3
    assert len(raw.interactions(user_id)) == 1
