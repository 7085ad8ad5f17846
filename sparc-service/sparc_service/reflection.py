"""Reflects on each call of a request by ALTK, which itself looks only at the first."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from typing import Any

from .admission import Admission
from .altk import AgentPhase, SPARCReflectionRunInput
from .arguments import BadArguments, read_arguments
from .components import Components
from .failures import begin_noting, describe, watch
from .logs import event
from .loop_thread import LoopThread
from .providers import NoModel, build_client
from .requests import TRACKS, ProposedCall, ReflectRequest
from .settings import Settings
from .tool_specs import admit_open_arguments, normalise_specs
from .verdicts import Verdict, combined, from_altk, invalid_json, no_verdict

# Their transformation stage runs code that the model wrote.
_CODE_TRACKS = ("slow_track", "transformations_only")
# LiteLLM fetches some providers' tokens in a way that blocks its event loop.
_BLOCKING_PROVIDERS = ("watsonx", "litellm")


class TrackUnavailable(Exception):
    """This service, as it is configured, does not serve the track."""


class Reflection:
    def __init__(self, settings: Settings) -> None:
        self._deadline_s = settings.deadline_s
        self._runs_code = settings.generated_code == "subprocess"
        self._admission = Admission(settings.max_concurrency, settings.max_queue)
        self._apart = self._tracks_apart(settings.provider)
        self._loop_apart = LoopThread() if self._apart else None
        self.problems = [f"{name} is not set" for name in settings.missing]
        self._components: dict[str, Components] = {"syntax": Components("syntax", NoModel(), run_code=False)}
        if settings.provider != "none" and not self.problems:
            self._build(settings)

    @property
    def tracks(self) -> list[str]:
        return [track for track in TRACKS if track in self._components]

    def _tracks_apart(self, provider: str) -> tuple[str, ...]:
        """Those that may block an event loop, and so have one for themselves."""
        if provider in _BLOCKING_PROVIDERS:
            return tuple(track for track in TRACKS if track != "syntax")
        return _CODE_TRACKS if self._runs_code else ()

    def _build(self, settings: Settings) -> None:
        try:
            # A client belongs to the event loop that first used it.
            client, client_apart = watch(build_client(settings)), watch(build_client(settings))
            for track in TRACKS:
                if track == "syntax" or (track == "transformations_only" and not self._runs_code):
                    continue
                self._components[track] = Components(track, client_apart if track in self._apart else client, self._runs_code)
        except Exception as error:
            event(logging.ERROR, "the provider's client could not be built", cause=describe(error))
            self.problems.append(f"the client of provider {settings.provider} could not be built (the log says why)")

    async def reflect(self, request: ReflectRequest) -> dict[str, Any]:
        if request.track not in self._components:
            raise TrackUnavailable
        began = time.monotonic()
        specs = normalise_specs(request.tool_specs)
        async with self._admission.admit(len(request.calls)):
            verdicts = await asyncio.gather(*(self._verdict(request, specs, call) for call in request.calls))
        return combined(list(verdicts), (time.monotonic() - began) * 1000)

    async def _verdict(self, request: ReflectRequest, specs: list[dict[str, Any]], call: ProposedCall) -> Verdict:
        began = time.monotonic()
        try:
            return await asyncio.wait_for(self._in_turn(request, specs, call), self._deadline_s)
        except BadArguments as error:
            return invalid_json(call.id, str(error))
        except asyncio.TimeoutError:
            cause = "deadline_exceeded"
            event(logging.WARNING, "no verdict", cause=cause, track=request.track, session_id=request.session_id)
        except Exception as error:
            cause = "reflection_failed"
            event(logging.ERROR, "no verdict", cause=describe(error), track=request.track, session_id=request.session_id)
        return no_verdict(call.id, cause, (time.monotonic() - began) * 1000)

    async def _in_turn(self, request: ReflectRequest, specs: list[dict[str, Any]], call: ProposedCall) -> Verdict:
        async with self._admission.turn():
            arguments = read_arguments(call.arguments)
            given = SPARCReflectionRunInput(
                messages=request.messages,
                metadata={"session_id": request.session_id},
                tool_specs=admit_open_arguments(specs, call.tool, arguments),
                tool_calls=[_as_openai(call, arguments)],
            )
            work = self._ask(request, call.id, given)
            if self._loop_apart is not None and request.track in self._apart:
                return await self._loop_apart.run(work)
            return await work

    async def _ask(self, request: ReflectRequest, call_id: str | None, given: SPARCReflectionRunInput) -> Verdict:
        failures = begin_noting()
        components = self._components[request.track]
        component = components.take()
        # Given back only when it ended by itself: one that was cut off may hold half a call.
        done = await component.aprocess(given, AgentPhase.RUNTIME)
        components.give_back(component)
        verdict = from_altk(call_id, done.output, model_failed=bool(failures))
        if verdict.decision == "error":
            causes = failures or [verdict.issues[0]["metric_name"]]
            event(logging.WARNING, "no verdict", cause=causes, track=request.track, session_id=request.session_id)
        return verdict


def _as_openai(call: ProposedCall, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": json.dumps(arguments, ensure_ascii=False)}}
