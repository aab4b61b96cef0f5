"""`hammerstone search`: what a request would find, why, and how sure the fit is."""

import asyncio
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from hammerstone.serve.cli.output import console, print_json


class _RequestOrCommand(TyperGroup):
    """`hammerstone search "..."` is `hammerstone search find "..."`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands:
            args = ["find", *args]
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_RequestOrCommand,
    help="Finding tools, and what was learned about it.",
    no_args_is_help=True,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
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
    """Show the tools that a request finds, what each score is made of, and whether one fits."""
    found = asyncio.run(_find(query, limit, status or [], effect or [], user))
    if as_json:
        print_json(found)
        return
    _show(found)


async def _find(
    query: str, limit: int, statuses: list[str], effects: list[str], user: str
) -> dict[str, Any]:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.tools import Effect, Status
    from hammerstone.library.search import Filters

    filters = Filters(
        statuses=frozenset(_chosen(Status, statuses)) if statuses else None,
        effects=frozenset(_chosen(Effect, effects)) if effects else None,
    )
    chosen = filters if statuses or effects else None
    async with Hammerstone.open() as hs:
        return await hs.preview.of(query, user or hs.settings.user, limit=limit, filters=chosen)


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
    from rich.markup import escape
    from rich.table import Table

    out = console()
    if found["words_only"]:
        out.print(f"[yellow]by words only:[/yellow] {escape(found['words_only'])}")
    if not found["hits"]:
        out.print("Nothing in the library comes close.")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("tool", "score", "made of"):
        table.add_column(column, justify="right" if column == "score" else "left")
    for hit in found["hits"]:
        table.add_row(escape(hit["name"]), f"{hit['score']:.2f}", hit["explanation"])
    out.print(table)
    fit = found["fit"]
    out.print(f"fit of the first: {fit['probability']:.0%} ({fit['band']})")
    for step in (found["plan"] or {"steps": []})["steps"]:
        sure = "" if step["fit"] is None else f" ({step['fit']:.0%})"
        out.print(f"would run {step['tool'] or 'a solution'}{sure}: {escape(step['text'])}")
    if found["skill"]:
        name, sure = found["skill"]["name"], found["skill"]["probability"]
        out.print(f"would work by the skill {name} ({sure:.0%})")
    if fit["signals"]:
        out.print(", ".join(f"{name} {value:.2f}" for name, value in fit["signals"].items()))


@app.command("refit")
def refit(user: Tenant = "", as_json: AsJson = False) -> None:
    """Fit the fit decision to your own past requests; kept only if it judges better."""
    done = asyncio.run(_refit(user))
    if as_json:
        print_json(done)
        return
    typer.echo(f"{'kept' if done['kept'] else 'not kept'}: {done['reason']}")
    for name in ("before", "after"):
        if done[name]:
            values = ", ".join(f"{key} {value}" for key, value in done[name].items())
            typer.echo(f"{name} (held-out tools): {values}")


async def _refit(user: str) -> dict[str, Any]:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        tenant = user or hs.settings.user
        return (await hs.search.refit(tenant, who=hs.settings.user)).to_json()


@app.command("forget")
def forget(
    tool: Annotated[str, typer.Argument(help="The tool whose past requests go.")] = "",
    gate: Annotated[bool, typer.Option("--gate", help="Back to the shipped fit decision.")] = False,
    user: Tenant = "",
    as_json: AsJson = False,
) -> None:
    """Undo what was learned about finding a tool, or about when a tool fits."""
    from hammerstone.core.errors import BadRequest

    if not tool and not gate:
        raise BadRequest("nothing to forget", hint="name a tool, or --gate")
    done = asyncio.run(_forget(tool, gate, user))
    if as_json:
        print_json(done)
        return
    typer.echo(
        f"{done['requests']} past requests forgotten" if tool else "the shipped gate is back"
    )


async def _forget(tool: str, gate: bool, user: str) -> dict[str, Any]:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        tenant = user or hs.settings.user
        gone = await hs.search.forget(tool, tenant) if tool else 0
        if gate:
            await hs.search.forget_gate(tenant, who=hs.settings.user)
        return {"requests": gone, "gate": gate}
