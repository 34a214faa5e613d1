"""What an answer must look like: the recorded shape, or a FastAPI-style refusal.

Our server differs from the public one on purpose in a few places. Each such place is listed here
with its reason; everything else that is missing is a failure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import requests

from shapes import Recorded, differences

RECORDED = Recorded()

# Path inside the answer -> why ours may lack it or carry another type.
CONSCIOUS_DIFFERENCES = {
    "detail[].input": "a refused value is shown as a short preview, never echoed in full",
    "detail[].loc[]": "an error is placed at the row and field to change, also where it was at the body",
    "detail[].ctx": "the context of an error is optional in FastAPI's own schema; `msg` says it",
}

# Calls whose result is not asked for: manual runs need `allow_manual_trigger` in the configuration, as the
# documents say. They answer `success: false` in the right shape.
NEEDS_LEARNING = {
    "manual_profile_generation",
    "manual_playbook_generation",
}
# Keys of those answers that only exist once something was learned.
LEARNED_KEYS = {"profiles_generated", "playbooks_generated"}

LONGEST_PREVIEW = 1000
SOURCE_CODE_MARKS = (
    "Traceback",
    "Stack trace",
    "panicked at",
    ".rs:",
    '.py"',
    "RUST_BACKTRACE",
    "rusqlite",
    "SqliteFailure",
)


def same_shape(
    label: str,
    answer: Any,
    *,
    path: str | None = None,
    may_be_empty: bool = False,
    besides: set[str] = frozenset(),
) -> None:
    """The answer has every key of the recorded case, with the same type."""
    ignored = frozenset(CONSCIOUS_DIFFERENCES) | frozenset(besides)
    found = differences(
        RECORDED.response(label, path), answer, may_be_empty=may_be_empty, ignore=ignored
    )
    assert not found, f"differs from the recorded case {label!r}:\n  " + "\n  ".join(found)


def refused(response: requests.Response, kind: str, *loc: str | int) -> dict[str, Any]:
    """A 422 whose `detail` list has an entry of this type at this place; returns the entry.

    The public server reports what concerns several fields at the body; ours names the field to
    change, so a `value_error` may lie deeper than recorded.
    """
    assert response.status_code == 422, (
        f"expected 422, got {response.status_code}: {response.text[:500]}"
    )
    detail = response.json()["detail"]
    assert isinstance(detail, list), f"detail is no list of errors: {detail!r}"
    for entry in detail:
        assert {"type", "loc", "msg"} <= entry.keys(), f"an error lacks type, loc or msg: {entry!r}"
        assert len(str(entry.get("input", ""))) <= LONGEST_PREVIEW, (
            "`input` echoes more than a preview"
        )
    matching = [entry for entry in detail if entry["type"] == kind and at_place(entry, loc)]
    assert matching, f"no error of type {kind!r} at {list(loc)}: {detail!r}"
    no_internals(response)
    return matching[0]


def at_place(entry: dict[str, Any], loc: Sequence[str | int]) -> bool:
    """The error is at this place, or, for a `value_error`, at a field inside it."""
    found = entry["loc"]
    return found == list(loc) or (
        entry["type"] == "value_error" and found[: len(loc)] == list(loc)
    )


def plain_error(response: requests.Response, status: int) -> str:
    """An error with a one-line `detail`, as FastAPI's HTTPException gives."""
    assert response.status_code == status, (
        f"expected {status}, got {response.status_code}: {response.text[:500]}"
    )
    detail = response.json()["detail"]
    assert isinstance(detail, str), f"detail is no text: {detail!r}"
    assert detail.strip(), "detail is empty"
    no_internals(response)
    return detail


def no_internals(response: requests.Response) -> None:
    """No answer shows a stack trace or a source path."""
    shown = [mark for mark in SOURCE_CODE_MARKS if mark in response.text]
    assert not shown, f"the answer shows internals ({shown}): {response.text[:500]}"


def learned(method: str, answer: dict[str, Any]) -> None:
    """The outcome of a learning call: only its form while the engine is not there."""
    if method in NEEDS_LEARNING:
        assert isinstance(answer["success"], bool)
    else:
        assert answer["success"] is True, answer
