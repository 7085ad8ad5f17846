"""What the caller is told. ALTK's own words are passed on where they speak of the call, never where they speak of a failure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

NO_VERDICT = "The reflection on this call could not be completed."
_BAD_SCHEMA = "error parsing JSON schema"
_LONGEST = 4000
_RANK = {"approve": 0, "error": 1, "reject": 2}


@dataclass(frozen=True)
class Verdict:
    tool_call_id: str | None
    decision: str
    issues: tuple[dict[str, Any], ...]
    score: float | None
    execution_time_ms: float

    def as_json(self) -> dict[str, Any]:
        return {
            "tool_call_id": self.tool_call_id,
            "decision": self.decision,
            "issues": list(self.issues),
            "overall_avg_score": self.score,
            "execution_time_ms": round(self.execution_time_ms, 3),
        }


def no_verdict(call_id: str | None, cause: str, took_ms: float) -> Verdict:
    """`cause` is one of our own names."""
    return Verdict(call_id, "error", (_issue("error", cause, NO_VERDICT, None),), None, took_ms)


def invalid_json(call_id: str | None, explanation: str) -> Verdict:
    return Verdict(call_id, "reject", (_issue("static", "invalid_json", explanation, None),), 0.0, 0.0)


def from_altk(call_id: str | None, output: Any, model_failed: bool) -> Verdict:
    """`output` is ALTK's own; `model_failed` says that a question to the model had no usable answer."""
    result = output.reflection_result
    took_ms = float(output.execution_time_ms)
    decision = str(result.decision.value)
    if decision == "error" or (decision == "approve" and model_failed):
        return no_verdict(call_id, "reflection_failed", took_ms)
    if any(_is_bad_schema(issue) for issue in result.issues):
        # A schema that cannot be evaluated says nothing about the call.
        return no_verdict(call_id, "unusable_tool_spec", took_ms)
    issues = tuple(
        _issue(issue.issue_type.value, issue.metric_name, issue.explanation, issue.correction) for issue in result.issues
    )
    return Verdict(call_id, decision, issues, _score(output, result), took_ms)


def combined(verdicts: list[Verdict], took_ms: float) -> dict[str, Any]:
    """The worst of them on top: one bad call is enough, whatever came of the others."""
    worst = max(verdicts, key=lambda verdict: _RANK[verdict.decision])
    scores = [verdict.score for verdict in verdicts if verdict.score is not None]
    return {
        "decision": worst.decision,
        "issues": [issue for verdict in verdicts for issue in verdict.issues],
        "overall_avg_score": min(scores) if scores else None,
        "execution_time_ms": round(took_ms, 3),
        "verdicts": [verdict.as_json() for verdict in verdicts],
    }


def _is_bad_schema(issue: Any) -> bool:
    return issue.issue_type.value == "static" and str(issue.explanation).startswith(_BAD_SCHEMA)


def _score(output: Any, result: Any) -> float | None:
    """ALTK's raw average is in 0..1 already, over what the model judged with confidence. The static stage has none: its no is 0."""
    if any(issue.issue_type.value == "static" for issue in result.issues):
        return 0.0
    raw = (output.raw_pipeline_result or {}).get("overall_avg_score")
    return None if raw is None else max(0.0, min(1.0, float(raw)))


def _issue(issue_type: str, metric_name: str, explanation: str, correction: object) -> dict[str, Any]:
    return {
        "issue_type": issue_type,
        "metric_name": metric_name,
        "explanation": explanation if len(explanation) <= _LONGEST else f"{explanation[: _LONGEST - 1]}…",
        "correction": correction,
    }
