"""Bounds what a tool's schema can make the static stage do.

ALTK checks arguments by jsonschema's Draft 7 validator, with a schema that somebody else wrote. As it comes, that validator
fetches a `$ref` from the network or the disk, and a pattern or a nest of references can hold the process for hours.
"""

from __future__ import annotations

import json
import time
from contextvars import ContextVar
from typing import Any, Callable, Iterator

import regex
from jsonschema import Draft7Validator, ValidationError, validators
from jsonschema_specifications import REGISTRY

BUDGET_S = 1.0
# A pattern is compiled before the clock is looked at.
_LONGEST_PATTERN = 2000

_end: ContextVar[float] = ContextVar("end", default=0.0)


class TooCostly(Exception):
    """The schema took longer than anything honest does."""


def _left() -> float:
    left = _end.get() - time.monotonic()
    if left <= 0:
        raise TooCostly
    return left


def begin_budget() -> None:
    _end.set(time.monotonic() + BUDGET_S)


def search(pattern: str, text: str) -> bool:
    """Within the budget that was begun."""
    if len(pattern) > _LONGEST_PATTERN:
        raise TooCostly
    try:
        return regex.search(pattern, text, timeout=_left()) is not None
    except TimeoutError as error:
        raise TooCostly from error


def _pattern(validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if validator.is_type(instance, "string") and not search(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: dict[str, Any], instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if not validator.is_type(instance, "object"):
        return
    for pattern, subschema in patterns.items():
        for name, value in instance.items():
            if search(pattern, name):
                yield from validator.descend(value, subschema, path=name, schema_path=pattern)


def _additional_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if not validator.is_type(instance, "object"):
        return
    known = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    extras = [name for name in instance if name not in known and not any(search(p, name) for p in patterns)]
    if validator.is_type(allowed, "object"):
        for name in extras:
            yield from validator.descend(instance[name], allowed, path=name)
    elif not allowed and extras:
        names = ", ".join(repr(name) for name in extras)
        yield ValidationError(f"Additional properties are not allowed ({names} {'was' if len(extras) == 1 else 'were'} unexpected)")


def _unique_items(validator: Any, unique: bool, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    """By one look at each item; the library's own compares every pair."""
    if not unique or not validator.is_type(instance, "array"):
        return
    if len({json.dumps(item, sort_keys=True) for item in instance}) != len(instance):
        yield ValidationError(f"{instance!r} has non-unique elements")


Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError]]


def _timed(check: Keyword) -> Keyword:
    """Whatever a schema nests, it nests by keywords: each looks at the clock."""

    def timed(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        _left()
        yield from check(validator, value, instance, schema) or ()

    return timed


_CHECKS: dict[str, Keyword] = {
    **Draft7Validator.VALIDATORS,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "uniqueItems": _unique_items,
}
_Bounded = validators.extend(Draft7Validator, {name: _timed(check) for name, check in _CHECKS.items()})


def bounded_validator(schema: Any) -> Any:
    """In place of `Draft7Validator(schema)`: no reference leaves the schema, and the checks end in time."""
    begin_budget()
    return _Bounded(schema, registry=REGISTRY)
