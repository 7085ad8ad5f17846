"""What the environment says, read once. A value that makes no sense ends the start; a provider that lacks something does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping

PROVIDERS = ("none", "openai", "azure", "ollama", "watsonx", "litellm")
GENERATED_CODE = ("off", "subprocess")

# What each provider cannot do without.
_REQUIRED: dict[str, tuple[str, ...]] = {
    "none": (),
    "openai": ("MODEL", "OPENAI_API_KEY"),
    "azure": ("MODEL", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_VERSION"),
    "ollama": ("MODEL",),
    "watsonx": ("WX_API_KEY", "WX_PROJECT_ID", "WX_URL"),
    "litellm": ("MODEL",),
}

# What must never stand in a log line.
_SECRETS = ("SPARC_BEARER", "OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "WX_API_KEY", "LITELLM_API_KEY")

_DEFAULTS = {
    "WX_URL": "https://us-south.ml.cloud.ibm.com",
    "OLLAMA_URL": "http://127.0.0.1:11434",
}
_WATSONX_MODEL = "meta-llama/llama-3-3-70b-instruct"


class SettingsError(Exception):
    """The environment holds a value that makes no sense."""


@dataclass(frozen=True)
class Settings:
    host: str
    port: int
    bearer: str
    provider: str
    model: str
    generated_code: str
    deadline_s: float
    max_concurrency: int
    max_queue: int
    max_calls: int
    max_body_bytes: int
    log_level: str
    log_payloads: bool
    values: Mapping[str, str]
    missing: tuple[str, ...]

    def value(self, name: str) -> str:
        """A provider's setting; empty when it is not set."""
        return self.values.get(name, "")

    @property
    def secrets(self) -> tuple[str, ...]:
        return tuple(text for name in _SECRETS if (text := self.value(name)))


def read_settings(env: Mapping[str, str]) -> Settings:
    # A variable that is set to nothing is not set: that is how a manifest leaves one out.
    values = {**_DEFAULTS, **{name: text for name, text in env.items() if text}}
    provider = _one_of(values, "PROVIDER", PROVIDERS, "watsonx")
    if provider == "watsonx":
        values.setdefault("MODEL", _WATSONX_MODEL)
    max_concurrency = _whole(values, "MAX_CONCURRENCY", 8, 1, 1024)
    max_queue = _whole(values, "MAX_QUEUE", 32, 0, 65536)
    max_calls = _whole(values, "MAX_CALLS", 16, 1, 1024)
    if max_calls > max_concurrency + max_queue:
        raise SettingsError("MAX_CALLS is more than MAX_CONCURRENCY and MAX_QUEUE hold: such a request would never be taken.")
    return Settings(
        host=values.get("HOST", "127.0.0.1"),
        port=_whole(values, "PORT", 8090, 0, 65535),
        bearer=_bearer(values),
        provider=provider,
        model=values.get("MODEL", ""),
        generated_code=_one_of(values, "GENERATED_CODE", GENERATED_CODE, "off"),
        deadline_s=_whole(values, "DEADLINE_MS", 25_000, 100, 600_000) / 1000,
        max_concurrency=max_concurrency,
        max_queue=max_queue,
        max_calls=max_calls,
        max_body_bytes=_whole(values, "MAX_BODY_BYTES", 4 * 1024 * 1024, 1024, 64 * 1024 * 1024),
        log_level=_one_of(values, "LOG_LEVEL", ("debug", "info", "warning", "error"), "info"),
        log_payloads=_one_of(values, "LOG_PAYLOADS", ("false", "true"), "false") == "true",
        values=values,
        missing=tuple(name for name in _REQUIRED[provider] if not values.get(name)),
    )


def _one_of(values: Mapping[str, str], name: str, allowed: tuple[str, ...], default: str) -> str:
    value = values.get(name, default).lower()
    if value not in allowed:
        raise SettingsError(f"{name} must be one of {', '.join(allowed)}.")
    return value


def _whole(values: Mapping[str, str], name: str, default: int, low: int, high: int) -> int:
    text = values.get(name, str(default))
    if not (text.isascii() and text.isdigit() and low <= int(text[:12]) <= high):
        raise SettingsError(f"{name} must be a whole number from {low} to {high}.")
    return int(text)


def _bearer(values: Mapping[str, str]) -> str:
    text = values.get("SPARC_BEARER", "")
    if text.strip() != text or not text.isascii():
        raise SettingsError("SPARC_BEARER must be ASCII without space around it.")
    return text
