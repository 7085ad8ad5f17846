"""ALTK's component for a track, never used by two calls at once: it keeps what belongs to one call in itself."""

from __future__ import annotations

from typing import Any

from .altk import ComponentConfig, SPARCExecutionMode, SPARCReflectionComponent, Track, ValidatingLLMClient
from .generated_code import isolated


class Components:
    def __init__(self, track: str, client: ValidatingLLMClient, run_code: bool) -> None:
        self._track = track
        self._client = client
        self._run_code = run_code
        # The first one is built now: what is wrong shows at the start.
        self._idle = [self._build()]

    def take(self) -> Any:
        return self._idle.pop() if self._idle else self._build()

    def give_back(self, component: Any) -> None:
        self._idle.append(component)

    def _build(self) -> Any:
        options: dict[str, Any] = {} if self._run_code else {"transform_enabled": False}
        component = SPARCReflectionComponent(
            config=ComponentConfig(llm_client=self._client),
            track=Track(self._track),
            execution_mode=SPARCExecutionMode.ASYNC,
            include_raw_response=True,
            **options,
        )
        # It keeps its own failure to itself, and gives `error` to every call.
        if component._initialization_error:
            raise RuntimeError(component._initialization_error)
        checker = component._pipeline.semantic_checker
        checker._execute_code_and_validate = isolated(checker._execute_code_and_validate)
        return component
