"""How the answer to a call that nobody waits for is judged."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from reflexio._call import Call
from reflexio._flow import Context, perform
from reflexio._steps import Step
from reflexio.errors import OperationFailedError


def perform_detached(call: Call[Any], context: Context) -> Generator[Step, Any, None]:
    """Performs the call and raises when the server refused, since no caller sees the answer."""
    answer = yield from perform(call, context)
    if getattr(answer, "success", True):
        return
    reason = getattr(answer, "msg", None) or getattr(answer, "message", None) or "no reason given"
    raise OperationFailedError(f"{call.method} {call.path} was refused: {reason}")
