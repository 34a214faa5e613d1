#!/usr/bin/env python3
"""How well `reflexio dev cluster` finds the intents of labelled utterances.

    REFLEXIO_MODEL_DIR=target/models bench/quality/cluster.py --data FOLDER [--binary FILE] [-- ARGUMENTS OF dev cluster]

The folder holds any of `dstc11/*.jsonl`, `intents/*.jsonl`: one object a line with `text` or `utterance`, and `label` or `intent`;
the label `oos` is out of scope and ought to be noise. Their licences do not allow them into this repository.

Prints for each file the adjusted Rand index (noise counted as clusters of one), V-measure, the share of in-scope
utterances in noise, the share of out-of-scope ones in noise, the number of clusters and the time. Needs nothing but Python.
"""

from __future__ import annotations

import argparse
import collections
import json
import math
import pathlib
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def pairs(counts: collections.Counter) -> int:
    return sum(count * (count - 1) // 2 for count in counts.values())


def rand_index(truth: list, found: list) -> float:
    """Adjusted for chance."""
    both, one, other = (pairs(collections.Counter(keys)) for keys in (zip(truth, found), truth, found))
    every = len(truth) * (len(truth) - 1) / 2
    expected = one * other / every
    most = (one + other) / 2
    return 1.0 if most == expected else (both - expected) / (most - expected)


def entropy(keys: list) -> float:
    return -sum(count / len(keys) * math.log(count / len(keys)) for count in collections.Counter(keys).values())


def v_measure(truth: list, found: list) -> float:
    shared = entropy(truth) + entropy(found) - entropy(list(zip(truth, found)))
    homogeneity = shared / entropy(truth) if entropy(truth) else 1.0
    completeness = shared / entropy(found) if entropy(found) else 1.0
    return 2 * homogeneity * completeness / (homogeneity + completeness) if homogeneity + completeness else 0.0


def clusters(binary: str, texts: list[str], arguments: list[str]) -> list[int]:
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    command = [binary, "dev", "cluster", "-", *arguments]
    answer = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    if answer.returncode or answer.stderr:
        raise SystemExit(f"{' '.join(command)}: {answer.stderr}")
    return [json.loads(line)["cluster"] for line in answer.stdout.splitlines()]


def measure(file: pathlib.Path, binary: str, arguments: list[str]) -> str:
    rows = [json.loads(line) for line in file.read_text().splitlines() if line.strip()]
    labels = [row.get("label") or row.get("intent") for row in rows]
    started = time.monotonic()
    found = clusters(binary, [row.get("text") or row["utterance"] for row in rows], arguments)
    took = time.monotonic() - started
    inside = [at for at, label in enumerate(labels) if label != "oos"]
    outside = [at for at, label in enumerate(labels) if label == "oos"]
    truth = [labels[at] for at in inside]
    alone = [found[at] if found[at] >= 0 else -2 - at for at in inside]
    noise = sum(found[at] < 0 for at in inside) / len(inside)
    refused = f"{sum(found[at] < 0 for at in outside) / len(outside):.3f}" if outside else "–"
    return (
        f"| {file.parent.name}/{file.stem} | {len(inside):,} | {len(set(truth))} | {rand_index(truth, alone):.3f} "
        f"| {v_measure(truth, alone):.3f} | {noise:.3f} | {refused} | {len(set(found) - {-1})} | {took:.1f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--binary", default=str(ROOT / "target/release/reflexio"))
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    print("| set | utterances | intents | ARI | V | noise | out of scope in noise | clusters | seconds |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for file in sorted([*options.data.glob("dstc11/*.jsonl"), *options.data.glob("intents/*.jsonl")]):
        print(measure(file, options.binary, options.arguments), flush=True)


if __name__ == "__main__":
    main()
