"""What a client remembers of earlier answers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable

import httpx

LIFETIME_SECONDS = 600.0
MOST_ENTRIES = 1000


class ResponseCache:
    """Answers by call, each kept for ten minutes, all forgotten when data changes.

    Raw answers are kept rather than parsed ones, so callers can never change each other's objects.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: dict[Hashable, tuple[float, httpx.Response]] = {}
        self._generation = 0

    @property
    def generation(self) -> int:
        """A number that grows whenever the cache is emptied."""
        return self._generation

    def get(self, key: Hashable) -> httpx.Response | None:
        """The remembered answer, unless it is too old."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None or self._expired(entry[0]):
                return None
            return entry[1]

    def put(self, key: Hashable, response: httpx.Response, generation: int) -> None:
        """Remembers an answer, unless data changed since ``generation`` was read."""
        with self._lock:
            if generation != self._generation:
                return
            self._entries.pop(key, None)
            self._make_room()
            self._entries[key] = (self._clock(), response)

    def clear(self) -> None:
        """Forgets everything, answers that are still on their way included."""
        with self._lock:
            self._generation += 1
            self._entries.clear()

    def _expired(self, stored_at: float) -> bool:
        return self._clock() - stored_at >= LIFETIME_SECONDS

    def _make_room(self) -> None:
        for key in [key for key, (at, _) in self._entries.items() if self._expired(at)]:
            del self._entries[key]
        while len(self._entries) >= MOST_ENTRIES:
            del self._entries[next(iter(self._entries))]
