"""The service as its own process, as it runs in production, and requests to it."""

from __future__ import annotations

import http.client
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent.parent
# The machine's own settings must not reach the service under test.
_KEPT = ("PATH", "HOME", "PYTHONPATH", "LANG", "TMPDIR")


def environment(**env: str) -> dict[str, str]:
    return {**{name: os.environ[name] for name in _KEPT if name in os.environ}, "PORT": "0", **env}


class Service:
    def __init__(self, **env: str) -> None:
        self.lines: list[str] = []
        self._events: queue.Queue[dict[str, Any]] = queue.Queue()
        command = [sys.executable, "-m", "sparc_service"]
        self._process = subprocess.Popen(command, cwd=HERE, env=environment(**env), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.port = self._await_event("listening")["port"]

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.lines.append(line)
            try:
                self._events.put(json.loads(line))
            except ValueError:
                self._events.put({"message": "no json", "line": line})
        self._events.put({"message": "ended"})

    def _await_event(self, message: str) -> dict[str, Any]:
        while True:
            event = self._events.get(timeout=60)
            if event["message"] == message:
                return event
            if event["message"] == "ended":
                raise AssertionError(f"the service ended: {self.log}")

    @property
    def log(self) -> str:
        return "".join(self.lines)

    def stop(self) -> int:
        self.tell_to_stop()
        return self.wait()

    def tell_to_stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)

    def wait(self) -> int:
        code = self._process.wait(timeout=60)
        self._reader.join()
        if self._process.stdout is not None:
            self._process.stdout.close()
        return code

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def send(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> "Answer":
        connection = self.connect()
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return Answer(response.status, dict((k.lower(), v) for k, v in response.getheaders()), response.read())
        finally:
            connection.close()

    def get(self, path: str) -> "Answer":
        return self.send("GET", path)

    def reflect(self, body: object, **headers: str) -> "Answer":
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.send("POST", "/reflect", content, {"content-type": "application/json", **headers})


class Answer:
    def __init__(self, status: int, headers: dict[str, str], raw: bytes) -> None:
        self.status = status
        self.headers = headers
        self.raw = raw

    @property
    def json(self) -> Any:
        return json.loads(self.raw)


REFUND = {
    "type": "function",
    "function": {
        "name": "refund",
        "description": "Pays a transaction back",
        "parameters": {
            "type": "object",
            "properties": {"transaction_id": {"type": "string"}, "amount": {"type": "number"}},
            "required": ["transaction_id"],
        },
    },
}


def call(arguments: object, tool: str = "refund", id: str = "call-1") -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": id, "type": "function", "function": {"name": tool, "arguments": text}}


def question(*calls: dict[str, Any], said: str = "Please refund TX-4711.", **more: object) -> dict[str, Any]:
    messages = [{"role": "system", "content": "You help."}, {"role": "user", "content": said}]
    return {"messages": messages, "tool_specs": [REFUND], "tool_calls": list(calls), **more}
