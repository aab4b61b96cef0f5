"""The replay's recording: what it lacks becomes rows, replies are taken in; runs are kept."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from evals.replaying import collect
from evals.replaying.bench import Bench, ReplayOutcome
from evals.replaying.collect import Collector, chosen, take
from evals.replaying.kept_runs import KeptRuns
from evals.replaying.stream import AskedFor, ReplayRequest
from evals.replaying.surroundings import FaultySandbox
from hammerstone.core.calls import Call, Failure, Outcome, Program
from hammerstone.core.chat import Message, Prompt
from hammerstone.core.json_types import JsonObject
from hammerstone.models.fakes import DrawBook
from hammerstone.models.fakes.drawn import draw_key

NUMBER: JsonObject = {"type": "object", "properties": {"n": {"type": "integer"}}}
SOLUTION = Prompt((Message("user", "What is 2 + 3?"),), purpose="solution")
ARGUMENTS = Prompt((Message("user", "Request: 5"),), schema=NUMBER, purpose="arguments")
OUTCOME = ReplayOutcome(
    0, "new need", "a", True, True, 4, 80, 2.5, 0, 0, 0.0, "", "solving", "5", {"solution": 4}
)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "draws.jsonl.gz"
    DrawBook().write(path)
    monkeypatch.setattr(collect, "RECORDING", path)
    return path


def test_a_prompt_becomes_one_row_with_some_to_spare(tmp_path: Path) -> None:
    found = Collector(tmp_path, "on")
    for _ in range(2):
        found.missing(SOLUTION, 1)
        found.missing(ARGUMENTS, 1)
    first, others = rows(tmp_path / "on.adapter.jsonl")
    assert (first["greedy_first"], first["n"]) == (True, 1)
    assert (others["greedy_first"], others["n"], others["temperature"]) == (False, 12, 0.8)
    (read,) = rows(tmp_path / "on.jsonl")  # without the adapter
    assert (read["greedy_first"], read["n"]) == (True, 6)
    assert found.found == 3
    found.after(OUTCOME)
    found.after(replace(OUTCOME, number=1))
    assert rows(tmp_path / "again/on.jsonl") == [{"number": 0}]


def test_of_replies_without_a_grammar_the_first_that_the_schema_accepts_is_kept(
    tmp_path: Path, recording: Path
) -> None:
    found = Collector(tmp_path, "on")
    found.missing(ARGUMENTS, 1)
    said = ["five", '```json\n{"n": 5}\n```', '{"n": 6}']
    reply = {"id": draw_key(ARGUMENTS), "samples": said, "tokens": [1, 9, 5]}
    (tmp_path / "out.jsonl").write_text(json.dumps(reply) + "\n" + json.dumps({**reply, "id": "x"}))
    assert take(tmp_path / "prompts", [tmp_path / "out.jsonl"]) == 1
    (draw,) = DrawBook.read(recording).draws[draw_key(ARGUMENTS)]
    assert (json.loads(draw.text), draw.tokens) == ({"n": 5}, 9)
    assert take(tmp_path / "prompts", [tmp_path / "out.jsonl"]) == 0  # it is there already


def test_parts_and_first_texts_are_chosen_by_need() -> None:
    def asked(number: int, need: str, text: str) -> ReplayRequest:
        return ReplayRequest(number, "session 01", AskedFor.REPEAT, need, text, {})

    stream = [asked(0, "a", "x"), asked(1, "b", "y"), asked(2, "a", "x"), asked(3, "a", "z")]
    assert [one.number for one in chosen(stream, "1/1", 0)] == [0, 1, 3]
    assert [one.number for one in chosen(stream, "1/1", 1)] == [0, 1]
    assert [one.number for one in chosen(stream, "2/2", 0)] == [1]


class CountedBench:
    """A bench whose variants cost nothing."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.drawn = self
        self.missed = 0
        self.misses = 0  # that each run adds

    async def run(self, variant: Any, requests: Any, on_outcome: Any) -> list[ReplayOutcome]:
        self.ran.append(variant.name)
        self.missed += self.misses
        on_outcome(OUTCOME)
        return [OUTCOME]


async def test_a_variant_that_has_ended_is_not_run_again(tmp_path: Path) -> None:
    counted, told = CountedBench(), list[str]()
    bench, request = cast(Bench, counted), cast(ReplayRequest, object())
    kept = KeptRuns("r1", told.append, tmp_path, "p1")
    assert await kept.run(bench, "on", [request]) == [OUTCOME]
    assert await kept.run(bench, "on", [request]) == [OUTCOME]
    assert counted.ran == ["on"] and told[-1] == "on: 1 requests, kept from an earlier run"
    assert KeptRuns("r2", told.append, tmp_path, "p1").find("on", 1) == [OUTCOME]
    other = KeptRuns("r1", told.append, tmp_path, "p2")  # the product is another one
    counted.misses = 1
    await other.run(bench, "on", [request])
    assert counted.ran == ["on", "on"]
    assert KeptRuns("r2", told.append, tmp_path, "p2").find("on", 1) is None  # it lacked something
    (tmp_path / "off-1.part").write_text("{}")  # one that was killed
    assert kept.find("off", 1) is None


class CountedSandbox:
    backend = "none"

    def __init__(self) -> None:
        self.tables = 0
        self.failure: Failure | None = None

    async def matrix(self, programs: Any, calls: Any, **options: Any) -> list[list[Outcome]]:
        self.tables += 1
        return [[Outcome(value=1, failure=self.failure) for _ in calls] for _ in programs]

    async def call(self, *given: Any, **options: Any) -> Outcome:
        return Outcome(value=2)


async def test_tables_of_proofs_are_kept_and_single_calls_are_not(tmp_path: Path) -> None:
    inner = CountedSandbox()
    sandbox = FaultySandbox(cast(Any, inner), tmp_path)
    given = ([Program("def f(): ...", "f")], [Call(source="f()")])
    inner.failure = Failure.LOST
    await sandbox.matrix(*given)
    inner.failure = None
    for _ in range(2):
        assert await sandbox.matrix(*given) == [[Outcome(value=1)]]
    assert inner.tables == 2  # what was lost is not kept
    await sandbox.matrix(*given, files={"a.csv": tmp_path})
    assert inner.tables == 3
    sandbox.fails_next = True
    assert (await sandbox.call(*(given[0][0], given[1][0]))).failure is Failure.LOST
    assert (await sandbox.call(*(given[0][0], given[1][0]))).value == 2
