"""`python -m sparc_service`: reads the environment and serves until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from contextlib import contextmanager
from functools import partial
from typing import Iterator

from .settings import Settings, SettingsError, read_settings

_MOST_CONNECTIONS = 512


def main() -> int:
    try:
        settings = read_settings(os.environ)
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2
    from .logs import set_up_logs

    set_up_logs(settings.log_level, settings.log_payloads, settings.secrets)
    return asyncio.run(_serve(settings))


async def _serve(settings: Settings) -> int:
    # After the logs are set up: these imports talk.
    import uvicorn

    from .app import App
    from .connections import TimedHttp
    from .logs import event
    from .reflection import Reflection

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Its own way ends the process by the signal itself; to be told to stop is no failure."""
            loop = asyncio.get_running_loop()
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, self.handle_exit, number, None)
            yield

        async def startup(self, sockets: list[object] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                address = self.servers[0].sockets[0].getsockname()
                event(logging.INFO, "listening", host=address[0], port=address[1], provider=settings.provider, tracks=reflection.tracks)

    reflection = Reflection(settings)
    for problem in reflection.problems:
        event(logging.WARNING, "not ready", missing=problem)
    config = uvicorn.Config(
        App(settings, reflection),
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        http=partial(TimedHttp, head_s=settings.deadline_s),  # type: ignore[arg-type]
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=int(settings.deadline_s) + 1,
    )
    server = Server(config)
    try:
        await server.serve()
    except SystemExit:
        return 1
    event(logging.INFO, "stopped")
    return 0 if server.started else 1


if __name__ == "__main__":
    sys.exit(main())
