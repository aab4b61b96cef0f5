"""`hammerstone skills`: Agent Skills in the library."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.core.formatting import count, size
from hammerstone.serve.cli.completion import complete_skills
from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import Column, show_table

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone

app = typer.Typer(help="Agent Skills: folders with a SKILL.md.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The skill's name.", autocompletion=complete_skills)]
Place = Annotated[Path, typer.Argument(help="A skill's folder, its SKILL.md, or a zip.")]


@app.command("list")
def list_skills(
    everything: Annotated[
        bool, typer.Option("--all", help="Also those that only the agent starts.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the skills that you can start."""
    rows = [skill.to_json() for skill in with_engine(lambda hs: hs.skills.list())]
    rows = [row for row in rows if everything or row["user_invocable"]]
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell("There are no skills. Add one: hammerstone skills import FOLDER")
        return
    shown = []
    for row in rows:
        mark = "" if row["user_invocable"] else " (for agents only)"
        mark += "" if row["agent_invocable"] else " (for people only)"
        shown.append((row["name"], f"{row['description']}{mark}"))
    show_table((Column("skill"), Column("what it is for", flows=True)), shown)


@app.command()
def show(
    name: Name,
    file: Annotated[str | None, typer.Option(help="Print one file of the skill instead.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show a skill: its text, its files, and what was found in them."""
    shown = with_engine(lambda hs: _show(hs, name, file))
    if file is not None:
        say(shown["text"], end="")
        return
    if as_json:
        print_json(shown)
        return
    say(f"{shown['name']} ({shown['source']})", style="bold")
    say(f"{shown['description']}\n")
    say(shown["body"])
    if shown["files"]:
        say("\nFiles:", style="bold")
    for each in shown["files"]:
        say(f"  {each['path']} ({size(each['bytes'])})")
    if shown["findings"]:
        say("\nFound in them:", style="bold")
    for each in shown["findings"]:
        line = f":{each['line']}" if each["line"] else ""
        say(f"  {each['severity']}: {each['path']}{line}: {each['text']}")


async def _show(hs: "Hammerstone", name: str, file: str | None) -> dict[str, Any]:
    skill = await hs.skills.open(name)
    if file is not None:
        return {"text": await hs.skills.text(skill, file)}
    return skill.to_json()


@app.command()
def validate(path: Place, as_json: AsJson = False) -> None:
    """Check a skill by the rules of agentskills.io, without adding it."""
    found = with_engine(lambda hs: _validate(hs, path))
    if as_json:
        print_json(found)
    else:
        for problem in found["problems"]:
            say(f"{problem['severity']}: {problem['field']}: {problem['text']}")
        for each in found["findings"]:
            say(f"{each['severity']}: {each['path']}: {each['text']}")
        say("valid" if found["valid"] else "not valid")
    if not found["valid"]:
        raise typer.Exit(2)


async def _validate(hs: "Hammerstone", path: Path) -> dict[str, Any]:
    from hammerstone.library.skills.inspection import inspect_files

    bundle = hs.skills.read(path)
    checked = hs.skills.check(bundle)
    return {
        "valid": not checked.errors,
        "problems": [problem.to_json() for problem in checked.problems],
        "findings": inspect_files(bundle.files),
    }


@app.command("import")
def import_skill(
    path: Place,
    replace: Annotated[bool, typer.Option(help="Replace one of the same name.")] = False,
    as_json: AsJson = False,
) -> None:
    """Add a skill: it is checked and scanned, and requests find it from then on."""
    taken = with_engine(lambda hs: _import(hs, path, replace))
    if as_json:
        print_json(taken)
        return
    for problem in taken["problems"]:
        tell(f"{problem['severity']}: {problem['field']}: {problem['text']}")
    for each in taken["findings"]:
        tell(f"{each['severity']}: {each['path']}: {each['text']}")
    say(f"{taken['name']} is in the library.")


async def _import(hs: "Hammerstone", path: Path, replace: bool) -> dict[str, Any]:
    bundle = await asyncio.to_thread(hs.skills.read, path)
    taken = await hs.skills.add(bundle, replace=replace)
    return {
        "name": taken.skill.name,
        "digest": taken.skill.digest,
        "files": len(taken.skill.files),
        "replaced": taken.replaced,
        "problems": [problem.to_json() for problem in taken.problems],
        "findings": [dict(each) for each in taken.skill.findings],
    }


@app.command()
def export(
    name: Annotated[str, typer.Argument(help="A tool of the library, or a skill.")],
    target: Annotated[Path, typer.Argument(help="The folder that the skill's folder is put into.")],
    as_json: AsJson = False,
) -> None:
    """Write a tool or a skill as a folder that other agents can use."""
    folder, files = with_engine(lambda hs: _export(hs, name, target))
    if as_json:
        print_json({"folder": str(folder), "files": files})
    else:
        say(str(folder))


async def _export(hs: "Hammerstone", name: str, target: Path) -> tuple[Path, list[str]]:
    from hammerstone.library.skills.export import skill_name, tool_files, write_files

    tool = await hs.tools.find(name)
    if tool is not None:
        shown = await hs.sharing.tool_for(tool, hs.settings.user)
        called, files = skill_name(name), tool_files(shown)
    else:
        skill = await hs.skills.open(name)
        called, files = skill.name, await hs.skills.files(skill)
    # The folder has to be called like the skill; anything else is the folder it goes into.
    folder = target if target.name == called else target / called
    return write_files(files, folder), sorted(files)


@app.command()
def run(
    name: Name,
    script: Annotated[str | None, typer.Option(help="One script, as scripts/NAME.py.")] = None,
    inputs: Annotated[
        str | None, typer.Option("--input", help="The input as JSON; for a script, its stdin.")
    ] = None,
    argument: Annotated[list[str] | None, typer.Option("--arg", help="For a script.")] = None,
    file: Annotated[
        list[Path] | None, typer.Option(help="A file to work with; it is under /files.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for files it produced.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run a skill: its plan or its script, in the sandbox."""
    done = with_engine(lambda hs: _run(hs, name, script, inputs, argument or [], file or []))
    if out is not None and done.artifacts:
        out.mkdir(parents=True, exist_ok=True)
        for artifact in done.artifacts:
            (out / artifact.name).write_bytes(artifact.content)
    if as_json:
        print_json(done.to_json())
    elif done.ok:
        value = done.value
        say(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    else:
        tell(f"error: {done.error}", style="red")
    if not done.ok:
        raise typer.Exit(1)


async def _run(
    hs: "Hammerstone",
    name: str,
    script: str | None,
    inputs: str | None,
    argv: list[str],
    files: list[Path],
) -> Any:
    from hammerstone.library.skills.running.scripts import ScriptCall

    if script is not None or argv or files:
        named = {path.name: path for path in files}
        call = ScriptCall(argv=argv, stdin=inputs or "", files=named or None)
        return await hs.skill_runs.run_script(name, script, call)
    return await hs.skill_runs.run(name, _read(inputs))


def _read(inputs: str | None) -> Any:
    if inputs is None:
        return {}
    try:
        return json.loads(inputs)
    except ValueError:
        return inputs


@app.command()
def generate(
    folder: Annotated[Path, typer.Argument(help="A folder of documentation.")],
    target: Annotated[
        Path | None, typer.Argument(help="Where to write it; into the library without.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="The skill's name; else the folder's.")] = None,
    model: Annotated[bool, typer.Option(help="Let a model write the description.")] = True,
    replace: Annotated[bool, typer.Option(help="Replace one of the same name.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make a skill from documentation: an index to read, pages to open on demand."""
    made = with_engine(lambda hs: _generate(hs, folder, target, name, model, replace))
    if as_json:
        print_json(made)
    else:
        say(f"{made['name']}: {made['description']}")
        tell(f"{count(made['files'], 'file')} in {made['where']}")


async def _generate(
    hs: "Hammerstone",
    folder: Path,
    target: Path | None,
    name: str | None,
    model: bool,
    replace: bool,
) -> dict[str, Any]:
    from hammerstone.library.skills.export import write_files

    bundle = await hs.skill_runs.generate(folder, name, model=model)
    checked = hs.skills.check(bundle)
    description = checked.document.fields["description"] if checked.document else ""
    where = "the library"
    if target is not None:
        called = bundle.folder or ""
        place = target if target.name == called else target / called
        where = str(write_files(bundle.files, place))
    else:
        await hs.skills.add(bundle, replace=replace)
    return {
        "name": bundle.folder,
        "description": description,
        "files": len(bundle.files),
        "where": where,
    }


@app.command()
def remove(name: Name, as_json: AsJson = False) -> None:
    """Delete a skill and its files from the library."""
    with_engine(lambda hs: hs.skills.remove(name))
    if as_json:
        print_json({"removed": name})
    else:
        say(f"{name} is deleted.")


@app.command()
def find(
    text: Annotated[str, typer.Argument(help="What you want to do.")],
    limit: Annotated[int, typer.Option(min=1, max=50, help="How many at most.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Find skills by meaning and words."""
    hits = [hit.to_json() for hit in with_engine(lambda hs: hs.skills.find(text, limit=limit))]
    if as_json:
        print_json(hits)
        return
    if not hits:
        tell("No skill fits.")
    for hit in hits:
        say(f"{hit['name']} ({hit['explanation']}): {hit['description']}")
