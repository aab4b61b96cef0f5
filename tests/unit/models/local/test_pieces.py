"""The grammar's schema, the stream and the cores, without a model."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hammerstone.core.errors import ModelNonsense, ModelUnavailable
from hammerstone.models.local.client import SampleCollector, collect, grammar_schema
from hammerstone.models.local.scheduling import available_cores


def test_what_the_grammar_cannot_say_is_left_out() -> None:
    schema = {
        "$schema": "x",
        "type": "object",
        "properties": {
            "title": {"type": "string", "title": "The title", "pattern": "^[a-z]+$"},
            "pattern": {"type": "string", "pattern": r"\d+", "format": "email"},
            "kind": {"enum": ["format", {"not": 1}]},
        },
        "required": ["title"],
    }
    assert grammar_schema(schema) == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "pattern": "^[a-z]+$"},
            "pattern": {"type": "string"},
            "kind": {"enum": ["format", {"not": 1}]},
        },
        "required": ["title"],
    }


def chunk(index: int, content: str | None, finish: str | None = None) -> str:
    delta = {"content": content} if content else {}
    return "data: " + json.dumps(
        {"choices": [{"index": index, "delta": delta, "finish_reason": finish}]}
    )


def usage(prompt: int, cached: int, output: int) -> str:
    details = {"prompt_tokens_details": {"cached_tokens": cached}}
    tokens = {"prompt_tokens": prompt, "completion_tokens": output}
    return "data: " + json.dumps({"choices": [], "usage": tokens | details})


async def lines(*items: str) -> AsyncIterator[str]:
    for item in items:
        yield item


async def test_interleaved_samples_read_the_prompt_once() -> None:
    collector = SampleCollector(2, None)
    await collect(
        lines(
            ": ping",
            chunk(1, "b"),
            chunk(0, "a"),
            chunk(1, None, "stop"),
            usage(100, 30, 5),
            chunk(0, "a", "length"),
            usage(100, 30, 6),
            "data: [DONE]",
        ),
        collector,
    )
    reply = collector.reply("m", 1.0)
    assert [(s.text, s.finish) for s in reply.samples] == [("aa", "length"), ("b", "stop")]
    assert (reply.usage.prompt_tokens, reply.usage.cached_tokens) == (200, 130)
    assert (reply.usage.output_tokens, reply.usage.calls, reply.usage.tokens) == (11, 2, 81)


@pytest.mark.parametrize("broken", ["data: {half", "data: []", 'data: {"choices": [{}]}'])
async def test_unreadable_stream(broken: str) -> None:
    with pytest.raises(ModelNonsense):
        await collect(lines(broken), SampleCollector(1, None))


async def test_stream_that_ends_early() -> None:
    collector = SampleCollector(1, None)
    await collect(lines(chunk(0, "half")), collector)
    with pytest.raises(ModelUnavailable):
        collector.reply("m", 1.0)


@pytest.mark.parametrize(
    ("files", "at_most"),
    [
        ({"cpu.max": "100000 100000"}, 1),
        ({"cpu.max": "max 100000"}, None),
        ({"cpu/cpu.cfs_quota_us": "50000", "cpu/cpu.cfs_period_us": "100000"}, 1),
        ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, None),
        ({"cpu.max": "rubbish"}, None),
        ({}, None),
    ],
)
def test_cores_within_a_quota(tmp_path: Path, files: dict[str, str], at_most: int | None) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    free = available_cores(tmp_path / "nothing")
    assert available_cores(tmp_path) == (free if at_most is None else at_most)
