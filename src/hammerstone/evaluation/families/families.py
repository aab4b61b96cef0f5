"""Reuse: does the second request of a kind come from the library, and is it right?

A family is one need, asked several times in other words and with other values. The first request
of each is answered and its proof waited for. The others come later, those of all families mixed.
"""

import json
import random
import runpy
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Answer, AnswerStatus
from hammerstone.core.errors import (
    BadRequest,
    HammerstoneError,
    ModelMissing,
    ModelUnavailable,
    Stopped,
)
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.evaluation.data_files import read_lines, reading
from hammerstone.evaluation.kept_results import Progress

CHECK = "check.py"  # beside the data: `is_right(row, value)`
SHUFFLE_SEED = 16

IsRight = Callable[[Mapping[str, Any], Json], bool]


@dataclass(frozen=True, slots=True)
class FamilyRequest:
    """One request of a family; `row` is what `is_right` judges by."""

    id: str
    family: str
    text: str
    row: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RequestOutcome:
    """How one request ended. `reused`: a tool that was in the library before answered it."""

    id: str
    family: str
    first: bool
    right: bool
    reused: bool
    model_calls: int
    seconds: float
    tool: str | None
    told: str  # the result, or why there is none
    tokens: int = 0

    def to_json(self) -> JsonObject:
        return asdict(self)


def family_progress(path: Path | None = None) -> Progress[str, RequestOutcome]:
    """Outcomes so far, by request."""
    return Progress(RequestOutcome, lambda outcome: outcome.id, path)


def read_families(path: Path, limit: int = 0) -> dict[str, list[FamilyRequest]]:
    """Requests by family, in the file's order; with `limit` the first families only."""
    families: dict[str, list[FamilyRequest]] = {}
    with reading(path, "cannot be read", "lines of {id, family, q, check, want}"):
        for row in read_lines(path):
            request = FamilyRequest(str(row["id"]), str(row["family"]), str(row["q"]), row)
            families.setdefault(request.family, []).append(request)
    return dict(list(families.items())[: limit or None])


def read_check(data: Path) -> IsRight:
    """The function that judges results, from the file beside the data. That file is run."""
    path = data.parent / CHECK
    try:
        return runpy.run_path(str(path))["is_right"]
    except (OSError, KeyError, SyntaxError) as error:
        raise BadRequest(f"{path} does not define is_right: {error}") from error


async def run_families(
    hs: Hammerstone,
    families: Mapping[str, Sequence[FamilyRequest]],
    is_right: IsRight,
    progress: Progress[str, RequestOutcome],
    on_outcome: Callable[[RequestOutcome], None] = lambda outcome: None,
) -> list[RequestOutcome]:
    """Ask the first request of every family, then the others; the outcomes in that order."""
    progress.load()
    later = [request for members in families.values() for request in members[1:]]
    random.Random(SHUFFLE_SEED).shuffle(later)
    order = [(members[0], True) for members in families.values() if members]
    order += [(request, False) for request in later]
    for request, first in order:
        if request.id not in progress.done:
            outcome = await ask_request(hs, request, is_right, first=first)
            progress.add(outcome)
            on_outcome(outcome)
    return [progress.done[request.id] for request, _ in order]


async def ask_request(
    hs: Hammerstone, request: FamilyRequest, is_right: IsRight, *, first: bool
) -> RequestOutcome:
    """One request answered and its proof waited for. A model that is not there is raised."""
    known = {tool.name: tool.version.number for tool in await hs.tools.list()}
    began = time.perf_counter()
    try:
        answer = await hs.ask(request.text, session=f"families-{request.id}")
    except (Stopped, ModelUnavailable, ModelMissing):
        raise
    except HammerstoneError as error:
        seconds = time.perf_counter() - began
        told = f"{error.code}: {error.message}"
        return RequestOutcome(
            request.id, request.family, first, False, False, 0, seconds, None, told[:200]
        )
    seconds = time.perf_counter() - began
    # Nobody waits for a proof, and the next request must not share the cores with one.
    proved = await hs.proofs.wait(answer)
    answered = answer.status is AnswerStatus.DONE
    return RequestOutcome(
        id=request.id,
        family=request.family,
        first=first,
        right=answered and bool(is_right(request.row, answer.result)),
        reused=answered and is_reuse(answer, known),
        model_calls=answer.cost.model_calls,
        seconds=seconds,
        tool=proved.tool,
        told=json.dumps(answer.result, default=str)[:200] if answered else answer.text[:200],
        tokens=answer.cost.tokens,
    )


def is_reuse(answer: Answer, known: Mapping[str, int]) -> bool:
    """Whether a version that was there before gave the answer, and nothing was solved anew.

    One solution beside a tool of doubtful fit is a check of the fit, not a new solution.
    """
    there = answer.tool is not None and known.get(answer.tool) == answer.version
    return there and answer.solutions <= 1


def family_numbers(outcomes: Sequence[RequestOutcome]) -> JsonObject:
    """What was reused and right. Shares of nothing are None."""
    later = [one for one in outcomes if not one.first]
    firsts = {one.family: one for one in outcomes if one.first}
    after_right = [one for one in later if one.family in firsts and firsts[one.family].right]
    instant = [one.seconds for one in later if one.reused and one.model_calls == 0]
    return {
        "n": len(outcomes),
        "right": _share([one.right for one in outcomes]),
        "first_right": _share([one.right for one in firsts.values()]),
        "reuse_share": _share([one.reused for one in later]),
        "reuse_right": _share([one.right for one in after_right]),
        "model_calls": _mean([one.model_calls for one in later]),
        "seconds": _mean([one.seconds for one in later]),
        "p50_ms": round(statistics.median(instant) * 1000, 1) if instant else None,
    }


def _share(flags: Sequence[bool]) -> float | None:
    return round(sum(flags) / len(flags), 4) if flags else None


def _mean(values: Sequence[float]) -> float | None:
    return round(statistics.fmean(values), 3) if values else None
