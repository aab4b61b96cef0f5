"""SKILL.md taken apart: the YAML at its head, read as data, and the text below."""

import re
from dataclasses import dataclass
from typing import Any

from hammerstone.core.json_types import Json, JsonObject, is_dict, is_list

MAX_YAML_CHARS = 20_000
MAX_NODES = 2_000
MAX_DEPTH = 10

_HEAD = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE)


class BadFrontMatter(ValueError):
    """Why a SKILL.md cannot be read; for the person who wrote it."""


@dataclass(frozen=True, slots=True)
class Document:
    fields: JsonObject
    body: str


def read_document(text: str) -> Document:
    """The front matter and the body; raises `BadFrontMatter`."""
    text = text.removeprefix("\ufeff")
    match = _HEAD.match(text)
    if match is None:
        if not text.startswith("---"):
            raise BadFrontMatter("SKILL.md does not begin with YAML between two lines of ---")
        raise BadFrontMatter("the YAML at the head of SKILL.md is not closed by a line of ---")
    fields = read_yaml(match[1])
    if not isinstance(fields, dict):
        raise BadFrontMatter("the YAML at the head of SKILL.md is not a list of `name: value`")
    return Document(fields, text[match.end() :].strip("\n"))


def read_yaml(text: str) -> Json:
    """Plain YAML as JSON: no tags, no aliases, bounded in size and depth; raises `BadFrontMatter`.

    Aliases are what a small file needs to become a huge one. Dates stay the text they were.
    """
    import yaml

    parser: Any = yaml  # its functions have no types
    if len(text) > MAX_YAML_CHARS:
        raise BadFrontMatter(f"more than {MAX_YAML_CHARS:,} characters of YAML")
    try:
        for count, event in enumerate(parser.parse(text, Loader=yaml.SafeLoader)):
            if isinstance(event, yaml.AliasEvent):
                raise BadFrontMatter("the YAML uses an alias (*name), which is not allowed")
            if count > MAX_NODES:
                raise BadFrontMatter("the YAML has too many parts")
        loaded = yaml.load(text, Loader=_loader())  # noqa: S506 - a SafeLoader without dates
    except yaml.YAMLError as error:
        raise BadFrontMatter(f"the YAML is broken: {_where(error)}") from None
    except RecursionError:
        raise BadFrontMatter("the YAML is nested too deeply") from None
    except ValueError as error:
        if isinstance(error, BadFrontMatter):
            raise
        raise BadFrontMatter(f"the YAML is broken: {error}") from None
    return _plain(loaded, 0)


def _loader() -> Any:
    """YAML's safe loader, with dates left as text: a date is no JSON."""
    import yaml

    class Plain(yaml.SafeLoader):
        pass

    Plain.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in pairs if not tag.endswith(":timestamp")]
        for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    return Plain


def _where(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "it cannot be read"
    return f"line {mark.line + 1}: {problem}" if mark is not None else str(problem)


def _plain(value: object, depth: int) -> Json:
    if depth > MAX_DEPTH:
        raise BadFrontMatter("the YAML is nested too deeply")
    if is_dict(value):
        return {_key(key): _plain(item, depth + 1) for key, item in value.items()}
    if is_list(value):
        return [_plain(item, depth + 1) for item in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and value == value and abs(value) != float("inf"):
        return value
    raise BadFrontMatter(f"the YAML holds a {type(value).__name__}, which is not allowed")


def _key(key: object) -> str:
    if isinstance(key, bool) or not isinstance(key, str | int | float):
        raise BadFrontMatter("a name in the YAML is not text")
    return str(key)


def write_document(fields: JsonObject, body: str) -> str:
    """A SKILL.md with these fields, in their order, and this body."""
    import yaml

    # The reference reader takes any three hyphens for the end of the YAML.
    shown = {key: _without_marks(value) for key, value in fields.items()}
    head = yaml.safe_dump(shown, sort_keys=False, allow_unicode=True, width=1000)
    return f"---\n{head}---\n\n{body.strip()}\n"


def _without_marks(value: Json) -> Json:
    if isinstance(value, str):
        return re.sub(r"-{3,}", "--", value)
    if isinstance(value, dict):
        return {key: _without_marks(item) for key, item in value.items()}
    return value
