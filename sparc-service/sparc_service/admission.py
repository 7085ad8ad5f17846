"""How many calls are reflected on at once, how many may wait for that, and what bodies may take while they arrive."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import AsyncIterator


class Overloaded(Exception):
    """No more can be taken now."""


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


class Memory:
    """The bytes of all bodies that are arriving."""

    def __init__(self, most: int) -> None:
        self._left = most

    def take(self, count: int) -> None:
        if count > self._left:
            raise Overloaded
        self._left -= count

    def give_back(self, count: int) -> None:
        self._left += count
