"""What a flow can ask of the client that drives it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import httpx

R = TypeVar("R")


@dataclass(frozen=True)
class Send:
    """Send the request; the flow receives the response or the transport's error."""

    request: httpx.Request


@dataclass(frozen=True)
class Pause:
    """Wait before going on."""

    seconds: float


Step: TypeAlias = Send | Pause


def drive(flow: Generator[Step, Any, R], http: httpx.Client) -> R:
    """Runs a flow to its end, blocking."""
    try:
        step = next(flow)
        while True:
            if isinstance(step, Pause):
                time.sleep(step.seconds)
                step = flow.send(None)
                continue
            try:
                response = http.send(step.request)
            except httpx.TransportError as error:
                step = flow.throw(error)
            else:
                step = flow.send(response)
    except StopIteration as end:
        result: R = end.value
        return result


async def drive_async(flow: Generator[Step, Any, R], http: httpx.AsyncClient) -> R:
    """Runs a flow to its end, awaiting."""
    try:
        step = next(flow)
        while True:
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
                step = flow.send(None)
                continue
            try:
                response = await http.send(step.request)
            except httpx.TransportError as error:
                step = flow.throw(error)
            else:
                step = flow.send(response)
    except StopIteration as end:
        result: R = end.value
        return result
