"""Who may call: no rate limit and no bot filter on loopback, no trust in forwarded calls."""

from __future__ import annotations

import pytest

from expect import plain_error, same_shape


@pytest.mark.parametrize(
    "agent",
    ["curl/8.7.1", "Wget/1.21", "", "my-crawler-bot/1.0"],
    ids=["curl", "wget", "empty", "bot"],
)
def test_any_user_agent_is_welcome(api, agent):
    answer = api.get("/api/whoami", headers={"User-Agent": agent})
    assert answer.status_code == 200, answer.text


def test_a_missing_user_agent_is_welcome(api):
    assert api.get("/api/whoami", headers={"User-Agent": None}).status_code == 200


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("X-Forwarded-For", "203.0.113.7"),
        ("Forwarded", "for=203.0.113.7"),
        ("X-Real-IP", "203.0.113.7"),
        ("Host", "reflexio.example.com"),
        ("Origin", "https://shop.example.com"),
        ("Origin", "null"),
    ],
)
def test_without_a_key_a_call_from_elsewhere_answers_401(api, header, value):
    answer = api.get("/api/whoami", headers={header: value})
    plain_error(answer, 401)
    same_shape("E.forwarded_header", answer.json())


def test_a_refused_call_from_elsewhere_stores_nothing(api, user):
    body = {"user_id": user, "session_id": "s", "interaction_data_list": [{"content": "x"}]}
    assert (
        api.post(
            "/api/publish_interaction", body, headers={"X-Forwarded-For": "203.0.113.7"}
        ).status_code
        == 401
    )
    assert api.stored_interactions(user) == []


@pytest.mark.parametrize("path", ["/health", "/meta/version"])
def test_health_and_version_stay_open_for_everyone(api, path):
    assert api.get(path, headers={"X-Forwarded-For": "203.0.113.7"}).status_code == 200


def test_a_hundred_publishes_in_a_row_are_all_accepted(api, user):
    rows = [{"content": "one of many"}]
    answers = [
        api.publish(user_id=user, session_id="s", interaction_data_list=rows).status_code
        for _ in range(100)
    ]
    assert set(answers) == {200}
    assert len(api.stored_interactions(user)) == 100


def test_a_hundred_and_fifty_searches_in_a_row_are_all_answered(api, user):
    answers = [
        api.post("/api/search", {"query": "x", "user_id": user}).status_code for _ in range(150)
    ]
    assert set(answers) == {200}


def test_twenty_clears_in_a_row_are_all_answered(api, user):
    answers = [api.post("/api/clear_user_data", {"user_id": user}) for _ in range(20)]
    assert {answer.status_code for answer in answers} == {200}
    same_shape("E.cors_preflight", answers[0].json(), path="/api/clear_user_data")


def test_a_page_of_another_site_may_ask_before_calling(api):
    headers = {"Origin": "http://localhost:3000", "Access-Control-Request-Method": "GET"}
    answer = api.call("OPTIONS", "/api/whoami", headers=headers)
    assert answer.status_code in (200, 204)
