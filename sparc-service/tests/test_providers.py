"""Each provider's own path to a model: where it asks, and with what key."""

from __future__ import annotations

import os
import unittest

from .scripted_model import CANARY, ScriptedModel
from .service import Service, call, question

KEY = "key-of-the-provider-3390"


class ProviderTest(unittest.TestCase):
    def check(self, path: str, key: str, **env: str) -> None:
        model = ScriptedModel()
        env = {"MODEL": "scripted", **env}
        service = Service(**{name: value.replace("{base}", model.base) for name, value in env.items()})
        try:
            self.assertEqual(service.get("/readyz").status, 200, service.log)
            for value, decision in (("TX-4711", "approve"), ("TX-9999", "reject")):
                answer = service.reflect(question(call({"transaction_id": value})))
                self.assertEqual(answer.json["decision"], decision, service.log)
            self.assertTrue(all(seen.startswith(path) for seen in model.paths), model.paths)
            self.assertEqual(set(model.keys), {key})
            model.reset("401")
            answer = service.reflect(question(call({"transaction_id": "TX-4711"})))
            self.assertEqual(answer.json["decision"], "error")
            self.assertNotIn(CANARY, answer.raw.decode())
            self.assertNotIn(KEY, service.log)
            for line in service.lines:
                self.assertTrue(line.startswith("{"), line)
        finally:
            self.assertEqual(service.stop(), 0)
            model.close()


class AzureTest(ProviderTest):
    def test_azure(self) -> None:
        path = "/openai/deployments/scripted/chat/completions?api-version=2024-10-21"
        self.check(
            path, KEY, PROVIDER="azure", AZURE_OPENAI_API_KEY=KEY, AZURE_OPENAI_ENDPOINT="{base}", AZURE_OPENAI_API_VERSION="2024-10-21"
        )


# LiteLLM is fetched only when it is asked for.
if os.environ.get("TEST_LITELLM"):

    class LiteLlmTest(ProviderTest):
        def test_litellm(self) -> None:
            env = {"LITELLM_API_KEY": KEY, "LITELLM_BASE_URL": "{base}/v1"}
            self.check("/v1/chat/completions", f"Bearer {KEY}", PROVIDER="litellm", MODEL="openai/scripted", **env)

        def test_watsonx(self) -> None:
            env = {"WX_API_KEY": KEY, "WX_PROJECT_ID": "p", "WX_URL": "{base}", "WATSONX_IAM_URL": "{base}/identity/token"}
            self.check("/ml/v1/text/chat", "Bearer token-of-the-test", PROVIDER="watsonx", **env)


if __name__ == "__main__":
    unittest.main()
