"""The body of `POST /reflect`, checked before anything is done with it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NoReturn

TRACKS = ("fast_track", "slow_track", "syntax", "spec_free", "transformations_only")
DEFAULT_TRACK = "fast_track"

_FIELDS = ("messages", "tool_specs", "tool_calls", "session_id", "track")
_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_LONGEST_NAME = 256
_DEEPEST = 100
# A list of empty lists is two bytes each in the body, and minutes of work for what validates it.
_MOST_VALUES = 100_000


class BadRequest(Exception):
    """`where` is a path into the body; empty is the body itself. The message holds nothing of the body's text."""

    def __init__(self, where: str, message: str) -> None:
        super().__init__(message)
        self.where = where
        self.message = message


@dataclass(frozen=True)
class ProposedCall:
    id: str | None
    tool: str
    arguments: object


@dataclass(frozen=True)
class ReflectRequest:
    messages: list[dict[str, Any]]
    tool_specs: list[dict[str, Any]]
    calls: list[ProposedCall]
    session_id: str | None
    track: str


def read_request(body: bytes, max_calls: int) -> ReflectRequest:
    data = _parse(body)
    if not isinstance(data, dict):
        raise BadRequest("", "must be a JSON object")
    for name in data:
        if name not in _FIELDS:
            raise BadRequest("", f"has a field that is none of {', '.join(_FIELDS)}")
    return ReflectRequest(
        messages=[_message(item, f"messages[{i}]") for i, item in enumerate(_list(data, "messages"))],
        tool_specs=[_spec(item, f"tool_specs[{i}]") for i, item in enumerate(_list(data, "tool_specs"))],
        calls=_calls(_list(data, "tool_calls"), max_calls),
        session_id=_optional_text(data.get("session_id"), "session_id"),
        track=_track(data.get("track")),
    )


def _parse(body: bytes) -> object:
    try:
        data = json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise BadRequest("", "must be valid JSON in UTF-8") from None
    _check_size(data)
    return data


def _no_constant(_name: str) -> NoReturn:
    raise ValueError("no JSON")


def _check_size(data: object) -> None:
    level, depth, values = [data], 0, 0
    while level:
        depth += 1
        values += len(level)
        if values > _MOST_VALUES:
            raise BadRequest("", f"must not hold more than {_MOST_VALUES} values")
        if depth > _DEEPEST:
            raise BadRequest("", f"must not be nested deeper than {_DEEPEST} levels")
        inner: list[object] = []
        for item in level:
            if isinstance(item, dict):
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
        level = inner


def _list(data: dict[str, Any], name: str) -> list[Any]:
    value = data.get(name)
    if not isinstance(value, list):
        raise BadRequest(name, "must be a list")
    return value


def _object(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadRequest(where, "must be an object")
    return value


def _name(value: object, where: str) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST_NAME:
        raise BadRequest(where, f"must be a string of 1 to {_LONGEST_NAME} characters")
    return value


def _optional_text(value: object, where: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > _LONGEST_NAME:
        raise BadRequest(where, f"must be a string of at most {_LONGEST_NAME} characters, or null")
    return value


def _message(value: object, where: str) -> dict[str, Any]:
    message = _object(value, where)
    if message.get("role") not in _ROLES:
        raise BadRequest(f"{where}.role", f"must be one of {', '.join(_ROLES)}")
    if not isinstance(message.get("content"), (str, list, type(None))):
        raise BadRequest(f"{where}.content", "must be a string, a list of parts, or null")
    return message


def _spec(value: object, where: str) -> dict[str, Any]:
    spec = _object(value, where)
    kind = spec.get("type", "function")
    if not isinstance(kind, str):
        raise BadRequest(f"{where}.type", "must be a string")
    if kind == "function":
        function = _object(spec.get("function"), f"{where}.function")
        _name(function.get("name"), f"{where}.function.name")
        if not isinstance(function.get("description"), (str, type(None))):
            raise BadRequest(f"{where}.function.description", "must be a string")
        if not isinstance(function.get("parameters"), (dict, type(None))):
            raise BadRequest(f"{where}.function.parameters", "must be an object")
    return spec


def _calls(values: list[Any], max_calls: int) -> list[ProposedCall]:
    if not 0 < len(values) <= max_calls:
        raise BadRequest("tool_calls", f"must hold 1 to {max_calls} calls")
    return [_call(value, f"tool_calls[{i}]") for i, value in enumerate(values)]


def _call(value: object, where: str) -> ProposedCall:
    call = _object(value, where)
    if call.get("type", "function") != "function":
        raise BadRequest(f"{where}.type", 'must be "function"')
    function = _object(call.get("function"), f"{where}.function")
    # Arguments of any form are let in: what is wrong with them is a verdict about the call.
    return ProposedCall(
        id=_optional_text(call.get("id"), f"{where}.id"),
        tool=_name(function.get("name"), f"{where}.function.name"),
        arguments=function.get("arguments"),
    )


def _track(value: object) -> str:
    if value is None:
        return DEFAULT_TRACK
    if value not in TRACKS:
        raise BadRequest("track", f"must be one of {', '.join(TRACKS)}")
    return str(value)
