"""Reads a call's arguments, whatever form they came in."""

from __future__ import annotations

import json
from typing import Any, NoReturn


class BadArguments(Exception):
    """They are no JSON object. The message is ours, and holds nothing of them."""


def read_arguments(given: object) -> dict[str, Any]:
    """Nothing at all, as several models write for a tool without parameters, is no arguments."""
    if given is None or given == "" or (isinstance(given, str) and given.isspace()):
        return {}
    value = _parse(given) if isinstance(given, str) else given
    if not isinstance(value, dict):
        raise BadArguments(f"The arguments must be a JSON object, and are {_kind(value)}.")
    return value


def _parse(text: str) -> object:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise BadArguments(f"The arguments are not valid JSON (line {error.lineno}, column {error.colno}).") from None
    except (ValueError, RecursionError):
        raise BadArguments("The arguments are not valid JSON.") from None


def _no_constant(_name: str) -> NoReturn:
    raise ValueError("no JSON")


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    return "a string" if isinstance(value, str) else "a list"
