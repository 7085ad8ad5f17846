"""ALTK, imported once, and what is changed in it. Everything else takes it from here."""

from __future__ import annotations

import contextlib
import io
import os

# Otherwise LiteLLM, where it is installed, fetches a price list from the network when it is imported.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

# It prints which providers it does not find.
with contextlib.redirect_stdout(io.StringIO()):
    from altk.core.llm import ValidatingLLMClient
    from altk.core.toolkit import AgentPhase, ComponentConfig
    from altk.pre_tool.core import SPARCExecutionMode, SPARCReflectionRunInput, Track
    from altk.pre_tool.sparc import SPARCReflectionComponent
    from altk.pre_tool.sparc.function_calling.pipeline import static_checker

from .schema_guard import bounded_validator

static_checker.Draft7Validator = bounded_validator

__all__ = [
    "AgentPhase",
    "ComponentConfig",
    "SPARCExecutionMode",
    "SPARCReflectionComponent",
    "SPARCReflectionRunInput",
    "Track",
    "ValidatingLLMClient",
]
