"""Fixtures: one server for tests that only touch their own rows, fresh ones for the others."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial

import pytest

from observing import Api, ObservedClient
from server_process import NoServer, Server, running, tail

# The client reads these; a developer's own settings must not reach the tests.
for setting in ("REFLEXIO_URL", "REFLEXIO_API_KEY", "REFLEXIO_AGENT_VERSION"):
    os.environ.pop(setting, None)


def entered(stack: ExitStack, *arguments: str, env: dict[str, str] | None = None) -> Server:
    """A server that stops with the stack; the test fails with one line when there is none."""
    try:
        return stack.enter_context(running(*arguments, env=env))
    except NoServer as error:
        reason = str(error)
    pytest.fail(f"cannot test without a server: {reason}", pytrace=False)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The shared server. Tests use names of their own and do not see each other's rows."""
    with ExitStack() as stack:
        yield entered(stack)


@pytest.fixture
def new_server() -> Iterator[Callable[..., Server]]:
    """Starts further servers, for tests that delete everything or change the configuration."""
    with ExitStack() as stack:
        yield partial(entered, stack)


@pytest.fixture
def own_server(new_server: Callable[..., Server]) -> Server:
    """A server that no other test has touched."""
    return new_server()


@pytest.fixture
def own_client(own_server: Server) -> ObservedClient:
    return ObservedClient(own_server.base_url)


@pytest.fixture
def own_api(own_server: Server) -> Api:
    return Api(own_server.base_url)


@pytest.fixture
def client(server: Server) -> ObservedClient:
    """The official client on the shared server; a new one each time, so its cache is empty."""
    return ObservedClient(server.base_url)


@pytest.fixture
def api(server: Server) -> Api:
    return Api(server.base_url)


@pytest.fixture
def name() -> Callable[[str], str]:
    """Names that no other test uses: `name("user")` is the same within a test."""
    suffix = uuid.uuid4().hex[:10]
    return lambda kind: f"{kind}-{suffix}"


@pytest.fixture
def user(name: Callable[[str], str]) -> str:
    return name("user")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """A failing test shows the end of the shared server's log."""
    report = yield
    server = getattr(item, "funcargs", {}).get("server")
    if (
        report.when == "call"
        and report.failed
        and isinstance(server, Server)
        and server.log.exists()
    ):
        report.sections.append(("server log", tail(server.log, 20)))
    return report
