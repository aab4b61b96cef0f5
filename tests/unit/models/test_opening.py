from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from evals.faulty_endpoint import FaultyEndpoint
from hammerstone.core.chat import Prompt, Role
from hammerstone.core.errors import (
    BudgetExceeded,
    ModelMissing,
    ModelNonsense,
    ModelUnavailable,
    SettingsError,
)
from hammerstone.core.settings import Settings
from hammerstone.models.opening import ModelHandling, open_models
from hammerstone.models.wrappers.breaker import MemoryBreakers
from hammerstone.models.wrappers.retry import RetryRule

HELLO = Prompt.of("s", "hello")
QUICK = ModelHandling(
    retry=RetryRule(attempts=3, wait_initial_s=0.01, wait_max_s=0.02, jitter_s=0.01)
)


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def compatible(endpoint: FaultyEndpoint, data_dir: Path, **more: object) -> Settings:
    return Settings(
        data_dir=data_dir,
        **{
            "openai_base_url": f"{endpoint.url}/v1",
            "openai_model": "small",
            "model_timeout_s": 5.0,
            **more,
        },
    )  # type: ignore[arg-type]


async def test_nothing_configured_and_nothing_pulled(tmp_path: Path) -> None:
    models = open_models(Settings(data_dir=tmp_path))
    with pytest.raises(ModelMissing) as caught:
        await models.for_role(Role.CODER).complete(HELLO)
    assert caught.value.hint == "hammerstone model pull"
    assert list(tmp_path.iterdir()) == [], "looking leaves nothing behind"
    await models.close()


@pytest.mark.parametrize("name", ["gpt-4.1", "nobody:x", "openai:"])
async def test_unknown_model(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError) as caught:
        open_models(Settings(data_dir=tmp_path, model=name)).for_role(Role.JUDGE)
    assert "anthropic" in caught.value.hint


async def test_provider_without_key(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing) as caught:
        open_models(Settings(data_dir=tmp_path, model="openai:gpt-4.1")).for_role(Role.JUDGE)
    assert "OPENAI_API_KEY" in caught.value.hint


async def test_endpoint_by_setting_and_a_model_per_role(tmp_path: Path) -> None:
    endpoint = FaultyEndpoint()
    async with endpoint.running():
        settings = compatible(
            endpoint, tmp_path, role_models={"coder": "compatible:big"}, openai_api_key="k"
        )
        models = open_models(settings)
        assert (await models.for_role(Role.CODER).complete(HELLO)).model == "big"
        assert (await models.for_role(Role.JUDGE).complete(HELLO)).model == "small"
        assert [asked.model for asked in endpoint.asked] == ["big", "small"]
        assert models.meter.readings["big"].replies == 1
        await models.close()


async def test_retry_then_answer(tmp_path: Path) -> None:
    endpoint = FaultyEndpoint()
    endpoint.faults.extend(["500", "truncate"])
    async with endpoint.running():
        models = open_models(compatible(endpoint, tmp_path), handling=QUICK)
        assert (await models.for_role(Role.CODER).complete(HELLO)).text == "you said hello"
        assert len(endpoint.asked) == 3
        await models.close()


async def test_breaker_opens_and_is_stored(tmp_path: Path) -> None:
    endpoint, store = FaultyEndpoint(always="503"), MemoryBreakers()
    async with endpoint.running():
        settings = compatible(endpoint, tmp_path)
        models = open_models(settings, handling=QUICK, breakers=store)
        model = models.for_role(Role.CODER)
        for _ in range(3):
            with pytest.raises(ModelUnavailable):
                await model.complete(HELLO)
        assert len(endpoint.asked) == 5
        assert await models.breakers["compatible:small"].phase() == "open"
        await models.close()
        again = open_models(settings, handling=QUICK, breakers=store)
        with pytest.raises(
            ModelUnavailable, match=r"failed 5 times in a row .*503.*tried again in \d+ s"
        ):
            await again.for_role(Role.CODER).complete(HELLO)
        assert len(endpoint.asked) == 5
        await again.close()


async def test_fallback_model_answers(tmp_path: Path) -> None:
    down, up = FaultyEndpoint(always="401"), FaultyEndpoint()
    async with down.running(), up.running():
        settings = compatible(
            down, tmp_path, fallback_models=["ollama:spare"], ollama_base_url=up.url
        )
        models = open_models(settings, handling=QUICK)
        assert (await models.for_role(Role.PLANNER).complete(HELLO)).model == "spare"
        await models.close()


async def test_cheap_first_escalates_on_invalid_output(tmp_path: Path) -> None:
    number = Prompt.of("s", "a number", schema={"type": "object", "required": ["n"]})
    endpoint = FaultyEndpoint(
        answer=lambda asked: '{"n": 1}' if asked.model == "strong" else "I do not know"
    )
    async with endpoint.running():
        names = "compatible:cheap, compatible:strong"
        models = open_models(compatible(endpoint, tmp_path, model=names), handling=QUICK)
        reply = await models.for_role(Role.CODER).complete(number)
        assert reply.model == "strong"
        assert reply.usage.calls == 2
        endpoint.answer = lambda _: "nobody knows"
        with pytest.raises(ModelNonsense):
            await models.for_role(Role.CODER).complete(Prompt.of("s", "b", schema={"type": "null"}))
        await models.close()


async def test_allowance_is_asked_before_and_told_after(tmp_path: Path) -> None:
    class OneCall:
        calls = 0

        @contextmanager
        def reserve(self, tokens: int = 0, calls: int = 1) -> Iterator[None]:
            if self.calls + calls > 1:
                raise BudgetExceeded("one call")
            yield

        def spend(self, usage) -> None:
            self.calls += usage.calls

    endpoint, allowance = FaultyEndpoint(), OneCall()
    async with endpoint.running():
        models = open_models(compatible(endpoint, tmp_path))
        model = models.for_role(Role.CODER, allowance=allowance)
        await model.complete(HELLO)
        await model.complete(HELLO)  # remembered: costs nothing
        assert len(endpoint.asked) == 1
        with pytest.raises(BudgetExceeded):
            await model.complete(Prompt.of("s", "something else"))
        assert len(endpoint.asked) == 1
        await models.close()
