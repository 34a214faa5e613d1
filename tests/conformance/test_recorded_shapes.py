"""The fixture holds shapes only, and the comparison notices what it must. No server."""

from __future__ import annotations

import pytest

from expect import RECORDED
from shapes import OR_NONE, differences, merged, shape_of

TYPE_NAMES = {"str", "int", "float", "bool", "null"}


def leaves(shape) -> set[str]:
    if isinstance(shape, dict):
        return set().union(*(leaves(item) for item in shape.values()), set())
    if isinstance(shape, list):
        return set().union(*(leaves(item) for item in shape[:1]), set())
    return set(shape.split("|"))


def test_the_fixture_covers_every_recorded_call():
    assert len(RECORDED.exchanges) == 280
    assert len({exchange["path"] for exchange in RECORDED.exchanges}) >= 74


def test_the_fixture_holds_type_names_and_no_text():
    assert (
        set().union(*(leaves(exchange["response"]) for exchange in RECORDED.exchanges))
        <= TYPE_NAMES
    )


def test_configurations_are_kept_as_shapes_even_in_requests():
    requests = [
        exchange for exchange in RECORDED.exchanges if exchange["path"] == "/api/set_config"
    ]
    assert requests
    assert not any("request" in exchange for exchange in requests)


def test_an_unknown_label_is_an_error_not_an_empty_shape():
    with pytest.raises(KeyError):
        RECORDED.response("A.no.such.case")


@pytest.mark.parametrize(
    ("recorded", "answer", "expected"),
    [
        ({"a": 1}, {"a": 2, "ours": "x"}, []),
        ({"a": 1}, {}, ["a: missing (recorded int)"]),
        ({"a": None}, {}, ["a: missing (recorded null)"]),
        ({"a": None}, {"a": "text"}, []),
        ({"a": 1}, {"a": "1"}, ["a: recorded int, got str"]),
        ({"a": 1}, {"a": True}, ["a: recorded int, got bool"]),
        ({"a": "x"}, {"a": None}, ["a: recorded str, got null"]),
        ({"a": 1.5}, {"a": 1}, []),
        ({"a": 1}, {"a": 1.5}, ["a: recorded int, got float"]),
        ({"a": {"b": 1}}, {"a": {}}, ["a.b: missing (recorded int)"]),
        ({"a": {"b": 1}}, {"a": 1}, ["a: recorded an object, got 'int'"]),
        (
            {"a": [{"b": 1}]},
            {"a": []},
            ["a: recorded rows, got an empty list (nothing to compare)"],
        ),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1}, {}]}, ["a[].b: missing (recorded int)"]),
        ({"a": [1]}, {"a": []}, []),
        ({"a": [{"b": 1}, {}]}, {"a": [{}]}, []),
        ({"a": [{"b": [{"c": 1}]}, {"b": []}]}, {"a": [{"b": []}]}, []),
        ({"a": []}, {"a": [{"b": 1}]}, []),
    ],
)
def test_a_difference_is_a_missing_key_or_another_type(recorded, answer, expected):
    assert differences(shape_of(recorded), answer) == expected


def test_ignored_paths_are_no_difference():
    recorded = shape_of({"detail": [{"input": {"a": 1}, "type": "x"}]})
    assert (
        differences(
            recorded,
            {"detail": [{"input": "a: 1", "type": "y"}]},
            ignore=frozenset({"detail[].input"}),
        )
        == []
    )
    assert (
        differences(recorded, {"detail": [{"type": "y"}]}, ignore=frozenset({"detail[].input"}))
        == []
    )


def test_rows_merge_into_one_shape():
    rows = [{"a": 1, "b": None}, {"a": 1.5, "c": []}, {"a": 2, "b": "x", "c": [1]}]
    assert merged([shape_of(row) for row in rows]) == {
        "a": "float|int",
        "b?": "null|str",
        "c?": ["int", OR_NONE],
    }
