"""Calls whose answer nobody waits for, delivered in order by one thread."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable

logger = logging.getLogger("reflexio")

Job = Callable[[], None]


class FirstError:
    """Logs every error and keeps the first for the next ``flush()``."""

    def __init__(self) -> None:
        self._error: Exception | None = None

    def record(self, error: Exception) -> None:
        logger.warning("background call failed: %s", error)
        if self._error is None:
            self._error = error

    def raise_and_forget(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error


class BackgroundThread:
    """Runs jobs one after the other.

    The thread is not a daemon: the interpreter waits for it at exit, so a script may end right
    after its last call. It lives only while there is work, so it never keeps an idle program alive.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._jobs: deque[Job] = deque()
        self._working = False
        self._first_error = FirstError()

    def submit(self, job: Job) -> None:
        """Queues a job behind those already there."""
        with self._changed:
            self._jobs.append(job)
            if self._working:
                return
            self._working = True
        if threading.main_thread().is_alive():
            threading.Thread(target=self._work, name="reflexio-background", daemon=False).start()
        else:
            # An exit handler is running: the interpreter waits for no thread that starts now.
            self._work()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until all jobs are done; false when that takes longer than ``timeout`` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._working, timeout)

    def raise_first_error(self) -> None:
        """Raises the first error since the last time, if there was one."""
        self._first_error.raise_and_forget()

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._jobs:
                    self._working = False
                    self._changed.notify_all()
                    return
                job = self._jobs.popleft()
            try:
                job()
            except Exception as error:
                self._first_error.record(error)
