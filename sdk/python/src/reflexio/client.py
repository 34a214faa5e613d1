"""The blocking client."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import TypeVar

import httpx

from reflexio._background import BackgroundThread
from reflexio._cache import ResponseCache
from reflexio._call import Call
from reflexio._detached import perform_detached
from reflexio._endpoint import BlockingCaller
from reflexio._endpoints import AllEndpoints
from reflexio._flow import Context, perform
from reflexio._settings import DEFAULT_TIMEOUT_SECONDS, Settings
from reflexio._steps import drive

R = TypeVar("R")


class ReflexioClient(AllEndpoints, BlockingCaller):
    """Talks to a Reflexio server.

    A client may be shared between threads. It holds connections; close it, or use it as a context
    manager, when many are created.

    Args:
        api_key: The API key; ``REFLEXIO_API_KEY`` unless given. A local server needs none.
        url_endpoint: The server's address; ``REFLEXIO_URL`` unless given, and
            ``http://127.0.0.1:8081`` if that is not set either.
        timeout: How many seconds to wait for an answer.
        transport: An httpx transport to use instead of the network, for tests.

    Example:
        >>> with ReflexioClient() as client:
        ...     client.publish_interaction(
        ...         user_id="user_123",
        ...         interactions=[{"role": "User", "content": "Please answer in French"}],
        ...     )
    """

    def __init__(
        self,
        api_key: str | None = None,
        url_endpoint: str | None = None,
        timeout: float = DEFAULT_TIMEOUT_SECONDS,
        *,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        settings = Settings.resolve(api_key, url_endpoint, timeout)
        self._context = Context(settings, ResponseCache())
        self._background = BackgroundThread()
        self._http = httpx.Client(transport=transport, trust_env=settings.use_proxy_environment)

    @property
    def base_url(self) -> str:
        """The address of the server."""
        return self._context.settings.base_url

    def flush(self, timeout: float | None = None) -> None:
        """Wait for all background calls and raise the first error among them.

        Raises ``TimeoutError`` when they take longer than ``timeout`` seconds.
        """
        if not self._background.wait(timeout):
            raise TimeoutError(f"background calls are not done after {timeout:g} s")
        self._background.raise_first_error()

    def close(self) -> None:
        """Wait for all background calls, then close the connections."""
        self._background.wait()
        self._http.close()

    def __enter__(self) -> ReflexioClient:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _perform(self, call: Call[R]) -> R:
        if not call.detached:
            return drive(perform(call, self._context), self._http)
        self._context.cache.clear()
        self._background.submit(lambda: drive(perform_detached(call, self._context), self._http))
        return None  # type: ignore[return-value]  # detached calls are declared `R | None`

    async def _perform_async(self, call: Call[R]) -> R:
        return await asyncio.to_thread(self._perform, call)
