"""The parts that need no process: schemas, specs, arguments, settings, log lines."""

from __future__ import annotations

import io
import json
import logging
import unittest
from typing import Any

from sparc_service.altk import static_checker
from sparc_service.arguments import BadArguments, read_arguments
from sparc_service.logs import JsonFormatter
from sparc_service.schema_guard import TooCostly, bounded_validator
from sparc_service.settings import SettingsError, read_settings
from sparc_service.tool_specs import admit_open_arguments, normalise_specs
from sparc_service.verdicts import Verdict, combined


def messages(schema: object, value: object) -> list[str]:
    return sorted(error.message for error in bounded_validator(schema).iter_errors(value))


class SchemaGuardTest(unittest.TestCase):
    def test_says_what_the_library_says(self) -> None:
        from jsonschema import Draft7Validator

        cases: list[tuple[object, object]] = [
            ({"type": "string"}, 1),
            ({"pattern": "^a+$"}, "b"),
            ({"pattern": "^a+$"}, "aa"),
            ({"pattern": "b"}, 1),
            ({"uniqueItems": True}, [1, 2, 1]),
            ({"uniqueItems": True}, [{"a": 1}, {"a": 2}]),
            ({"uniqueItems": False}, [1, 1]),
            ({"additionalProperties": False, "properties": {"a": {}}}, {"a": 1, "b": 2}),
            ({"additionalProperties": False}, {"a": 1, "b": 2}),
            ({"additionalProperties": {"type": "string"}}, {"a": 1}),
            ({"patternProperties": {"^x": {"type": "string"}}, "additionalProperties": False}, {"x1": 1, "x2": "a"}),
            ({"required": ["a", "b"]}, {}),
            ({"enum": ["a"]}, "b"),
            ({"anyOf": [{"type": "string"}, {"minimum": 3}]}, 2),
            ({"definitions": {"n": {"type": "integer"}}, "properties": {"a": {"$ref": "#/definitions/n"}}}, {"a": "x"}),
            ({"items": {"maxLength": 1}}, ["a", "bb"]),
            ({"if": {"type": "string"}, "then": {"minLength": 2}}, "a"),
        ]
        for schema, value in cases:
            with self.subTest(str(schema)):
                self.assertEqual(messages(schema, value), sorted(e.message for e in Draft7Validator(schema).iter_errors(value)))

    def test_a_pattern_that_backtracks_is_cut_off(self) -> None:
        for pattern in ("^(a|aa)+$", "a|" * 20_000):
            with self.subTest(pattern[:20]), self.assertRaises(TooCostly):
                messages({"pattern": pattern}, "a" * 80 + "!")

    def test_a_nest_of_references_is_cut_off(self) -> None:
        nest: dict[str, Any] = {f"n{i}": {"allOf": [{"$ref": f"#/definitions/n{i + 1}"}] * 2} for i in range(40)}
        with self.assertRaises(TooCostly):
            messages({"$ref": "#/definitions/n0", "definitions": {**nest, "n40": {}}, "allOf": [{"$ref": "#/definitions/n0"}]}, 1)

    def test_many_items_are_compared_in_time(self) -> None:
        self.assertEqual(messages({"uniqueItems": True}, [{"a": i} for i in range(20_000)]), [])

    def test_altk_uses_it(self) -> None:
        self.assertIs(static_checker.Draft7Validator, bounded_validator)


def spec(parameters: object = None, **more: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": "f", "parameters": parameters, **more}}


def normal(parameters: object) -> Any:
    return normalise_specs([spec(parameters)])[0]["function"]["parameters"]


class ToolSpecsTest(unittest.TestCase):
    def test_a_tool_without_parameters_has_none(self) -> None:
        for parameters in (None, {}):
            self.assertEqual(normal(parameters), {"type": "object", "properties": {}})
        self.assertEqual(normal({"type": "object"}), {"type": "object", "properties": {}})

    def test_foreign_types_wherever_a_schema_stands(self) -> None:
        foreign = {
            "type": "dict",
            "properties": {
                "a": {"type": "float", "default": {"type": "int"}, "enum": ["int"]},
                "type": {"type": "STRING"},
                "b": {"type": "tuple", "items": {"type": "any"}},
                "c": {"anyOf": [{"type": "int"}, {"type": "none"}]},
                "d": {"type": ["str", "null"]},
            },
            "additionalProperties": {"type": "bool"},
        }
        self.assertEqual(
            normal(foreign),
            {
                "type": "object",
                "properties": {
                    "a": {"type": "number", "default": {"type": "int"}, "enum": ["int"]},
                    "type": {"type": "string"},
                    "b": {"type": "array", "items": {}},
                    "c": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                    "d": {"type": ["string", "null"]},
                },
                "additionalProperties": {"type": "boolean"},
            },
        )

    def test_arguments_that_an_open_schema_admits(self) -> None:
        cases: list[tuple[dict[str, Any], list[str]]] = [
            ({"properties": {"a": {}}}, ["a"]),
            ({"properties": {"a": {}}, "additionalProperties": False}, ["a"]),
            ({"properties": {"a": {}}, "additionalProperties": True}, ["a", "x1", "y"]),
            ({"properties": {"a": {}}, "additionalProperties": {"type": "string"}}, ["a", "x1", "y"]),
            ({"properties": {"a": {}}, "patternProperties": {"^x": {}}}, ["a", "x1"]),
            ({"allOf": [{"properties": {"a": {}}}]}, ["a", "x1", "y"]),
            ({"properties": {"a": {}}, "patternProperties": {"(": {}}}, ["a"]),
        ]
        for parameters, declared in cases:
            with self.subTest(str(parameters)):
                specs = normalise_specs([spec(parameters), spec(None, name="g")])
                seen = admit_open_arguments(specs, "f", {"a": 1, "x1": 2, "y": 3})
                self.assertEqual(sorted(seen[0]["function"]["parameters"]["properties"]), declared)
                self.assertEqual(seen[1]["function"]["parameters"]["properties"], {})


class ArgumentsTest(unittest.TestCase):
    def test_reads(self) -> None:
        for given, read in ((None, {}), ("", {}), ("  ", {}), ("{}", {}), ('{"a": 1}', {"a": 1}), ({"a": 1}, {"a": 1})):
            with self.subTest(given):
                self.assertEqual(read_arguments(given), read)

    def test_refuses_and_repeats_nothing(self) -> None:
        for given in ("secret", "[1]", "null", '"secret"', [1], 1, True, '{"secret": NaN}', '{"secret": ' + "9" * 5000 + "}"):
            with self.subTest(given):
                with self.assertRaises(BadArguments) as caught:
                    read_arguments(given)
                self.assertNotIn("secret", str(caught.exception))


class VerdictsTest(unittest.TestCase):
    def test_the_worst_is_on_top(self) -> None:
        def verdict(decision: str, score: float | None) -> Verdict:
            return Verdict(None, decision, (), score, 1.0)

        approve, error, reject = verdict("approve", 0.9), verdict("error", None), verdict("reject", 0.2)
        for given, decision, score in (
            ([approve], "approve", 0.9),
            ([approve, error], "error", 0.9),
            ([reject, error, approve], "reject", 0.2),
            ([error], "error", None),
        ):
            whole = combined(given, 2.0)
            self.assertEqual((whole["decision"], whole["overall_avg_score"], len(whole["verdicts"])), (decision, score, len(given)))


class SettingsTest(unittest.TestCase):
    def test_defaults(self) -> None:
        settings = read_settings({})
        self.assertEqual((settings.host, settings.port, settings.provider), ("127.0.0.1", 8090, "watsonx"))
        self.assertEqual((settings.generated_code, settings.log_payloads), ("off", False))
        self.assertEqual(settings.missing, ("WX_API_KEY", "WX_PROJECT_ID"))

    def test_what_each_provider_lacks(self) -> None:
        for provider, missing in (("none", ()), ("openai", ("MODEL", "OPENAI_API_KEY")), ("ollama", ("MODEL",)), ("litellm", ("MODEL",))):
            with self.subTest(provider):
                self.assertEqual(read_settings({"PROVIDER": provider}).missing, missing)
                self.assertEqual(read_settings({"PROVIDER": provider, "MODEL": "m", "OPENAI_API_KEY": "k"}).missing, ())

    def test_set_to_nothing_is_not_set(self) -> None:
        self.assertEqual(read_settings({"PORT": "", "PROVIDER": "openai", "MODEL": ""}).missing, ("MODEL", "OPENAI_API_KEY"))

    def test_bounds_that_exclude_each_other(self) -> None:
        with self.assertRaises(SettingsError):
            read_settings({"MAX_CALLS": "5", "MAX_CONCURRENCY": "2", "MAX_QUEUE": "2"})


class LogsTest(unittest.TestCase):
    def test_a_secret_is_in_no_part_of_a_line(self) -> None:
        out = io.StringIO()
        handler = logging.StreamHandler(out)
        handler.setFormatter(JsonFormatter(('sec"ret',)))
        log = logging.Logger("sparc_service")
        log.addHandler(handler)
        try:
            raise ValueError('sec"ret')
        except ValueError:
            log.exception('a sec"ret', extra={"fields": {"x": ['sec"ret'], "y": {"sec\"ret": 1}}})
        line = json.loads(out.getvalue())
        self.assertNotIn('sec"ret', json.dumps(line).replace('\\"', '"'))
        self.assertEqual((line["level"], line["message"], line["x"]), ("error", "a [secret]", ["[secret]"]))


if __name__ == "__main__":
    unittest.main()
