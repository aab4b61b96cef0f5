"""Every provider's adapter keeps the contract, over real HTTP in the provider's protocol."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from evals.faulty_endpoint import FaultyEndpoint
from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelNonsense, ModelRefused, ModelUnavailable
from hammerstone.core.seams import Model
from hammerstone.models.providers.provider_catalog import provider_model
from tests.conformance.models.contract import (
    CHECKS,
    PERSON,
    SYSTEM,
    Subject,
    check_cancel_stops_writing,
)
from tests.conformance.models.subjects import PERSON_TEXT, PROVIDERS, http_subject, settings_for


@pytest.fixture(params=PROVIDERS)
async def pair(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[tuple[Subject, FaultyEndpoint]]:
    async with http_subject(request.param, tmp_path) as both:
        yield both


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_contract(
    pair: tuple[Subject, FaultyEndpoint], check: Callable[[Model], Awaitable[None]]
) -> None:
    await check(pair[0].model)


async def test_cancel_stops_writing(pair: tuple[Subject, FaultyEndpoint]) -> None:
    await check_cancel_stops_writing(pair[0])


async def test_request_carries_what_the_prompt_says(
    pair: tuple[Subject, FaultyEndpoint],
) -> None:
    subject, endpoint = pair
    prompt = Prompt.of(SYSTEM, "Hi.", max_tokens=77, temperature=0.3, stop=("END",), seed=5)
    await subject.model.complete(prompt)
    asked = endpoint.asked[-1]
    assert (asked.system, asked.text) == (SYSTEM, "Hi.")
    assert (asked.max_tokens, asked.temperature, asked.stop) == (77, 0.3, ("END",))
    assert asked.seed in (5, None) and (asked.seed == 5 or asked.provider == "anthropic")
    assert asked.key in ("key", "none")
    assert asked.model == subject.model.name


async def test_schema_goes_to_the_provider_itself(pair: tuple[Subject, FaultyEndpoint]) -> None:
    subject, endpoint = pair
    await subject.model.complete(Prompt.of(SYSTEM, "Make up a person.", schema=PERSON))
    assert set(endpoint.asked[-1].schema["properties"]) == {"name", "age"}


async def test_cached_tokens_are_reported(pair: tuple[Subject, FaultyEndpoint]) -> None:
    subject, _ = pair
    first = await subject.model.complete(Prompt.of(SYSTEM, "Hello there."))
    second = await subject.model.complete(Prompt.of(SYSTEM, "Hello there."))
    assert first.usage.cached_tokens == 0
    assert second.usage.cached_tokens == second.usage.prompt_tokens // 2 > 0


FAULTS = {
    "500": ModelUnavailable,
    "503": ModelUnavailable,
    "429": ModelUnavailable,
    "refuse connection": ModelUnavailable,
    "truncate": ModelUnavailable,
    "401": ModelRefused,
    "404": ModelRefused,
    "html": ModelNonsense,
    "half json": ModelNonsense,
    "other schema": ModelNonsense,
    "endless": ModelNonsense,
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_fault_has_one_meaning_everywhere(
    pair: tuple[Subject, FaultyEndpoint], fault: str
) -> None:
    subject, endpoint = pair
    endpoint.faults.append(fault)
    with pytest.raises(FAULTS[fault]):
        await subject.model.complete(Prompt.of(SYSTEM, "Hello.", max_tokens=50))
    assert len(endpoint.asked) == 1, "the adapter itself must not try again"
    assert (await subject.model.complete(Prompt.of(SYSTEM, "Hello."))).text


async def test_retry_after_is_handed_on(pair: tuple[Subject, FaultyEndpoint]) -> None:
    subject, endpoint = pair
    endpoint.faults.append("429 after 7")
    with pytest.raises(ModelUnavailable) as caught:
        await subject.model.complete(Prompt.of(SYSTEM, "Hello."))
    assert caught.value.data["retry_after_s"] == 7


@pytest.mark.parametrize("spec", PROVIDERS)
async def test_hanging_endpoint_is_given_up(spec: str, tmp_path: Path) -> None:
    endpoint = FaultyEndpoint(always="hang")
    async with endpoint.running():
        model = provider_model(spec, settings_for(endpoint, tmp_path, model_timeout_s=0.3))
        with pytest.raises(ModelUnavailable, match=r"within 0\.3 s"):
            await model.complete(Prompt.of(SYSTEM, "Hello."))
        await model.close()


@pytest.mark.parametrize("spec", PROVIDERS)
async def test_endpoint_without_schema_support_is_prompted(spec: str, tmp_path: Path) -> None:
    said = iter(["sorry, no JSON from me", f"```json\n{PERSON_TEXT}\n```", PERSON_TEXT])
    endpoint = FaultyEndpoint(answer=lambda _: next(said), refuse_schema=True)
    async with endpoint.running():
        model = provider_model(spec, settings_for(endpoint, tmp_path))
        prompt = Prompt.of(SYSTEM, "Make up a person.", schema=PERSON)
        reply = await model.complete(prompt)
        assert '"Ada"' in reply.text and "```" not in reply.text
        assert reply.usage.calls == 2, "both questions are counted"
        assert "not valid" in endpoint.asked[-1].text, "the second one says what was wrong"
        asked_before = len(endpoint.asked)
        await model.complete(prompt)
        assert len(endpoint.asked) == asked_before + 1, "the refusal is remembered"
        await model.close()


async def test_endpoint_that_is_not_there(tmp_path: Path) -> None:
    endpoint = FaultyEndpoint()
    async with endpoint.running():
        settings = settings_for(endpoint, tmp_path)
    for spec in PROVIDERS:
        model = provider_model(spec, settings)
        with pytest.raises(ModelUnavailable):
            await model.complete(Prompt.of(SYSTEM, "Hello."))
        await model.close()
