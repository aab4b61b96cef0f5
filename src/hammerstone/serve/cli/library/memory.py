"""`hammerstone memory`: what is remembered, and changing it."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.core.formatting import count, moment
from hammerstone.serve.cli.completion import complete_sessions
from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone

app = typer.Typer(help="What is remembered about you.", no_args_is_help=True)


@app.command()
def show(as_json: AsJson = False) -> None:
    """Show your rules, who you are, facts, and the log of today and yesterday."""
    shown = with_engine(_show)
    if as_json:
        print_json(shown)
        return
    for name, lines in shown["layers"].items():
        if lines:
            say(name, style="bold")
        for line in lines:
            source = f"  ({', '.join(filter(None, (line['day'], line['source'])))})"
            say(f"  {line['text']}{source if line['day'] or line['source'] else ''}")
    tell(f"The files are in {shown['folder']}; edit them as you like.")


async def _show(hs: "Hammerstone") -> dict[str, Any]:
    from hammerstone.library.memory import Layer

    user, layers = hs.settings.user, hs.memory.layers
    found = {str(layer): layers.lines(user, layer) for layer in Layer}
    found["log"] = layers.log(user)
    return {
        "folder": str(layers.folder_of(user)),
        "layers": {
            name: [
                {"text": one.text, "day": str(one.day or ""), "source": one.source} for one in lines
            ]
            for name, lines in found.items()
        },
    }


@app.command()
def remember(
    text: Annotated[str, typer.Argument(help="One statement: a rule, a fact, a preference.")],
    layer: Annotated[
        str | None,
        typer.Option(help="rules, identity, user or memory; chosen by the words without it."),
    ] = None,
) -> None:
    """Keep a statement; an earlier one about the same is replaced."""
    say(_remember(text, layer))


def _remember(text: str, layer: str | None) -> str:
    from hammerstone.core.errors import BadRequest
    from hammerstone.guard.request import check_request
    from hammerstone.library.memory import Layer
    from hammerstone.library.memory.memory_instructions import MemoryInstruction, layer_of

    clean = check_request(text)
    if layer is not None and layer not in [*Layer]:
        raise BadRequest(f"there is no layer {layer!r}", hint=", ".join(Layer))
    statement = MemoryInstruction(clean, Layer(layer) if layer else layer_of(clean))

    async def keep(hs: "Hammerstone") -> str:
        return hs.memory.remember(hs.settings.user, statement, "command line")

    return with_engine(keep)


@app.command()
def forget(
    about: Annotated[str | None, typer.Argument(help="Words of what is to be forgotten.")] = None,
    session: Annotated[
        str | None,
        typer.Option(
            help="Forget what was said in this session instead.", autocompletion=complete_sessions
        ),
    ] = None,
) -> None:
    """Forget remembered lines that say this, or a whole session."""
    from hammerstone.core.errors import BadRequest

    if (about is None) == (session is None):
        raise BadRequest("say what to forget", hint="words, or --session ID")
    gone = with_engine(lambda hs: _forget(hs, about or "", session))
    for line in gone:
        say(f"forgotten: {line}")
    if not gone:
        tell("Nothing like that is remembered.")
        raise typer.Exit(1)


async def _forget(hs: "Hammerstone", about: str, session: str | None) -> list[str]:
    if session is None:
        return hs.memory.forget(hs.settings.user, about)
    gone = await hs.memory.forget_session(hs.settings.user, session)
    return [f"{count(gone, 'exchange')} of session {session}"] if gone else []


@app.command()
def search(
    text: Annotated[str, typer.Argument(help="What it was about.")],
    limit: Annotated[int, typer.Option(min=1, max=50, help="How many at most.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Find earlier exchanges by meaning and words."""
    found = [
        {
            "score": found.score,
            "at": found.exchange.at.isoformat(),
            "session_id": found.exchange.session_id,
            "run_id": found.exchange.run_id,
            "request": found.exchange.request,
            "answer": found.exchange.answer,
        }
        for found in with_engine(lambda hs: hs.memory.search(hs.settings.user, text, limit))
    ]
    if as_json:
        print_json(found)
        return
    if not found:
        tell("Nothing like that was said.")
    for one in found:
        say(f"{one['score']:.2f}  {moment(one['at'])}  session {one['session_id']}")
        say(f"      asked: {one['request']}\n      answered: {one['answer']}")


@app.command()
def path() -> None:
    """Print the folder of your memory files."""
    from hammerstone.core.clock import SystemClock
    from hammerstone.core.settings import load_settings
    from hammerstone.library.memory.layers import Layers

    settings = load_settings()
    layers = Layers(settings.data_dir / "memory", SystemClock())
    say(str(layers.folder_of(settings.user)))
