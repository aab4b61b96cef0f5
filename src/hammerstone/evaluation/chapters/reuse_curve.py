"""Learning: later requests of a kind are answered by what the first one left, and cost less."""

from collections.abc import AsyncGenerator, Sequence
from functools import partial
from itertools import zip_longest

from hammerstone.core.evaluations import CaseOutcome, Chapter
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import FULL, QUICK, Finding, Measurement, Needs
from hammerstone.evaluation.board.numbers.metrics import passed_share
from hammerstone.evaluation.chapters.findings import amount, case, higher, lower, middle, share
from hammerstone.evaluation.families.families import (
    FamilyRequest,
    IsRight,
    ask_request,
    read_check,
    read_families,
)

FAMILIES, CHECK = "requests/families.jsonl", "requests/check.py"
Placed = tuple[int, FamilyRequest]


async def reuse_curve(
    context: MeasurementContext, *, starter: bool
) -> AsyncGenerator[Finding, None]:
    """Families asked in order of their place: all first requests, all second ones, and so on."""
    path = context.file(FAMILIES)
    families = context.some(list(read_families(path).values()), instant=1, quick=2)
    most = amount(context, instant=2, quick=3, full=99)
    outcomes: list[CaseOutcome] = []
    async with context.product(starter_tools=starter) as engine:
        is_right: IsRight = read_check(path)

        async def ask(placed: Placed) -> CaseOutcome:
            place, request = placed
            done = await ask_request(engine, request, is_right, first=not place)
            return case(
                request.id,
                done.right,
                {
                    "place": float(place),
                    "reused": float(done.reused),
                    "model_calls": float(done.model_calls),
                },
                asked=request.text,
                given=done.told,
                wanted=request.row.get("want"),
                tags=(request.family, "first" if not place else "later"),
                seconds=done.seconds,
                tokens=done.tokens,
            )

        order = _by_place([members[:most] for members in families])
        async for outcome in context.each(order, lambda placed: placed[1].id, ask, chained=True):
            outcomes.append(outcome)
            yield outcome
    for finding in _numbers(outcomes):
        yield finding


def _by_place(families: Sequence[Sequence[FamilyRequest]]) -> list[Placed]:
    rows = zip_longest(*families)
    return [(place, one) for place, row in enumerate(rows) for one in row if one is not None]


def _numbers(outcomes: Sequence[CaseOutcome]) -> list[Finding]:
    first = [one for one in outcomes if "first" in one.tags]
    later = [one for one in outcomes if "later" in one.tags]

    def mean(some: Sequence[CaseOutcome], key: str) -> float | None:
        return share(sum(one.numbers[key] for one in some), len(some))

    beside = "the first of a kind"
    findings: list[Finding] = [
        passed_share("right", outcomes),
        higher("later requests answered by reuse", mean(later, "reused")),
        lower(
            "model calls of a later request", mean(later, "model_calls"), "count",
            baseline=mean(first, "model_calls"), baseline_name=beside,
        ),
        lower(
            "seconds of a later request, median", middle([one.seconds for one in later]), "s",
            baseline=middle([one.seconds for one in first]), baseline_name=beside,
        ),
    ]  # fmt: skip
    for place in sorted({int(one.numbers["place"]) for one in later}):
        some = [one for one in later if one.numbers["place"] == place]
        name = f"model calls of request {place + 1} of a kind"
        findings.append(lower(name, mean(some, "model_calls"), "count"))
    return findings


def _one(name: str, title: str, starter: bool, sets: frozenset) -> Measurement:
    needs = Needs(files=(FAMILIES, CHECK), model=True, sandbox=True)
    run = partial(reuse_curve, starter=starter)
    return Measurement(
        name, title, Chapter.LEARNING, run, sets, needs, weight=6, full_s=3000, chained=True
    )


MEASUREMENTS = (
    _one("families", "Requests of a kind, one after the other", False, QUICK),
    _one("families_with_starter", "The same, beginning with the starter tools", True, FULL),
)
