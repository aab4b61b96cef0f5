"""What begins with a slash in a chat."""

import shlex
import uuid
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from hammerstone.core.formatting import moment, shortened, size
from hammerstone.serve.cli.output import say, tell
from hammerstone.serve.cli.tables import Column, show_pairs, show_table
from hammerstone.serve.cli.terminal import one_line

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.serve.cli.requests.chat.chat import ChatSession

Command = Callable[["ChatSession", "Hammerstone", str], Awaitable[None]]

COMMANDS = (
    ("/help", "these commands"),
    ("/why", "how the last answer came about: call, steps, tool, tests"),
    ("/wrong", "the last answer is wrong; /wrong 8 says what is right"),
    ("/right", "the last answer is right"),
    ("/file", "give a file to the next request: /file PATH, or @PATH in the request"),
    ("/files", "files that were made in this session"),
    ("/copy", "copy the last answer"),
    ("/tools", "the tools of the library; /tools WORD finds some"),
    ("/sessions", "your last sessions; /sessions 2 goes on in the second"),
    ("/new", "a new session"),
    ("/model", "which model answers; /model NAME takes another one for this chat"),
    ("/quit", "leave (or Ctrl-D)"),
)
_KEYS = (
    ("Enter", "send"),
    ("Alt-Enter", "a new line; a backslash before Enter does the same"),
    ("Tab", "complete a command or a path"),
    ("Up", "what you typed before"),
    ("Ctrl-C", "stop the running request, or clear the line"),
)
_SESSIONS = 10
_TOOLS = 50


async def run_command(talk: "ChatSession", hs: "Hammerstone", line: str) -> None:
    """Do what a line such as `/file sales.csv` says; raises `BadRequest` for an unknown one."""
    from hammerstone.core.errors import BadRequest

    name, _, rest = line.partition(" ")
    command = _BY_NAME.get(name)
    if command is None:
        raise BadRequest(f"there is no command {name}", hint="/help lists them")
    await command(talk, hs, rest.strip())


async def _help(talk: "ChatSession", hs: "Hammerstone", rest: str) -> None:
    tell('Ask for anything, and refer back: "now do that for 300", "the second one".')
    show_pairs([*COMMANDS, *_KEYS])


async def _why(talk: "ChatSession", hs: "Hammerstone", rest: str) -> None:
    from hammerstone.serve.cli.requests.why import explanation, show_explanation

    if talk.last is None:
        tell("There is no answer yet.")
        return
    show_explanation(await explanation(hs, talk.last.run_id))


async def _wrong(talk: "ChatSession", hs: "Hammerstone", rest: str) -> None:
    from hammerstone.app.questions.feedback import UNSTATED
    from hammerstone.run.understand.spoken_feedback import stated_value

    stated = stated_value(rest) if rest else UNSTATED
    say((await hs.feedback.wrong(stated, session=talk.session)).text)


async def _right(talk: "ChatSession", hs: "Hammerstone", rest: str) -> None:
    say((await hs.feedback.right(session=talk.session)).text)


async def _file(talk: "ChatSession", hs: "Hammerstone", rest: str) -> None:
    from hammerstone.core.errors import BadRequest
    from hammerstone.serve.cli.requests.chat.chat_files import file_at

    try:
        words = shlex.split(rest)
    except ValueError:
        words = [rest]
    if not words:
        raise BadRequest("which file?", hint="/file PATH")
    for word in words:
        path = file_at(word)
        if not path.is_file():
            raise BadRequest(f"there is no file {path}", hint="Tab completes a path")
        talk.files.append(path)
        tell(f"{path.name} goes with your next request.")


async def _files(talk: "ChatSession", hs: "Hammerstone", rest: str) -> None:
    rows = await hs.files.list(session=talk.session)
    if not rows:
        tell("No files were made in this session.")
        return
    columns = (Column("file"), Column("size", right=True), Column("fetch it with", flows=True))
    fetch = "hammerstone files get"
    show_table(columns, [(r.name, size(r.size_bytes), f"{fetch} {r.id}") for r in rows])


async def _copy(talk: "ChatSession", hs: "Hammerstone", rest: str) -> None:
    from hammerstone.serve.cli.requests.chat.clipboard import copy_text

    tell("There is no answer yet." if talk.last is None else copy_text(talk.last.text))


async def _tools(talk: "ChatSession", hs: "Hammerstone", rest: str) -> None:
    found: list[tuple[str, str, str]] = []
    async for tool in hs.tools.walk():
        if rest.casefold() in f"{tool.name} {tool.version.spec.description}".casefold():
            found.append((tool.name, str(tool.status), tool.version.spec.description))
        if len(found) > _TOOLS:
            break
    if not found:
        tell("No tool is like that.")
        return
    if len(found) > _TOOLS:
        found.pop()
        tell(f"The first {_TOOLS}; /tools WORDS shows fewer.")
    columns = (Column("tool"), Column("status", leaves=1), Column("what it does", flows=True))
    show_table(columns, found)


async def _sessions(talk: "ChatSession", hs: "Hammerstone", rest: str) -> None:
    from hammerstone.core.errors import BadRequest

    found = await hs.sessions.list(hs.settings.user, _SESSIONS)
    if not found:
        tell("There are no sessions yet.")
        return
    if not rest:
        columns = (Column("", right=True), Column("began", leaves=1), Column("about", flows=True))
        rows = [
            (
                f"{n}{'*' if one.id == talk.session else ' '}",
                moment(one.created_at),
                _title(one.title),
            )
            for n, one in enumerate(found, 1)
        ]
        show_table(columns, rows)
        tell("/sessions NUMBER goes on in one; * is this one.", style="dim")
        return
    if not rest.isdecimal() or not 1 <= int(rest) <= len(found):
        raise BadRequest(f"there is no session {rest} in the list", hint="/sessions")
    chosen = found[int(rest) - 1]
    talk.session, talk.last, talk.files = chosen.id, None, []
    tell(f"Going on in: {_title(chosen.title)}")
    for message in await hs.sessions.messages(chosen.id, hs.settings.user, 2):
        who = "you" if message.author == "user" else "answer"
        tell(f"  {who}: {shortened(one_line(message.text), 200)}", style="dim")


def _title(title: str) -> str:
    return shortened(one_line(title), 100) or "(no title)"


async def _new(talk: "ChatSession", hs: "Hammerstone", rest: str) -> None:
    talk.session, talk.last, talk.files = uuid.uuid4().hex, None, []
    tell("A new session.")


async def _model(talk: "ChatSession", hs: "Hammerstone", rest: str) -> None:
    from hammerstone.models.opening import bare_model

    if not rest:
        tell(f"{hs.settings.general_model} answers. /model NAME takes another, such as")
        tell("  local, openai:gpt-4.1-mini, anthropic:claude-haiku-4-5, ollama:llama3.2")
        return
    await bare_model(rest, hs.settings).close()  # an unknown name or a missing key is told now
    talk.model, talk.reopen = rest, True
    tell(f"From now on {rest} answers in this chat.")


async def _quit(talk: "ChatSession", hs: "Hammerstone", rest: str) -> None:
    talk.over = True


_BY_NAME: dict[str, Command] = {
    "/help": _help,
    "/?": _help,
    "/why": _why,
    "/wrong": _wrong,
    "/right": _right,
    "/file": _file,
    "/files": _files,
    "/copy": _copy,
    "/tools": _tools,
    "/sessions": _sessions,
    "/new": _new,
    "/model": _model,
    "/quit": _quit,
    "/exit": _quit,
    "/q": _quit,
}
