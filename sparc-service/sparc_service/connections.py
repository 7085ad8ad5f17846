"""What a connection may cost before it has asked anything."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol


class TimedHttp(H11Protocol):
    """Closes what does not send a whole head in time. Otherwise silent connections alone could take all there may be."""

    def __init__(self, *args: Any, head_s: float, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head_s = head_s
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_head()
        super().connection_lost(exc)

    def _watch_head(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._forget_head()
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(self._head_s, self.transport.close)

    def _forget_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
