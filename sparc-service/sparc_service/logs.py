"""One line of JSON for each thing that happened. No payload, unless asked for; a secret never."""

from __future__ import annotations

import json
import logging
import sys
from datetime import datetime, timezone
from typing import Mapping, TextIO

# Loggers of libraries whose messages hold arguments, prompts and answers.
_TALKATIVE = ("altk", "openai", "httpx", "httpx2", "httpcore", "httpcore2", "litellm", "LiteLLM", "LiteLLM Router", "LiteLLM Proxy")

logger = logging.getLogger("sparc_service")


def event(level: int, message: str, **fields: object) -> None:
    logger.log(level, message, extra={"fields": fields})


class JsonFormatter(logging.Formatter):
    def __init__(self, secrets: tuple[str, ...]) -> None:
        super().__init__()
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        fields: Mapping[str, object] = getattr(record, "fields", {})
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": self._clean(record.getMessage()),
        }
        if record.name != logger.name:
            line["logger"] = record.name
        for name, value in fields.items():
            line[name] = self._clean(value)
        if record.exc_info:
            line["exception"] = self._clean(self.formatException(record.exc_info))
        return json.dumps(line, default=str)

    def _clean(self, value: object) -> object:
        """Before the line is written as JSON: an escaped secret would not be recognised."""
        if isinstance(value, str):
            for secret in self._secrets:
                value = value.replace(secret, "[secret]")
            return value
        if isinstance(value, (list, tuple)):
            return [self._clean(item) for item in value]
        if isinstance(value, dict):
            return {str(self._clean(str(key))): self._clean(item) for key, item in value.items()}
        return value


def set_up_logs(level: str, payloads: bool, secrets: tuple[str, ...], stream: TextIO = sys.stderr) -> None:
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter(secrets))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    # That it starts and stops we say ourselves.
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    for name in _TALKATIVE:
        talkative = logging.getLogger(name)
        talkative.handlers = []
        talkative.propagate = True
        # Nothing that they say is above CRITICAL.
        talkative.setLevel(level.upper() if payloads else logging.CRITICAL + 1)
