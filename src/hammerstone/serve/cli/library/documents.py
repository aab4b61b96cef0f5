"""`hammerstone documents`: what people know, to be asked about."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.core.formatting import count, moment, size
from hammerstone.serve.cli.output import AsJson, console, hint, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import Column, show_table

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.json_types import JsonObject
    from hammerstone.library.documents.documents import IngestStep

app = typer.Typer(help="Documents that answers are quoted from.", no_args_is_help=True)

Document = Annotated[str, typer.Argument(help="A document: its number, or its file's name.")]
_MOST_PROBLEMS = 20


@app.command()
def add(
    source: Annotated[str, typer.Argument(help="A folder, a file, or a page's address.")],
    as_json: AsJson = False,
) -> None:
    """Read a folder, a file or a page; `ask` answers from it from then on."""
    report = with_engine(lambda hs: _add(hs, source))
    if as_json:
        print_json(report)
        return
    _show_report(report)
    hint('hammerstone ask "..." answers from your documents, with the passage')


async def _add(hs: "Hammerstone", source: str) -> "JsonObject":
    with console(stderr=True).status("reading") as status:
        report = await hs.documents.add(source, on_step=lambda at: status.update(_in_words(at)))
    return report.to_json()


def _in_words(step: "IngestStep") -> str:
    from rich.markup import escape

    if step.path:
        return f"reading {escape(step.path)} ({step.done + 1} of {step.of})"
    return f"making pieces ready to be found by their meaning: {step.done} of {step.of}"


@app.command()
def refresh(as_json: AsJson = False) -> None:
    """Read again what changed, and forget what is gone."""
    reports = with_engine(_refresh)
    if as_json:
        print_json(reports)
        return
    if not reports:
        tell("There are no documents. Add some: hammerstone documents add FOLDER")
    for report in reports:
        _show_report(report)


async def _refresh(hs: "Hammerstone") -> list["JsonObject"]:
    with console(stderr=True).status("reading") as status:
        reports = await hs.documents.refresh(on_step=lambda at: status.update(_in_words(at)))
    return [one.to_json() for one in reports]


def _show_report(report: Any) -> None:
    done = [f"{count(report['read'], 'document')} read"]
    if report["read"]:
        done[0] += f" ({size(report['bytes'])}, {count(report['chunks'], 'piece')})"
    done += [f"{report['unchanged']} unchanged"] if report["unchanged"] else []
    done += [f"{report['forgotten']} forgotten"] if report["forgotten"] else []
    say(f"{report['source']}: {', '.join(done)}")
    problems = report["problems"]
    for each in problems[:_MOST_PROBLEMS]:
        tell(f"  {each['file']}: {_why(each['state'], each['why'])}")
    if len(problems) > _MOST_PROBLEMS:
        tell(f"  and {len(problems) - _MOST_PROBLEMS} more: hammerstone documents list")


def _why(state: str, note: str) -> str:
    if state == "read":
        return note
    return f"{state}: {note}" if note else state


@app.command("list")
def list_documents(as_json: AsJson = False) -> None:
    """List the documents, and whether each could be read."""
    found = with_engine(lambda hs: hs.documents.list())
    rows: list[dict[str, Any]] = [row.to_json() for row in found]
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell("There are no documents. Add some: hammerstone documents add FOLDER")
        return
    shown = [
        (
            str(row["id"]),
            row["file"],
            row["title"],
            _why(row["state"], row["note"]) or "read",
            size(row["bytes"]),
        )
        for row in rows
    ]
    show_table(
        (
            Column("no."),
            Column("file"),
            Column("title", flows=True),
            Column("state", flows=True),
            Column("size"),
        ),
        shown,
    )


@app.command()
def show(document: Document, as_json: AsJson = False) -> None:
    """Show a document as it was read: its text, piece by piece, with lines."""
    shown = with_engine(lambda hs: _show(hs, document))
    if as_json:
        print_json(shown)
        return
    say(f"{shown['title']} ({shown['source']}, {shown['file']})", style="bold")
    say(f"{_why(shown['state'], shown['note']) or 'read'}, {moment(shown['at'])}")
    for piece in shown["pieces"]:
        where = f"page {piece['page']}" if piece["page"] else f"line {piece['line']}"
        say(f"\n[{where}] {piece['section']}", style="bold")
        say(piece["text"])


async def _show(hs: "Hammerstone", document: str) -> dict[str, Any]:
    row = await hs.documents.named(document)
    pieces = [
        {"line": c.first_line, "page": c.page, "section": c.section, "text": c.text}
        for c in await hs.documents.chunks(row)
    ]
    return {**row.to_json(), "pieces": pieces}


@app.command()
def search(
    question: Annotated[str, typer.Argument(help="What you are looking for.")],
    limit: Annotated[int, typer.Option(min=1, max=50, help="How many passages.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Find passages, best first; no model is asked."""
    found = with_engine(lambda hs: _search(hs, question, limit))
    if as_json:
        print_json(found)
        return
    if not found:
        tell("Nothing was found.")
    for number, each in enumerate(found, 1):
        where = f"page {each['page']}" if each["page"] else f"line {each['line']}"
        say(f"{number}. {each['file']}, {where} ({each['score']:.2f})", style="bold")
        if each["section"]:
            say(f"   {each['section']}")
        say("\n".join(f"   {line}" for line in str(each["quote"]).split("\n")))


async def _search(hs: "Hammerstone", question: str, limit: int) -> list["JsonObject"]:
    found = await hs.documents.search(question, limit=limit)
    return [one.to_json() for one in found]


@app.command()
def remove(
    name: Annotated[str, typer.Argument(help="What was added, or one document of it.")],
    as_json: AsJson = False,
) -> None:
    """Forget a source or a document; the files themselves stay."""
    gone = with_engine(lambda hs: hs.documents.remove(name))
    if as_json:
        print_json({"forgotten": gone})
    else:
        say(f"{count(gone, 'document')} forgotten.")
