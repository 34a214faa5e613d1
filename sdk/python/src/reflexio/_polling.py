"""Waits for a long-running operation to end."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator
from typing import Any

from reflexio._call import Call, as_model, query_of
from reflexio._steps import Pause, Step
from reflexio.enums import OperationStatus
from reflexio.errors import (
    OperationTimeoutError,
    RateLimitError,
    ReflexioConnectionError,
    ServerError,
)
from reflexio.models.operations import GetOperationStatusResponse, OperationStatusInfo

logger = logging.getLogger("reflexio")

FIRST_INTERVAL_SECONDS = 0.25
LONGEST_INTERVAL_SECONDS = 3.0
_GROWTH = 1.5
_CLOCK_TOLERANCE_SECONDS = 1.0
_NAMELESS_OPERATIONS = ("", "rerun_profile_generation", "rerun_playbook_generation")

StatusFlow = Generator[Step, Any, GetOperationStatusResponse]


def status_call(service_name: str) -> Call[GetOperationStatusResponse]:
    """Asks for the latest operation of a service."""
    return Call(
        "GET",
        "/api/get_operation_status",
        as_model(GetOperationStatusResponse),
        query=query_of(service_name=service_name),
        repeatable=True,
    )


def ended_operation(
    service_name: str,
    operation_id: str,
    submitted_at: float,
    timeout_seconds: float,
    ask: Callable[[Call[GetOperationStatusResponse]], StatusFlow],
) -> Generator[Step, Any, OperationStatusInfo]:
    """Asks again and again, less and less often, until our operation has ended.

    A status call that fails is only a reason to ask again: the operation runs on the server.
    """
    deadline = time.monotonic() + timeout_seconds
    interval = FIRST_INTERVAL_SECONDS
    while True:
        operation = yield from _our_operation(service_name, operation_id, submitted_at, ask)
        if operation is not None and operation.status is not OperationStatus.IN_PROGRESS:
            return operation
        if time.monotonic() >= deadline:
            raise OperationTimeoutError(
                f"{service_name} has not ended after {timeout_seconds:g} s; it goes on, see "
                f'get_operation_status("{service_name}")'
            )
        yield Pause(min(interval, max(0.0, deadline - time.monotonic())))
        interval = min(interval * _GROWTH, LONGEST_INTERVAL_SECONDS)


def _our_operation(
    service_name: str,
    operation_id: str,
    submitted_at: float,
    ask: Callable[[Call[GetOperationStatusResponse]], StatusFlow],
) -> Generator[Step, Any, OperationStatusInfo | None]:
    try:
        answer = yield from ask(status_call(service_name))
    except (ReflexioConnectionError, RateLimitError, ServerError) as error:
        logger.debug("asking for the status of %s failed: %s", service_name, error)
        return None
    operation = answer.operation_status
    if operation is None:
        return None
    if operation_id in _NAMELESS_OPERATIONS:
        is_ours = operation.started_at >= submitted_at - _CLOCK_TOLERANCE_SECONDS
    else:
        is_ours = operation.request_params.get("operation_id") == operation_id
    return operation if is_ours else None
