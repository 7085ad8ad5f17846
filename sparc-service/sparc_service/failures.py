"""Notes what went wrong with the model while one call is reflected on.

ALTK keeps only the text of such a failure, and in its transformation stage it keeps nothing: a model that cannot be
reached looks like a call that needs no transformation, and is approved.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

_LONGEST = 300
_PROVIDERS = ("openai", "litellm", "httpx", "httpx2")

_noted: ContextVar[list[str] | None] = ContextVar("noted", default=None)


def begin_noting() -> list[str]:
    """For the task that calls this, and those that it starts."""
    noted: list[str] = []
    _noted.set(noted)
    return noted


def watch(client: Any) -> Any:
    """The same client; what its calls raise is noted on the way."""
    ask = client.generate_async

    async def watched(*args: Any, **kwargs: Any) -> Any:
        try:
            return await ask(*args, **kwargs)
        except Exception as error:
            noted = _noted.get()
            if noted is not None:
                noted.append(describe(error))
            raise

    client.generate_async = watched
    return client


def describe(error: BaseException) -> str:
    """For the log. A provider's own words are given; other messages hold what the model or the agent wrote."""
    kind = type(error)
    name = kind.__name__
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        name = f"{name} ({status})"
    return f"{name}: {str(error)[:_LONGEST]}" if kind.__module__.split(".")[0] in _PROVIDERS else name
