from pathlib import Path

import pytest

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelError, ModelNonsense, ModelUnavailable
from hammerstone.models.fakes import RecordedModel, ScriptedModel

HELLO = Prompt.of("s", "hello")


async def test_script_ends() -> None:
    model = ScriptedModel(["only"])
    await model.complete(HELLO)
    with pytest.raises(ModelError, match="call 2"):
        await model.complete(HELLO)
    assert len(model.prompts) == 2


async def test_script_with_errors_and_samples() -> None:
    model = ScriptedModel([ModelUnavailable("down"), ["a", "b"], ["a"]])
    with pytest.raises(ModelUnavailable):
        await model.complete(HELLO)
    two = Prompt.of("s", "x", samples=2)
    assert [s.text for s in (await model.complete(two)).samples] == ["a", "b"]
    with pytest.raises(ModelError, match="1 samples where 2"):
        await model.complete(two)


async def test_script_that_breaks_the_schema_is_no_answer() -> None:
    with pytest.raises(ModelNonsense):
        await ScriptedModel(['{"a": 1}']).complete(Prompt.of("s", "x", schema={"type": "array"}))


async def test_replay_in_order_then_raises(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "cassette.jsonl"
    recorder = RecordedModel.record(ScriptedModel(["one", "two"], name="real"), path)
    await recorder.complete(HELLO)
    await recorder.complete(HELLO)
    replayed = RecordedModel.replay(path)
    assert replayed.name == "real"
    renamed = Prompt.of("s", "hello", purpose="something else")
    assert [(await replayed.complete(p)).text for p in (HELLO, renamed)] == ["one", "two"]
    with pytest.raises(ModelError, match="no recording"):
        await replayed.complete(HELLO)


@pytest.mark.parametrize("change", [{"temperature": 0.5}, {"samples": 2}, {"max_tokens": 1}])
async def test_unseen_prompt(tmp_path: Path, change: dict[str, float]) -> None:
    path = tmp_path / "cassette.jsonl"
    await RecordedModel.record(ScriptedModel(["one"]), path).complete(HELLO)
    with pytest.raises(ModelError, match="no recording"):
        await RecordedModel.replay(path).complete(Prompt.of("s", "hello", **change))


async def test_broken_cassettes(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        RecordedModel.replay(tmp_path / "missing")
    (tmp_path / "bad").write_text('{"half": ')
    with pytest.raises(ModelError, match="line 1"):
        RecordedModel.replay(tmp_path / "bad")
