"""The models that are put through the contract, without a real one behind them."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from evals.faulty_endpoint import FaultyEndpoint
from evals.provider_protocols import Asked
from hammerstone.core.chat import Prompt, Reply, Sample, Usage
from hammerstone.core.settings import Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.providers.provider_catalog import provider_model
from tests.conformance.models.contract import Subject

PROVIDERS = (
    "openai:gpt-4.1-mini",
    "compatible:some-model",
    "anthropic:claude-haiku-4-5",
    "google:gemini-2.5-flash",
    "ollama:qwen3",
)
PERSON_TEXT = json.dumps({"name": "Ada", "age": 36}, indent=1)


def answer_for(asked: Asked) -> str:
    """What a sensible model would say; it reads a schema in the prompt as well."""
    if asked.schema is not None or "JSON Schema" in asked.system:
        return PERSON_TEXT
    return text_for(asked.text)


def text_for(question: str) -> str:
    if "long story" in question:
        return "once upon a time " * 1000
    return "one two three four five six seven eight" if "Count" in question else "blue it is"


def settings_for(endpoint: FaultyEndpoint, data_dir: Path, **more: object) -> Settings:
    return Settings(
        data_dir=data_dir,
        openai_base_url=f"{endpoint.url}/v1",
        openai_api_key="key",
        anthropic_api_key="key",
        anthropic_base_url=endpoint.url,
        google_api_key="key",
        google_base_url=endpoint.url,
        ollama_base_url=endpoint.url,
        **{"model_timeout_s": 20.0, **more},
    )  # type: ignore[arg-type]


@asynccontextmanager
async def http_subject(spec: str, data_dir: Path) -> AsyncIterator[tuple[Subject, FaultyEndpoint]]:
    endpoint = FaultyEndpoint(answer=answer_for, seconds_per_word=0.001)
    async with endpoint.running():
        model = provider_model(spec, settings_for(endpoint, data_dir))
        before = -1

        async def is_writing() -> bool:
            nonlocal before
            grown, before = endpoint.words_sent != before, endpoint.words_sent
            return grown

        try:
            yield Subject(model, is_writing), endpoint
        finally:
            await model.close()


def scripted_answer(prompt: Prompt) -> Reply:
    text = PERSON_TEXT if prompt.schema else text_for(prompt.messages[-1].text)
    words = text.split(" ")
    cut = len(words) > prompt.max_tokens
    sample = Sample(" ".join(words[: prompt.max_tokens]), "length" if cut else "stop")
    usage = Usage(prompt_tokens=9, output_tokens=len(words), calls=prompt.samples)
    return Reply((sample,) * prompt.samples, usage, "scripted")


def scripted() -> Subject:
    model = ScriptedModel(scripted_answer, seconds_per_piece=0.001)
    return Subject(model, _never)


async def _never() -> bool:
    return False
