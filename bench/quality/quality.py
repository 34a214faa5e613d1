#!/usr/bin/env python3
"""Recall of search over labelled sets, asked through the HTTP API.

    bench/quality/quality.py --data FOLDER [--set locomo,beam,tau2] [--style sessions|turns|prefixed] [--mode hybrid|fts|vector]

Starts a server of its own on an empty folder, publishes the conversations with `evaluation_only`, waits until every
row has its vector, asks every question with `search_interactions` and counts how much of the evidence is among
the first k. The folder holds `locomo/`, `beam/` and `tau2_banking/` as JSON lines; their licences do not allow them
into this repository. Needs nothing but Python.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPTHS = (5, 10, 20)


class Server:
    """A server on a folder that goes away with it."""

    def __init__(self, binary: str, arguments: list[str]) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="reflexio-quality-")
        ready = pathlib.Path(self.folder.name, "ready")
        command = [binary, "serve", "--port", "0", "--data-dir", self.folder.name, "--ready-file", str(ready), "--log", "warn"]
        environment = {key: value for key, value in os.environ.items() if not key.startswith("REFLEXIO_") or key == "REFLEXIO_MODEL_DIR"}
        self.process = subprocess.Popen([*command, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        deadline = time.monotonic() + 30
        while not ready.exists():
            if self.process.poll() is not None or time.monotonic() > deadline:
                sys.exit("the server did not start")
            time.sleep(0.02)
        self.url = ready.read_text().strip().rstrip("/")

    def call(self, path: str, body: object | None = None) -> dict:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
        self.folder.cleanup()


def lines(path: pathlib.Path) -> list[dict]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Collection:
    """Turns of a user under labels, and questions about them."""

    def __init__(self) -> None:
        self.sessions: dict[str, dict[str, list[dict]]] = collections.defaultdict(lambda: collections.defaultdict(list))
        self.questions: list[tuple[str, str, str, set[str]]] = []

    def turn(self, user: str, session: str, label: str, role: str, content: str) -> None:
        self.sessions[user][session].append({"label": label, "role": role, "content": content})

    def ask(self, user: str, kind: str, question: str, evidence: set[str]) -> None:
        if evidence:
            self.questions.append((user, kind, question, evidence))


def locomo(folder: pathlib.Path) -> Collection:
    found = Collection()
    known = set()
    for row in lines(folder / "locomo/turns.jsonl"):
        caption = f" [shares {row['caption']}]" if row.get("caption") else ""
        found.turn(row["conv"], f"{row['conv']}-s{row['session']}", row["dia_id"], row["speaker"], row["text"] + caption)
        known.add((row["conv"], row["dia_id"]))
    for row in lines(folder / "locomo/qa.jsonl"):
        evidence = {label for label in row["evidence"] if (row["conv"], label) in known}
        found.ask(row["conv"], f"category {row['category']}", str(row["question"]), evidence)
    return found


def beam(folder: pathlib.Path) -> Collection:
    found = Collection()
    for row in lines(folder / "beam/messages.jsonl"):
        if row["content"].strip():
            found.turn(row["chat"], f"{row['chat']}-{row['batch']}", str(row["id"]), row["role"], row["content"])
    for row in lines(folder / "beam/questions.jsonl"):
        found.ask(row["chat"], row["type"], row["question"], {str(label) for label in row["evidence"]})
    return found


def tau2(folder: pathlib.Path) -> Collection:
    found = Collection()
    for row in lines(folder / "tau2_banking/procedures.jsonl"):
        found.turn("bank", f"procedure-{row['id']}", row["id"], "procedure", f"{row['title']}\n{row['content']}")
    for row in lines(folder / "tau2_banking/queries.jsonl"):
        scenario = row.get("scenario") or row.get("instructions")
        found.ask("bank", "scenario", scenario, set(row["required_documents"]))
    return found


SETS = {"locomo": locomo, "beam": beam, "tau2": tau2}
NAMED = re.compile(r"^(user|assistant|procedure)$")


def publishes(collection: Collection, style: str):
    """The requests, with the labels of their turns in order."""
    for user, sessions in collection.sessions.items():
        for session, turns in sessions.items():
            groups = [turns] if style != "turns" else [[turn] for turn in turns]
            for group in groups:
                rows = [row(turn, style) for turn in group]
                body = {"user_id": user, "interaction_data_list": rows, "evaluation_only": True}
                if style != "turns":
                    body["session_id"] = session
                yield user, body, [turn["label"] for turn in group]


def row(turn: dict, style: str) -> dict:
    role, content = turn["role"], turn["content"]
    if role == "procedure":
        role = "user"
    if style == "prefixed" and not NAMED.match(role):
        role, content = "user", f"{role}: {content}"
    return {"role": role, "content": content}


def fill(server: Server, collection: Collection, style: str) -> dict[int, str]:
    labels: dict[int, str] = {}
    counts = collections.Counter()
    for user, body, names in publishes(collection, style):
        server.call("/api/publish_interaction", body)
        counts[user] += len(names)
    for user in collection.sessions:
        stored = server.call("/api/get_interactions", {"user_id": user, "top_k": counts[user] + 10})["interactions"]
        stored.sort(key=lambda turn: turn["interaction_id"])
        names = [turn["label"] for turns in collection.sessions[user].values() for turn in turns]
        assert len(stored) == len(names), f"{len(stored)} rows for {len(names)} turns of {user}"
        labels.update({turn["interaction_id"]: name for turn, name in zip(stored, names, strict=True)})
    return labels


def wait(server: Server) -> None:
    while True:
        status = server.call("/api/embeddings")
        if status["index"] == "off" or (status["index"] == "ready" and not sum(kind["waiting"] for kind in status["kinds"])):
            return
        time.sleep(0.2)


def measure(server: Server, collection: Collection, labels: dict[int, str], extra: dict) -> dict:
    by_kind: dict[str, list[dict[int, float]]] = collections.defaultdict(list)
    seconds, degraded = [], 0
    for user, kind, question, evidence in collection.questions:
        body = {"user_id": user, "query": question, "top_k": max(DEPTHS), **extra}
        began = time.perf_counter()
        answer = server.call("/api/search_interactions", body)
        seconds.append(time.perf_counter() - began)
        degraded += bool(answer.get("degraded"))
        found = [labels[row["interaction_id"]] for row in answer["interactions"]]
        by_kind[kind].append({depth: len(evidence & set(found[:depth])) / len(evidence) for depth in DEPTHS})
    everything = [recall for recalls in by_kind.values() for recall in recalls]
    mean = lambda recalls: {depth: statistics.fmean(recall[depth] for recall in recalls) for depth in DEPTHS}  # noqa: E731
    return {
        "questions": len(everything),
        "recall": mean(everything),
        "kinds": {kind: (len(recalls), mean(recalls)) for kind, recalls in sorted(by_kind.items())},
        "median_ms": statistics.median(seconds) * 1000,
        "degraded": degraded,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--set", default="locomo,beam,tau2")
    parser.add_argument("--style", choices=["sessions", "turns", "prefixed"], default="sessions")
    parser.add_argument("--mode", default="hybrid")
    parser.add_argument("--threshold", type=float)
    parser.add_argument("--bin", default=str(ROOT / "target/release/reflexio"))
    parser.add_argument("--kinds", action="store_true", help="show recall by kind of question")
    parser.add_argument("server_arguments", nargs="*", help="after --: further arguments of `serve`")
    given = parser.parse_args()
    extra = {"search_mode": given.mode} | ({"threshold": given.threshold} if given.threshold is not None else {})
    print(f"| set | questions | R@5 | R@10 | R@20 | median ms | style, mode |\n|---|---|---|---|---|---|---|")
    for name in given.set.split(","):
        collection = SETS[name](given.data)
        server = Server(given.bin, given.server_arguments)
        with contextlib.ExitStack() as stack:
            stack.callback(server.stop)
            labels = fill(server, collection, given.style)
            wait(server)
            result = measure(server, collection, labels, extra)
        recall = " | ".join(f"{result['recall'][depth]:.3f}" for depth in DEPTHS)
        print(f"| {name} | {result['questions']} | {recall} | {result['median_ms']:.1f} | {given.style}, {given.mode} |", flush=True)
        if result["degraded"]:
            print(f"  {result['degraded']} answers were degraded", file=sys.stderr)
        if given.kinds:
            for kind, (count, recalls) in result["kinds"].items():
                print(f"  {kind} ({count}): " + " ".join(f"{recalls[depth]:.3f}" for depth in DEPTHS))


if __name__ == "__main__":
    main()
