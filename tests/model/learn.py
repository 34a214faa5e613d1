"""Publish, learn, read back, with a real model that is far too small for the task.

What such a model says is often nonsense. What is tested is everything around it: that its answers are asked for in a
way it can follow, that whatever is stored fits the schema and names turns that were really there, that an answer that
cannot be used keeps its window for later and says so in the job's history, and that a window is learned in the end.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import server_process

MODEL_START_SECONDS = 180
CALL_SECONDS = 600
LEARNING_SECONDS = 1800
LIVES = {"one_day", "one_week", "one_month", "one_quarter", "one_year", "infinity"}

CONVERSATIONS = {
    "ann": [
        ("User", "I live in Oslo and I am allergic to peanuts."),
        ("Agent", "Thank you, I will remember that."),
        ("User", "Please always answer in short bullet points."),
    ],
    "bob": [
        ("User", "Where is my parcel?"),
        ("Agent", "It was delivered to the neighbour yesterday at noon."),
        ("User", "No, that is wrong. Check the tracking number first, then answer."),
    ],
    "eve": [
        ("User", "Book me the usual seat, I always sit at the window."),
        ("Agent", "Seat 14C on the aisle is booked."),
        ("User", "That is an aisle seat. I asked for the window."),
    ],
}


class Failed(Exception):
    """The path around the model is broken."""


def call(method: str, url: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


@contextmanager
def model_server() -> Iterator[str]:
    """The model behind an OpenAI-compatible address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    # A weak model does not know when to stop; the size of its context is what ends an answer.
    settings = {"model": os.environ["MODEL_GGUF"], "n_ctx": "3072", "port": str(port), "seed": "1"}
    arguments = [part for name, value in settings.items() for part in (f"--{name}", value)]
    with tempfile.TemporaryFile() as log:
        command = [sys.executable, "-m", "llama_cpp.server", *arguments]
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            wait_until_up(process, f"http://127.0.0.1:{port}/v1/models", log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server_process.stop(process)


def wait_until_up(process: subprocess.Popen[bytes], url: str, log: Any) -> None:
    deadline = time.monotonic() + MODEL_START_SECONDS
    while True:
        try:
            call("GET", url)
            return
        except (urllib.error.URLError, ConnectionError):
            if process.poll() is not None or time.monotonic() > deadline:
                log.seek(0)
                tail = log.read().decode(errors="replace")[-2000:]
                raise Failed(f"the model's server does not answer:\n{tail}") from None
            time.sleep(0.2)


@dataclass
class Outcome:
    """What became of one user's conversation."""

    user: str
    job: dict[str, Any]
    profiles: list[dict[str, Any]]
    playbooks: list[dict[str, Any]]

    @property
    def learned(self) -> bool:
        return bool(self.job["state"] == "done")


def publish(base: str, user: str) -> int:
    """Publishes a conversation; answers the number of its job."""
    turns = [{"role": role, "content": content} for role, content in CONVERSATIONS[user]]
    body = {
        "user_id": user,
        "request_id": f"r-{user}",
        "agent_version": "v1",
        "force_extraction": True,
        "interaction_data_list": turns,
    }
    if not call("POST", f"{base}/api/publish_interaction", body)["success"]:
        raise Failed(f"the conversation of {user} was not published")
    jobs = call("GET", f"{base}/api/jobs?kind=learn&user_id={user}")["jobs"]
    return int(jobs[0]["job_id"])


def settle(base: str, job: int) -> dict[str, Any]:
    """Waits for the end of the first attempt that says something: learned, or kept for later."""
    deadline = time.monotonic() + LEARNING_SECONDS
    while True:
        found: dict[str, Any] = call("GET", f"{base}/api/jobs/{job}")["job"]
        if found["history"] and found["state"] != "running":
            return found
        if time.monotonic() > deadline:
            raise Failed(f"job {job} is still {found['state']} after {LEARNING_SECONDS} s")
        time.sleep(0.5)


def read(base: str, user: str, job: dict[str, Any]) -> Outcome:
    profiles = call("POST", f"{base}/api/get_profiles", {"user_id": user})["user_profiles"]
    playbooks = call("POST", f"{base}/api/get_user_playbooks", {"user_id": user})["user_playbooks"]
    return Outcome(user, job, profiles, playbooks)


def check(base: str, outcome: Outcome) -> None:
    """Whatever was stored is right in form and origin; what was not stored is explained."""
    rows = [*outcome.profiles, *outcome.playbooks]
    turns = call("POST", f"{base}/api/get_interactions", {"user_id": outcome.user})["interactions"]
    ids = {turn["interaction_id"] for turn in turns}
    for row in rows:
        evidence = row["source_interaction_ids"]
        if not row["content"].strip() or not evidence or not set(evidence) <= ids:
            raise Failed(f"a row without content or evidence was stored: {row}")
        if not row["learned_by"].startswith("custom/"):
            raise Failed(f"a row of somebody else was stored: {row}")
    for row in outcome.profiles:
        if row["profile_time_to_live"] not in LIVES:
            raise Failed(f"a profile with an unknown life was stored: {row}")
    for row in outcome.playbooks:
        if row["playbook_name"] != "playbook" or not row["trigger"] or not row["instruction"]:
            raise Failed(f"a playbook without its parts was stored: {row}")
    if not outcome.learned:
        if rows:
            raise Failed(f"rows were stored although the job is {outcome.job['state']}")
        if not outcome.job["history"][-1].get("reason"):
            raise Failed(f"the history of {outcome.user}'s job does not say what happened")


def show(outcome: Outcome, seconds: float) -> None:
    job = outcome.job
    said = job.get("progress", {}).get("message") if outcome.learned else job.get("last_error")
    print(f"{outcome.user}: {job['state']} after {seconds:.0f} s: {said}")
    for row in (*outcome.profiles, *outcome.playbooks):
        print(f"    {json.dumps(row['content'], ensure_ascii=False)}")


def main() -> int:
    with model_server() as address, server_process.running() as server:
        base = server.base_url
        endpoint = {"model": Path(os.environ["MODEL_GGUF"]).stem, "api_key": "none", "api_base": address}
        config = {
            "api_key_config": {"custom_endpoint": endpoint},
            "llm_config": {"generation_timeout_seconds": CALL_SECONDS},
        }
        call("POST", f"{base}/api/update_config", config)
        outcomes = []
        for user in CONVERSATIONS:
            started = time.monotonic()
            outcome = read(base, user, settle(base, publish(base, user)))
            show(outcome, time.monotonic() - started)
            check(base, outcome)
            outcomes.append(outcome)
        learned = sum(outcome.learned for outcome in outcomes)
        rows = sum(len(outcome.profiles) + len(outcome.playbooks) for outcome in outcomes)
        print(f"{learned} of {len(outcomes)} windows learned, {rows} rows")
        if learned == 0:
            raise Failed("the model gave no answer that could be used")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"FAILED: {failure}")
