"""Runs schemathesis against a server of our own, held against the schema that it publishes itself.

The enforced checks say that no input breaks the server and that every answer is one its schema
describes. The advisory checks say where schema and validation disagree about what is a valid input;
they are printed and never fail the run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "conformance"))

from server_process import NoServer, Server, running, tail

ENFORCED = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
ADVISORY = ("negative_data_rejection", "positive_data_acceptance")
SECONDS = int(os.environ.get("SCHEMA_SECONDS", "90"))
ADVISORY_SECONDS = max(SECONDS // 3, 10)
SEED = os.environ.get("SCHEMA_SEED", "20260101")
GRACE_SECONDS = 120


def main(arguments: list[str]) -> int:
    show = "--show-advisory" in arguments
    try:
        with running() as server:
            enforced = generate(server, ENFORCED, SECONDS, quiet=False)
            alive = server.process.poll() is None
            advisory = (
                generate(server, ADVISORY, ADVISORY_SECONDS, quiet=not show) if alive else None
            )
            log = tail(server.log)
    except NoServer as error:
        print(f"cannot test without a server: {error}", file=sys.stderr)
        return 1
    if advisory:
        describe("advisory (never fails the run)", ADVISORY, advisory)
    describe("enforced", ENFORCED, enforced)
    if not alive:
        print(f"the server ended while it was tested; the end of its log:\n{log}")
    return close(enforced, alive)


def generate(
    server: Server, checks: tuple[str, ...], seconds: int, *, quiet: bool
) -> dict[str, Any]:
    """One schemathesis run; returns its JSON report. Its files stay in a temporary directory."""
    with tempfile.TemporaryDirectory(prefix="reflexio-schema-") as folder:
        report = Path(folder) / "report.json"
        command = [
            str(Path(sys.executable).with_name("schemathesis")),
            "run",
            f"{server.base_url.rstrip('/')}/openapi.json",
            "--checks",
            ",".join(checks),
            "--phases",
            "examples,coverage,fuzzing",
            "--seed",
            SEED,
            "--max-time",
            str(seconds),
            "--workers",
            "1",
            "--continue-on-failure",
            "--request-timeout",
            "20",
            "--suppress-health-check",
            "all",
            "--warnings",
            "off",
            "--report",
            "json",
            "--report-json-path",
            str(report),
        ]
        output = subprocess.DEVNULL if quiet else None
        environment = os.environ | {
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
            "NO_COLOR": "1",
        }
        subprocess.run(
            command,
            cwd=folder,
            stdout=output,
            env=environment,
            timeout=seconds + GRACE_SECONDS,
            check=False,
        )
        if not report.exists():
            raise NoServer(
                f"schemathesis wrote no report; the end of the server's log:\n{tail(server.log)}"
            )
        return json.loads(report.read_text())


def describe(title: str, checks: tuple[str, ...], report: dict[str, Any]) -> None:
    cases, operations = report["test_cases"], report["operations"]
    print(f"\n{title}: {', '.join(checks)}")
    print(
        f"  {cases['generated']} cases over {operations['tested']} of {operations['selected']}"
        f" operations, seed {report['seed']}"
    )
    for failure in report["failures"]:
        print(f"  {failure['title']} x{failure['count']}: {', '.join(failure['operations'])}")
    for error in report["errors"]:
        print(f"  error: {error}")


def close(report: dict[str, Any], alive: bool) -> int:
    cases = report["test_cases"]
    failed = cases["with_failures"] + cases["errored"] + len(report["errors"]) + (0 if alive else 1)
    passed = max(cases["generated"] - cases["with_failures"] - cases["errored"], 0)
    if not cases["generated"]:
        print("no case was generated: is /openapi.json empty?")
        failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
