"""What every `Model` promises, as checks that any of them can be put through."""

import asyncio
import contextlib
import json
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from hammerstone.core.chat import Message, Prompt
from hammerstone.core.errors import ModelNonsense, ModelRefused
from hammerstone.core.seams import Model

PERSON: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 40},
        "age": {"type": "integer", "minimum": 0, "maximum": 150},
    },
    "required": ["name", "age"],
    "additionalProperties": False,
}
SYSTEM = "You answer in a few plain words."


@dataclass
class Subject:
    """A model, and a way to see from outside whether it is still writing."""

    model: Model
    is_writing: Callable[[], Awaitable[bool]]


async def check_plain_answer(model: Model) -> None:
    reply = await model.complete(Prompt.of(SYSTEM, "Say hello.", max_tokens=30))
    assert len(reply.samples) == 1
    assert reply.text.strip()
    assert reply.samples[0].finish in ("stop", "length")
    assert reply.model == model.name
    assert reply.usage.calls == 1
    assert reply.usage.prompt_tokens > 0
    assert reply.usage.output_tokens > 0
    assert 0 <= reply.usage.cached_tokens <= reply.usage.prompt_tokens


async def check_samples_and_tokens(model: Model) -> None:
    shown: dict[int, list[str]] = defaultdict(list)
    prompt = Prompt.of(SYSTEM, "Name a colour.", samples=3, temperature=0.9, max_tokens=12)
    reply = await model.complete(prompt, on_token=lambda i, piece: shown[i].append(piece))
    assert len(reply.samples) == 3
    assert reply.usage.calls == 3
    assert ["".join(shown[i]) for i in range(3)] == [sample.text for sample in reply.samples]


async def check_schema(model: Model) -> None:
    prompt = Prompt.of(SYSTEM, "Make up a person.", schema=PERSON, samples=2, temperature=0.4)
    reply = await model.complete(prompt)
    for sample in reply.samples:
        person = json.loads(sample.text)
        assert set(person) == {"name", "age"}
        assert isinstance(person["age"], int)


async def check_cut_off_answer_is_said(model: Model) -> None:
    reply = await model.complete(
        Prompt.of(SYSTEM, "Count from one to one hundred in words.", max_tokens=5)
    )
    assert reply.samples[0].finish == "length"


async def check_cut_off_structure_is_nonsense(model: Model) -> None:
    with pytest.raises(ModelNonsense):
        await model.complete(Prompt.of(SYSTEM, "Make up a person.", schema=PERSON, max_tokens=2))


async def check_bad_schema_is_refused(model: Model) -> None:
    with pytest.raises(ModelRefused):
        await model.complete(Prompt.of(SYSTEM, "Hello.", schema={"type": "nothing"}))


async def check_conversation(model: Model) -> None:
    turns = (
        Message("system", SYSTEM),
        Message("user", "My dog is called Rex."),
        Message("assistant", "Nice."),
        Message("user", "Say one word."),
    )
    assert (await model.complete(Prompt(turns, max_tokens=8))).text


async def check_cancel_stops_writing(subject: Subject) -> None:
    first = asyncio.Event()
    prompt = Prompt.of(SYSTEM, "Write a very long story.", max_tokens=3000, samples=2)
    task = asyncio.create_task(subject.model.complete(prompt, on_token=lambda *_: first.set()))
    await asyncio.wait_for(first.wait(), 60)
    assert await subject.is_writing()
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert task.cancelled()
    for _ in range(100):
        if not await subject.is_writing():
            return
        await asyncio.sleep(0.05)
    pytest.fail("the model writes on after the call was cancelled")


CHECKS = (
    check_plain_answer,
    check_samples_and_tokens,
    check_schema,
    check_cut_off_answer_is_said,
    check_cut_off_structure_is_nonsense,
    check_bad_schema_is_refused,
    check_conversation,
)
