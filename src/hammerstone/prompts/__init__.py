"""Prompts as files: one Markdown file a prompt, loaded and filled here and nowhere else.

A file begins with a header for people, which is not sent:

    What the prompt is for.

    Version: 1

    Given:
    - `request`: what stands in the place of {{request}}

    Returns: what the model has to reply.

Then come the messages, each below `## system`, `## user` or `## assistant`. Of messages whose
headings have a name, such as `## user: boundary`, only those of the chosen part are sent. A line
with `{{note?}}` is left out where the note is empty.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal, cast

from hammerstone.core.chat import Message

_HEADER = re.compile(
    r"(?P<purpose>\S.*?)\n\n"
    r"Version: (?P<version>[1-9]\d*)\n\n"
    r"Given:\n(?P<given>(?:- `[a-z_]+`: [^\n]+\n(?:  [^\n]+\n)*)+)\n"
    r"Returns: (?P<returns>\S.*?)\n+",
    re.DOTALL,
)
_GIVEN = re.compile(r"^- `([a-z_]+)`: ", re.MULTILINE)
_HEADING = re.compile(
    r"^## (system|user|assistant)(?:: ([a-z]+(?: [a-z]+)*))?[ \t]*$", re.MULTILINE
)
_PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\??\}\}")
_OPTIONAL = re.compile(r"\{\{([a-z_]+)\?\}\}")

Author = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Section:
    """One message with its placeholders; one with a `part` is sent only when that is chosen."""

    author: Author
    part: str
    text: str

    @property
    def placeholders(self) -> frozenset[str]:
        return frozenset(_PLACEHOLDER.findall(self.text))

    def fill(self, values: dict[str, str]) -> Message:
        """The message with the values in their places, each exactly as it is."""
        lines = [
            line
            for line in self.text.split("\n")
            if all(values[name] for name in _OPTIONAL.findall(line))
        ]
        # One pass over our own text: what is inserted is never looked at again.
        text = _PLACEHOLDER.sub(lambda place: values[place[1]], "\n".join(lines))
        return Message(self.author, text)


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt as it is in its file."""

    name: str
    purpose: str
    version: int
    given: tuple[str, ...]
    returns: str
    sections: tuple[Section, ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of which one has to be chosen; none for most prompts."""
        return tuple(dict.fromkeys(one.part for one in self.sections if one.part))

    def fill(self, part: str = "", /, **values: str) -> tuple[Message, ...]:
        """The messages to send, with a value for each name that the header lists.

        Raises `ValueError` when a value is missing or not asked for, or the part does not exist.
        """
        if wrong := set(values) ^ set(self.given):
            raise ValueError(f"the prompt {self.name} is given {self.given}: {sorted(wrong)}")
        if part not in (self.parts or ("",)):
            raise ValueError(f"the prompt {self.name} has the parts {self.parts}, not {part!r}")
        return tuple(one.fill(values) for one in self.sections if one.part in ("", part))


_OWN: ContextVar[Mapping[str, str] | None] = ContextVar("own_prompts", default=None)
_TRIED: ContextVar[Mapping[str, str] | None] = ContextVar("tried_prompts", default=None)


_SENT: ContextVar[dict[str, Template] | None] = ContextVar("sent_prompts", default=None)


def load(name: str) -> Template:
    """The prompt of that name: one on trial, else a person's own in force, else the shipped one."""
    own = (_TRIED.get() or {}).get(name) or (_OWN.get() or {}).get(name)
    template = shipped(name) if own is None else _own(name, own)
    sent = _SENT.get()
    if sent is not None:
        sent[name] = template
    return template


def note_sent(sent: dict[str, Template]) -> None:
    """Note the prompts that are loaded from here on in this task, by name."""
    _SENT.set(sent)


@lru_cache(maxsize=256)
def fingerprint(template: Template) -> str:
    """The hash of what a prompt sends."""
    said = [[section.author, section.part, section.text] for section in template.sections]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]


@cache
def shipped(name: str) -> Template:
    """The prompt as it came with the package."""
    return read(name, shipped_text(name))


def shipped_text(name: str) -> str:
    """A prompt's file; `FileNotFoundError` where there is none."""
    return (files("hammerstone.prompts") / f"{name}.md").read_text(encoding="utf-8")


def shipped_names() -> list[str]:
    """The names of the prompts that came with the package."""
    found = [one.name for one in files("hammerstone.prompts").iterdir()]
    return sorted(name.removesuffix(".md") for name in found if name.endswith(".md"))


def use_own(texts: Mapping[str, str]) -> None:
    """Put people's own texts in force for what runs from here on in this task."""
    _OWN.set(texts)


@contextmanager
def on_trial(name: str, text: str) -> Iterator[None]:
    """Within it, in this task and what it starts, a text stands in the place of a prompt."""
    before = _TRIED.set({**(_TRIED.get() or {}), name: text})
    try:
        yield
    finally:
        _TRIED.reset(before)


def instructions(text: str) -> str:
    """What a prompt's file says to the model before any example; empty where it says nothing."""
    place = _instructions_place(text)
    return text[place].strip("\n") if place else ""


def with_instructions(text: str, new: str) -> str:
    """The prompt's file with other instructions; header, examples and message as they are."""
    place = _instructions_place(text)
    if place is None:
        raise ValueError("the prompt has no instructions of its own")
    return f"{text[: place.start]}{new.strip()}\n\n{text[place.stop :]}"


def with_sections(text: str, sections: Iterable[Section]) -> str:
    """The prompt's file with other messages below its header."""
    found = _HEADING.search(text)
    if found is None:
        raise ValueError("the prompt has no messages")
    written = [
        f"## {one.author}{f': {one.part}' if one.part else ''}\n{one.text}\n" for one in sections
    ]
    return text[: found.start()] + "\n".join(written)


def _instructions_place(text: str) -> slice | None:
    found = list(_HEADING.finditer(text))
    if not found or found[0][1] != "system" or found[0][2]:
        return None
    return slice(found[0].end() + 1, found[1].start() if len(found) > 1 else len(text))


@lru_cache(maxsize=64)
def _own(name: str, text: str) -> Template:
    return read(name, text)


def read(name: str, text: str) -> Template:
    """The prompt that a file's text describes; `ValueError` when it has another form."""
    head, *rest = _HEADING.split(text)
    header = _HEADER.fullmatch(head)
    if header is None or not rest:
        raise ValueError(f"the prompt {name} lacks a header or messages")
    sections = tuple(
        Section(cast(Author, author), part or "", body.strip("\n"))
        for author, part, body in zip(rest[::3], rest[1::3], rest[2::3], strict=True)
    )
    given = tuple(_GIVEN.findall(header["given"]))
    used = frozenset[str]().union(*(section.placeholders for section in sections))
    if len(set(given)) != len(given) or used != set(given):
        raise ValueError(f"the prompt {name} is given {given} and uses {sorted(used)}")
    return Template(
        name, header["purpose"], int(header["version"]), given, header["returns"], sections
    )
