"""Requests that only say what is different: "what about 25%?", "no, I meant 300"."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Spec, Tool, type_of
from hammerstone.library.search.text.request_text import singular
from hammerstone.library.tools.registry import Registry
from hammerstone.run.bind.fill import counts_in_percent, stands_beside
from hammerstone.run.context import Run
from hammerstone.run.understand.literals import Literal, LiteralKind, find_literals
from hammerstone.storage import Database, Execution

_REPLACED = re.compile(r"\b(?:instead of|rather than|not)\s+(?P<old>\S.*)$", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\[[^\]]*\]|\S*\.[a-z]{2,5}\b|/\S+")
_LITTLE = re.compile(
    "an?|and|again|actually|about|also|as|at|but|do|does|for|from|have|how|i|in|instead|is|it|make"
    "|me|mean|meant|no|not|now|of|ok|okay|on|one|other|please|rather|same|sorry|than|that|the|then"
    "|this|to|try|use|wait|was|what|with|percent|file|nope|hm+"
)


@dataclass(frozen=True, slots=True)
class FollowUp:
    """The call to vary: the last one's tool, and its arguments as far as they still hold.

    Without a `tool` only the data stays and the words say what to do with it. `open` are
    arguments that have to be read anew, from `text`.
    """

    tool: Tool | None
    known: JsonObject = field(default_factory=dict[str, Json])
    text: str = ""
    data: JsonObject = field(default_factory=dict[str, Json])


class FollowUps:
    """The changes that a request makes to the session's last call."""

    def __init__(self, registry: Registry, db: Database) -> None:
        self._registry = registry
        self._db = db

    async def follow_up(self, run: Run) -> FollowUp | None:
        """How the request varies the session's last call; None when it does not."""
        text = run.words
        session, asked_by = run.request.session_id, run.ledger.asked_at
        last = await self._db.executions.list(session_id=session, limit=1, asked_by=asked_by)
        if not last or not last[0].ok or not isinstance(last[0].arguments, dict):
            return None
        tool = await self._registry.find(last[0].tool)
        if tool is None:
            return None
        before = last[0].arguments.items()
        data: JsonObject = {name: v for name, v in before if isinstance(v, list | dict | str)}
        changes = _literals(run)
        if (
            not changes
            or run.reading.names_action
            or not await self._only_varies(run, last[0], tool.version.spec)
        ):
            return FollowUp(None, data=data)
        known = _changed(tool.version.spec, last[0].arguments, changes, text)
        if known is not None:
            return FollowUp(tool, known)
        return FollowUp(tool, text=await self._both(run, last[0]))

    async def _only_varies(self, run: Run, last: Execution, spec: Spec) -> bool:
        """Whether the words say nothing new beside the values: what they name was named before."""
        before = await self._db.runs.find(last.run_id)
        given = last.arguments if isinstance(last.arguments, dict) else {}
        values = [value for value in given.values() if isinstance(value, str)]
        known = (
            f"{before.request if before else ''} {' '.join(spec.takes.schemas)} {' '.join(values)}"
        )
        told = {singular(word) for word in _WORD.findall(known.lower().replace("_", " "))}
        words = _WORD.findall(_QUOTED.sub(" ", run.words.lower()))
        return all(_LITTLE.fullmatch(word) or singular(word) in told for word in words)

    async def _both(self, run: Run, last: Execution) -> str:
        """The earlier request and the new words together, for a model to read."""
        before = await self._db.runs.find(last.run_id)
        said = before.request if before else ""
        return f"{said}\n(Changed now: {run.words})"


def _literals(run: Run) -> list[Literal]:
    """What is new: values in the words, and files given with them."""
    text = run.words
    old = _REPLACED.search(text)
    literals = find_literals(text)
    found = [each for each in literals if old is None or each.end <= old.start()]
    if run.files:
        found = [each for each in found if each.kind is not LiteralKind.FILE]
    for name in run.named_files:
        found.append(Literal(f"/files/{name}", LiteralKind.FILE, len(text), len(text)))
    return found


def _changed(
    spec: Spec, before: Mapping[str, Json], changes: list[Literal], text: str
) -> JsonObject | None:
    """The arguments with the new values in their places; None when a place is not clear."""
    values: JsonObject = dict(before)
    properties = spec.takes.schemas
    taken: set[str] = set()
    for literal in changes:
        places = [
            name
            for name in before
            if name not in taken and _may_replace(literal, before[name], properties.get(name, {}))
        ]
        places = _narrowed(places, literal, before, properties, text)
        if len(places) != 1:
            return None
        taken.add(places[0])
        values[places[0]] = literal.value
    return values


def _may_replace(literal: Literal, value: Json, schema: JsonObject) -> bool:
    kind = type_of(value)
    if literal.kind in (LiteralKind.NUMBER, LiteralKind.PERCENT):
        whole = schema.get("type") == "integer"
        return kind in ("number", "integer") and not (whole and isinstance(literal.value, float))
    if literal.kind is LiteralKind.LIST:
        return kind == "array"
    if literal.kind is LiteralKind.RECORD:
        return kind == "object"
    looks_like_file = isinstance(value, str) and value.startswith("/files/")
    return isinstance(value, str) and looks_like_file == (literal.kind is LiteralKind.FILE)


def _narrowed(
    places: list[str],
    literal: Literal,
    before: Mapping[str, Json],
    properties: Mapping[str, JsonObject],
    text: str,
) -> list[str]:
    """Fewer places by what is said: the value that goes, the name, the percent sign."""
    if len(places) < 2:
        return places
    if old := _REPLACED.search(text):
        gone = [other.value for other in find_literals(old["old"])]
        if replaced := [name for name in places if before[name] in gone]:
            return replaced
    if named := [name for name in places if stands_beside(name, literal)]:
        return named
    percent = literal.kind is LiteralKind.PERCENT
    same = [n for n in places if counts_in_percent(n, properties.get(n, {})) == percent]
    return same or places
