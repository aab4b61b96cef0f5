"""Failed runs with a planted cause, made by the real product from recorded replies.

    instructions      recorded replies edited to what three careless prompts would give: the value
                      printed, an explanation without a program, the value inside a sentence;
                      and, where they were recorded, replies to such prompts
    missing knowledge questions about an article that is not among the documents
    missing tool      requests whose recorded solutions agree on a wrong value; no tool is there
    harness           right solutions, and the product broken: a budget of 20 tokens, a
                      sandbox that loses calls, a step that raises, a value dropped on its way

The replies are the embedded model's own (`evals/data/planted_replies.json.gz`, `dev_bank`).
"""

import gzip
import json
import random
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.app.wiring import LazySandbox
from hammerstone.core.calls import Failure, Outcome
from hammerstone.core.chat import Prompt
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.json_types import JsonObject
from hammerstone.core.settings import Settings
from hammerstone.evaluation.answers.answer_rows import AnswerRow, read_bank, read_rows
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.fresh import fresh_settings
from hammerstone.learn.evolution.judges.run_facts import RunFacts
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.run.request import AskOptions

REPLIES = "evals/data/planted_replies.json.gz"
EACH = 60
SEEN = {"missing knowledge": 8, "missing tool": 12, "harness": 8, "instructions": 0}
SEED = 27
STEP = "hammerstone.run.solve.solver.tally"
NO_REPLY = "I do not know."


@dataclass(frozen=True, slots=True)
class Planted:
    """A request, the replies a model gives to it, and what is planted."""

    id: str
    cause: str
    request: str
    replies: tuple[str, ...]
    is_right: Callable[[Any], bool]
    wanted: str
    fault: str = ""
    seen: bool = False  # looked at while the rules were written


def _printed(reply: str) -> str:
    """As a prompt gives it that asks for a script: the value is printed."""
    return re.sub(r"^answer = (.+)$", r"print(\1)", reply, flags=re.MULTILINE)


def _prose(reply: str) -> str:
    """As a prompt gives it that asks for an explanation: the comments alone, as text."""
    lines = [line.lstrip("# ") for line in reply.splitlines() if line.lstrip().startswith("#")]
    return " ".join(lines) or NO_REPLY


def _sentence(reply: str) -> str:
    """As a prompt gives it that asks for a friendly answer: the value in a sentence."""
    return re.sub(
        r"^answer = (.+)$", r'answer = f"The answer is {\1}, as you can see."', reply,
        flags=re.MULTILINE,
    )  # fmt: skip


EDITS = {"printed": _printed, "prose": _prose, "sentence": _sentence}


def planted_cases(context: MeasurementContext) -> list[Planted]:
    """All planted cases, in a fixed order."""
    rows = read_rows(context.file("requests/dev.jsonl"))
    recorded = json.loads(gzip.decompress(context.file(REPLIES).read_bytes()))
    bank = {
        one.id: one for one in read_bank(context.file("requests/dev_bank.json.gz"))
        if one.prompt == "D"
    }  # fmt: skip
    by_id = {row.id: row for row in rows}
    cases = [_recorded(one, by_id) for one in recorded]
    used = {case.request for case in cases}
    order = [row for row in rows if row.request not in used]
    random.Random(SEED).shuffle(order)
    wrong = [r for r in order if sum(map(r.is_right, bank[r.id].values)) <= 2][:EACH]
    right = [r for r in order if sum(map(r.is_right, bank[r.id].values)) >= 7][:EACH]
    cases += [_of_bank(row, bank[row.id].samples, "missing tool") for row in wrong]
    others = [r for r in order if r not in wrong and r not in right][:EACH]
    for at, row in enumerate(others):
        name, edit = list(EDITS.items())[at % len(EDITS)]
        edited = [edit(sample) for sample in bank[row.id].samples]
        cases.append(replace(_of_bank(row, edited, "instructions"), id=f"{name}-{row.id}"))
    faults = ("budget", "sandbox", "raises", "dropped")
    cases += [
        _of_bank(row, bank[row.id].samples, "harness", faults[at % len(faults)])
        for at, row in enumerate(right)
    ]
    count: Counter[str] = Counter()
    for at, case in enumerate(cases):
        count[case.cause] += 1
        cases[at] = replace(case, seen=count[case.cause] <= SEEN[case.cause])
    return cases


def _of_bank(row: AnswerRow, samples: Any, cause: str, fault: str = "") -> Planted:
    wanted = str(row.document.get("want", ""))
    name = f"{fault or cause}-{row.id}"
    return Planted(name, cause, row.request, tuple(samples), row.is_right, wanted, fault)


def _recorded(one: Mapping[str, Any], rows: Mapping[str, AnswerRow]) -> Planted:
    if one["kind"] == "fact":
        answers = [str(each).casefold() for each in one["answers"]]

        def holds(value: Any) -> bool:
            return any(answer in str(value).casefold() for answer in answers)

        return Planted(one["id"], "missing knowledge", one["request"], tuple(one["samples"]),
                       holds, one["answers"][0])  # fmt: skip
    row = rows[one["row"]]
    wanted = str(row.document.get("want", ""))
    return Planted(one["id"], "instructions", row.request, tuple(one["samples"]), row.is_right,
                   wanted)  # fmt: skip


def _model(cases: Sequence[Planted]) -> ScriptedModel:
    """Says for each request what was recorded for it, sample after sample."""
    left = {case.request: [*case.replies] for case in cases}

    def say(prompt: Prompt) -> Any:
        last = prompt.messages[-1].text
        asked = next((text for text in left if text in last), "")
        if prompt.purpose != "solution" or not asked:
            return NO_REPLY if prompt.schema is None else "{}"
        replies = left[asked]
        return [replies.pop(0) if len(replies) > 1 else replies[0] for _ in range(prompt.samples)]

    return ScriptedModel(say, name="recorded")


class _LosingSandbox:
    """A sandbox that is lost on every call of a solution."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.backend = inner.backend
        self.matrix, self.close = inner.matrix, inner.close

    async def call(self, *given: Any, **more: Any) -> Outcome:
        return Outcome(failure=Failure.LOST, error="the sandbox was lost")


class _DroppingSandbox(_LosingSandbox):
    """A sandbox whose results lose their value on the way."""

    async def call(self, *given: Any, **more: Any) -> Outcome:
        outcome = await self._inner.call(*given, **more)
        return replace(outcome, value=0) if outcome.ok else outcome


@contextmanager
def _broken(fault: str) -> Iterator[None]:
    """The product broken in one place, from before it is opened."""
    real = LazySandbox.get
    kind = {"sandbox": _LosingSandbox, "dropped": _DroppingSandbox}.get(fault)

    async def broken(self: LazySandbox) -> Any:
        opened = await real(self)
        return opened if kind is None else kind(opened)

    with ExitStack() as stack:
        stack.enter_context(patch.object(LazySandbox, "get", broken))
        if fault == "raises":
            stack.enter_context(patch(STEP, side_effect=KeyError("step")))
        yield


async def run_planted(
    cases: Sequence[Planted], settings: Settings, folder: Path
) -> AsyncIterator[tuple[Planted, RunFacts]]:
    """The facts of planted runs, as the product recorded them; one product for each fault."""
    for fault in dict.fromkeys(case.fault for case in cases):
        some = [case for case in cases if case.fault == fault]
        own = fresh_settings(
            settings, folder / (fault or "whole"), embedder="off", starter_tools=False
        )
        with _broken(fault):
            async with Hammerstone.open(own, models=OneModel(_model(some))) as hs:
                if fault == "budget":
                    values: JsonObject = {"tokens": 20}
                    await hs.policies.change("request_budget", values, who="planted", why="planted")
                for case in some:
                    yield case, await _ran(case, hs)


async def _ran(case: Planted, hs: Hammerstone) -> RunFacts:
    options = AskOptions(memory=False, keep=False, fresh=True, run_id=case.id)
    value: Any = None
    try:
        answer = await hs.ask(case.request, session=case.id, options=options)
        value = answer.result if answer.result is not None else answer.text
        failed = str(answer.status) == "failed"
    except (HammerstoneError, KeyError):
        failed = True
    await hs.traces.list(limit=1)  # what happened is stored
    facts = await hs.evolution.facts(case.id)
    known = 0.0 if failed or not case.is_right(value) else 1.0
    return replace(facts, known=known, wanted=case.wanted)
