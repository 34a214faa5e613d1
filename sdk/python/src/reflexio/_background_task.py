"""Calls whose answer nobody waits for, delivered in order by one asyncio task."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from reflexio._background import FirstError

Job = Callable[[], Awaitable[None]]


class BackgroundTask:
    """Runs jobs one after the other in the event loop that submits them.

    ``asyncio.run()`` cancels what is left when the main coroutine returns, and then waits for it.
    The task uses that wait: it sends the interrupted call again and delivers the rest, so that a
    program may end right after its last call here too.
    """

    def __init__(self) -> None:
        self._jobs: deque[Job] = deque()
        self._task: asyncio.Task[None] | None = None
        self._first_error = FirstError()

    def submit(self, job: Job) -> None:
        """Queues a job behind those already there."""
        self._jobs.append(job)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._work())

    async def wait(self) -> None:
        """Waits until all jobs are done."""
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])

    def raise_first_error(self) -> None:
        """Raises the first error since the last time, if there was one."""
        self._first_error.raise_and_forget()

    async def _work(self) -> None:
        cancelled = False
        while self._jobs:
            try:
                await self._jobs[0]()
            except asyncio.CancelledError:
                if cancelled:
                    raise
                cancelled = True
                continue
            except Exception as error:
                self._first_error.record(error)
            self._jobs.popleft()
