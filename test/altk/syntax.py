"""What ALTK itself says, in its syntax track: a question in each line of stdin, its answer in a line of stdout."""

import contextlib
import io
import json
import logging
import sys
from typing import Any

# It prints which providers it does not find.
with contextlib.redirect_stdout(io.StringIO()):
    from altk.core.llm import ValidatingLLMClient
    from altk.core.toolkit import AgentPhase, ComponentConfig
    from altk.pre_tool.core import SPARCReflectionRunInput, Track
    from altk.pre_tool.sparc import SPARCReflectionComponent

logging.disable(logging.CRITICAL)


class NoModel(ValidatingLLMClient):
    """The toolkit demands a client of this type, also where it asks no model. A question ends the program."""

    def __init__(self) -> None:
        pass

    @classmethod
    def provider_class(cls) -> type[Any]:
        return object

    def _register_methods(self) -> None:
        pass

    def _setup_parameter_mapper(self) -> None:
        pass

    def _parse_llm_response(self, raw: Any) -> str:
        return _no_question()

    def generate(self, *_: Any, **__: Any) -> Any:
        return _no_question()

    async def generate_async(self, *_: Any, **__: Any) -> Any:
        return _no_question()


def _no_question() -> Any:
    sys.stderr.write("The syntax track asked a model.\n")
    sys.exit(3)


component = SPARCReflectionComponent(config=ComponentConfig(llm_client=NoModel()), track=Track.SYNTAX)

for line in sys.stdin:
    question = json.loads(line)
    answer = component.process(
        SPARCReflectionRunInput(
            messages=[{"role": "user", "content": "x"}],
            tool_specs=question["tools"],
            tool_calls=question["calls"],
        ),
        phase=AgentPhase.RUNTIME,
    )
    result = answer.output.reflection_result
    issues = [[issue.issue_type.value, issue.metric_name] for issue in result.issues]
    print(json.dumps({"decision": result.decision.value, "issues": issues}), flush=True)
