"""Performs a call: cache, retries, errors, polling.

A flow is a generator that yields what is to be done (send a request, pause) and is given the
result, so all of this exists once for the blocking and the asynchronous client and can be tested
without a network.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Hashable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import httpx
from pydantic_core import to_json

from reflexio._cache import ResponseCache
from reflexio._call import Call
from reflexio._error_mapping import correlation_id, error_from, unexpected
from reflexio._polling import ended_operation
from reflexio._settings import Settings
from reflexio._steps import Pause, Send, Step
from reflexio.errors import ReflexioConnectionError, ReflexioTimeoutError

R = TypeVar("R")
Flow: TypeAlias = Generator[Step, Any, R]

logger = logging.getLogger("reflexio")

ATTEMPTS = 3
FIRST_BACKOFF_SECONDS = 0.2
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout)
_LOST_MIDWAY = (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)


@dataclass(frozen=True)
class Context:
    """What the calls of one client share."""

    settings: Settings
    cache: ResponseCache


def perform(call: Call[R], context: Context) -> Flow[R]:
    """The whole life of one call."""
    if call.answer is not None:
        return call.answer
    key = _cache_key(call)
    if call.cached and not call.force_refresh:
        remembered = context.cache.get(key)
        if remembered is not None:
            return call.parse(remembered)
    generation = context.cache.generation
    submitted_at = time.time()
    result = yield from _exchange(call, context, key, generation)
    if call.poll is not None and getattr(result, "success", True):
        operation = yield from ended_operation(
            call.poll.service_name,
            str(getattr(result, "operation_id", "") or ""),
            submitted_at,
            call.poll.timeout_seconds,
            lambda status_call: perform(status_call, context),
        )
        result = call.poll.finish(result, operation)
        context.cache.clear()
    return result


def _exchange(call: Call[R], context: Context, key: Hashable, generation: int) -> Flow[R]:
    try:
        response, maybe_repeated = yield from _send(call, context)
    finally:
        if call.changes_data:
            context.cache.clear()
    sent_request_id = response.request.headers["X-Request-ID"]
    if not response.is_success:
        raise error_from(response, sent_request_id)
    try:
        result = call.parse(response)
    except ValueError as error:
        request_id = correlation_id(response, sent_request_id)
        raise unexpected(response, str(error), request_id) from error
    if call.cached:
        context.cache.put(key, response, generation)
    if maybe_repeated and call.after_repeat is not None:
        return call.after_repeat(result)
    return result


def _send(call: Call[Any], context: Context) -> Flow[tuple[httpx.Response, bool]]:
    """Sends until an answer comes; also tells whether a lost attempt may have been carried out."""
    request = _http_request(call, context.settings)
    maybe_repeated = False
    for attempt in range(1, ATTEMPTS + 1):
        try:
            response = yield Send(request)
            return response, maybe_repeated
        except httpx.TransportError as error:
            lost_midway = isinstance(error, _LOST_MIDWAY)
            may_repeat = isinstance(error, _NEVER_SENT) or (call.repeatable and lost_midway)
            if attempt == ATTEMPTS or not may_repeat:
                raise _connection_error(error, request, context.settings) from error
            maybe_repeated = maybe_repeated or lost_midway
            logger.debug("attempt %d of %s failed: %s", attempt, request.url, error)
        yield Pause(FIRST_BACKOFF_SECONDS * 2 ** (attempt - 1))
    raise AssertionError("the last attempt returns or raises")


def _http_request(call: Call[Any], settings: Settings) -> httpx.Request:
    headers = settings.headers()
    content = None
    if call.body is not None:
        content = _json(call.body)
        headers["Content-Type"] = "application/json"
    return httpx.Request(
        call.method,
        settings.url(call.path),
        params=dict(call.query) or None,
        content=content,
        headers=headers,
        extensions={"timeout": settings.timeout.as_dict()},
    )


def _cache_key(call: Call[Any]) -> Hashable:
    return (call.method, call.path, tuple(sorted(call.query.items())), _json(call.body))


def _json(body: Any) -> bytes:
    try:
        return to_json(body, inf_nan_mode="null")
    except ValueError as error:
        raise TypeError(f"the request cannot be written as JSON: {error}") from error


def _connection_error(
    error: httpx.TransportError, request: httpx.Request, settings: Settings
) -> ReflexioConnectionError:
    url = str(request.url)
    reason = str(error) or type(error).__name__
    if isinstance(error, _NEVER_SENT):
        return ReflexioConnectionError(
            f"cannot reach a Reflexio server at {url}: {reason}. Start one with `make run` or "
            "`reflexio serve`, or give its address as `url_endpoint` or in REFLEXIO_URL.",
            url=url,
        )
    if isinstance(error, httpx.TimeoutException):
        return ReflexioTimeoutError(
            f"no answer from {url} within {settings.timeout_seconds:g} s ({reason}); "
            "the server may still carry the call out",
            url=url,
        )
    return ReflexioConnectionError(
        f"the connection to {url} was lost: {reason}; the server may have carried the call out. "
        "If it has stopped, start it with `make run` or `reflexio serve`.",
        url=url,
    )
