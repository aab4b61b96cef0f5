"""Names that a request calls something by: `count_words`, or `/word-count` at its beginning."""

import re

_DATA = re.compile(r"'[^']*'|\"[^\"]*\"|`{3}.*?`{3}|\{.*\}|\[.*\]", re.DOTALL)
_TOOL = re.compile(r"(?<![\w./-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w/-]|\.\w)")
_SKILL = re.compile(r"\s*/([a-z0-9]+(?:-[a-z0-9]+)*)(?=\s|$)")
_LONGEST = 4_000
_MOST = 8


def tool_names(text: str) -> tuple[str, ...]:
    """What could be a tool's name: words joined by underscores, outside of quotes and data."""
    bare = _DATA.sub(" ", text[:_LONGEST])
    return tuple(dict.fromkeys(_TOOL.findall(bare)))[:_MOST]


def skill_command(text: str) -> tuple[str, str] | None:
    """The skill that a person starts by its name, `/name what for`, and what for."""
    match = _SKILL.match(text[:_LONGEST])
    return (match[1], text[match.end() :].strip()) if match else None
