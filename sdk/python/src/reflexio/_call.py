"""The description of one API call, free of any I/O.

Each endpoint is written once, as a function that returns a ``Call``; ``_flow.py`` performs it, and
the two clients only differ in how they send and sleep.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Generic, TypeVar

import httpx
from pydantic import BaseModel

from reflexio.models.operations import OperationStatusInfo

R = TypeVar("R")
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class Poll(Generic[R]):
    """How to wait for the operation that a call started."""

    service_name: str
    timeout_seconds: float
    finish: Callable[[R, OperationStatusInfo], R]
    """Combines the first answer with the ended operation into the final answer."""


@dataclass(frozen=True)
class Call(Generic[R]):
    """One API call: what to send, and what to make of the answer."""

    method: str
    path: str
    parse: Callable[[httpx.Response], R]
    body: Any = None
    query: Mapping[str, str] = field(default_factory=dict)

    changes_data: bool = False
    """The call changes rows, so what the client has cached is no longer to be trusted."""
    cached: bool = False
    """An equal call within the cache's lifetime needs no request."""
    force_refresh: bool = False
    repeatable: bool = False
    """Sending it twice does no harm, so it is sent again when the connection is lost midway."""
    after_repeat: Callable[[R], R] | None = None
    """Judges the answer to a call that an earlier, lost attempt may already have carried out."""
    detached: bool = False
    """Nobody waits for the answer: the call is made in the background."""
    poll: Poll[R] | None = None
    answer: R | None = None
    """The answer is known already; nothing is sent."""


def as_model(model: type[M]) -> Callable[[httpx.Response], M]:
    """Reads the answer's JSON into ``model``."""
    return lambda response: model.model_validate_json(response.content)


def given(**fields: Any) -> dict[str, Any]:
    """The fields that have a value; the server's defaults stand for the others."""
    return {name: value for name, value in fields.items() if value is not None}


def iso_time(moment: datetime | str | None) -> str | None:
    """A time as the API reads it. As everywhere in Python, a naive datetime is local time."""
    if not isinstance(moment, datetime):
        return moment
    return moment.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")


def epoch_seconds(moment: datetime | int | None) -> int | None:
    """A time in seconds since 1970."""
    return int(moment.timestamp()) if isinstance(moment, datetime) else moment


def as_list(values: Any) -> list[Any] | None:
    """A filter as a list, whether one value or several were given; ``None`` means no filter."""
    if values is None:
        return None
    if isinstance(values, (str, bytes, Mapping, BaseModel)):
        return [values]
    return list(values)


def query_of(**fields: Any) -> dict[str, str]:
    """The fields that have a value, as query parameters."""
    return {name: _query_text(value) for name, value in given(**fields).items()}


def _query_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(getattr(value, "value", value))


def rows_of(values: Any) -> list[dict[str, Any]]:
    """Rows to store: models without their empty fields, dicts as they are."""
    return [
        value.model_dump(mode="json", exclude_none=True)
        if isinstance(value, BaseModel)
        else dict(value)
        for value in as_list(values) or []
    ]
