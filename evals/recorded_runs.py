"""Runs of recorded solutions with known truth: what a judge is measured on.

Each of the 410 requests of `requests/dev.jsonl` is answered by the product's own vote over the
eight recorded solutions of prompt D, as `hammerstone eval answers` does. Of each run the judge
knows what a real run's record holds; whether the answer is right is known here alone.
"""

import random
from dataclasses import dataclass

from hammerstone.core.json_types import Json
from hammerstone.core.seams import Sandbox
from hammerstone.evaluation.answers.answer_rows import AnswerRow, read_bank, read_rows
from hammerstone.evaluation.answers.answers import RecordedRequest, record, score
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.judging.rendering import plain
from hammerstone.learn.evolution.judges.run_facts import RunError, RunErrorKind, RunFacts
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.run.solve.calibration import shipped_without
from hammerstone.run.solve.votes import tally

ROWS, CHECK, BANK = "requests/dev.jsonl", "requests/check.py", "requests/dev_bank.json.gz"
PROMPT = "D"
JUDGED = 300  # runs the judges are measured on; the others tell how reliable the model judge is
SEED = 27


@dataclass(frozen=True, slots=True)
class KnownRun:
    """A run, whether its answer is right, and the answer that came next in the vote."""

    facts: RunFacts
    right: bool
    second: str = ""


async def known_runs(context: MeasurementContext) -> tuple[list[KnownRun], list[KnownRun]]:
    """The runs to be judged, and those that the judge's reliability is measured on."""
    rows = read_rows(context.file(ROWS))
    bank = [one for one in read_bank(context.file(BANK)) if one.prompt == PROMPT]
    runs = await runs_of(rows, bank, context.policies.get(AnswerPolicy), await context.sandbox())
    random.Random(SEED).shuffle(runs)
    return runs[:JUDGED], runs[JUDGED:]


async def runs_of(
    rows: list[AnswerRow], bank: list, policy: AnswerPolicy, sandbox: Sandbox
) -> list[KnownRun]:
    recorded = await record(rows, bank, [PROMPT], sandbox)
    return [_run(one, policy) for one in recorded]


def _run(one: RecordedRequest, policy: AnswerPolicy) -> KnownRun:
    answer = score(one, policy)
    solutions = one.solutions[: answer.solutions]
    count = tally(solutions, one.row.request, shipped_without(one.row.request).weights)
    members = count.leader.members if count.leader else ()
    others = [at for at in range(len(solutions)) if at not in members]
    programs = [_source(solutions[at].code, solutions[at].call) for at in (*members, *others)]
    errors = [RunError(RunErrorKind.PROGRAM, each.error) for each in solutions if each.error]
    facts = RunFacts(
        run_id=one.row.id,
        request=one.row.request,
        status="done" if count.leader else "failed",
        given=_shown(count.value) if count.leader else "",
        confidence=answer.confidence if count.leader else None,
        agree=count.agree,
        solutions=count.total,
        programs=tuple(filter(None, programs)),
        errors=tuple(errors),
        domain=one.row.id.rsplit("-", 1)[0],
    )
    second = count.groups[1].value if len(count.groups) > 1 else None
    return KnownRun(facts, answer.right, "" if second is None else _shown(second))


def _source(code: str, call: str) -> str:
    return f"{code.rstrip()}\n\nanswer = {call}" if code else ""


def _shown(value: Json) -> str:
    return str(plain(value))
