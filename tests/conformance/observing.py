"""The official client, watched: it behaves as published, and every raw answer is kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

import requests
from reflexio import ReflexioClient

T = TypeVar("T")

EFFECT_TIMEOUT_SECONDS = 15


@dataclass
class Exchange:
    """One answered call: `body` is the decoded JSON, or None when the answer was not JSON."""

    method: str
    path: str
    status: int
    body: Any


class ObservedClient(ReflexioClient):
    """Keeps what the server answered: through the hook of `requests`, and around aiohttp."""

    def __init__(self, base_url: str, api_key: str = "") -> None:
        super().__init__(api_key=api_key, url_endpoint=base_url, timeout=60)
        self.exchanges: list[Exchange] = []
        self.session.trust_env = False
        self.session.hooks["response"].append(self._keep)

    def last(self, path: str | None = None) -> Any:
        """The body of the newest answer (of `path`, when given)."""
        for exchange in reversed(self.exchanges):
            if path in (None, exchange.path):
                return exchange.body
        raise AssertionError(f"the client made no call to {path}")

    def answered(self, path: str) -> Any:
        """Waits for the answer to a fire-and-forget call and returns its body."""
        return eventually(
            lambda: [e.body for e in self.exchanges if e.path == path], f"an answer from {path}"
        )[-1]

    def _keep(self, response: requests.Response, *_: Any, **__: Any) -> None:
        is_json = "json" in response.headers.get("Content-Type", "")
        body = response.json() if is_json else None
        request = response.request
        self.exchanges.append(
            Exchange(
                str(request.method), urlsplit(str(request.url)).path, response.status_code, body
            )
        )

    async def _make_async_request(
        self, method: str, endpoint: str, headers: dict | None = None, **kwargs: Any
    ) -> Any:
        try:
            body = await super()._make_async_request(method, endpoint, headers, **kwargs)
        except Exception as error:
            self.exchanges.append(
                Exchange(method, endpoint, getattr(error, "status", 0), {"error": repr(error)})
            )
            raise
        self.exchanges.append(Exchange(method, endpoint, 200, body))
        return body


class Api:
    """Plain HTTP without the client, for inputs that the client would refuse to send."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self.session = requests.Session()
        self.session.trust_env = False

    def call(self, method: str, path: str, **kwargs: Any) -> requests.Response:
        return self.session.request(
            method, self.base_url.rstrip("/") + path, timeout=60, allow_redirects=False, **kwargs
        )

    def get(self, path: str, **kwargs: Any) -> requests.Response:
        return self.call("GET", path, **kwargs)

    def post(self, path: str, body: Any = None, **kwargs: Any) -> requests.Response:
        return self.call("POST", path, json=body, **kwargs)

    def put(self, path: str, body: Any = None, **kwargs: Any) -> requests.Response:
        return self.call("PUT", path, json=body, **kwargs)

    def delete(self, path: str, body: Any = None, **kwargs: Any) -> requests.Response:
        return self.call("DELETE", path, json=body, **kwargs)

    def publish(self, **fields: Any) -> requests.Response:
        return self.post("/api/publish_interaction", fields)

    def stored_interactions(self, user_id: str) -> list[dict[str, Any]]:
        """What the server keeps of a user, to show that a refused call stored nothing."""
        answer = self.post("/api/get_interactions", {"user_id": user_id, "top_k": 1000})
        assert answer.status_code == 200, answer.text
        return answer.json()["interactions"]


def eventually[T](check: Callable[[], T], what: str) -> T:
    """The first true result of `check`, within the time that a fire-and-forget call may take."""
    deadline = time.monotonic() + EFFECT_TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        if result := check():
            return result
        time.sleep(0.05)
    raise AssertionError(f"{what} did not come within {EFFECT_TIMEOUT_SECONDS} s")
