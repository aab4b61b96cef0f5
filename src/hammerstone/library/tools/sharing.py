"""What of a tool everybody sees, and what only they see whose words and values it holds.

A tool is shared: its name, promise, code, standing and use. The request it was made for and the
values in its cases belong to people. Judging uses all of them; shown they are only to somebody
who is the only one whose values there are. Others see the cases whose values were made up.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from hammerstone.core.errors import NotFound
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Case, CaseOrigin, Spec, Tool, Version
from hammerstone.storage import Database

USER = "user"  # in a provenance: whose request it was
PEOPLE = "people"  # in a provenance: whose values the cases hold
OWN_ARGUMENTS = "arguments"  # in a provenance: of the call that answered the request
OPEN_CASES = "open_cases"  # in a provenance: the places of cases that hold nobody's values
HIDDEN_CASES = "hidden_cases"  # in what others see: how many cases there are
ELSEWHERE = "asked by another person"  # in what others see: instead of the request
_OWN = (
    *("request", "run", "trace", "runs", "composite", "change"),
    *(USER, PEOPLE, OPEN_CASES, OWN_ARGUMENTS),
)
_TOKEN = re.compile(r"\d+(?:\.\d+)?|\w\w+")
_TELLING = 4  # characters from which a part of a word says something
_COMMON = frozenset({"0", "1", "2", "10", "100", "true", "false", "none"})


class Sharing:
    """Shows versions to people. `owner` is whose things are that nobody else is known for."""

    def __init__(self, db: Database, owner: str) -> None:
        self._db = db
        self._owner = owner

    async def people_of(self, version: Version) -> frozenset[str]:
        """Whose words and values a version holds; of nobody in particular where it is empty."""
        return frozenset(await self._people(version, set()))

    async def is_open_to(self, version: Version, user: str) -> bool:
        """Whether somebody may see all of it."""
        return await self.people_of(version) <= {user}

    async def seen_by(self, version: Version, user: str) -> Version:
        """A version as somebody may see it."""
        if await self.is_open_to(version, user):
            return version
        shown: JsonObject = {k: v for k, v in version.provenance.items() if k not in _OWN}
        if "request" in version.provenance:
            own = version.provenance.get(USER) == user
            shown["request"] = version.provenance["request"] if own else ELSEWHERE
        suite = tuple(version.suite[place] for place in open_places(version))
        shown[HIDDEN_CASES] = len(version.suite) - len(suite)
        spec = replace(version.spec, examples=(), parameters=_plain(version.spec.parameters))
        code = without_doctests(version.code)
        return replace(version, spec=spec, code=code, suite=suite, rejected=(), provenance=shown)

    async def tool_for(self, tool: Tool, user: str) -> Tool:
        return replace(tool, version=await self.seen_by(tool.version, user))

    async def users_of(self, sessions: Iterable[str]) -> set[str]:
        """Whose sessions these are; those that were deleted are nobody's."""
        found = [await self._db.sessions.find(session) for session in sessions]
        return {session.user for session in found if session is not None}

    async def _people(self, version: Version, seen: set[str]) -> set[str]:
        if version.id in seen:
            return set()
        seen.add(version.id)
        about = version.provenance
        found = set(declared_people(about))
        found |= await self._by_runs(about)
        parts = about.get("parts")
        for part in parts.values() if isinstance(parts, dict) else ():
            known = await self._version(str(part))
            if known is not None:
                found |= await self._people(known, seen)
        return found

    async def _by_runs(self, about: Mapping[str, Json]) -> set[str]:
        """Who made the runs that a version names; the owner where that is not known any more."""
        several = about.get("runs")
        runs = [str(run) for run in several] if isinstance(several, list) else []
        if about.get("run") and USER not in about:
            runs.append(str(about["run"]))
        rows = [await self._db.runs.find(run) for run in runs]
        users = {row.user for row in rows if row is not None}
        told = about.get("request") or "repaired_from" in about
        unknown = None in rows or (told and not runs)
        return users | {self._owner} if unknown and PEOPLE not in about else users

    async def _version(self, id: str) -> Version | None:
        try:
            return await self._db.tools.get_version(id)
        except NotFound:
            return None  # a part of another library


def open_places(version: Version) -> list[int]:
    """The places of the cases that everybody may see: all of them where they are nobody's."""
    known = version.provenance.get(OPEN_CASES)
    if isinstance(known, list):
        return [n for n in known if isinstance(n, int) and 0 <= n < len(version.suite)]
    about = version.provenance
    belongs = any(about.get(key) for key in ("request", "run", "runs", PEOPLE, "repaired_from"))
    return [] if belongs else list(range(len(version.suite)))


def made_up(suite: Sequence[Case], spec: Spec, given: str) -> list[Json]:
    """The places of the cases with values that nobody gave: written by an author who was free
    to choose, with no word or number of what was given but those of the promise itself."""
    promised = _tokens(f"{spec.name} {spec.description} {spec.parameters} {spec.returns}")
    private = _tokens(given) - promised - _COMMON
    return [
        place
        for place, case in enumerate(suite)
        if case.origin_kind is CaseOrigin.AUTHOR
        and not _holds_any(f"{case.call} {case.expected} {case.check}", private)
    ]


def _holds_any(text: str, private: set[str]) -> bool:
    """Whether a text has one of these words or numbers, a longer one also inside another."""
    longer = [token for token in private if len(token) >= _TELLING]
    plain = text.lower()
    return bool(private & _tokens(text)) or any(token in plain for token in longer)


def _tokens(text: str) -> set[str]:
    """Words and numbers, however they are written together."""
    return set(_TOKEN.findall(text.lower().replace("_", " ")))


def declared_people(provenance: Mapping[str, Json]) -> list[str]:
    """Whose values a provenance says that the cases hold."""
    people = provenance.get(PEOPLE)
    return [str(one) for one in people] if isinstance(people, list) else []


def with_people(provenance: Mapping[str, Json], people: Iterable[str]) -> JsonObject:
    """A provenance that names these people, too."""
    both = {*declared_people(provenance), *people} - {""}
    return {**provenance, PEOPLE: [*sorted(both)]} if both else dict(provenance)


def without_doctests(code: str) -> str:
    """Code whose docstrings show no example calls: older ones quote the first request's."""
    kept: list[str] = []
    inside = False
    for line in code.split("\n"):
        plain = line.strip()
        inside = plain.startswith((">>>", "...")) or (inside and bool(plain))
        if inside and not plain.startswith(('"""', "'''")):
            continue
        inside = False
        kept.append(line)
    return "\n".join(kept)


def _plain(parameters: JsonObject) -> JsonObject:
    """Parameters without numbers that older libraries took from the first request."""
    properties = parameters.get("properties")
    if not isinstance(properties, dict):
        return parameters
    plain: JsonObject = {
        name: {k: v for k, v in one.items() if k != "examples"} if isinstance(one, dict) else one
        for name, one in properties.items()
    }
    return {**parameters, "properties": plain}


def numbers_of(evidence: Mapping[str, Json]) -> JsonObject:
    """Evidence without anybody's values: what is counted or measured."""
    return {key: one for key, one in evidence.items() if one is None or _is_number(one)}


def imported(provenance: Mapping[str, Json], who: str) -> JsonObject:
    """A provenance that came in a file: its words are the importer's, its people unknown here."""
    gone = (USER, PEOPLE, OPEN_CASES, HIDDEN_CASES, OWN_ARGUMENTS, "run", "trace", "runs")
    kept: JsonObject = {k: v for k, v in provenance.items() if k not in gone}
    if kept.get("request") == ELSEWHERE:
        del kept["request"]
    return {**kept, USER: who} if "request" in kept else kept


def _is_number(value: Json) -> bool:
    return isinstance(value, bool | int | float)
