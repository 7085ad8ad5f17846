"""The interface itself: who may ask, what is refused and how, bounds, stopping."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import threading
import time
import unittest
from typing import Any

from .scripted_model import CANARY, ScriptedModel
from .service import HERE, REFUND, Answer, Service, call, environment, question

BEARER = "bearer-of-the-test-8812"
GROUNDED = call({"transaction_id": "TX-4711"})


class BearerTest(unittest.TestCase):
    service: Service

    @classmethod
    def setUpClass(cls) -> None:
        cls.service = Service(PROVIDER="none", SPARC_BEARER=BEARER)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.service.stop()

    def test_the_right_bearer_is_let_in(self) -> None:
        for value in (f"Bearer {BEARER}", f"bearer {BEARER}"):
            self.assertEqual(self.service.reflect(question(GROUNDED, track="syntax"), authorization=value).status, 200)

    def test_no_other_is(self) -> None:
        for value in (None, "", BEARER, f"Basic {BEARER}", "Bearer", f"Bearer {BEARER}x", f"Bearer {BEARER[:-1]}", "Bearer \xff"):
            with self.subTest(value):
                headers = {} if value is None else {"authorization": value}
                answer = self.service.reflect(question(GROUNDED, track="syntax"), **headers)
                self.assertEqual((answer.status, answer.json["error"]["code"]), (401, "unauthorized"))
                self.assertEqual(answer.headers["www-authenticate"], "Bearer")

    def test_a_body_of_a_stranger_is_not_looked_at(self) -> None:
        self.assertEqual(self.service.reflect(b"{").status, 401)

    def test_health_is_open(self) -> None:
        self.assertEqual(self.service.get("/healthz").json, {"status": "ok"})
        answer = self.service.get("/readyz")
        self.assertEqual((answer.status, answer.json), (200, {"status": "ready", "provider": "none", "tracks": ["syntax"]}))

    def test_without_a_provider_only_syntax_is_served(self) -> None:
        answer = self.service.reflect(question(GROUNDED), authorization=f"Bearer {BEARER}")
        self.assertEqual((answer.status, answer.json["error"]["code"]), (503, "track_unavailable"))

    def test_the_bearer_is_not_in_the_log(self) -> None:
        self.service.get("/healthz")
        self.assertNotIn(BEARER, self.service.log)


class RefusalTest(unittest.TestCase):
    service: Service

    @classmethod
    def setUpClass(cls) -> None:
        cls.service = Service(PROVIDER="none", MAX_CALLS="2", MAX_BODY_BYTES="5000", DEADLINE_MS="1000")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.service.stop()

    def test_what_is_wrong_and_where(self) -> None:
        good = question(GROUNDED, track="syntax")

        def but(**changes: object) -> dict[str, Any]:
            return {**good, **changes}

        cases: list[tuple[object, str]] = [
            (b"", ""),
            (b"{", ""),
            (b"[]", ""),
            (b"\xff", ""),
            (b'{"messages": NaN}', ""),
            (b"[" * 3000, ""),
            (b'{"messages": ' + b"[" * 150 + b"]" * 150 + b"}", ""),
            (but(tool_spec=[]), ""),
            ({k: v for k, v in good.items() if k != "messages"}, "messages"),
            (but(messages="hello"), "messages"),
            (but(messages=["hello"]), "messages[0]"),
            (but(messages=[{"role": "user", "content": "x"}, {"content": "x"}]), "messages[1].role"),
            (but(messages=[{"role": "user", "content": 1}]), "messages[0].content"),
            (but(tool_specs={}), "tool_specs"),
            (but(tool_specs=[REFUND, {"type": "function"}]), "tool_specs[1].function"),
            (but(tool_specs=[{"type": "function", "function": {"name": ""}}]), "tool_specs[0].function.name"),
            (but(tool_specs=[{"function": {"name": "a", "parameters": []}}]), "tool_specs[0].function.parameters"),
            (but(tool_specs=[{"function": {"name": "a", "description": 1}}]), "tool_specs[0].function.description"),
            (but(tool_calls=[]), "tool_calls"),
            (but(tool_calls=[GROUNDED] * 3), "tool_calls"),
            (but(tool_calls=[{"function": "refund"}]), "tool_calls[0].function"),
            (but(tool_calls=[GROUNDED, {"function": {"arguments": "{}"}}]), "tool_calls[1].function.name"),
            (but(tool_calls=[{**GROUNDED, "id": 1}]), "tool_calls[0].id"),
            (but(tool_calls=[{**GROUNDED, "type": "custom"}]), "tool_calls[0].type"),
            (but(session_id=1), "session_id"),
            (but(session_id="x" * 300), "session_id"),
            (but(track="fast"), "track"),
            (but(track=["syntax"]), "track"),
        ]
        for body, where in cases:
            with self.subTest(str(body)[:60]):
                answer = self.service.reflect(body)
                self.assertEqual((answer.status, answer.json["error"]["code"]), (400, "invalid_request"), answer.raw)
                self.assertEqual(answer.json["error"]["where"], where)
        self.assertEqual(self.service.reflect(good).status, 200)

    def test_hosted_tools_among_the_specs_are_passed_over(self) -> None:
        body = {**question(GROUNDED, track="syntax"), "tool_specs": [{"type": "web_search"}, REFUND]}
        self.assertEqual(self.service.reflect(body).json["decision"], "approve")

    def test_paths_and_methods(self) -> None:
        for method, path, status in (("GET", "/", 404), ("GET", "/reflect", 405), ("POST", "/healthz", 405), ("POST", "/reflect/", 404)):
            with self.subTest(f"{method} {path}"):
                self.assertEqual(self.service.send(method, path).status, status)

    def test_only_json_is_taken(self) -> None:
        body = json.dumps(question(GROUNDED, track="syntax")).encode()
        for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
            self.assertEqual(self.service.send("POST", "/reflect", body, {"content-type": kind}).status, 415)
        kind = "application/json; charset=utf-8"
        self.assertEqual(self.service.send("POST", "/reflect", body, {"content-type": kind}).status, 200)

    def test_too_large_by_announcement_and_by_arrival(self) -> None:
        self.assertEqual(self.service.reflect(b" " * 5001).status, 413)
        connection = self.service.connect()
        pieces = (b" " * 1000 for _ in range(6))
        connection.request("POST", "/reflect", pieces, {"content-type": "application/json"}, encode_chunked=True)
        answer = connection.getresponse()
        self.assertEqual((answer.status, json.loads(answer.read())["error"]["code"]), (413, "too_large"))
        connection.close()

    def test_a_body_that_does_not_come(self) -> None:
        with socket.create_connection(("127.0.0.1", self.service.port), timeout=30) as raw:
            raw.sendall(b"POST /reflect HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{")
            self.assertIn(b" 408 ", raw.recv(4096).split(b"\r\n")[0])

    def test_a_head_that_does_not_come(self) -> None:
        for sent in (b"", b"POST /reflect HTTP/1.1\r\nhost: x\r\n"):
            with self.subTest(sent), socket.create_connection(("127.0.0.1", self.service.port), timeout=30) as raw:
                raw.sendall(sent)
                self.assertEqual(raw.recv(4096), b"")

    def test_a_second_head_that_does_not_come(self) -> None:
        with socket.create_connection(("127.0.0.1", self.service.port), timeout=30) as raw:
            raw.sendall(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\nGET /heal")
            self.assertIn(b" 200 ", raw.recv(4096).split(b"\r\n")[0])
            while raw.recv(4096):
                pass

    def test_a_lone_surrogate_passes_through(self) -> None:
        answer = self.service.reflect({**question(call({"transaction_id": "\ud800", "x\ud800": 1}), track="syntax")})
        self.assertEqual((answer.status, answer.json["decision"]), (200, "reject"))


class ArrivingBodiesTest(unittest.TestCase):
    service: Service

    @classmethod
    def setUpClass(cls) -> None:
        cls.service = Service(PROVIDER="none", MAX_CALLS="1", MAX_CONCURRENCY="1", MAX_QUEUE="0", MAX_BODY_BYTES="300000")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.service.stop()

    def test_together_they_take_no_more_than_the_calls_that_fit(self) -> None:
        body = json.dumps(question(GROUNDED, said="x" * 200_000, track="syntax")).encode()
        # Which of the two arrives first is not in our hands: the one that comes second is turned away.
        self.assertTrue(any(self._second_is_turned_away(body) for _ in range(10)))
        self.assertEqual(self.service.reflect(body).status, 200)

    def _second_is_turned_away(self, body: bytes) -> bool:
        with socket.create_connection(("127.0.0.1", self.service.port), timeout=30) as slow:
            head = b"POST /reflect HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)
            slow.sendall(head + body[:-1])
            # All of it but the last byte arrives meanwhile.
            time.sleep(0.3)
            answer = self.service.reflect(body)
            if answer.status == 200:
                return False
            self.assertEqual((answer.status, answer.json["error"]["code"]), (503, "overloaded"))
            self.assertEqual(self.service.reflect(question(GROUNDED, track="syntax")).status, 200)
            slow.sendall(body[-1:])
            self.assertIn(b" 200 ", slow.recv(65536).split(b"\r\n")[0])
            return True

    def test_so_many_values_and_no_more(self) -> None:
        def holding(values: int) -> bytes:
            parts = b",".join([b"1"] * values)
            return b'{"messages":[{"role":"user","content":[' + parts + b']}],"tool_specs":[],"tool_calls":[{"function":{"name":"t"}}],"track":"syntax"}'

        # The other values of this body.
        others = 11
        self.assertEqual(self.service.reflect(holding(99_999 - others)).status, 200)
        refused = self.service.reflect(holding(100_001))
        self.assertEqual((refused.status, refused.json["error"]["code"]), (400, "invalid_request"))


class BoundsTest(unittest.TestCase):
    """One call at once, one may wait."""

    model: ScriptedModel
    service: Service

    @classmethod
    def setUpClass(cls) -> None:
        cls.model = ScriptedModel()
        bounds = {"MAX_CONCURRENCY": "1", "MAX_QUEUE": "1", "MAX_CALLS": "2", "DEADLINE_MS": "3000"}
        cls.service = Service(PROVIDER="ollama", MODEL="scripted", OLLAMA_URL=f"{cls.model.base}/", **bounds)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.service.stop()
        cls.model.close()

    def setUp(self) -> None:
        self.model.reset()

    def begin(self, *calls: dict[str, Any]) -> tuple[threading.Thread, list[Answer]]:
        answers: list[Answer] = []
        thread = threading.Thread(target=lambda: answers.append(self.service.reflect(question(*calls))))
        thread.start()
        return thread, answers

    def test_more_than_fit_are_turned_away_at_once(self) -> None:
        self.model.reset("gate")
        first, answers = self.begin(GROUNDED, GROUNDED)
        self.model.wait_for_questions(2)
        refused = self.service.reflect(question(GROUNDED))
        self.assertEqual((refused.status, refused.json["error"]["code"]), (503, "overloaded"))
        self.assertEqual(refused.headers["retry-after"], "1")
        self.assertEqual(self.service.get("/healthz").status, 200)
        self.model.released.set()
        first.join()
        self.assertEqual(answers[0].json["decision"], "approve")
        # Two questions of one call at a time, never those of both.
        self.assertEqual((self.model.most_at_once, len(self.model.questions)), (2, 4))
        self.assertEqual(self.service.reflect(question(GROUNDED)).status, 200)

    def test_a_model_that_hangs_ends_with_the_deadline(self) -> None:
        self.model.reset("hang")
        answer = self.service.reflect(question(GROUNDED))
        self.assertEqual((answer.status, answer.json["decision"]), (200, "error"))
        self.assertEqual([i["metric_name"] for i in answer.json["issues"]], ["deadline_exceeded"])
        self.model.reset()
        self.assertEqual(self.service.reflect(question(GROUNDED)).json["decision"], "approve")

    def test_who_hangs_up_leaves_the_place_free(self) -> None:
        self.model.reset("hang")
        for _ in range(3):
            asked = len(self.model.questions)
            connection = self.service.connect()
            connection.request("POST", "/reflect", json.dumps(question(GROUNDED)), {"content-type": "application/json"})
            self.model.wait_for_questions(asked + 2)
            connection.close()
        self.model.reset()
        self.assertEqual(self.service.reflect(question(GROUNDED)).json["decision"], "approve")


class StartAndStopTest(unittest.TestCase):
    def test_not_ready_says_what_is_missing_and_syntax_works(self) -> None:
        service = Service(PROVIDER="azure", MODEL="m", AZURE_OPENAI_API_KEY="key-of-the-test-5519")
        try:
            ready = service.get("/readyz")
            self.assertEqual(ready.status, 503)
            self.assertEqual(ready.json["missing"], ["AZURE_OPENAI_ENDPOINT is not set", "AZURE_OPENAI_API_VERSION is not set"])
            self.assertNotIn("key-of-the-test-5519", ready.raw.decode() + service.log)
            self.assertEqual(service.get("/healthz").status, 200)
            self.assertEqual(service.reflect(question(GROUNDED)).status, 503)
            self.assertEqual(service.reflect(question(GROUNDED, track="syntax")).json["decision"], "approve")
        finally:
            self.assertEqual(service.stop(), 0)

    def test_a_request_in_flight_ends_before_the_service_does(self) -> None:
        model = ScriptedModel()
        model.reset("gate")
        service = Service(PROVIDER="openai", MODEL="m", OPENAI_API_KEY="k", OPENAI_BASE_URL=model.url)
        answers: list[Answer] = []
        asking = threading.Thread(target=lambda: answers.append(service.reflect(question(GROUNDED))))
        asking.start()
        model.wait_for_questions(2)
        service.tell_to_stop()
        self.await_closed(service)
        model.released.set()
        asking.join()
        self.assertEqual((answers[0].status, answers[0].json["decision"]), (200, "approve"))
        self.assertEqual(service.wait(), 0)
        self.assertIn('"stopped"', service.log)
        model.close()

    def await_closed(self, service: Service) -> None:
        """No longer listening, so the signal has arrived."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try:
                service.get("/healthz")
            except (OSError, http.client.HTTPException):
                return
            time.sleep(0.05)
        self.fail("it still listens")

    def test_a_provider_that_is_down(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        service = Service(PROVIDER="openai", MODEL="m", OPENAI_API_KEY="k", OPENAI_BASE_URL=f"http://127.0.0.1:{port}/v1")
        try:
            self.assertEqual(service.reflect(question(GROUNDED)).json["decision"], "error")
        finally:
            service.stop()

    def test_a_setting_that_makes_no_sense_ends_the_start(self) -> None:
        for name, value in (("PROVIDER", "gpt"), ("PORT", "http"), ("MAX_CALLS", "0"), ("DEADLINE_MS", "1"), ("SPARC_BEARER", " x")):
            with self.subTest(name):
                done = subprocess.run(
                    [sys.executable, "-m", "sparc_service"], cwd=HERE, env=environment(**{name: value}), capture_output=True, text=True, timeout=60
                )
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(name, done.stderr)
                self.assertNotIn("Traceback", done.stderr)


class GeneratedCodeTest(unittest.TestCase):
    model: ScriptedModel
    service: Service

    @classmethod
    def setUpClass(cls) -> None:
        cls.model = ScriptedModel()
        cls.service = Service(
            PROVIDER="openai", MODEL="m", OPENAI_API_KEY="key-for-code-2231", OPENAI_BASE_URL=cls.model.url, GENERATED_CODE="subprocess"
        )

    @classmethod
    def tearDownClass(cls) -> None:
        cls.service.stop()
        cls.model.close()

    def ask(self, code: str, celsius: float) -> Any:
        from . import scripted_model

        spec = {"type": "object", "properties": {"celsius": {"type": "number"}}, "required": ["celsius"]}
        scripted_model.UNITS = {
            "celsius": {"user_value": "77", "user_units_or_format": "Fahrenheit", "spec_units_or_format": "Celsius", "transformation_summary": "F to C"}
        }
        scripted_model.CODE = code
        self.model.reset()
        body = {
            **question(call({"celsius": celsius}, "heat"), said="Heat to 77 degrees Fahrenheit", track="transformations_only"),
            "tool_specs": [{"type": "function", "function": {"name": "heat", "description": "Heats", "parameters": spec}}],
        }
        return self.service.reflect(body).json

    CONVERT = "def convert_example_str_transformed_to_transformed_type(x):\n    return float(x)\n"
    RIGHT = "def transformation_code(x):\n    return (float(x) - 32) * 5 / 9\n" + CONVERT

    def test_a_right_conversion_is_approved(self) -> None:
        answer = self.ask(self.RIGHT, 25)
        self.assertEqual((answer["decision"], len(self.model.questions)), ("approve", 2), answer)

    def test_a_wrong_one_is_rejected(self) -> None:
        answer = self.ask(self.RIGHT, 77)
        self.assertEqual([(i["issue_type"], i["correction"]) for i in answer["issues"]], [("transform", {"celsius": 25.0})], answer)
        self.assertIsNone(answer["overall_avg_score"])

    def test_code_sees_no_key_and_cannot_hold_the_service(self) -> None:
        peek = f"import os\ndef transformation_code(x):\n    return ','.join(os.environ)\n{self.CONVERT.replace('float(x)', 'str(len(os.environ))')}"
        # What it returned is told in the correction; an environment that holds a key would be seen there.
        answer = self.ask(peek, 25)
        self.assertIn(answer["issues"][0]["correction"]["celsius"], ("", "LC_CTYPE"))
        for code in ("while True: pass", "raise SystemExit(0)", "x = 'a' * (1 << 40)", "import os\nos.kill(os.getppid(), 0)\nx = y"):
            with self.subTest(code):
                self.assertEqual(self.ask(code, 25)["decision"], "error")
        self.assertEqual(self.service.get("/healthz").status, 200)

    def test_a_model_that_fails_is_no_approval(self) -> None:
        self.ask(self.RIGHT, 25)
        for mode in ("500", "prose"):
            with self.subTest(mode):
                self.model.reset(mode)
                answer = self.service.reflect(question(GROUNDED, track="transformations_only"))
                self.assertEqual(answer.json["decision"], "error")
                self.assertNotIn(CANARY, answer.raw.decode())


if __name__ == "__main__":
    unittest.main()
