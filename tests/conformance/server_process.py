"""Starts the real server binary on a free loopback port with a directory of its own, and stops it.

Used by both suites under `tests/`: only the standard library is needed.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
START_TIMEOUT_SECONDS = 60
STOP_TIMEOUT_SECONDS = 15
CANDIDATES = ("target/debug/reflexio", "target/release/reflexio")


class NoServer(Exception):
    """There is no binary to test, or it did not start."""


@dataclass
class Server:
    """A running server."""

    base_url: str
    data_dir: Path
    log: Path
    process: subprocess.Popen[bytes]


def binary() -> Path:
    """The binary under test: `REFLEXIO_BIN`, else the debug build, else the release build."""
    named = os.environ.get("REFLEXIO_BIN")
    if named:
        if Path(named).is_file():
            return Path(named)
        raise NoServer(f"REFLEXIO_BIN names {named}, which is not a file")
    for candidate in CANDIDATES:
        if (REPOSITORY / candidate).is_file():
            return REPOSITORY / candidate
    looked = " nor ".join(CANDIDATES)
    raise NoServer(f"there is neither {looked}; build the server first or set REFLEXIO_BIN")


def clean_environment(extra: dict[str, str] | None = None) -> dict[str, str]:
    """The caller's environment without settings or provider keys that would change the answers."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("REFLEXIO_", "OTEL_"))
        and not name.endswith(("_API_KEY", "_BASE_URL"))
    }
    return kept | (extra or {})


@contextmanager
def running(*arguments: str, env: dict[str, str] | None = None) -> Iterator[Server]:
    """A server for the duration of the block, storing into a temporary directory."""
    with tempfile.TemporaryDirectory(prefix="reflexio-conformance-") as folder:
        home = Path(folder)
        server = start(home, *arguments, env=env)
        try:
            yield server
        finally:
            stop(server.process)


def start(home: Path, *arguments: str, env: dict[str, str] | None = None) -> Server:
    """Starts a server that keeps everything under `home` and waits until it listens."""
    ready, log, data_dir = home / "ready", home / "server.log", home / "data"
    data_dir.mkdir(exist_ok=True)
    ready.unlink(missing_ok=True)
    command = [
        str(binary()),
        "serve",
        "--port",
        "0",
        "--data-dir",
        str(data_dir),
        "--ready-file",
        str(ready),
        *arguments,
    ]
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=output,
            stdin=subprocess.DEVNULL,
            cwd=home,
            env=clean_environment(env),
        )
    try:
        return Server(wait_until_ready(ready, process, log), data_dir, log, process)
    except BaseException:
        stop(process)
        raise


def wait_until_ready(ready: Path, process: subprocess.Popen[bytes], log: Path) -> str:
    """The base URL that the server writes into its ready file once it listens."""
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise NoServer(
                f"the server left with code {process.returncode} before it was ready\n{tail(log)}"
            )
        if ready.exists() and (url := ready.read_text().strip()):
            return url
        time.sleep(0.05)
    raise NoServer(f"the server was not ready after {START_TIMEOUT_SECONDS} s\n{tail(log)}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """Asks the server to leave, and insists if it does not."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def tail(log: Path, lines: int = 40) -> str:
    """The last lines of the server's log, for a failure message."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
