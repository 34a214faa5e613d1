"""What the other calls refuse: bad filters, unknown ids, bad configuration, wrong paths."""

from __future__ import annotations

import pytest

from expect import at_place, no_internals, plain_error, refused, same_shape

UNKNOWN_ID = 999_999_999

# id, path, body, error type, error place, recorded case
REFUSALS = [
    (
        "unknown status",
        "/api/get_user_playbooks",
        {"status_filter": ["sleeping"]},
        "enum",
        ["status_filter", 0],
        "E.get_user_playbooks.bad_status",
    ),
    (
        "limit 0",
        "/api/get_user_playbooks",
        {"limit": 0},
        "greater_than",
        ["limit"],
        "E.get_user_playbooks.limit0",
    ),
    (
        "missing user_id",
        "/api/get_interactions",
        {},
        "missing",
        ["user_id"],
        "E.get_interactions.no_user",
    ),
    (
        "end before start",
        "/api/get_interactions",
        {"user_id": "u", "start_time": "2026-01-02T00:00:00Z", "end_time": "2026-01-01T00:00:00Z"},
        "value_error",
        [],
        "E.time_range",
    ),
    ("missing query", "/api/search", {}, "missing", ["query"], "E.search.no_query"),
    (
        "top_k 101",
        "/api/search",
        {"query": "x", "top_k": 101},
        "less_than_equal",
        ["top_k"],
        "E.search.top_k_101",
    ),
    (
        "unknown search mode",
        "/api/search",
        {"query": "x", "search_mode": "nope"},
        "enum",
        ["search_mode"],
        "E.bad_search_mode",
    ),
]


@pytest.mark.parametrize(
    ("path", "body", "kind", "loc", "label"),
    [row[1:] for row in REFUSALS],
    ids=[row[0] for row in REFUSALS],
)
def test_a_bad_question_is_refused(api, path, body, kind, loc, label):
    answer = api.post(path, body)
    refused(answer, kind, "body", *loc)
    same_shape(label, answer.json())


@pytest.mark.parametrize(
    "path", ["/api/get_interactions", "/api/search_interactions", "/api/get_profiles"]
)
def test_equal_start_and_end_are_refused(api, path):
    at = "2026-01-02T00:00:00Z"
    refused(
        api.post(path, {"user_id": "u", "start_time": at, "end_time": at}), "value_error", "body"
    )


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/api/get_interactions", "user_id"),
        ("/api/clear_user_data", "user_id"),
        ("/api/search", "query"),
    ],
)
def test_a_blank_required_text_is_refused(api, path, key):
    refused(api.post(path, {key: "   "}), "value_error", "body", key)


def test_interaction_id_0_is_refused(api):
    answer = api.delete("/api/delete_interaction", {"user_id": "u", "interaction_id": 0})
    refused(answer, "greater_than", "body", "interaction_id")
    same_shape("E.delete_interaction.id0", answer.json())


def test_an_empty_id_list_is_refused(api):
    refused(
        api.delete("/api/delete_profiles_by_ids", {"profile_ids": []}),
        "too_short",
        "body",
        "profile_ids",
    )


def test_an_empty_question_uses_the_defaults(api):
    assert api.post("/api/get_user_playbooks", {}).status_code == 200


def test_a_playbook_without_content_and_trigger_is_refused(api, user):
    row = {"user_id": user, "agent_version": "v", "request_id": "r"}
    assert api.post("/api/add_user_playbook", {"user_playbooks": [row]}).status_code == 422
    assert api.post("/api/get_user_playbooks", {"user_id": user}).json()["user_playbooks"] == []


@pytest.mark.parametrize("body", [["x"], [None, None], [1]], ids=str)
def test_no_call_takes_a_list_for_an_object(own_api, body):
    paths = own_api.get("/openapi.json").json()["paths"]
    calls = [
        (method.upper(), path)
        for path, methods in paths.items()
        for method, operation in methods.items()
        if "requestBody" in operation
    ]
    answers = {call: own_api.call(*call, json=body) for call in calls}
    taken = {
        call: answer.text[:200]
        for call, answer in answers.items()
        if answer.status_code != 422 or "model_attributes_type" not in answer.text
    }
    assert len(calls) > 30
    assert not taken


def test_a_list_never_deletes_anything(api, user):
    rows = [{"content": "keep me"}]
    api.publish(user_id=user, session_id=user, interaction_data_list=rows)
    api.post("/api/clear_user_data", [user])
    api.delete("/api/delete_session", [user])
    assert [row["content"] for row in api.stored_interactions(user)] == ["keep me"]


def test_a_list_is_not_taken_for_an_interaction(api, user):
    answer = api.publish(user_id=user, session_id=user, interaction_data_list=[[1, "User", "hi"]])
    refused(answer, "model_attributes_type", "body", "interaction_data_list", 0)
    assert api.stored_interactions(user) == []


UNKNOWN = [
    ("DELETE", "/api/delete_interaction", {"user_id": "u", "interaction_id": UNKNOWN_ID}),
    ("DELETE", "/api/delete_profile", {"user_id": "u", "profile_id": "no-such-profile"}),
    ("DELETE", "/api/delete_request", {"request_id": "no-such-request"}),
    ("DELETE", "/api/delete_user_playbook", {"user_playbook_id": UNKNOWN_ID}),
    ("DELETE", "/api/delete_agent_playbook", {"agent_playbook_id": UNKNOWN_ID}),
    ("PUT", "/api/update_user_playbook", {"user_playbook_id": UNKNOWN_ID, "content": "x"}),
    ("PUT", "/api/update_agent_playbook", {"agent_playbook_id": UNKNOWN_ID, "content": "x"}),
    (
        "PUT",
        "/api/update_agent_playbook_status",
        {"agent_playbook_id": UNKNOWN_ID, "playbook_status": "approved"},
    ),
]


@pytest.mark.parametrize(
    ("method", "path", "body"), UNKNOWN, ids=[row[1].removeprefix("/api/") for row in UNKNOWN]
)
def test_an_unknown_id_answers_404(api, method, path, body):
    plain_error(api.call(method, path, json=body), 404)


def test_an_unknown_session_is_not_reported_as_deleted(api):
    answer = api.delete("/api/delete_session", {"session_id": "no-such-session"})
    # A session is a set of requests: an honest zero is as good as a 404.
    assert answer.status_code == 404 or answer.json()["deleted_requests_count"] == 0, answer.text


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/delete_requests_by_ids", {"request_ids": ["no-such-a", "no-such-b"]}),
        ("/api/delete_profiles_by_ids", {"profile_ids": ["no-such-a"]}),
        ("/api/delete_user_playbooks_by_ids", {"user_playbook_ids": [UNKNOWN_ID]}),
        ("/api/delete_agent_playbooks_by_ids", {"agent_playbook_ids": [UNKNOWN_ID]}),
    ],
)
def test_unknown_ids_in_bulk_are_counted_as_zero(api, path, body):
    answer = api.delete(path, body)
    assert answer.status_code == 200
    assert (
        answer.json()["success"],
        answer.json()["deleted_count"],
    ) == (True, 0)


def test_a_wrong_method_answers_405(api):
    answer = api.get("/api/publish_interaction")
    plain_error(answer, 405)
    same_shape("E.publish.get", answer.json())


def test_an_unknown_path_answers_404(api):
    answer = api.get("/api/nope")
    plain_error(answer, 404)
    same_shape("E.unknown_path", answer.json())


@pytest.mark.parametrize(
    ("change", "kind", "loc"),
    [
        ({"window_size": 0}, "greater_than", ["window_size"]),
        ({"nope": 1}, "extra_forbidden", ["nope"]),
    ],
    ids=["window_size 0", "unknown key"],
)
def test_set_config_refuses(own_api, change, kind, loc):
    answer = own_api.post("/api/set_config", {"storage_config": {"db_path": None}} | change)
    entry = refused(answer, kind, *loc)
    assert "input" not in entry
    same_shape("E.set_config.bad", answer.json())


def test_set_config_needs_storage_config(own_api):
    answer = own_api.post("/api/set_config", {})
    assert "input" not in refused(answer, "missing", "storage_config")
    same_shape("E.set_config.no_storage", answer.json())


@pytest.mark.parametrize(
    ("partial", "kind", "loc", "label"),
    [
        ({"nope": 1}, "extra_forbidden", ["nope"], "B.update_config.bad_key"),
        ({"window_size": 2, "stride_size": 5}, "value_error", [], "B.update_config.bad_value"),
    ],
    ids=["unknown key", "stride over window"],
)
def test_update_config_refuses_with_a_hint(own_api, partial, kind, loc, label):
    before = own_api.get("/api/get_config").json()
    answer = own_api.post("/api/update_config", partial)
    assert answer.status_code == 422, answer.text
    same_shape(label, answer.json())
    errors = answer.json()["detail"]["validation_errors"]
    assert any(entry["type"] == kind and at_place(entry, loc) for entry in errors), errors
    no_internals(answer)
    assert own_api.get("/api/get_config").json() == before
