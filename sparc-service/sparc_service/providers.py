"""The model behind the reflection, as one of ALTK's own clients."""

from __future__ import annotations

from typing import Any

from .altk import ValidatingLLMClient
from .settings import Settings

# One more try for a connection that broke; the deadline bounds them all.
_RETRIES = 1


class NoModel(ValidatingLLMClient):
    """ALTK demands a client for the static stage too, which asks nobody."""

    @classmethod
    def provider_class(cls) -> type:
        return object

    def _register_methods(self) -> None:
        pass

    def _setup_parameter_mapper(self) -> None:
        pass

    def _parse_llm_response(self, raw: Any) -> str:
        raise RuntimeError("there is no model")


def build_client(settings: Settings) -> ValidatingLLMClient:
    """Opens no connection yet. Raises what the provider's library raises."""
    return _BUILDERS[settings.provider](settings)


def _openai(settings: Settings) -> ValidatingLLMClient:
    return _openai_form(settings, settings.value("OPENAI_API_KEY"), settings.value("OPENAI_BASE_URL") or "https://api.openai.com/v1")


def _ollama(settings: Settings) -> ValidatingLLMClient:
    """By the interface in OpenAI's form that every Ollama has; the key is not looked at there."""
    return _openai_form(settings, "ollama", f"{settings.value('OLLAMA_URL').rstrip('/')}/v1")


def _openai_form(settings: Settings, api_key: str, base_url: str) -> ValidatingLLMClient:
    from altk.core.llm.providers.openai.openai import AsyncOpenAIClientOutputVal

    return AsyncOpenAIClientOutputVal(api_key=api_key, base_url=base_url, **_openai_common(settings))


def _azure(settings: Settings) -> ValidatingLLMClient:
    from altk.core.llm.providers.openai.openai import AsyncAzureOpenAIClientOutputVal

    return AsyncAzureOpenAIClientOutputVal(
        api_key=settings.value("AZURE_OPENAI_API_KEY"),
        azure_endpoint=settings.value("AZURE_OPENAI_ENDPOINT"),
        api_version=settings.value("AZURE_OPENAI_API_VERSION"),
        **_openai_common(settings),
    )


def _openai_common(settings: Settings) -> dict[str, Any]:
    return {
        "timeout": settings.deadline_s,
        "max_retries": _RETRIES,
        "default_generation_kwargs": {"model": settings.model},
    }


def _watsonx(settings: Settings) -> ValidatingLLMClient:
    return _lite(
        settings,
        f"watsonx/{settings.model}",
        api_key=settings.value("WX_API_KEY"),
        api_base=settings.value("WX_URL"),
        project_id=settings.value("WX_PROJECT_ID"),
    )


def _litellm(settings: Settings) -> ValidatingLLMClient:
    """Keys of its many providers LiteLLM reads from the environment by itself."""
    given = {"api_key": settings.value("LITELLM_API_KEY"), "api_base": settings.value("LITELLM_BASE_URL")}
    return _lite(settings, settings.model, **{name: value for name, value in given.items() if value})


def _lite(settings: Settings, model: str, **kwargs: Any) -> ValidatingLLMClient:
    import litellm
    from altk.core.llm.providers.litellm.litellm import LiteLLMClientOutputVal

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    return LiteLLMClientOutputVal(model_name=model, timeout=settings.deadline_s, num_retries=_RETRIES, **kwargs)


_BUILDERS = {
    "none": lambda _settings: NoModel(),
    "openai": _openai,
    "azure": _azure,
    "ollama": _ollama,
    "watsonx": _watsonx,
    "litellm": _litellm,
}
