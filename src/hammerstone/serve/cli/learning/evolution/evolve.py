"""`hammerstone evolve`: find out why it fails, and let it try the cheapest change that helps."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import Column, show_table

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.learn.evolution.tracks.track import Trial

app = typer.Typer(
    help="Why requests fail, and the cheapest change that helps.", no_args_is_help=True
)

T = TypeVar("T")
SuiteName = Annotated[str, typer.Argument(help="A suite (see `hammerstone suites list`).")]


def with_bench(
    work: "Callable[[Hammerstone], Awaitable[T]]", lines: "CaseLines | None" = None
) -> T:
    """What `work` gives on an engine with a bench for its suites."""

    async def benched(hs: "Hammerstone") -> T:
        from hammerstone.evaluation.evolving.product_bench import ProductBench

        told = lines or CaseLines()
        hs.evolution.use_bench(ProductBench(hs, on_case=told.tell))
        try:
            return await work(hs)
        finally:
            told.end()

    return with_engine(benched)


class CaseLines:
    """One line a case, with what the rest will take: a suite takes minutes. A case that takes
    long, and work between cases, is told again and again, so that nobody wonders whether anything
    happens."""

    def __init__(self, quiet_s: float = 30.0) -> None:
        self._began = time.monotonic()
        self._quiet_s = quiet_s
        self._ends: float | None = None
        self._waiting: asyncio.Task[None] | None = None

    def limit(self, seconds: float | None) -> None:
        """From now on so much time may be spent, at most."""
        self._ends = None if seconds is None else time.monotonic() + seconds

    def end(self) -> None:
        """Nothing more is told."""
        if self._waiting is not None:
            self._waiting.cancel()

    def say(self, sentence: str) -> None:
        """What the round says of itself; the cases before it are over."""
        tell(sentence)
        self._remind_of("it is being worked on")

    def _remind_of(self, what: str) -> None:
        self.end()
        self._waiting = asyncio.get_running_loop().create_task(self._remind(what))

    async def _remind(self, what: str) -> None:
        from hammerstone.app.evolution.rounds import duration

        began = time.monotonic()
        while True:
            await asyncio.sleep(self._quiet_s)
            taken = duration(time.monotonic() - began)
            tell(f"{what} for {taken}", style="dim")

    def tell(self, number: int, cases: int, trial: "Trial") -> None:
        self._remind_of(f"case {number} of {cases} is being asked")
        from hammerstone.app.evolution.rounds import duration

        what = "as it is" if trial.empty else "with a change"
        told = f"case {number} of {cases}, {what}"
        if number == 1:
            self._began = time.monotonic()
        else:
            pace = (time.monotonic() - self._began) / (number - 1)
            need = pace * (cases - number + 1)
            told += f", about {duration(need)} left"
            if self._ends is not None and need > (still := self._ends - time.monotonic()):
                told += f" at this pace, and {duration(max(0.0, still))} to spend"
        tell(told, style="dim")


@app.command()
def run(
    suite: SuiteName,
    tokens: Annotated[int | None, typer.Option(help="Tokens it may cost.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Seconds it may take.")] = None,
    usd: Annotated[float | None, typer.Option(help="Dollars it may cost.")] = None,
    documents: Annotated[
        Path | None, typer.Option(help="A folder that may hold the missing facts.")
    ] = None,
    program: Annotated[
        Path | None, typer.Option(help="A folder with a program.md for the harness.")
    ] = None,
    track: Annotated[list[str] | None, typer.Option(help="Only this track; repeatable.")] = None,
    review: Annotated[
        bool | None, typer.Option("--review/--continuous", help="Whether what wins waits for you.")
    ] = None,
    judge_only: Annotated[bool, typer.Option(help="Judge and recommend; try nothing.")] = False,
    check_judge: Annotated[bool, typer.Option(help="Also measure the model as judge.")] = False,
    approve: Annotated[bool, typer.Option(help="Allow what needs a person: training.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run a suite, say why it fails, and try the cheapest change that could help."""
    from hammerstone.core.errors import BadRequest
    from hammerstone.learn.evolution.tracks.track import TrackName

    given: dict[str, Any] = {
        "limits": (tokens, seconds, usd),
        "documents": documents,
        "program": program,
        "tracks": track or [],
        "review": review,
        "judge_only": judge_only,
        "check_judge": check_judge,
        "approve": approve,
    }
    known = [str(name) for name in TrackName]
    unknown = [name for name in given["tracks"] if name not in known]
    if unknown:
        raise BadRequest(f"there is no track {unknown[0]!r}", hint=", ".join(known))
    lines = CaseLines()
    document = with_bench(lambda hs: _run(hs, suite, given, lines), lines)
    if as_json:
        print_json(document)
        return
    _say_round(document)


async def _run(
    hs: "Hammerstone", suite: str, given: dict[str, Any], lines: CaseLines
) -> dict[str, Any]:
    from hammerstone.app.evolution.rounds import EvolveOptions
    from hammerstone.learn.evolution.evolution_policy import EvolutionPolicy
    from hammerstone.learn.evolution.tracks.purse import TrackBudget
    from hammerstone.learn.evolution.tracks.track import TrackName
    from hammerstone.serve.evolution_view import round_document

    policy = hs.policies.get(EvolutionPolicy)
    tokens, seconds, usd = given["limits"]
    budget = TrackBudget(
        policy.tokens if tokens is None else tokens,
        policy.seconds if seconds is None else seconds,
        policy.usd if usd is None else usd,
    )
    lines.limit(budget.seconds)
    options = EvolveOptions(
        who=hs.settings.user,
        budget=budget,
        documents=given["documents"],
        program=given["program"],
        tracks=tuple(TrackName(name) for name in given["tracks"]),
        review=given["review"],
        judge_only=given["judge_only"],
        approved_by=hs.settings.user if given["approve"] else "",
        check_judge=given["check_judge"],
        say=lines.say,
    )
    row = await hs.evolution.run(suite, options)
    return await round_document(hs, row.id)


def _say_round(document: dict[str, Any]) -> None:
    say(f"Round {document['id']} on {document['suite']} ({document['state']})", style="bold")
    for sentence in document["account"]:
        say(sentence)
    for one in document["attempts"]:
        if one["outcome"] == "waiting" and one["proposal"]:
            tell(f"Look at it and decide: hammerstone proposals show {one['proposal']}")
    cost = document["cost"] or {}
    tokens, seconds = cost.get("tokens", 0), cost.get("seconds", 0)
    tell(f"It cost {tokens:,} tokens and {seconds:,.0f} s. Cases run: {cost.get('cases', 0)}.")


@app.command()
def status(as_json: AsJson = False) -> None:
    """Show how watched suites stand, what may be tried, and how reliable the judges are."""
    document = with_bench(_status)
    if as_json:
        print_json(document)
        return
    mode = "what wins waits for you" if document["review"] else "what wins is kept by itself"
    watching = "starts by itself" if document["continuous"] else "tells you first"
    say(f"Preset {document['preset']}; {mode}; the monitor {watching}.")
    tracks = [name for name, on in document["tracks"].items() if on]
    say(f"Tracks that may run: {', '.join(tracks) or 'none'}.")
    for name, judge in document["judges"].items():
        counts = "counts" if judge["counts"] else "does not count"
        say(f"Model judge of {name} ({document['judge_model']}): {judge['text']}; it {counts}.")
    agree = document["people_agree"]
    if agree["of"]:
        say(f"People agreed with the judge on {agree['agree']} of {agree['of']} samples.")
    if waiting := document["samples_waiting"]:
        told = "1 sample waits" if waiting == 1 else f"{waiting} samples wait"
        tell(f"{told} for you: hammerstone evolve sample")
    rows = [
        (name, f"{one['average']:.2f}", one["finding"], one["why"])
        for name, one in document["suites"].items()
    ]
    columns = (Column("suite"), Column("score"), Column("finding"), Column("why", flows=True))
    if rows:
        show_table(columns, rows)
    else:
        tell("No suite was scored yet: hammerstone evolve run SUITE")


async def _status(hs: "Hammerstone") -> dict[str, Any]:
    from hammerstone.serve.evolution_view import status_document

    return await status_document(hs)


@app.command()
def history(
    suite: Annotated[str | None, typer.Option(help="Only of this suite.")] = None,
    as_json: AsJson = False,
) -> None:
    """List rounds, newest first, and what was kept or reverted in each."""
    rows = with_bench(lambda hs: _history(hs, suite))
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell("No round was run yet: hammerstone evolve run SUITE")
        return
    columns = (
        Column("round"),
        Column("suite"),
        Column("score"),
        Column("tokens"),
        Column("tried", flows=True),
    )
    show_table(columns, [_cells(row) for row in rows])


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    tried = ", ".join(f"{one['track']} {one['outcome']}" for one in row["attempts"])
    score = "" if row["average"] is None else f"{row['average']:.2f}"
    tokens = f"{(row['cost'] or {}).get('tokens', 0):,}"
    told = row["account"][-1] if row["account"] else "nothing is known of it"
    if row["state"] == "running":
        told = f"running: {told}"
    return row["id"], row["suite"], score, tokens, tried or told


async def _history(hs: "Hammerstone", suite: str | None) -> list[Any]:
    from hammerstone.serve.evolution_view import attempt_json, round_json

    attempts = await hs.evolution.attempts()
    return [
        {
            **round_json(row),
            "attempts": [attempt_json(a) for a in reversed(attempts) if a.round_id == row.id],
        }
        for row in await hs.evolution.rounds(suite)
    ]


@app.command()
def show(
    round_id: Annotated[str, typer.Argument(help="A round's id, or its beginning.")],
    as_json: AsJson = False,
) -> None:
    """Show one round: the account, what was tried, and every verdict."""
    document = with_bench(lambda hs: _show(hs, round_id))
    if as_json:
        print_json(document)
        return
    _say_round(document)
    if document["verdicts"]:
        show_verdicts("case", document["verdicts"])


def show_verdicts(of: str, verdicts: list[dict[str, Any]]) -> None:
    """Verdicts as a table; `of` is what each is about."""
    columns = (
        Column(of),
        Column("score"),
        Column("rests on"),
        Column("cause"),
        Column("why", flows=True),
    )
    show_table(columns, [_verdict_cells(one) for one in verdicts])


def _verdict_cells(one: dict[str, Any]) -> tuple[str, ...]:
    """What a score rests on and says; where it failed, also why, with the evidence."""
    found = one["finding"]
    cause = f"{found['kind']}: {found['cause']}" if found else ""
    why = [one["why"], *([found["why"], *found["evidence"]] if found else [])]
    return one["case"], f"{one['score']:.2f}", one["source"], cause, "; ".join(filter(None, why))


async def _show(hs: "Hammerstone", round_id: str) -> dict[str, Any]:
    from hammerstone.serve.evolution_view import round_document

    return await round_document(hs, round_id)
