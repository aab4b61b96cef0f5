"""An answer on the screen: the value first, then the call, how sure it is, and where it is from."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hammerstone.core.formatting import count, duration, listing, money, percent, shortened, size
from hammerstone.serve.cli.output import say, tell
from hammerstone.serve.cli.terminal import is_terminal, one_line

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.answers import Answer

_SURE = {"sure": "Sure", "likely": "Likely", "unsure": "Unsure"}
_STYLES = {"sure": "green", "likely": "cyan", "unsure": "yellow"}
_LONGEST_CALL = 200
_LONGEST_VALUE = 60
_MOST_CHARACTERS = 12_000
_MOST_LINES = 200
_PROOFS = {"proved": "proved", "unproved": "not proved"}


async def show_answer(
    hs: "Hammerstone", answer: "Answer", written: str = "", *, why: str = "hammerstone why"
) -> None:
    """The result on stdout; everything about it on stderr.

    `written` stands there already; `why` is what to type for an explanation.
    """
    pictures = [file for file in answer.files if file.media_type.startswith("image/")]
    if not answer.result and pictures:  # the picture is what was asked for
        await _show_files(hs, answer)
        _show_text(answer, written)
    else:
        _show_text(answer, written)
        await _show_files(hs, answer)
    document = answer.to_json()
    for line, style in (*call_lines(document), *sureness_lines(document)):
        tell(line, style=style)
    tell(" · ".join([*_about(answer), f"why: {why}"]), style="dim")


def _show_text(answer: "Answer", written: str) -> None:
    text = answer.text
    if written and text.startswith(written.rstrip()):
        text = text.removeprefix(written.rstrip()).lstrip("\n")
        if not text:
            return
    prose = answer.result is None
    shown, more = _beginning(text) if is_terminal(sys.stdout) else (text, 0)
    say(shown, fold=prose)
    if more:
        told = f"… {size(more)} more. The whole answer: hammerstone why {answer.run_id} --answer"
        tell(told, style="yellow")


def _beginning(text: str) -> tuple[str, int]:
    """As much of a text as one wants to scroll through, and how many bytes are left."""
    shown = "\n".join(text[:_MOST_CHARACTERS].split("\n")[:_MOST_LINES])
    return shown, len(text[len(shown) :].encode(errors="replace"))


async def _show_files(hs: "Hammerstone", answer: "Answer") -> None:
    from hammerstone.serve.cli.requests.pictures import put_aside, show_picture

    for file in answer.files:
        about = f"{one_line(file.name)} ({size(file.size_bytes)})"
        if is_terminal(sys.stdout) and file.media_type.startswith("image/"):
            _, content = await hs.files.get(file.id)
            if show_picture(content, file.media_type):
                tell(about, style="dim")
            else:
                tell(f"{about}: open {put_aside(file.id, file.name, content)}")
        tell(f"keep {one_line(file.name)}: hammerstone files get {file.id}", style="dim")


def call_lines(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The call behind an answer, and which of its values the request does not state."""
    call = str(document.get("call") or "")
    if not call:
        return []
    arguments = document.get("arguments") or ()
    if arguments:
        parts = [f"{a['name']}={a['value']}{'*' if a['assumed'] else ''}" for a in arguments]
        call = f"{call.partition('(')[0]}({', '.join(parts)})"
    lines = [(shortened(call, _LONGEST_CALL), "dim")]
    lines += [
        (f"  * {one['name']}={one['value']}: {one['note']}", "yellow")
        for one in arguments
        if one["assumed"]
    ]
    return lines


def sureness_lines(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """How sure an answer is and why, in one line; what else came out where that is not sure."""
    word, sure = document.get("sureness"), document.get("confidence")
    if word is None or sure is None:
        return []
    why = str(document.get("why") or "")
    # An unsure answer says the reason itself.
    told = f": {why}" if why and why not in str(document.get("text")) else ""
    lines = [(f"{_SURE[word]} ({percent(sure)}){told}", _STYLES[word])]
    others = document.get("alternatives") or ()
    if others and word != "sure":
        of = document.get("solutions") or 0
        shown = [f"{_value(one['value'])} ({one['agree']} of {of})" for one in others]
        lines.append((f"Other results: {listing(shown)}", "dim"))
    return lines


def _value(value: Any) -> str:
    from hammerstone.judging.rendering import in_words

    return shortened(one_line(in_words(value)), _LONGEST_VALUE)


def _about(answer: "Answer") -> list[str]:
    """Where an answer came from and what it cost."""
    parts: list[str] = []
    if answer.tool:
        proof = _PROOFS.get(str(answer.proof))
        parts.append(f"{answer.tool} v{answer.version}" + (f", {proof}" if proof else ""))
    if answer.cached:
        parts.append("answered before")
    return parts + cost_words(answer.to_json())


def cost_words(document: Mapping[str, Any]) -> list[str]:
    """What an answer took: time, calls of models, price."""
    cost = document.get("cost") or {}
    words = [duration(float(cost.get("seconds") or 0))]
    if cost.get("model_calls"):
        calls = count(int(cost["model_calls"]), "model call")
        words.append(f"{calls}, {count(int(cost.get('tokens') or 0), 'token')}")
    if cost.get("usd"):
        words.append(money(float(cost["usd"])))
    return words
