"""`hammerstone search`: what a request would find, why, and how sure the fit is."""

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from hammerstone.core.formatting import count, percent
from hammerstone.serve.cli.completion import complete_tools
from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import Column, show_table

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone


class _RequestOrCommand(TyperGroup):
    """`hammerstone search "..."` is `hammerstone search find "..."`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands:
            args = ["find", *args]
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_RequestOrCommand,
    help="Which tools a request finds, and why.",
    no_args_is_help=True,
)

Tenant = Annotated[str, typer.Option("--user", help="Whose experience counts.")]


@app.command("find")
def find(
    query: Annotated[str, typer.Argument(help="What you would ask for.")],
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many tools to show.")] = 5,
    status: Annotated[
        list[str] | None, typer.Option(help="Only tools of this status; repeatable.")
    ] = None,
    effect: Annotated[
        list[str] | None, typer.Option(help="Only tools of this effect; repeatable.")
    ] = None,
    user: Tenant = "",
    as_json: AsJson = False,
) -> None:
    """Show which tools a request finds, why, and whether the first one fits."""
    found = _find(query, limit, status or [], effect or [], user)
    if as_json:
        print_json(found)
        return
    _show(found)


def _find(
    query: str, limit: int, statuses: list[str], effects: list[str], user: str
) -> dict[str, Any]:
    from hammerstone.core.tools import Effect, Status
    from hammerstone.library.search import Filters

    filters = Filters(
        statuses=frozenset(_chosen(Status, statuses)) if statuses else None,
        effects=frozenset(_chosen(Effect, effects)) if effects else None,
    )
    chosen = filters if statuses or effects else None
    return with_engine(
        lambda hs: hs.preview.of(query, user or hs.settings.user, limit=limit, filters=chosen)
    )


def _chosen(kind: Any, names: list[str]) -> list[Any]:
    from hammerstone.core.errors import BadRequest

    try:
        return [kind(name) for name in names]
    except ValueError:
        known = ", ".join(str(each) for each in kind)
        raise BadRequest(
            f"no such {kind.__name__.lower()}: {', '.join(names)}", hint=known
        ) from None


def _show(found: dict[str, Any]) -> None:
    if found["words_only"]:
        tell(f"Searched by words only: {found['words_only']}", style="yellow")
    if not found["hits"]:
        say("Nothing in the library comes close.")
        return
    columns = (
        Column("tool"),
        Column("score", right=True),
        Column("where the score comes from", flows=True),
    )
    rows = [(hit["name"], f"{hit['score']:.2f}", hit["explanation"]) for hit in found["hits"]]
    show_table(columns, rows)
    fit = found["fit"]
    say(f"How likely {found['hits'][0]['name']} fits: {percent(fit['probability'])}.")
    for step in (found["plan"] or {"steps": []})["steps"]:
        sure = "" if step["fit"] is None else f" ({percent(step['fit'])})"
        for_what = f"For {step['text']!r} it would"
        ran = f"run {step['tool']}{sure}" if step["tool"] else "write new solutions: no tool fits"
        say(f"{for_what} {ran}.")
    if found["skill"]:
        name, sure = found["skill"]["name"], found["skill"]["probability"]
        say(f"It would work by the skill {name} ({percent(sure)}).")
    if fit["signals"]:
        signals = ", ".join(f"{name} {value:.2f}" for name, value in fit["signals"].items())
        say(f"Signals: {signals}", style="dim")


@app.command("refit")
def refit(user: Tenant = "", as_json: AsJson = False) -> None:
    """Adjust the decision whether a tool fits to your past requests; kept only if better."""
    done = with_engine(lambda hs: _refit(hs, user))
    if as_json:
        print_json(done)
        return
    say(f"{'kept' if done['kept'] else 'not kept'}: {done['reason']}")
    for name in ("before", "after"):
        if done[name]:
            values = ", ".join(f"{key} {value}" for key, value in done[name].items())
            say(f"{name} (held-out tools): {values}")


async def _refit(hs: "Hammerstone", user: str) -> dict[str, Any]:
    tenant = user or hs.settings.user
    return (await hs.search.refit(tenant, who=hs.settings.user)).to_json()


@app.command("forget")
def forget(
    tool: Annotated[
        str,
        typer.Argument(
            help="The tool whose past requests are forgotten.", autocompletion=complete_tools
        ),
    ] = "",
    gate: Annotated[
        bool, typer.Option("--gate", help="Back to the decision that was shipped.")
    ] = False,
    user: Tenant = "",
    as_json: AsJson = False,
) -> None:
    """Forget what was learned about finding a tool, or about when a tool fits."""
    from hammerstone.core.errors import BadRequest

    if not tool and not gate:
        raise BadRequest("nothing is named", hint="name a tool, or --gate")
    done = with_engine(lambda hs: _forget(hs, tool, gate, user))
    if as_json:
        print_json(done)
        return
    past = count(done["requests"], "past request")
    say(f"{past} forgotten." if tool else "The decision that was shipped is in use again.")


async def _forget(hs: "Hammerstone", tool: str, gate: bool, user: str) -> dict[str, Any]:
    tenant = user or hs.settings.user
    gone = await hs.search.forget(tool, tenant) if tool else 0
    if gate:
        await hs.search.forget_gate(tenant, who=hs.settings.user)
    return {"requests": gone, "gate": gate}
