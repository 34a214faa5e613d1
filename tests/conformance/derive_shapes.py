#!/usr/bin/env python3
"""Derives `recorded_shapes.json` from a recording of the public server.

    python derive_shapes.py WIRE_JSONL [OUTPUT]

WIRE_JSONL holds one JSON object per line with label, method, path, query, req_headers, req, status
and resp. Only facts of the protocol are kept: names, types, status codes. No text that the public
server answered is written, and neither is a configuration that carries its default prompts.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from shapes import FIXTURE, shape_of

LONGEST_KEPT_TEXT = 120
# A client that reads and writes a configuration sends the server's own prompts back to it.
REQUESTS_KEPT_AS_SHAPE = {"/api/set_config"}


def main(arguments: list[str]) -> int:
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    lines = Path(arguments[0]).read_text().splitlines()
    exchanges = unique(derive(json.loads(line)) for line in lines if line.strip())
    target = Path(arguments[1]) if len(arguments) == 2 else FIXTURE
    target.write_text(render(exchanges))
    print(f"{len(exchanges)} shapes from {len(lines)} recorded exchanges -> {target.name}")
    return 0


def derive(wire: dict[str, Any]) -> dict[str, Any]:
    """One exchange, reduced to what a test may compare with."""
    exchange: dict[str, Any] = {
        "label": wire["label"],
        "method": wire["method"],
        "path": wire["path"],
        "query": wire["query"],
        "status": wire["status"],
    }
    if wire["path"] in REQUESTS_KEPT_AS_SHAPE:
        exchange["request_shape"] = shape_of(wire["req"])
    else:
        exchange["request"] = shortened(wire["req"])
    exchange["response"] = shape_of(wire["resp"])
    return exchange


def shortened(value: Any) -> Any:
    """The request as sent, with long filler texts replaced by their length."""
    if isinstance(value, dict):
        return {key: shortened(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shortened(item) for item in value]
    if isinstance(value, str) and len(value) > LONGEST_KEPT_TEXT:
        return f"<{len(value)} characters>"
    return value


def unique(exchanges: Any) -> list[dict[str, Any]]:
    """Repeated calls of one label with one outcome add nothing."""
    seen: dict[str, dict[str, Any]] = {}
    for exchange in exchanges:
        key = json.dumps(
            [exchange[part] for part in ("label", "method", "path", "query", "status", "response")]
        )
        seen.setdefault(key, exchange)
    return list(seen.values())


def render(exchanges: list[dict[str, Any]]) -> str:
    """One exchange per line, so that a change of one is a change of one line."""
    rows = ",\n".join(json.dumps(exchange, ensure_ascii=False) for exchange in exchanges)
    origin = '"server": "reflexio-ai 0.2.32", "client": "reflexio-client 0.2.16"'
    return f'{{{origin}, "exchanges": [\n{rows}\n]}}\n'


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
