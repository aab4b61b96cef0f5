"""`hammerstone evolve judge|verdicts|sample`: what is said about requests, and your own word."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.serve.cli.learning.evolution.evolve import app, show_verdicts, with_bench
from hammerstone.serve.cli.output import AsJson, print_json, tell
from hammerstone.serve.cli.tables import Column, show_table

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone


@app.command()
def judge(
    last: Annotated[int, typer.Option(help="How many of your last requests.", min=1)] = 20,
    check: Annotated[bool, typer.Option(help="First measure the model as judge.")] = False,
    as_json: AsJson = False,
) -> None:
    """Judge your last requests: score, cause of failure, and notes for tools."""
    rows = with_bench(lambda hs: _judge(hs, last, check))
    if as_json:
        print_json(rows)
        return
    columns = (Column("run"), Column("score"), Column("cause"), Column("why", flows=True))
    cells = [
        (
            row["run_id"][:12],
            f"{row['score']:.2f}",
            row["finding"]["cause"] if row["finding"] else "",
            row["finding"]["why"] if row["finding"] else "",
        )
        for row in rows
    ]
    if cells:
        show_table(columns, cells)
    else:
        tell("There is no request to judge yet.")


async def _judge(hs: "Hammerstone", last: int, check: bool) -> list[Any]:
    from hammerstone.serve.evolution_view import judged_json

    if check:
        await hs.evolution.check_judge()
    runs = await hs.evolution.recent(hs.settings.user, last)
    return [judged_json(run) for run in await hs.evolution.judge(runs)]


@app.command()
def verdicts(
    limit: Annotated[int, typer.Option(help="At most so many.", min=1)] = 50,
    failed: Annotated[bool, typer.Option("--failed", help="Only of those that failed.")] = False,
    as_json: AsJson = False,
) -> None:
    """List what the judges said about requests, newest first."""
    rows = with_bench(lambda hs: _verdicts(hs, limit, failed))
    if as_json:
        print_json(rows)
    elif rows:
        show_verdicts("run", [{**row, "case": row["run_id"][:12]} for row in rows])
    else:
        tell("No request was judged yet: hammerstone evolve judge")


async def _verdicts(hs: "Hammerstone", limit: int, failed: bool) -> list[Any]:
    from hammerstone.serve.evolution_view import verdict_json

    rows = await hs.evolution.verdicts_of_requests(limit, failed=failed)
    return [verdict_json(row) for row in rows]


@app.command()
def sample(
    number: Annotated[int | None, typer.Argument(help="A sample's number.")] = None,
    right: Annotated[
        bool | None, typer.Option("--right/--wrong", help="Your word on this sample.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show requests drawn by chance with the judge's word, or say whether one was right."""
    from hammerstone.core.errors import BadRequest

    if (number is None) != (right is None):
        raise BadRequest("say which sample, and --right or --wrong")
    rows = with_bench(lambda hs: _sample(hs, number, right))
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell("No sample waits for you.")
        return
    columns = (
        Column("number"),
        Column("judge"),
        Column("you"),
        Column("asked", flows=True),
        Column("answered", flows=True),
        Column("why the judge says so", flows=True),
    )
    words = {True: "right", False: "wrong", None: ""}
    cells = [
        (
            str(row["id"]),
            f"{'failed' if row['failed'] else 'good'} ({row['score']:.2f})",
            words[row["right"]],
            row["asked"] or row["case"],
            "(not kept)" if row["given"] is None else row["given"],
            row["why"],
        )
        for row in rows
    ]
    show_table(columns, cells)


async def _sample(hs: "Hammerstone", number: int | None, right: bool | None) -> list[Any]:
    from hammerstone.serve.evolution_view import sample_json

    if number is not None and right is not None:
        return [
            await sample_json(hs, await hs.evolution.review(number, right, who=hs.settings.user))
        ]
    return [await sample_json(hs, row) for row in await hs.evolution.samples()]
