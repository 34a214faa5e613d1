"""Starts the real server for the tests that need one."""

from __future__ import annotations

import os
import subprocess
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest
from raw_api import RawApi

from reflexio import ReflexioClient

REPOSITORY = Path(__file__).resolve().parents[3]
LONGEST_START_SECONDS = 60.0


def server_binary() -> Path:
    """The binary to test: ``REFLEXIO_BIN``, else the debug build, else the release build."""
    given = os.environ.get("REFLEXIO_BIN")
    places = (
        [Path(given)]
        if given
        else [REPOSITORY / "target" / build / "reflexio" for build in ("debug", "release")]
    )
    for place in places:
        if place.is_file():
            return place
    looked_at = ", ".join(str(place) for place in places)
    pytest.fail(
        f"no Reflexio server binary at {looked_at}; build one with `cargo build` or set "
        "REFLEXIO_BIN. Tests that need no server: pytest -m 'not server'",
        pytrace=False,
    )


class RunningServer:
    """One server process with its own data directory, which asks for a key if one is given."""

    def __init__(self, folder: Path, api_key: str | None = None) -> None:
        ready_file = folder / "ready"
        self._log = (folder / "server.log").open("w+")
        self._process = subprocess.Popen(
            [
                *[str(server_binary()), "serve", "--port", "0"],
                *["--data-dir", str(folder / "data"), "--ready-file", str(ready_file)],
            ],
            env={**os.environ, **({"REFLEXIO_API_KEY": api_key} if api_key else {})},
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        self.url = self._wait_for(ready_file)

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()

    def _wait_for(self, ready_file: Path) -> str:
        deadline = time.monotonic() + LONGEST_START_SECONDS
        while time.monotonic() < deadline:
            url = ready_file.read_text().strip() if ready_file.exists() else ""
            if url:
                return url
            if self._process.poll() is not None:
                break
            time.sleep(0.05)
        self._process.kill()
        self._process.wait()
        self._log.seek(0)
        pytest.fail(f"the server did not become ready:\n{self._log.read()}", pytrace=False)


class StartServer(Protocol):
    """Starts a server that is stopped when all tests are done."""

    def __call__(self, api_key: str | None = None) -> RunningServer: ...


@pytest.fixture(scope="session", autouse=True)
def clean_environment() -> Iterator[None]:
    """Neither clients nor servers see the developer's own settings."""
    with pytest.MonkeyPatch.context() as environment:
        for name in list(os.environ):
            if name.startswith("REFLEXIO_") and name != "REFLEXIO_BIN":
                environment.delenv(name)
        yield


@pytest.fixture(scope="session")
def start_server(
    tmp_path_factory: pytest.TempPathFactory, clean_environment: None
) -> Iterator[StartServer]:
    running: list[RunningServer] = []

    def start(api_key: str | None = None) -> RunningServer:
        running.append(RunningServer(tmp_path_factory.mktemp("server"), api_key))
        return running[-1]

    yield start
    for server in running:
        server.stop()


@pytest.fixture(scope="session")
def server_url(start_server: StartServer) -> str:
    """The server that the tests of ``tests/server`` share."""
    return start_server().url


@pytest.fixture
def client(server_url: str) -> Iterator[ReflexioClient]:
    with ReflexioClient(url_endpoint=server_url) as client:
        yield client


@pytest.fixture
def raw(server_url: str) -> Iterator[RawApi]:
    with RawApi(server_url) as raw:
        yield raw


@pytest.fixture
def user_id() -> str:
    """A user nobody else writes about."""
    return f"user_{uuid.uuid4().hex[:12]}"
