"""`hammerstone model adapters`: files that change how the embedded model writes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.core.formatting import size
from hammerstone.serve.cli.output import AsJson, print_json, say
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import Column, show_table

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.library.prompting.own_adapters import OwnAdapters

app = typer.Typer(
    help="Adapters of the embedded model: list, add, use, remove.", no_args_is_help=True
)
Name = Annotated[str, typer.Argument(help="The adapter's name, `shipped`, or `off`.")]


@app.command("list")
def list_adapters(as_json: AsJson = False) -> None:
    """List the adapters that are kept here, and which one is in use."""
    rows, active = with_engine(_list)
    if as_json:
        print_json({"active": active, "adapters": rows})
        return
    columns = (
        Column("adapter"), Column("in use"), Column("size", leaves=1),
        Column("used for", leaves=2), Column("made by", leaves=3),
    )  # fmt: skip
    shown = [
        (row["name"], "yes" if row["name"] == active else "", row["size"], row["for"], row["by"])
        for row in rows
    ]
    show_table(columns, shown)


@app.command()
def add(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A GGUF LoRA file.")],
    name: Annotated[str, typer.Option(help="Its name here; the file's by default.")] = "",
    only_solutions: Annotated[
        bool, typer.Option("--only-solutions", help="Use it for solutions, not for all.")
    ] = False,
) -> None:
    """Check an adapter and keep a copy of it. It is not used by that."""
    from hammerstone.models.local.lora import SOLUTIONS

    purposes = tuple(sorted(SOLUTIONS)) if only_solutions else ()

    async def put(adapters: "OwnAdapters") -> str:
        made = adapters.shelf.add(file, name or file.stem, purposes=purposes, made_by="a person")
        return made.name

    kept = with_engine(lambda hs: _with(hs, put))
    say(f"{kept} is kept. Use it with: hammerstone model adapters use {kept}")


@app.command("use")
def use_adapter(
    name: Name, why: Annotated[str, typer.Option(help="The reason, kept with the change.")] = ""
) -> None:
    """Use an adapter from the next start of the model on; `hammerstone undo` takes it back."""
    from hammerstone.core.settings import load_settings

    user = load_settings().user

    async def put(adapters: "OwnAdapters") -> str:
        reason = why or "a person chose it"
        return await adapters.activate(name, who=user, why=reason)

    before = with_engine(lambda hs: _with(hs, put))
    say(f"In use: {name} (before: {before}). Stop a running model with: hammerstone model stop")


@app.command()
def remove(name: Name) -> None:
    """Delete an adapter that is not in use."""

    async def drop(adapters: "OwnAdapters") -> None:
        adapters.shelf.remove(name)

    with_engine(lambda hs: _with(hs, drop))
    say(f"{name} is gone.")


async def _list(hs: "Hammerstone") -> tuple[list[dict[str, Any]], str]:
    adapters = hs.adapters
    rows: list[dict[str, Any]] = [
        {"name": "shipped", "size": "", "for": "solutions", "by": "the package"}
    ]
    for one in adapters.list():
        rows.append(
            {
                "name": one.name,
                "size": size(one.path.stat().st_size),
                "for": ", ".join(one.purposes) or "everything",
                "by": one.made_by,
            }
        )
    return rows, adapters.active


async def _with(hs: "Hammerstone", work: Any) -> Any:
    return await work(hs.adapters)
