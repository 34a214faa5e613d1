"""A scripted server for tests that need no real one."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

import httpx

from reflexio import AsyncReflexioClient, ReflexioClient

Answer: TypeAlias = httpx.Response | Exception | dict[str, Any]

BASE_URL = "http://reflexio.test"


class ScriptedServer:
    """Gives one answer after the other (the last one again and again) and keeps the requests."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers) or [{"success": True}]
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, httpx.Response):
            # A response object belongs to one request, so each gets its own copy.
            return httpx.Response(
                answer.status_code, headers=answer.headers, content=answer.content
            )
        return httpx.Response(200, json=answer)

    @property
    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self)

    def client(self, **options: Any) -> ReflexioClient:
        return ReflexioClient(url_endpoint=BASE_URL, transport=self.transport, **options)

    def async_client(self, **options: Any) -> AsyncReflexioClient:
        return AsyncReflexioClient(url_endpoint=BASE_URL, transport=self.transport, **options)

    def body(self, index: int = -1) -> Any:
        """The JSON of one request."""
        return json.loads(self.requests[index].content)

    def paths(self) -> list[str]:
        return [request.url.path for request in self.requests]
