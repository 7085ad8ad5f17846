"""How many calls are reflected on at once, and how many may wait for that."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import AsyncIterator


class Overloaded(Exception):
    """As many calls wait as may wait."""


class Admission:
    def __init__(self, at_once: int, waiting: int) -> None:
        self._room = at_once + waiting
        self._taken = 0
        self._turns = asyncio.Semaphore(at_once)

    @asynccontextmanager
    async def admit(self, calls: int) -> AsyncIterator[None]:
        """All calls of a request or none: half a verdict is of no use."""
        if self._taken + calls > self._room:
            raise Overloaded
        self._taken += calls
        try:
            yield
        finally:
            self._taken -= calls

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        async with self._turns:
            yield
