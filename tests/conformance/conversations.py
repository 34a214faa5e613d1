"""Inputs that several tests share."""

from __future__ import annotations

import base64
import struct
import time
import zlib
from typing import Any

THREE_TURNS: list[dict[str, Any]] = [
    {"role": "User", "content": "How do I change the delivery address of my order?"},
    {"role": "Agent", "content": "Open the order, choose Edit address and confirm."},
    {"role": "User", "content": "Found it, thank you."},
]


def png(side: int = 1) -> bytes:
    """A valid PNG of `side` x `side` grey pixels, uncompressed so that its size is predictable."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    rows = b"".join(b"\x00" + b"\x80" * side for _ in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows, 0))
        + chunk(b"IEND", b"")
    )


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def now() -> int:
    return int(time.time())
