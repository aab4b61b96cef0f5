"""`hammerstone experiments`: variants of policies or prompts, side by side on sessions."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.core.formatting import moment
from hammerstone.serve.cli.output import AsJson, hint, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import Column, show_table

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone

app = typer.Typer(
    help="Try other numbers or prompts on a part of the sessions.", no_args_is_help=True
)

Id = Annotated[str, typer.Argument(help="The experiment's id, or how it begins.")]


@app.command()
def start(
    title: Annotated[str, typer.Argument(help="What it is about, in a few words.")],
    variant: Annotated[
        list[str],
        typer.Option(
            help="NAME:POLICY.FIELD=VALUE or NAME:prompt/NAME=@FILE; the same NAME adds to it."
        ),
    ],
    metric: Annotated[
        str,
        typer.Option(
            help="success, confirmed, reuse, cached, model_calls, tokens, seconds or usd."
        ),
    ] = "success",
    guard: Annotated[
        list[str] | None, typer.Option(help="What may not get worse; it ends the experiment.")
    ] = None,
    minimum: Annotated[
        float, typer.Option(min=0.0, help="The least gain that would be worth it.")
    ] = 0.0,
    days: Annotated[int | None, typer.Option(min=1, help="How many days at most.")] = None,
    as_json: AsJson = False,
) -> None:
    """Start an experiment. What is used now is one of its variants, by itself."""
    made = _start(title, variant, metric, guard, minimum, days)
    if as_json:
        print_json(made)
        return
    say(f"Experiment {made['id']} runs: {made['title']}", style="bold")
    hint(f"What is known so far: hammerstone experiments show {made['id']}")


def _start(
    title: str,
    variants: list[str],
    metric: str,
    guards: list[str] | None,
    minimum: float,
    days: int | None,
) -> dict[str, Any]:
    from hammerstone.app.learning.experiments import plan_of

    given: dict[str, dict[str, Any]] = {}
    for text in variants:
        name, knob, value = _variant(text)
        given.setdefault(name, {})[knob] = value

    async def begin(hs: "Hammerstone") -> dict[str, Any]:
        plan = plan_of(hs.policies, metric, guards, minimum, days)
        made = await hs.experiments.start(title, given, plan, who=hs.settings.user)
        return made.to_json()

    return with_engine(begin)


def _variant(text: str) -> tuple[str, str, Any]:
    from hammerstone.core.errors import BadRequest

    name, colon, rest = text.partition(":")
    knob, equals, value = rest.partition("=")
    if not (colon and equals and name and knob):
        raise BadRequest(
            f"{text!r} is not of the form NAME:POLICY.FIELD=VALUE",
            hint="--variant careful:fit.high=0.9",
        )
    if value.startswith("@"):
        path = Path(value[1:])
        if not path.is_file():
            raise BadRequest(f"there is no file {path}", hint="check its name")
        return name, knob, path.read_text(encoding="utf-8")
    try:
        return name, knob, json.loads(value)
    except ValueError:
        return name, knob, value


@app.command("list")
def list_experiments(as_json: AsJson = False) -> None:
    """List experiments, newest first, with how each ended."""
    made = with_engine(lambda hs: hs.experiments.list())
    rows: list[dict[str, Any]] = [one.to_json() for one in made]
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell("There are no experiments yet.")
        return
    columns = (
        Column("id"),
        Column("title", flows=True),
        Column("metric", leaves=1),
        Column("started", leaves=2),
        Column("outcome"),
    )
    show_table(
        columns,
        [
            (
                row["id"],
                row["title"],
                row["metric"],
                moment(row["started_at"]),
                row["outcome"] or row["state"],
            )
            for row in rows
        ],
    )


@app.command()
def show(experiment: Id, as_json: AsJson = False) -> None:
    """Show what is known of an experiment, and what was known on each day."""
    shown: dict[str, Any] = with_engine(lambda hs: hs.experiments.document(experiment))
    if as_json:
        print_json(shown)
        return
    state = shown["outcome"] or shown["state"]
    say(f"{shown['title']} ({shown['id']}): {state}", style="bold")
    reason = shown["reason"] or shown["report"]["reason"]
    if reason:
        say(reason)
    for variant in shown["variants"]:
        changes = ", ".join(f"{k}={_short(v)}" for k, v in variant["changes"].items())
        say(f"  {variant['name']}: {changes or 'what is used now'}")
    _numbers("now", shown["report"])
    for look in shown["looks"]:
        _numbers(f"day {look['day']}", look)


def _numbers(about: str, report: dict[str, Any]) -> None:
    for one in [*report["variants"], *report["guards"]]:
        known = "not known yet"
        if one["low"] is not None:
            known = f"gain {one['gain']:+.3g} ({one['low']:+.3g} to {one['high']:+.3g})"
        sessions = f"{one['units'][0]} and {one['units'][1]} sessions"
        means = f"{one['means'][0]:.3g} and {one['means'][1]:.3g}"
        say(f"  {about}: {one['variant']}, {one['metric']}: {known}; {means} in {sessions}")


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 40 else f"{text[:39].splitlines()[0]}…"


@app.command()
def stop(
    experiment: Id, why: Annotated[str, typer.Option(help="The reason, kept with it.")] = ""
) -> None:
    """End an experiment; what is used by everybody else stays as it is."""
    ended = with_engine(
        lambda hs: hs.experiments.stop(experiment, who=hs.settings.user, why=why)
    ).to_json()
    say(f"Experiment {ended['id']} has ended: {ended['reason']}")


@app.command()
def look(as_json: AsJson = False) -> None:
    """Look at every running experiment now; this also happens by itself once a day."""
    ended = with_engine(_look)
    if as_json:
        print_json(ended)
        return
    for one in ended:
        say(f"{one['id']}  {one['outcome'] or one['state']}: {one['reason'] or 'it goes on'}")
    if not ended:
        tell("No experiment is running.")


async def _look(hs: "Hammerstone") -> list[dict[str, Any]]:
    running = [one for one in await hs.experiments.list() if str(one.state) == "running"]
    return [(await hs.experiments.look(one.id)).to_json() for one in running]
