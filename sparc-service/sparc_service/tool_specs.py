"""Tool specifications in the form that ALTK judges rightly."""

from __future__ import annotations

from typing import Any, Mapping

import regex

from .schema_guard import TooCostly, begin_budget, search

# Names that other languages and vendors give to JSON's types. ALTK rejects every call of a tool whose schema has one.
_FOREIGN_TYPES = {
    "str": "string", "char": "string", "text": "string",
    "int": "integer", "long": "integer", "short": "integer", "byte": "integer", "bigint": "integer",
    "float": "number", "double": "number", "decimal": "number",
    "bool": "boolean",
    "list": "array", "tuple": "array", "set": "array",
    "dict": "object", "map": "object", "hashmap": "object", "hashtable": "object",
    "none": "null", "void": "null", "nonetype": "null",
}  # fmt: skip
_TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object", "null"})

_ONE_SCHEMA = ("additionalProperties", "additionalItems", "contains", "propertyNames", "not", "if", "then", "else", "items")
_LIST_OF_SCHEMAS = ("allOf", "anyOf", "oneOf", "items")
_NAMED_SCHEMAS = ("properties", "patternProperties", "definitions", "$defs", "dependencies")
_COMBINERS = ("$ref", "allOf", "anyOf", "oneOf", "if")


def normalise_specs(specs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Specs of tools that a provider runs itself (`web_search` …) are left out: nobody calls those by a function call."""
    return [_normalise_spec(spec) for spec in specs if spec.get("type", "function") == "function"]


def _normalise_spec(spec: dict[str, Any]) -> dict[str, Any]:
    function = spec["function"]
    parameters = function.get("parameters")
    schema = _normalise_schema(parameters) if isinstance(parameters, dict) and parameters else {}
    schema.setdefault("type", "object")
    # Without this key ALTK takes the schema's own keywords for the names of parameters.
    schema.setdefault("properties", {})
    return {
        "type": "function",
        "function": {"name": function["name"], "description": function.get("description"), "parameters": schema},
    }


def _normalise_schema(schema: Any) -> Any:
    """Only where a schema stands: an `enum` or a `default` of "int" is a value."""
    if not isinstance(schema, dict):
        return schema
    out = dict(schema)
    if "type" in out:
        _normalise_type(out)
    for key in _ONE_SCHEMA:
        if isinstance(out.get(key), dict):
            out[key] = _normalise_schema(out[key])
    for key in _LIST_OF_SCHEMAS:
        if isinstance(out.get(key), list):
            out[key] = [_normalise_schema(item) for item in out[key]]
    for key in _NAMED_SCHEMAS:
        if isinstance(out.get(key), dict):
            out[key] = {name: _normalise_schema(item) for name, item in out[key].items()}
    return out


def _normalise_type(schema: dict[str, Any]) -> None:
    names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    known = [_known_type(name) for name in names]
    if None in known:
        # A type that nobody knows ("any" …) forbids nothing.
        del schema["type"]
    else:
        schema["type"] = known if isinstance(schema["type"], list) else known[0]


def _known_type(name: object) -> str | None:
    if not isinstance(name, str):
        return None
    lower = name.lower()
    return lower if lower in _TYPES else _FOREIGN_TYPES.get(lower)


def admit_open_arguments(specs: list[dict[str, Any]], tool: str, arguments: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Declares the arguments that the tool's schema admits without naming them; ALTK would say that they do not exist."""
    return [_admit(spec, arguments) if spec["function"]["name"] == tool else spec for spec in specs]


def _admit(spec: dict[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    schema = spec["function"]["parameters"]
    begin_budget()
    declared = schema["properties"] if isinstance(schema["properties"], dict) else {}
    admitted = {name: {} for name in arguments if name not in declared and _is_open_for(schema, name)}
    if not admitted:
        return spec
    parameters = {**schema, "properties": {**declared, **admitted}}
    rest = schema.get("additionalProperties")
    if isinstance(rest, dict):
        parameters["properties"].update({name: rest for name in admitted if not _matches_pattern(schema, name)})
    return {**spec, "function": {**spec["function"], "parameters": parameters}}


def _is_open_for(schema: dict[str, Any], name: str) -> bool:
    rest = schema.get("additionalProperties")
    if rest is True or isinstance(rest, dict) or _matches_pattern(schema, name):
        return True
    # What a combination declares is its own to check, and stands in no list.
    return rest is None and any(key in schema for key in _COMBINERS)


def _matches_pattern(schema: dict[str, Any], name: str) -> bool:
    patterns = schema.get("patternProperties")
    if not isinstance(patterns, dict):
        return False
    try:
        return any(search(pattern, name) for pattern in patterns)
    except (TooCostly, regex.error, RecursionError):
        return False
