"""Prompts as files: one Markdown file a prompt, with its system text and its examples."""

import re
from functools import cache
from importlib.resources import files

from hammerstone.core.chat import Message

_PART = re.compile(r"^## (system|user|assistant)[ \t]*$", re.MULTILINE)


@cache
def load(name: str) -> tuple[Message, ...]:
    """The messages that a prompt begins with: the system text, then examples as exchanges.

    What stands before the first heading is for people and is not sent.
    """
    text = (files("hammerstone.prompts") / f"{name}.md").read_text(encoding="utf-8")
    parts = _PART.split(text)[1:]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return tuple(Message(author, body.strip("\n")) for author, body in pairs)  # type: ignore[arg-type]
