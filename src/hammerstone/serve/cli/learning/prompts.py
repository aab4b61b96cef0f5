"""`hammerstone prompts`: what a model is told, other texts for it, and how well each did."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.core.formatting import percent
from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import Column, show_table

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.prompt_versions import PromptScore

app = typer.Typer(
    help="The instructions that models get, and your own versions of them.", no_args_is_help=True
)

Name = Annotated[str, typer.Argument(help="The prompt's name.")]
Version = Annotated[str, typer.Argument(help="A number, `shipped`, or `in-force`.")]
File = Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The text.")]
SuiteOption = Annotated[str, typer.Option(help="The suite that was tried.")]
ModelOption = Annotated[str, typer.Option(help="The model that it was tried with.")]


@app.command("list")
def list_prompts(
    name: Annotated[str, typer.Argument(help="The versions of this prompt alone.")] = "",
    as_json: AsJson = False,
) -> None:
    """List the prompts, or the versions of one with where they come from and how they did."""
    if name:
        _show_versions(with_engine(lambda hs: _versions(hs, name)), as_json)
        return
    rows = with_engine(_list)
    if as_json:
        print_json(rows)
        return
    columns = (Column("prompt"), Column("text", leaves=1), Column("what it is for", flows=True))
    shown = [(r["name"], "yours" if r["own"] else "shipped", r["purpose"]) for r in rows]
    show_table(columns, shown)


def _show_versions(rows: list[Any], as_json: bool) -> None:
    if as_json:
        print_json(rows)
        return
    columns = (
        Column("version"), Column("from"), Column("in use", leaves=1), Column("score"),
        Column("cases"), Column("suite", leaves=2), Column("model", leaves=2),
        Column("made", leaves=3),
    )  # fmt: skip
    shown: list[tuple[str, ...]] = []
    for row in rows:
        head = (row["version"], row["origin"], "yes" if row["in_force"] else "")
        for score in row["scores"][:3] or [None]:
            told = (
                (percent(score["score"]), str(score["cases"]), score["suite"], score["model"])
                if score
                else ("not tried", "", "", "")
            )
            made = "" if row["version"] == "shipped" else row["created_at"][:16].replace("T", " ")
            shown.append((*head, *told, made))
    show_table(columns, shown)


@app.command()
def show(
    name: Name,
    version: Annotated[str, typer.Option(help="A number, or `shipped`.")] = "in-force",
) -> None:
    """Print a prompt as it is used now, or another version of it."""

    say(with_engine(lambda hs: hs.prompts.get(name, version)).text, end="", fold=False)


@app.command()
def diff(name: Name, first: Version, second: Version = "in-force") -> None:
    """Show what differs between two versions."""
    lines = with_engine(lambda hs: hs.prompts.difference(name, first, second))
    say(lines or "The two are the same.", fold=False)


@app.command("set")
def set_prompt(
    name: Name,
    file: File,
    why: Annotated[str, typer.Option(help="The reason, kept with the change.")],
) -> None:
    """Use a text of your own from now on; `hammerstone undo` takes it back."""
    text = file.read_text(encoding="utf-8")
    against = with_engine(lambda hs: hs.prompts.own.set(name, text, who=hs.settings.user, why=why))
    for line in against:
        tell(f"against it: {line}")


@app.command()
def add(
    name: Name, file: File, why: Annotated[str, typer.Option(help="What it is for.")] = ""
) -> None:
    """Keep a text as a version without using it, so that it can be tried."""
    from hammerstone.core.prompt_versions import PromptOrigin

    text = file.read_text(encoding="utf-8")
    made = with_engine(lambda hs: hs.prompts.add(name, text, PromptOrigin.PERSON, why=why))
    say(f"Version {made.number or 'shipped'} of {name}.")


@app.command()
def remove(name: Name, version: Version) -> None:
    """Take a stored version away, with its scores. The one in use stays."""
    gone = with_engine(lambda hs: hs.prompts.remove(name, version))
    say(f"Version {gone.number} of {name} is gone.")


@app.command()
def reset(name: Name) -> None:
    """Use the shipped text again."""
    with_engine(lambda hs: hs.prompts.own.reset(name, who=hs.settings.user))


@app.command()
def rollback(name: Name) -> None:
    """Use the version before the present one again."""
    made = with_engine(lambda hs: hs.prompts.rollback(name, who=hs.settings.user))
    say(f"In force: {f'version {made.number}' if made.number else 'the shipped text'}.")


@app.command("try")
def try_prompt(
    name: Name,
    version: Version = "in-force",
    suite: Annotated[str, typer.Option(help="Cases of your own: a suite's name.")] = "",
    requests: Annotated[
        Path | None, typer.Option(exists=True, help="Requests with known answers, check.py beside.")
    ] = None,
    model: Annotated[list[str] | None, typer.Option(help="One or several models.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most N requests.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run a version on a suite or on requests, and keep its score. Nothing is changed by it."""
    from hammerstone.core.errors import BadRequest

    if bool(suite) == (requests is not None):
        raise BadRequest("say what to try it on: --suite NAME or --requests FILE")
    places = (suite, requests, limit)
    scores = [asyncio.run(_try(name, version, places, one)) for one in (model or [""])]
    if as_json:
        print_json([one.to_json() for one in scores])
        return
    columns = (
        Column("model"),
        Column("score"),
        Column("cases"),
        Column("seconds"),
        Column("tokens"),
    )
    show_table(
        columns,
        [
            (one.model, percent(one.score), str(one.cases), f"{one.seconds:.0f}", f"{one.tokens:,}")
            for one in scores
        ],
    )


@app.command()
def best(
    name: Name,
    suite: SuiteOption = "",
    model: ModelOption = "",
    use: Annotated[bool, typer.Option("--use", help="Use it from now on.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the version with the best score, and with --use put it in use."""
    from hammerstone.core.errors import NotFound

    found = with_engine(lambda hs: _best(hs, name, suite, model, use))
    if found is None:
        raise NotFound(
            f"no version of {name} was tried", hint=f"hammerstone prompts try {name} --suite SUITE"
        )
    if as_json:
        print_json(found)
        return
    say(
        f"Version {found['version']}: {percent(found['score'])} on {found['cases']} cases of "
        f"{found['suite']} with {found['model']}."
    )
    if use:
        say(found["decision"])


async def _list(hs: "Hammerstone") -> list[Any]:
    from hammerstone.prompts import shipped, shipped_names

    return [
        {"name": name, "own": hs.prompts.own.is_own(name), "purpose": shipped(name).purpose}
        for name in shipped_names()
    ]


async def _versions(hs: "Hammerstone", name: str) -> list[Any]:
    from hammerstone.library.prompting.prompt_shelf import described

    return await described(hs.prompts, name)


async def _try(
    name: str, version: str, places: tuple[str, Path | None, int | None], model: str
) -> "PromptScore":
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.errors import NotFound
    from hammerstone.core.settings import load_settings
    from hammerstone.evaluation.answers.answer_rows import read_rows
    from hammerstone.evaluation.prompting.prompt_try import PromptTry
    from hammerstone.evaluation.suites.shelf import SuiteShelf

    suite, requests, limit = places
    settings = load_settings(**({"model": model} if model else {}))
    async with Hammerstone.open(settings) as hs:
        chosen = await hs.prompts.get(name, version)
        trial = PromptTry(name, chosen.text, settings, hs.policies)
        if requests is not None:
            report = await trial.on_requests(requests.name, read_rows(requests)[:limit])
        else:
            report = await trial.on_suite(SuiteShelf(settings).get(suite))
        kept = await hs.prompts.keep_score(chosen, report)
    if kept is None:
        raise NotFound(f"version {version} of {name} was removed meanwhile: its score is not kept")
    return kept


async def _best(
    hs: "Hammerstone", name: str, suite: str, model: str, use: bool
) -> dict[str, Any] | None:
    from hammerstone.library.prompting.prompt_shelf import label

    found = await hs.prompts.best(name, suite=suite, model=model)
    if found is None:
        return None
    version, score = found
    told: dict[str, Any] = {"version": label(version), **score.to_json()}
    if use:
        decision = await hs.prompts.use(version, score, who=hs.settings.user)
        told["decision"] = decision
    return told
