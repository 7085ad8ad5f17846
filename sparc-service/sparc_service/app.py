"""The HTTP interface, as an ASGI application."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import time
from typing import Any, Awaitable, Callable, MutableMapping

from .admission import Memory, Overloaded
from .logs import event
from .reflection import Reflection, TrackUnavailable
from .requests import BadRequest, ReflectRequest, read_request
from .settings import Settings

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Scope = MutableMapping[str, Any]

_METHODS = {"/healthz": "GET", "/readyz": "GET", "/reflect": "POST"}


class Refused(Exception):
    """An answer other than 200. The words are fixed."""

    def __init__(self, status: int, code: str, message: str, headers: dict[str, str] | None = None, **more: str) -> None:
        super().__init__(code)
        self.status = status
        self.headers = headers or {}
        self.body = {"error": {"code": code, "message": message, **more}}


class _Gone(Exception):
    """The caller hung up."""


class App:
    def __init__(self, settings: Settings, reflection: Reflection) -> None:
        self._settings = settings
        self._reflection = reflection
        self._bearer = settings.bearer.encode()
        # As many whole bodies as calls are taken.
        self._memory = Memory(settings.max_body_bytes * (settings.max_concurrency + settings.max_queue))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        try:
            status, body, headers = await self._answer(scope, receive)
        except _Gone:
            return
        except Refused as refused:
            status, body, headers = refused.status, refused.body, refused.headers
        except Exception:
            event_for_unexpected(scope["path"])
            status, body, headers = 500, {"error": {"code": "internal", "message": "Something went wrong here."}}, {}
        await _send(send, status, body, headers)

    async def _answer(self, scope: Scope, receive: Receive) -> tuple[int, Any, dict[str, str]]:
        path = scope["path"]
        method = _METHODS.get(path)
        if method is None:
            raise Refused(404, "not_found", "There is no such path.")
        if scope["method"] != method:
            raise Refused(405, "method_not_allowed", f"Use {method}.", {"allow": method})
        if path == "/healthz":
            return 200, {"status": "ok"}, {}
        if path == "/readyz":
            return self._readiness()
        return 200, await self._reflect(scope, receive), {}

    def _readiness(self) -> tuple[int, Any, dict[str, str]]:
        problems = self._reflection.problems
        about = {"provider": self._settings.provider, "tracks": self._reflection.tracks}
        if problems:
            return 503, {"status": "not ready", "missing": problems, **about}, {}
        return 200, {"status": "ready", **about}, {}

    async def _reflect(self, scope: Scope, receive: Receive) -> Any:
        headers = _headers(scope)
        self._authorise(headers)
        # A page in somebody's browser can post any other type to a local port without being asked.
        if headers.get(b"content-type", b"").split(b";")[0].strip().lower() != b"application/json":
            raise Refused(415, "unsupported_media_type", "The body must be application/json.")
        request = self._understand(await self._read(headers, receive))
        began = time.monotonic()
        try:
            answer = await _while_connected(self._reflection.reflect(request), receive)
        except Overloaded:
            event(logging.WARNING, "overloaded", calls=len(request.calls), session_id=request.session_id)
            raise _overloaded() from None
        except TrackUnavailable:
            raise Refused(503, "track_unavailable", "This track is not served here; /readyz says which are.") from None
        self._log(request, answer, began)
        return answer

    def _authorise(self, headers: dict[bytes, bytes]) -> None:
        if not self._bearer:
            return
        scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() != b"bearer" or not hmac.compare_digest(token.strip(), self._bearer):
            raise Refused(401, "unauthorized", "A bearer token is needed.", {"www-authenticate": "Bearer"})

    def _understand(self, body: bytes) -> ReflectRequest:
        try:
            return read_request(body, self._settings.max_calls)
        except BadRequest as bad:
            where = bad.where or "body"
            raise Refused(400, "invalid_request", f"{where} {bad.message}.", where=bad.where) from None

    async def _read(self, headers: dict[bytes, bytes], receive: Receive) -> bytes:
        limit = self._settings.max_body_bytes
        announced = headers.get(b"content-length", b"0")
        if announced.isdigit() and int(announced[:20]) > limit:
            raise _too_large(limit)
        body = bytearray()
        try:
            await asyncio.wait_for(self._fill(body, receive, limit), self._settings.deadline_s)
            return bytes(body)
        except Overloaded:
            event(logging.WARNING, "overloaded by bodies")
            raise _overloaded(connection="close") from None
        except asyncio.TimeoutError:
            raise Refused(408, "request_timeout", "The body did not arrive in time.", {"connection": "close"}) from None
        finally:
            self._memory.give_back(len(body))

    async def _fill(self, body: bytearray, receive: Receive, limit: int) -> None:
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _Gone
            piece = message.get("body", b"")
            if len(body) + len(piece) > limit:
                raise _too_large(limit)
            self._memory.take(len(piece))
            body += piece
            more = message.get("more_body", False)

    def _log(self, request: Any, answer: dict[str, Any], began: float) -> None:
        fields: dict[str, object] = {
            "track": request.track,
            "session_id": request.session_id,
            "decision": answer["decision"],
            "decisions": [verdict["decision"] for verdict in answer["verdicts"]],
            "score": answer["overall_avg_score"],
            "took_ms": round((time.monotonic() - began) * 1000, 1),
        }
        if self._settings.log_payloads:
            fields["calls"] = [{"tool": call.tool, "arguments": call.arguments} for call in request.calls]
            fields["issues"] = answer["issues"]
        event(logging.INFO, "reflected", **fields)


def event_for_unexpected(path: str) -> None:
    logging.getLogger("sparc_service").exception("an unexpected error on %s", path)


# Where the rest of a body is not read, the connection is of no more use.


def _overloaded(**headers: str) -> Refused:
    return Refused(503, "overloaded", "Too many calls are waiting for a verdict.", {"retry-after": "1", **headers})


def _too_large(limit: int) -> Refused:
    return Refused(413, "too_large", f"The body is larger than {limit} bytes.", {"connection": "close"})


async def _while_connected(work: Any, receive: Receive) -> Any:
    """Nobody pays for a verdict that nobody will read."""
    doing = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(receive())
    try:
        await asyncio.wait((doing, gone), return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise _Gone
        return doing.result()
    finally:
        for task in (doing, gone):
            task.cancel()
        await asyncio.gather(doing, gone, return_exceptions=True)


def _headers(scope: Scope) -> dict[bytes, bytes]:
    return dict(scope["headers"])


async def _send(send: Send, status: int, body: Any, headers: dict[str, str]) -> None:
    # In ASCII: a lone surrogate, which JSON can hold, has no form in UTF-8.
    content = json.dumps(body).encode("ascii")
    own = {"content-type": "application/json", "content-length": str(len(content)), "cache-control": "no-store"}
    sent = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in {**own, **headers}.items()]
    await send({"type": "http.response.start", "status": status, "headers": sent})
    await send({"type": "http.response.body", "body": content})
