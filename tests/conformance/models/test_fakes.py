"""The shipped fakes keep the same contract as the real models."""

import inspect
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from hammerstone.core.chat import Prompt, Reply
from hammerstone.core.seams import Model
from hammerstone.models.fakes import RecordedModel, ScriptedModel
from tests.conformance.models.contract import CHECKS, Subject, check_cancel_stops_writing
from tests.conformance.models.subjects import scripted, scripted_answer

Check = Callable[[Model], Awaitable[None]]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_scripted(check: Check) -> None:
    await check(scripted().model)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_recording_and_replay(check: Check, tmp_path: Path) -> None:
    cassette = tmp_path / "cassette.jsonl"
    cassette.touch()
    await check(RecordedModel.record(ScriptedModel(scripted_answer), cassette))
    if cassette.read_text():  # a check whose call fails has nothing to replay
        await check(RecordedModel.replay(cassette))


async def test_scripted_cancel_stops_writing() -> None:
    pieces: list[str] = []
    model = ScriptedModel(lambda _: "line\n" * 5000, seconds_per_piece=0.001)

    class Watched(ScriptedModel):
        async def complete(self, prompt: Prompt, *, on_token=None) -> Reply:
            def show(index: int, piece: str) -> None:
                pieces.append(piece)
                on_token(index, piece)

            return await model.complete(prompt, on_token=show)

    seen = -1

    async def is_writing() -> bool:
        nonlocal seen
        grown, seen = len(pieces) != seen, len(pieces)
        return grown

    await check_cancel_stops_writing(Subject(Watched([]), is_writing))


def test_every_check_of_the_contract_is_run() -> None:
    from tests.conformance.models import contract

    named = {
        name
        for name, value in vars(contract).items()
        if name.startswith("check_") and inspect.iscoroutinefunction(value)
    }
    assert named == {check.__name__ for check in CHECKS} | {"check_cancel_stops_writing"}
