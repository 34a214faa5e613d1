"""The asynchronous client."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import TypeVar

import httpx

from reflexio._background_task import BackgroundTask
from reflexio._cache import ResponseCache
from reflexio._call import Call
from reflexio._detached import perform_detached
from reflexio._endpoint import AwaitingCaller
from reflexio._endpoints import AllEndpoints
from reflexio._flow import Context, perform
from reflexio._settings import DEFAULT_TIMEOUT_SECONDS, Settings
from reflexio._steps import drive_async

R = TypeVar("R")


class AsyncReflexioClient(AllEndpoints, AwaitingCaller):
    """``ReflexioClient`` for asyncio: the same methods and arguments, to be awaited.

    A client belongs to the event loop it is first used in.

    Example:
        >>> async with AsyncReflexioClient() as client:
        ...     found = await client.search("how does she like her answers?", user_id="user_123")
    """

    def __init__(
        self,
        api_key: str | None = None,
        url_endpoint: str | None = None,
        timeout: float = DEFAULT_TIMEOUT_SECONDS,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        settings = Settings.resolve(api_key, url_endpoint, timeout)
        self._context = Context(settings, ResponseCache())
        self._background = BackgroundTask()
        self._http = httpx.AsyncClient(
            transport=transport, trust_env=settings.use_proxy_environment
        )

    @property
    def base_url(self) -> str:
        """The address of the server."""
        return self._context.settings.base_url

    async def flush(self, timeout: float | None = None) -> None:
        """Wait for all background calls and raise the first error among them.

        Raises ``TimeoutError`` when they take longer than ``timeout`` seconds.
        """
        try:
            await asyncio.wait_for(self._background.wait(), timeout)
        except asyncio.TimeoutError:
            raise TimeoutError(f"background calls are not done after {timeout} s") from None
        self._background.raise_first_error()

    async def aclose(self) -> None:
        """Wait for all background calls, then close the connections."""
        await self._background.wait()
        await self._http.aclose()

    close = aclose

    async def __aenter__(self) -> AsyncReflexioClient:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def _perform(self, call: Call[R]) -> R:
        if not call.detached:
            return await drive_async(perform(call, self._context), self._http)
        self._context.cache.clear()
        self._background.submit(
            lambda: drive_async(perform_detached(call, self._context), self._http)
        )
        return None  # type: ignore[return-value]  # detached calls are declared `R | None`

    async def _perform_async(self, call: Call[R]) -> R:
        return await self._perform(call)
