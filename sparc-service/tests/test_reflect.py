"""What the service says about calls, with the real ALTK and a scripted model behind it."""

from __future__ import annotations

import re
import threading
import unittest
from typing import Any

from .scripted_model import CANARY, ScriptedModel
from .service import REFUND, Service, call, question

KEY = "sk-of-the-test-0451"

GROUNDED = call({"transaction_id": "TX-4711"})
INVENTED = call({"transaction_id": "TX-9999"})


class ReflectTest(unittest.TestCase):
    model: ScriptedModel
    service: Service

    @classmethod
    def setUpClass(cls) -> None:
        cls.model = ScriptedModel()
        cls.service = Service(PROVIDER="openai", MODEL="scripted", OPENAI_API_KEY=KEY, OPENAI_BASE_URL=cls.model.url, DEADLINE_MS="20000")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.service.stop()
        cls.model.close()

    def setUp(self) -> None:
        self.model.reset()

    def ask(self, *calls: dict[str, Any], **more: Any) -> Any:
        answer = self.service.reflect(question(*calls, **more))
        self.assertEqual(answer.status, 200, answer.raw)
        return answer.json

    def test_approves_a_grounded_call(self) -> None:
        answer = self.ask(GROUNDED)
        self.assertEqual((answer["decision"], answer["issues"], answer["overall_avg_score"]), ("approve", [], 1.0))
        self.assertGreater(answer["execution_time_ms"], 0)
        self.assertEqual(len(self.model.questions), 2)
        self.assertEqual(set(self.model.keys), {f"Bearer {KEY}"})
        self.assertEqual({q["model"] for q in self.model.questions}, {"scripted"})

    def test_rejects_an_invented_argument(self) -> None:
        answer = self.ask(INVENTED)
        self.assertEqual(answer["decision"], "reject")
        (issue,) = answer["issues"]
        self.assertEqual((issue["issue_type"], issue["metric_name"]), ("semantic_general", "general_hallucination_check"))
        self.assertEqual(issue["explanation"], "Not grounded: transaction_id.")
        self.assertEqual(issue["correction"]["parameter_issues"][0]["parameter_name"], "transaction_id")
        self.assertEqual(set(issue), {"issue_type", "metric_name", "explanation", "correction"})
        # The mean of 0 for the grounding and 1 for the choice of the function.
        self.assertEqual(answer["overall_avg_score"], 0.5)

    def test_a_tool_result_grounds_an_argument(self) -> None:
        body = question(INVENTED)
        body["messages"] += [
            {"role": "assistant", "content": None, "tool_calls": [call({}, "search", "s1")]},
            {"role": "tool", "tool_call_id": "s1", "content": "found TX-9999"},
        ]
        self.assertEqual(self.service.reflect(body).json["decision"], "approve")

    def test_rejects_a_function_that_does_not_fit(self) -> None:
        spec = {"type": "function", "function": {"name": "delete_everything", "description": "Deletes", "parameters": {}}}
        body = {**question(call({}, "delete_everything")), "tool_specs": [spec]}
        (issue,) = self.service.reflect(body).json["issues"]
        self.assertEqual((issue["issue_type"], issue["metric_name"]), ("semantic_function", "function_selection_appropriateness"))

    def test_the_default_track_is_fast_track_and_a_static_issue_asks_no_model(self) -> None:
        answer = self.ask(call({"amount": 1}))
        self.assertEqual([i["metric_name"] for i in answer["issues"]], ["missing_required_parameter"])
        self.assertEqual((answer["decision"], answer["overall_avg_score"]), ("reject", 0.0))
        self.assertEqual(self.model.questions, [])

    def test_syntax_asks_no_model(self) -> None:
        answer = self.ask(INVENTED, track="syntax")
        self.assertEqual((answer["decision"], answer["issues"], answer["overall_avg_score"]), ("approve", [], None))
        self.assertEqual(self.model.questions, [])

    def test_slow_track_asks_its_four_metrics_and_runs_no_code(self) -> None:
        self.assertEqual(self.ask(GROUNDED, track="slow_track")["decision"], "approve")
        self.assertEqual(len(self.model.questions), 4)

    def test_spec_free_needs_no_specs(self) -> None:
        for given, decision in ((GROUNDED, "approve"), (INVENTED, "reject")):
            with self.subTest(decision):
                answer = self.service.reflect({**question(given, track="spec_free"), "tool_specs": []}).json
                self.assertEqual(answer["decision"], decision, answer)

    def test_transformations_only_is_not_served_without_leave_to_run_code(self) -> None:
        answer = self.service.reflect(question(GROUNDED, track="transformations_only"))
        self.assertEqual((answer.status, answer.json["error"]["code"]), (503, "track_unavailable"))
        self.assertEqual(self.service.get("/readyz").json["tracks"], ["fast_track", "slow_track", "syntax", "spec_free"])

    def test_each_of_several_calls_has_its_verdict(self) -> None:
        calls = [call({"transaction_id": "TX-4711"}, id="a"), call({"transaction_id": "TX-9999"}, id="b"), call("{", id="c")]
        answer = self.ask(*calls)
        self.assertEqual([(v["tool_call_id"], v["decision"]) for v in answer["verdicts"]], [("a", "approve"), ("b", "reject"), ("c", "reject")])
        self.assertEqual((answer["decision"], answer["overall_avg_score"]), ("reject", 0.0))
        self.assertEqual([i["metric_name"] for i in answer["issues"]], ["general_hallucination_check", "invalid_json"])

    def test_several_calls_are_reflected_on_at_once(self) -> None:
        self.model.reset("gate")
        answers: list[Any] = []
        asking = threading.Thread(target=lambda: answers.append(self.ask(*(call({"transaction_id": "TX-4711"}, id=str(i)) for i in range(3)))))
        asking.start()
        # All questions of all calls are there before one is answered.
        self.model.wait_for_questions(6)
        self.model.released.set()
        asking.join()
        self.assertEqual(answers[0]["decision"], "approve")

    def test_a_reject_outweighs_a_failure_and_a_failure_an_approval(self) -> None:
        self.model.reset("500")
        answer = self.ask(GROUNDED, call({}, id="b"))
        self.assertEqual(([v["decision"] for v in answer["verdicts"]], answer["decision"]), (["error", "reject"], "reject"))

    def test_a_model_that_fails_gives_an_error_without_its_words(self) -> None:
        for mode in ("401", "500", "drop", "prose", "wrong-json", "no-json", "no-choices", "no-selection"):
            with self.subTest(mode):
                self.model.reset(mode)
                answer = self.service.reflect(question(GROUNDED))
                self.assertEqual((answer.status, answer.json["decision"]), (200, "error"))
                self.assertGreater(len(self.model.questions), 0)
                self.assertIsNone(answer.json["overall_avg_score"])
                (issue,) = answer.json["issues"]
                self.assertEqual((issue["issue_type"], issue["metric_name"]), ("error", "reflection_failed"))
                self.assertEqual(issue["explanation"], "The reflection on this call could not be completed.")
                # Times are numbers of their own, and could hold any digits.
                words = re.sub(r'"execution_time_ms": ?[\d.]+', "", answer.raw.decode())
                for secret in (CANARY, KEY, "choices", "401", "500", "Error"):
                    self.assertNotIn(secret, words)

    def test_the_log_has_the_cause_and_no_key_or_payload(self) -> None:
        self.model.reset("401")
        self.ask(INVENTED, said="the-said-words", session_id="session-of-the-log")
        for mode in ("prose", "judge"):
            self.model.reset(mode)
            self.ask(INVENTED, said="the-said-words", session_id="session-of-the-log")
        self.service.get("/healthz")
        log = self.service.log
        self.assertIn("AuthenticationError (401)", log)
        self.assertIn('"session_id": "session-of-the-log"', log)
        self.assertIn("Incorrect API key provided: Bearer [secret]", log)
        for secret in (KEY, "the-said-words", "TX-9999", "I think that this is fine"):
            self.assertNotIn(secret, log)

    def test_arguments_that_are_no_json_object_are_rejected(self) -> None:
        for text in ("{", "[1]", "null", "1", '{"transaction_id": NaN}', "[" * 5000, f'{{"transaction_id": {"9" * 5000}}}'):
            with self.subTest(text[:20]):
                answer = self.ask(call(text))
                self.assertEqual([(i["issue_type"], i["metric_name"]) for i in answer["issues"]], [("static", "invalid_json")])
                self.assertEqual((answer["decision"], answer["overall_avg_score"]), ("reject", 0.0))
        self.assertEqual(self.model.questions, [])

    def test_arguments_as_an_object_or_absent(self) -> None:
        given = call({})
        given["function"]["arguments"] = {"transaction_id": "TX-4711"}
        self.assertEqual(self.ask(given)["decision"], "approve")
        spec = {"type": "function", "function": {"name": "list_all"}}
        for arguments in ("", " ", None, {}):
            with self.subTest(arguments):
                bare = {"function": {"name": "list_all", "arguments": arguments}}
                self.assertEqual(self.service.reflect({**question(bare), "tool_specs": [spec]}).json["decision"], "approve")

    def test_no_specs_at_all_is_a_reject_of_the_static_stage(self) -> None:
        answer = self.service.reflect({**question(GROUNDED), "tool_specs": []}).json
        self.assertEqual([i["metric_name"] for i in answer["issues"]], ["empty_api_spec"])

    def test_a_schema_that_cannot_be_evaluated_says_nothing_about_the_call(self) -> None:
        schemas = {
            "a reference into the network": {"properties": {"transaction_id": {"$ref": f"{self.model.url}/schema"}}},
            "a reference to a file": {"properties": {"transaction_id": {"$ref": "file:///etc/hostname"}}},
            "a reference to nowhere": {"properties": {"transaction_id": {"$ref": "#/nowhere"}}},
            "a pattern that is none": {"properties": {"transaction_id": {"pattern": "("}}},
            "a nest of references": {
                "properties": {"transaction_id": {"$ref": "#/definitions/n0"}},
                "definitions": {
                    **{f"n{i}": {"allOf": [{"$ref": f"#/definitions/n{i + 1}"}] * 2} for i in range(40)},
                    "n40": {"type": "string"},
                },
            },
            "a reference to itself": {"properties": {"transaction_id": {"$ref": "#/properties/transaction_id"}}},
        }
        for name, schema in schemas.items():
            with self.subTest(name):
                spec = {"type": "function", "function": {"name": "refund", "parameters": {"type": "object", **schema}}}
                answer = self.service.reflect({**question(GROUNDED), "tool_specs": [spec]}).json
                self.assertEqual(answer["decision"], "error")
                self.assertEqual([i["metric_name"] for i in answer["issues"]], ["unusable_tool_spec"])
        self.assertEqual(self.model.questions, [])

    def test_a_pattern_that_backtracks_for_ever_ends(self) -> None:
        schema = {"type": "object", "properties": {"transaction_id": {"type": "string", "pattern": "^(a|aa)+$"}}}
        spec = {"type": "function", "function": {"name": "refund", "parameters": schema}}
        body = {**question(call({"transaction_id": "a" * 60 + "!"}), track="syntax"), "tool_specs": [spec]}
        self.assertEqual([i["metric_name"] for i in self.service.reflect(body).json["issues"]], ["unusable_tool_spec"])

    def test_the_specs_are_not_changed_by_what_was_asked_before(self) -> None:
        self.assertEqual(self.ask(call({"other": 1}))["decision"], "reject")
        self.assertEqual(self.ask(GROUNDED)["decision"], "approve")
        self.assertEqual(REFUND["function"]["parameters"]["required"], ["transaction_id"])


if __name__ == "__main__":
    unittest.main()
