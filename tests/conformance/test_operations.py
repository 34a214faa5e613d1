"""whoami, stall state, operation status, health, and the transport that the client relies on."""

from __future__ import annotations

import pytest

from expect import same_shape
from observing import Api, ObservedClient
from server_process import Server


def test_the_ready_file_names_a_loopback_address(server: Server):
    assert server.base_url.startswith("http://127.0.0.1:")


def test_whoami_names_organisation_and_storage(client):
    answer = client.whoami()
    assert answer.success
    assert answer.org_id
    assert answer.storage_configured is True
    same_shape("B.whoami", client.last())


def test_a_fresh_server_is_not_stalled(client):
    state = client.get_stall_state()
    assert (state.stalled, state.reason, state.notified_in_cc) == (False, None, False)
    same_shape("A.get_stall_state.clean", client.last())


def test_marking_a_stall_as_notified_changes_nothing_when_there_is_none(client):
    assert client.mark_stall_notified().notified_in_cc is False
    same_shape("A.mark_stall_notified.clean", client.last())
    assert client.get_stall_state().notified_in_cc is False


def test_the_status_of_an_unknown_operation_is_an_answer_not_an_error(api):
    answer = api.get("/api/get_operation_status", params={"service_name": "nope"})
    assert answer.status_code == 200
    assert answer.json()["success"] is False
    same_shape("E.rerun_operation_status.unknown", answer.json())


@pytest.mark.parametrize("path", ["/health", "/health/live", "/meta/version"])
def test_health_and_version_answer_with_the_recorded_keys(api, path):
    answer = api.get(path)
    assert answer.status_code == 200
    same_shape(f"S.{path}", answer.json())


def test_any_bearer_token_is_welcome_on_loopback_without_a_key(server):
    client = ObservedClient(server.base_url, api_key="whatever")
    assert client.whoami().success
    same_shape("E.any_bearer_no_key_configured", client.last())


@pytest.mark.parametrize("path", ["/api/whoami", "/api/get_config", "/stall_state"])
def test_answers_are_json_and_say_so(api, path):
    assert api.get(path).headers["Content-Type"].startswith("application/json")


@pytest.mark.parametrize("path", ["/api/whoami/", "/api/get_config/"])
def test_a_trailing_slash_never_redirects(api, path):
    assert not 300 <= api.get(path).status_code < 400


def test_security_headers_are_set(api):
    headers = api.get("/api/whoami").headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert {"X-Frame-Options", "Referrer-Policy"} <= headers.keys()


def test_null_fields_are_left_out_where_the_public_server_omits_them(api, user):
    api.post(
        "/api/add_user_profile",
        {
            "user_profiles": [
                {
                    "profile_id": user,
                    "user_id": user,
                    "content": "x",
                    "last_modified_timestamp": 1,
                    "generated_from_request_id": "r",
                }
            ]
        },
    )
    row = api.post("/api/get_profiles", {"user_id": user}).json()["user_profiles"][0]
    assert None not in row.values()


def test_the_schema_describes_every_path_of_both_groups(api):
    described = api.get("/openapi.json").json()["paths"]
    missing = {
        "/api/publish_interaction",
        "/api/search",
        "/api/get_config",
        "/api/clear_user_data",
        "/stall_state",
    } - described.keys()
    assert not missing


class TestWithAKey:
    """A server that asks for a key. Health and version stay open."""

    KEY = "conformance-key-0123456789"

    @pytest.fixture
    def locked(self, new_server) -> Server:
        return new_server(env={"REFLEXIO_API_KEY": self.KEY})

    @pytest.mark.parametrize(
        "headers",
        [{}, {"Authorization": "Bearer wrong"}, {"Authorization": KEY}],
        ids=["none", "wrong", "no-scheme"],
    )
    def test_a_call_without_the_right_key_answers_401(self, locked, headers):
        answer = Api(locked.base_url).get("/api/whoami", headers=headers)
        assert answer.status_code == 401
        same_shape("E.key.none", answer.json())

    def test_the_right_key_opens_every_call(self, locked):
        client = ObservedClient(locked.base_url, api_key=self.KEY)
        assert client.whoami().success
        assert client.publish_interaction("k", [{"content": "hi"}], session_id="k").success
        same_shape("E.key.right_publish", client.last())

    def test_a_refused_publish_stores_nothing(self, locked):
        rows = [{"content": "smuggled"}]
        assert (
            Api(locked.base_url)
            .publish(user_id="k", session_id="s", interaction_data_list=rows)
            .status_code
            == 401
        )
        assert (
            ObservedClient(locked.base_url, api_key=self.KEY).get_all_interactions().interactions
            == []
        )

    @pytest.mark.parametrize("path", ["/health", "/meta/version", "/openapi.json"])
    def test_health_version_and_schema_stay_open(self, locked, path):
        assert Api(locked.base_url).get(path).status_code == 200
