"""What publish_interaction refuses: status, FastAPI-style body, and nothing stored."""

from __future__ import annotations

import pytest

from conversations import encoded, png
from expect import no_internals, plain_error, refused, same_shape

HI = [{"role": "User", "content": "hi"}]
LIST = "interaction_data_list"
SESSION = "refused-session"


def one(**fields):
    return {LIST: [{"content": "x"} | fields]}


# id, what differs from a valid body, error type, error place, recorded case
REFUSALS = [
    ("blank user_id", {"user_id": "  "}, "value_error", ["user_id"], "E.publish.empty_user_id"),
    ("no interactions", {LIST: []}, "too_short", [LIST], "E.publish.empty_list"),
    (
        "only empty rows",
        {LIST: [{"role": "User", "content": ""}]},
        "value_error",
        [],
        "E.publish.all_empty_rows",
    ),
    (
        "unknown user_action",
        one(user_action="hover"),
        "enum",
        [LIST, 0, "user_action"],
        "E.publish.bad_enum",
    ),
    (
        "action without description",
        one(user_action="click"),
        "value_error",
        [],
        "E.publish.action_without_description",
    ),
    (
        "image URL with ftp",
        one(interacted_image_url="ftp://a/b"),
        "value_error",
        [LIST, 0, "interacted_image_url"],
        "E.publish.bad_image_scheme",
    ),
    (
        "evaluation_only with force_extraction",
        {"evaluation_only": True, "force_extraction": True},
        "value_error",
        [],
        "E.publish.eval_only+force",
    ),
    ("interactions of the wrong type", {LIST: "x"}, "list_type", [LIST], "E.publish.wrong_type"),
]


def body(**changes):
    return {"user_id": "refused", "session_id": SESSION, LIST: HI} | changes


def nothing_stored(api, user: str) -> None:
    assert api.stored_interactions(user) == []
    assert api.post("/api/get_requests", {"session_id": SESSION}).json()["sessions"] == []


@pytest.mark.parametrize(
    ("changes", "kind", "loc", "label"),
    [row[1:] for row in REFUSALS],
    ids=[row[0] for row in REFUSALS],
)
def test_publish_refuses(api, changes, kind, loc, label):
    answer = api.publish(**body(**changes))
    refused(answer, kind, "body", *loc)
    same_shape(label, answer.json())
    nothing_stored(api, "refused")


def test_publish_refuses_a_missing_user_id(api):
    answer = api.publish(session_id=SESSION, interaction_data_list=HI)
    refused(answer, "missing", "body", "user_id")
    same_shape("E.publish.missing_user_id", answer.json())
    nothing_stored(api, "refused")


def test_publish_without_session_is_its_own_session(api, user):
    answer = api.publish(user_id=user, interaction_data_list=HI)
    assert answer.status_code == 200, answer.text
    assert answer.json()["success"] is True
    request_id = answer.json()["request_id"]
    (session,) = api.post("/api/get_requests", {"request_id": request_id}).json()["sessions"]
    assert session["session_id"] == request_id


def test_a_refused_user_action_lists_the_allowed_ones(api):
    entry = refused(
        api.publish(**body(**one(user_action="hover"))), "enum", "body", LIST, 0, "user_action"
    )
    assert all(allowed in entry["msg"] for allowed in ("click", "scroll", "type", "none"))


def test_a_misspelled_field_is_named_as_the_likely_cause(api):
    answer = api.publish(**body(**{LIST: [{"Content": "x"}]}))
    assert "Content" in refused(answer, "value_error", "body")["msg"]
    same_shape("E.publish.misspelled_content", answer.json())
    nothing_stored(api, "refused")


def test_a_source_outside_the_pattern_is_refused(api):
    answer = api.publish(**body(source="Support Chat"))
    assert answer.status_code == 422
    # Pydantic adds the name of the tried alternative behind the field: the place is a prefix here.
    places = [
        entry["loc"][:2]
        for entry in answer.json()["detail"]
        if entry["type"] == "string_pattern_mismatch"
    ]
    assert places == [["body", "source"]], answer.text
    same_shape("E.publish.bad_source", answer.json())
    nothing_stored(api, "refused")


def test_an_image_url_beside_an_embedded_image_is_refused(api):
    answer = api.publish(
        **body(**one(interacted_image_url="https://a/b", image_encoding=encoded(png())))
    )
    refused(answer, "value_error", "body")
    same_shape("E.publish.both_images", answer.json())
    nothing_stored(api, "refused")


def test_one_character_too_many_is_refused_without_an_echo(api):
    answer = api.publish(**body(**one(content="A" * 1_000_001)))
    refused(answer, "string_too_long", "body", LIST, 0, "content")
    assert len(answer.content) < 10_000
    same_shape("E.publish.content_over_1M", answer.json())
    nothing_stored(api, "refused")


def test_the_longest_content_is_accepted(api, user, name):
    answer = api.publish(
        user_id=user, session_id=name("s"), interaction_data_list=[{"content": "A" * 1_000_000}]
    )
    assert answer.status_code == 200, answer.text[:300]
    assert len(api.stored_interactions(user)[0]["content"]) == 1_000_000


def test_more_than_a_thousand_rows_are_refused(api):
    refused(api.publish(**body(**{LIST: HI * 1001})), "too_long", "body", LIST)
    nothing_stored(api, "refused")


def test_a_thousand_rows_are_accepted(api, user, name):
    assert (
        api.publish(user_id=user, session_id=name("s"), interaction_data_list=HI * 1000).status_code
        == 200
    )
    assert len(api.stored_interactions(user)) == 1000


def test_a_large_image_is_accepted(api, user, name):
    image = encoded(png(2600))  # about 9 million characters
    assert 8_500_000 < len(image) < 9_500_000
    answer = api.publish(
        user_id=user,
        session_id=name("s"),
        interaction_data_list=[{"content": "x", "image_encoding": image}],
    )
    assert answer.status_code == 200, answer.text[:300]
    same_shape("E.publish.image_9MB", answer.json())


def test_a_body_over_ten_mebibytes_answers_413(api):
    answer = api.publish(**body(**one(image_encoding="A" * 11_000_000)))
    plain_error(answer, 413)
    same_shape("E.publish.body_over_10MiB", answer.json())
    nothing_stored(api, "refused")


@pytest.mark.parametrize(
    "image",
    [
        "aa",
        "not base64!",
        encoded(b"plain text"),
        encoded(b"%PDF-1.7 ..."),
        encoded(png())[:-7] + "*",
    ],
    ids=["too short", "not base64", "text", "pdf", "broken base64"],
)
def test_image_encoding_that_is_no_image_is_refused_by_name(api, image):
    answer = api.publish(**body(**one(image_encoding=image)))
    refused(answer, "value_error", "body", LIST, 0, "image_encoding")
    nothing_stored(api, "refused")


@pytest.mark.parametrize(
    "data",
    [
        png(),
        b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01" + bytes(64),
        b"GIF89a" + bytes(64),
        b"RIFF\x40\x00\x00\x00WEBPVP8 " + bytes(64),
    ],
    ids=["png", "jpeg", "gif", "webp"],
)
def test_image_encoding_of_four_formats_is_accepted(api, user, name, data):
    answer = api.publish(
        user_id=user,
        session_id=name("s"),
        interaction_data_list=[{"content": "x", "image_encoding": encoded(data)}],
    )
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("data", ["{not json", '{"user_id": ', "[1,", "\x00"])
def test_invalid_json_is_refused(api, data):
    answer = api.call(
        "POST", "/api/publish_interaction", data=data, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 422, answer.text
    entry = answer.json()["detail"][0]
    assert entry["type"] == "json_invalid"
    assert entry["loc"][0] == "body"
    assert isinstance(entry["loc"][1], int)
    same_shape("E.publish.invalid_json", answer.json())
    no_internals(answer)


def test_a_missing_body_is_refused(api):
    answer = api.call(
        "POST", "/api/publish_interaction", headers={"Content-Type": "application/json"}
    )
    refused(answer, "missing", "body")
    same_shape("E.publish.no_body", answer.json())


def test_a_repeated_request_id_is_told_apart_and_stored_once(api, user, name):
    call = {
        "request_id": name("fixed"),
        "user_id": user,
        "session_id": name("s"),
        "interaction_data_list": [{"content": "one"}],
    }
    first, second = api.publish(**call), api.publish(**call)
    same_shape("Y.raw.client_request_id_twice", first.json())
    assert first.json()["request_id"] == name("fixed")
    assert second.status_code == 200
    assert second.json()["success"] is False
    assert second.json()["duplicate"] is True
    assert name("fixed") in second.json()["message"]
    assert second.json()["warnings"] == []
    assert len(api.stored_interactions(user)) == 1
