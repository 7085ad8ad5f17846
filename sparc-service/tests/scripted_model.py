"""A server in OpenAI's form that answers ALTK's questions by a rule: an argument is grounded when the conversation holds it."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# Stands in every failure that the model can have, and must reach nobody.
CANARY = "canary-of-the-provider-7f3a"


class ScriptedModel:
    def __init__(self) -> None:
        self.mode = "judge"
        self.questions: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.paths: list[str] = []
        self.at_once = 0
        self.most_at_once = 0
        self.released = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.base = f"http://127.0.0.1:{self._server.server_port}"
        self.url = f"{self.base}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def reset(self, mode: str = "judge") -> None:
        self.released.set()
        self.released = threading.Event()
        self.mode = mode
        with self._lock:
            self.questions = []
            self.keys = []
            self.paths = []
            self.most_at_once = 0

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()

    def arrived(self, body: dict[str, Any], key: str) -> None:
        with self._lock:
            self.questions.append(body)
            self.keys.append(key)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)

    def left(self) -> None:
        with self._lock:
            self.at_once -= 1

    def wait_for_questions(self, count: int) -> None:
        end = time.monotonic() + 20
        while len(self.questions) < count:
            if time.monotonic() > end:
                raise AssertionError(f"{len(self.questions)} questions came, and not {count}")
            time.sleep(0.01)


def _handler(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_args: Any) -> None:
            pass

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["content-length"]))
            if self.path == "/identity/token":
                self.send(200, {"access_token": "token-of-the-test", "expires_in": 3600})
                return
            body = json.loads(content)
            model.paths.append(self.path)
            model.arrived(body, self.headers.get("authorization") or self.headers.get("api-key") or "")
            try:
                self.answer(model.mode, body)
            except OSError:
                pass
            finally:
                model.left()

        def answer(self, mode: str, body: dict[str, Any]) -> None:
            if mode == "hang":
                model.released.wait()
                self.close_connection = True
            elif mode == "gate":
                model.released.wait()
                self.send(200, completion(judge(body)))
            elif mode == "drop":
                self.close_connection = True
            elif mode == "401":
                self.send(401, {"error": {"message": f"Incorrect API key provided: {self.headers['authorization']} {CANARY}", "code": "invalid_api_key"}})
            elif mode == "500":
                self.send(500, {"error": {"message": CANARY}})
            elif mode == "prose":
                self.send(200, completion(f"I think that this is fine. {CANARY}"))
            elif mode == "wrong-json":
                self.send(200, completion(json.dumps({"verdict": CANARY})))
            elif mode == "no-json":
                self.raw(200, f"<html>{CANARY}</html>".encode())
            elif mode == "no-choices":
                self.send(200, {"choices": [], "note": CANARY})
            elif mode == "no-selection":
                self.send(500, {"error": CANARY}) if kind_of(body) == "selection" else self.send(200, completion(judge(body)))
            else:
                self.send(200, completion(judge(body)))

        def send(self, status: int, body: dict[str, Any]) -> None:
            self.raw(status, json.dumps(body).encode())

        def raw(self, status: int, content: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler


def completion(content: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    choices = [{"index": 0, "finish_reason": "stop", "message": message}]
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "scripted", "choices": choices, "usage": usage}


def kind_of(body: dict[str, Any]) -> str:
    asked = body["messages"][-1]["content"]
    if "Tools Inventory:" in asked:
        return "selection"
    if "Proposed tool call:" in asked:
        return "grounding"
    schema = json.dumps(body)
    return "code" if "generated_code" in schema else "units"


def judge(body: dict[str, Any]) -> str:
    asked = body["messages"][-1]["content"]
    kind = kind_of(body)
    if kind == "code":
        return json.dumps({"generated_code": CODE})
    if kind == "units":
        return json.dumps(UNITS)
    call = json.loads(_after(asked, "Proposed tool call:\n" if kind == "grounding" else "Proposed function call:\n"))
    conversation = _after(asked, "Conversation context:\n")
    if kind == "selection":
        return _metric(5 if call["function"]["name"] != "delete_everything" else 1, "The function fits the request.", {})
    arguments = json.loads(call["function"]["arguments"])
    invented = [name for name, value in arguments.items() if str(value) not in conversation]
    if not invented:
        return _metric(5, "Every value stands in the conversation.", {})
    issues = [
        {
            "parameter_name": name,
            "reason_types": ["MISSING_INFORMATION"],
            "reasons": f"{name} stands nowhere in the conversation.",
            "corrected_value": _free_form(body, {"need_more_information": f"Which {name}?"}),
        }
        for name in invented
    ]
    correction = {"parameter_issues": issues, "tool_call": {"name": call["function"]["name"], "arguments": _free_form(body, {})}}
    return _metric(1, f"Not grounded: {', '.join(invented)}.", correction)


# The model says that the user gave degrees of Fahrenheit, and how to convert them.
UNITS: dict[str, Any] = {}
CODE = ""


def _metric(output: int, explanation: str, correction: dict[str, Any]) -> str:
    return json.dumps(
        {"evidence": "as it stands", "explanation": explanation, "output": output, "confidence": 0.95, "correction": correction}
    )


def _free_form(body: dict[str, Any], value: dict[str, Any]) -> object:
    """OpenAI's strict schemas have no objects of any form; ALTK asks for their text instead."""
    wanted = _find(body.get("response_format"), "corrected_value")
    return json.dumps(value) if isinstance(wanted, dict) and wanted.get("type") == "string" else value


def _find(value: object, name: str) -> object:
    if isinstance(value, dict):
        inner = [value[name]] if name in value else [_find(item, name) for item in value.values()]
        return next((found for found in inner if found is not None), None)
    if isinstance(value, list):
        return next((found for item in value if (found := _find(item, name)) is not None), None)
    return None


def _after(text: str, mark: str) -> str:
    return text.split(mark, 1)[1].split("\n\n", 1)[0]
