"""Where the client sends its calls, and with which headers."""

from __future__ import annotations

import uuid

import pytest
from support import BASE_URL, ScriptedServer

from reflexio import ReflexioClient
from reflexio._settings import Settings


def test_argument_wins_over_environment_wins_over_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ReflexioClient().base_url == "http://127.0.0.1:8081"
    monkeypatch.setenv("REFLEXIO_URL", "http://from-environment:9000/")
    assert ReflexioClient().base_url == "http://from-environment:9000"
    assert ReflexioClient(url_endpoint="http://given:1").base_url == "http://given:1"


def test_empty_environment_variables_count_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFLEXIO_URL", "")
    monkeypatch.setenv("REFLEXIO_API_KEY", "")
    server = ScriptedServer({"status": "healthy"})
    assert ReflexioClient().base_url == "http://127.0.0.1:8081"
    server.client().health()
    assert "authorization" not in server.requests[0].headers


def test_api_key_is_sent_as_bearer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFLEXIO_API_KEY", "from-environment")
    server = ScriptedServer({"status": "healthy"})
    server.client().health()
    server.client(api_key="given").health()
    sent = [request.headers["authorization"] for request in server.requests]
    assert sent == ["Bearer from-environment", "Bearer given"]


@pytest.mark.parametrize("base", ["http://host/prefix/deep", "http://host/prefix/deep/"])
def test_path_prefix_of_the_base_url_is_kept(base: str) -> None:
    server = ScriptedServer({"stalled": False})
    ReflexioClient(url_endpoint=base, transport=server.transport).get_stall_state()
    assert str(server.requests[0].url) == "http://host/prefix/deep/stall_state"


@pytest.mark.parametrize("bad", ["localhost:8081", "ftp://host", "http://", "http://h/?a=b"])
def test_base_url_that_is_no_http_url_is_refused_at_once(bad: str) -> None:
    with pytest.raises(ValueError, match=r"URL|query"):
        ReflexioClient(url_endpoint=bad)


def test_each_call_has_its_own_request_id_header() -> None:
    server = ScriptedServer({"status": "healthy"})
    client = server.client()
    client.health()
    client.health()
    ids = {str(uuid.UUID(request.headers["x-request-id"])) for request in server.requests}
    assert len(ids) == 2


def test_user_agent_names_the_sdk() -> None:
    server = ScriptedServer({"status": "healthy"})
    server.client().health()
    assert server.requests[0].headers["user-agent"].startswith("reflexio-python/")


def test_proxies_of_the_environment_are_not_used_for_this_machine() -> None:
    def uses_proxy(url: str) -> bool:
        return Settings.resolve(None, url, 1).use_proxy_environment

    assert not uses_proxy("http://127.0.0.1:8081")
    assert not uses_proxy("http://localhost:8081")
    assert not uses_proxy("http://[::1]:8081")
    assert uses_proxy(BASE_URL)
