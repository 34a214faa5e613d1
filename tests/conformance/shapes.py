"""Shapes of JSON answers, and the comparison of an answer with a recorded shape.

A shape keeps names and types and drops every value:

* a scalar is its type name: `str`, `int`, `float`, `bool`, `null`;
* several possible types are joined: `int|null`;
* an object maps each key to a shape; `key?` marks a key that only some rows of a list carried;
* a list is `[]` when it was empty, else `[shape]` with the merged shape of its rows, or
  `[shape, "or none"]` for a list inside rows of which some had an empty one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Shape = Any
OR_NONE = "or none"

FIXTURE = Path(__file__).with_name("recorded_shapes.json")


def shape_of(value: Any) -> Shape:
    """The shape of one JSON value."""
    if isinstance(value, dict):
        return {key: shape_of(item) for key, item in value.items()}
    if isinstance(value, list):
        return [merged([shape_of(item) for item in value])] if value else []
    return {bool: "bool", int: "int", float: "float", str: "str", type(None): "null"}[type(value)]


def merged(shapes: list[Shape]) -> Shape:
    """One shape that describes every row of a list."""
    first, *rest = shapes
    for other in rest:
        first = _merge(first, other)
    return first


def differences(
    recorded: Shape,
    answer: Any,
    *,
    may_be_empty: bool = False,
    ignore: frozenset[str] = frozenset(),
) -> list[str]:
    """Every way in which `answer` lacks what the recorded shape has.

    Keys that only our server sends are no difference. A recorded `null` says nothing about the
    type, but the key was on the wire and must be there.
    `ignore` holds paths such as `detail[].input`. An empty list where objects were recorded is a
    difference (nothing would be compared), unless `may_be_empty`.
    """
    found: list[str] = []
    _compare(recorded, answer, "", may_be_empty, ignore, found)
    return found


class Recorded:
    """The committed fixture: what the public server 0.2.32 answered, as shapes."""

    def __init__(self, path: Path = FIXTURE) -> None:
        self.exchanges: list[dict[str, Any]] = json.loads(path.read_text())["exchanges"]

    def response(self, label: str, path: str | None = None) -> Shape:
        """The response shape of a label; `path` picks one when a label made several calls."""
        for exchange in self.exchanges:
            if exchange["label"] == label and path in (None, exchange["path"]):
                return exchange["response"]
        raise KeyError(f"no recorded exchange is called {label!r} (path {path})")


def _merge(left: Shape, right: Shape) -> Shape:
    if isinstance(left, dict) and isinstance(right, dict):
        return _merge_objects(left, right)
    if isinstance(left, list) and isinstance(right, list):
        return _merge_lists(left, right)
    if left == right:
        return left
    if isinstance(left, str) and isinstance(right, str):
        return "|".join(sorted({*left.split("|"), *right.split("|")}))
    # A null beside an object or a list tells nothing more: keep the richer shape.
    return right if left == "null" else left


def _merge_lists(left: list[Shape], right: list[Shape]) -> list[Shape]:
    items = left[:1] + right[:1]
    if not items:
        return []
    sometimes_empty = OR_NONE in left[1:] + right[1:] or not left or not right
    return [merged(items), OR_NONE] if sometimes_empty else [merged(items)]


def _merge_objects(left: dict[str, Shape], right: dict[str, Shape]) -> dict[str, Shape]:
    result: dict[str, Shape] = {}
    names = dict.fromkeys(key.removesuffix("?") for key in [*left, *right])
    for name in names:
        sides = [side[key] for side in (left, right) for key in (name, f"{name}?") if key in side]
        always = name in left and name in right
        result[name if always else f"{name}?"] = merged(sides)
    return result


def _compare(
    recorded: Shape,
    answer: Any,
    at: str,
    may_be_empty: bool,
    ignore: frozenset[str],
    found: list[str],
) -> None:
    if at in ignore or recorded == "null":
        return
    if isinstance(recorded, dict):
        if not isinstance(answer, dict):
            found.append(f"{at or 'answer'}: recorded an object, got {shape_of(answer)!r}")
            return
        for key, shape in recorded.items():
            name = key.removesuffix("?")
            path = f"{at}.{name}" if at else name
            if name in answer:
                _compare(shape, answer[name], path, may_be_empty, ignore, found)
            elif not key.endswith("?") and path not in ignore:
                found.append(f"{path}: missing (recorded {_brief(shape)})")
    elif isinstance(recorded, list):
        if not isinstance(answer, list):
            found.append(f"{at or 'answer'}: recorded a list, got {shape_of(answer)!r}")
        elif (
            recorded
            and not answer
            and not (may_be_empty or OR_NONE in recorded or isinstance(recorded[0], str))
        ):
            found.append(f"{at or 'answer'}: recorded rows, got an empty list (nothing to compare)")
        elif recorded:
            for item in answer:
                _compare(recorded[0], item, f"{at}[]", may_be_empty, ignore, found)
    else:
        _compare_scalar(recorded, answer, at, found)


def _compare_scalar(recorded: str, answer: Any, at: str, found: list[str]) -> None:
    allowed = set(recorded.split("|"))
    if "float" in allowed:
        allowed.add("int")
    actual = shape_of(answer)
    if not isinstance(actual, str) or actual not in allowed:
        found.append(f"{at or 'answer'}: recorded {recorded}, got {_brief(actual)}")


def _brief(shape: Shape) -> str:
    if isinstance(shape, dict):
        return "an object"
    return "a list" if isinstance(shape, list) else shape
