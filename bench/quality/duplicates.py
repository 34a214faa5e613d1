#!/usr/bin/env python3
"""Fits and measures the decision of `reflexio dev duplicates`.

    REFLEXIO_MODEL_DIR=target/models bench/quality/duplicates.py --data PAIRS.jsonl [--binary FILE]

The file holds pairs, one object a line with `a`, `b` and `label` (1 if they mean the same). Says how the decision of the program
as it is does on them, then fits its small logistic model anew on nine tenths at a time, measures it on the rest, and prints
the weights of all as they stand in `crates/cluster/src/duplicate/weights.rs`. Needs nothing but Python.
"""

from __future__ import annotations

import argparse
import json
import math
import pathlib
import random
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = ("cosine", "trigrams", "order", "length", "extra", "numbers")
ROUNDS = 25


def ask(binary: str, rows: list[dict], arguments: list[str]) -> list[dict]:
    lines = "".join(json.dumps({"a": row["a"], "b": row["b"]}) + "\n" for row in rows)
    command = [binary, "dev", "duplicates", "-", "--features", *arguments]
    answer = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    if answer.returncode or answer.stderr:
        raise SystemExit(f"{' '.join(command)}: {answer.stderr}")
    return [json.loads(line) for line in answer.stdout.splitlines()]


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gauss elimination with pivots."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda at: abs(rows[at][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for at in range(size):
            if at != column:
                factor = rows[at][column] / rows[column][column]
                rows[at] = [value - factor * other for value, other in zip(rows[at], rows[column])]
    return [rows[at][size] / rows[at][at] for at in range(size)]


def probability(weights: list[float], features: list[float]) -> float:
    return 1 / (1 + math.exp(-sum(weight * value for weight, value in zip(weights, features))))


def fit(rows: list[tuple[list[float], int]]) -> list[float]:
    """Logistic regression by Newton's method, with a weight so small on the size of weights that it only prevents accidents."""
    size = len(rows[0][0])
    weights = [0.0] * size
    for _ in range(ROUNDS):
        slope = [-0.01 * weight for weight in weights]
        bend = [[0.01 * (row == column) for column in range(size)] for row in range(size)]
        for features, label in rows:
            guess = probability(weights, features)
            for row in range(size):
                slope[row] += (label - guess) * features[row]
                for column in range(size):
                    bend[row][column] += guess * (1 - guess) * features[row] * features[column]
        weights = [weight + step for weight, step in zip(weights, solve(bend, slope))]
    return weights


def recall(scored: list[tuple[float, int]], precision: float) -> tuple[float, float]:
    """The greatest recall at this precision, and the score from which it is reached."""
    best, hits, total = (0.0, 1.0), 0, sum(label for _, label in scored)
    ordered = sorted(scored, reverse=True)
    for taken, (score, label) in enumerate(ordered, 1):
        hits += label
        if hits / taken >= precision and score > 0:
            best = (hits / total, score)
    return best


def report(binary: str, rows: list[dict], arguments: list[str], names: tuple[str, ...]) -> None:
    answers = ask(binary, rows, arguments)
    labels = [int(row["label"]) for row in rows]
    said = [label for answer, label in zip(answers, labels) if answer["same"]]
    print(f"as it is: precision {sum(said) / max(1, len(said)):.3f}, recall {sum(said) / sum(labels):.3f}")
    vetoed = ["veto" in answer for answer in answers]
    features = [[1.0, *(answer["features"][name] for name in names)] for answer in answers]
    order = list(range(len(rows)))
    random.Random(1).shuffle(order)
    scored = []
    for part in range(10):
        held = set(order[part::10])
        weights = fit([(features[at], labels[at]) for at in order if at not in held and not vetoed[at]])
        scored += [(0.0 if vetoed[at] else probability(weights, features[at]), labels[at]) for at in held]
    for precision in (0.90, 0.91, 0.92, 0.95):
        found, score = recall(scored, precision)
        print(f"held out, precision {precision:.2f}: recall {found:.3f} from {score:.3f} on")
    weights = fit([(features[at], labels[at]) for at in order if not vetoed[at]])
    print("  ".join(f"{name}: {weight:.3f}" for name, weight in zip(("bias", *names), weights)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--binary", default=str(ROOT / "target/release/reflexio"))
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.data.read_text().splitlines() if line.strip()]
    print(f"{len(rows)} pairs, with vectors")
    report(options.binary, rows, [], NAMES)
    print("words only")
    report(options.binary, rows, ["--words-only"], NAMES[1:])


if __name__ == "__main__":
    main()
