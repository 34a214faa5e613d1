"""A server that asks for a key."""

from __future__ import annotations

import pytest
from conftest import StartServer

from reflexio import AuthenticationError, ReflexioClient

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def keyed_url(start_server: StartServer) -> str:
    return start_server(api_key="open sesame").url


@pytest.mark.parametrize("key", [None, "wrong"])
def test_without_the_key_nothing_is_answered(keyed_url: str, key: str | None) -> None:
    with pytest.raises(AuthenticationError) as caught:
        ReflexioClient(api_key=key, url_endpoint=keyed_url).whoami()
    assert caught.value.status_code == 401
    assert str(caught.value.detail) in str(caught.value)


def test_with_the_key_everything_is(keyed_url: str) -> None:
    client = ReflexioClient(api_key="open sesame", url_endpoint=keyed_url)
    assert client.whoami().success
    assert client.publish_interaction("keyed_user", [{"content": "x"}]).success


def test_health_needs_no_key(keyed_url: str) -> None:
    assert ReflexioClient(url_endpoint=keyed_url).health().status == "healthy"
