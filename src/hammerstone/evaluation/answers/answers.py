"""Answers chosen from recorded solutions: how many are right, how sure, from how many solutions.

A request that the shipped calibration was fitted on is judged by a part of it that was fitted
without that request.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import mean

from hammerstone.core.calls import Call, Limits
from hammerstone.core.calls import Program as Code
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.core.solutions import Solution
from hammerstone.evaluation.answers.answer_fit import KnownRequest
from hammerstone.evaluation.answers.answer_rows import AnswerRow, Recording
from hammerstone.evaluation.bank.report import calibration_error, reliability
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.run.solve.calibration import AnswerCalibration, shipped_without
from hammerstone.run.solve.program import read_reply
from hammerstone.run.solve.sureness import answer_confidence, worth_more
from hammerstone.run.solve.votes import Tally, tally

_LIMITS = Limits(wall_s=5.0)
_LARGEST = 100_000  # characters of a value that are kept
_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """What came of one request: how sure the answer was, whether it was right, what it took."""

    id: str
    confidence: float
    right: bool
    solutions: int
    tokens: int | None = None
    first_s: float | None = None
    final_s: float | None = None  # the value was said to stand
    whole_s: float | None = None  # the answer was given, with how sure it is
    verdict_s: float | None = None
    value: Json = None


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A row, its recordings by prompt, and its solutions in the order they would be sampled."""

    row: AnswerRow
    recordings: Mapping[str, Recording]
    solutions: tuple[Solution, ...]
    tokens: tuple[int, ...]

    def known(self) -> KnownRequest:
        return KnownRequest(self.row.request, self.solutions, self.row.is_right)


async def record(
    rows: Sequence[AnswerRow], bank: Sequence[Recording], order: Sequence[str], sandbox: Sandbox
) -> list[RecordedRequest]:
    """The rows that the bank holds, with up to eight solutions each, read and run as the product
    would; a reply whose value was recorded is not run again."""
    by_row: dict[str, dict[str, Recording]] = {}
    for one in bank:
        by_row.setdefault(one.id, {})[one.prompt] = one
    gate = asyncio.Semaphore(_AT_ONCE)
    most = AnswerPolicy().max_solutions

    async def one_row(row: AnswerRow) -> RecordedRequest:
        recordings = by_row[row.id]
        drawn = _drawn(recordings, order)[:most]
        solutions = [await _solution(one, at, sandbox, gate) for one, at in drawn]
        tokens = tuple(one.tokens[at] for one, at in drawn if one.tokens)
        return RecordedRequest(row, recordings, tuple(solutions), tokens)

    return list(await asyncio.gather(*(one_row(row) for row in rows if row.id in by_row)))


def _drawn(
    recordings: Mapping[str, Recording], order: Sequence[str]
) -> list[tuple[Recording, int]]:
    """Replies in sampling order: all of the first prompt, then of the next."""
    prompts = [name for name in order if name in recordings]
    prompts += sorted(name for name in recordings if name not in prompts)
    return [
        (recordings[name], at) for name in prompts for at in range(len(recordings[name].samples))
    ]


async def _solution(
    recording: Recording, at: int, sandbox: Sandbox, gate: asyncio.Semaphore
) -> Solution:
    read = read_reply(recording.samples[at])
    if read.solution is None:
        return Solution("", "", "", error=str(read.kind))
    solution = read.solution
    if solution.error:
        return solution
    value = recording.values[at]
    if value is not None:
        return replace(solution, value=value)
    async with gate:
        outcome = await sandbox.call(
            Code(solution.code, solution.function), Call(source=solution.call), limits=_LIMITS
        )
    small = outcome.ok and len(repr(outcome.value)) <= _LARGEST
    error = "" if small else outcome.error or str(outcome.failure or "too large")
    return replace(solution, value=outcome.value if small else None, error=error)


def score(
    one: RecordedRequest,
    policy: AnswerPolicy,
    calibration_of: Callable[[str], AnswerCalibration] = shipped_without,
) -> ScoredAnswer:
    """One request answered round by round, until more solutions are not worth waiting for."""
    calibration = calibration_of(one.row.request)
    request = one.row.request
    count, confidence = Tally((), 0), 0.0
    for size in policy.rounds:
        count = tally(one.solutions[:size], request, calibration.weights)
        confidence = answer_confidence(count, calibration)
        if not worth_more(count, confidence, policy) or size >= len(one.solutions):
            break
    return ScoredAnswer(
        one.row.id,
        confidence,
        one.row.is_right(count.value),
        count.total,
        sum(one.tokens[: count.total]) if one.tokens else None,
        value=count.value,
    )


def summary(
    scored: Sequence[ScoredAnswer],
    policy: AnswerPolicy,
    *,
    right_plain: float | None = None,
    right_vote8: float | None = None,
    right_before: float | None = None,
) -> JsonObject:
    """The keys that programs read; None where nothing was measured."""
    sure = [one for one in scored if one.confidence >= policy.sure_at]
    return {
        "n": len(scored),
        "right": _mean([one.right for one in scored]),
        "right_plain": right_plain,
        "right_vote8": right_vote8,
        "right_before": right_before,
        "sure_share": len(sure) / len(scored) if scored else None,
        "sure_precision": _mean([one.right for one in sure]),
        "ece": calibration_error(scored) if scored else None,
        "solutions": _mean([one.solutions for one in scored]),
        "first_s": _median([one.first_s for one in scored]),
        "final_s": _median([one.final_s for one in scored]),
        "whole_s": _median([one.whole_s for one in scored]),
        "verdict_s": _median([one.verdict_s for one in scored]),
        "tokens": _mean([one.tokens for one in scored if one.tokens is not None]),
    }


def bins_of(scored: Sequence[ScoredAnswer]) -> list[tuple[float, int, float, float]]:
    """Tenths of the confidence: where each begins, how many, mean confidence, share right."""
    return [(one.low, one.count, one.confidence, one.right) for one in reliability(scored)]


class SimplerWay(StrEnum):
    GREEDY = "one prompt, greedy"
    VOTE = "plain vote of 8"


@dataclass(frozen=True, slots=True)
class AnswerBaseline:
    """The share that a simpler way with one of the prompts gets right."""

    way: SimplerWay
    prompt: str
    right: float


def baselines(recorded: Sequence[RecordedRequest]) -> list[AnswerBaseline]:
    """Simpler ways on the same rows, on the values as they were recorded."""
    found: list[AnswerBaseline] = []
    for name in sorted({name for one in recorded for name in one.recordings}):
        rows = [
            (one.row, one.recordings[name].values) for one in recorded if name in one.recordings
        ]
        greedy = mean(row.is_right(values[0]) for row, values in rows)
        vote = mean(row.is_right(plain_vote(values[:8])) for row, values in rows)
        found.append(AnswerBaseline(SimplerWay.GREEDY, name, greedy))
        found.append(AnswerBaseline(SimplerWay.VOTE, name, vote))
    return found


def best_of(baselines: Iterable[AnswerBaseline], way: SimplerWay) -> float | None:
    """The share right of a way with the prompt that it does best with."""
    return max((one.right for one in baselines if one.way is way), default=None)


def plain_vote(values: Sequence[Json]) -> Json:
    """The value given most often, compared as text."""
    given = [value for value in values if value is not None]
    texts = [_crude(value) for value in given]
    most = Counter(texts).most_common(1)
    return given[texts.index(most[0][0])] if most else None


def _crude(value: Json) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{round(float(value), 4):.6g}"
    return " ".join(str(value).lower().split())


def right_of(rows: Sequence[AnswerRow], values: Mapping[str, Json]) -> float | None:
    """Share right of values that were recorded for some of the rows."""
    return _mean([row.is_right(values[row.id]) for row in rows if row.id in values])


def _mean(values: Sequence[float]) -> float | None:
    return mean(values) if values else None


def _median(values: Sequence[float | None]) -> float | None:
    known = sorted(value for value in values if value is not None)
    return known[len(known) // 2] if known else None
