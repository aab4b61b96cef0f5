"""Does what one tool returns fit what another one takes?"""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from hammerstone.library.graph.shapes import Shape


class MatchLevel(StrEnum):
    """The strength of a match between a source and a parameter."""

    COMPATIBLE = "compatible"  # may be handed over as it is
    CONVERTIBLE = "convertible"  # after a conversion that can fail or lose something
    NO = "no"


@dataclass(frozen=True, slots=True)
class EdgeMatch:
    """How well a source fits a target. `score` is 0 to 1; `why` is for people."""

    level: MatchLevel
    score: float
    why: str

    def __bool__(self) -> bool:
        return self.level is not MatchLevel.NO


_NO = EdgeMatch(MatchLevel.NO, 0.0, "the types do not fit")
_NUMBERS = frozenset({"integer", "number"})
_SCALARS = frozenset({"integer", "number", "string", "boolean"})
# A value that means the one can stand in for the other.
_RELATED = {
    frozenset({"date", "datetime"}),
    frozenset({"money", "percentage"}),
    frozenset({"path", "url"}),
    frozenset({"html", "markdown"}),
}
CONVERSION = 0.55  # what a conversion leaves of a score
PLAIN = 0.6  # same type, and nothing says what it stands for
UNKNOWN = 0.35  # one side does not say its type
ONE_SIDED = 0.5  # one side says what it stands for, the other does not
NAMED_PLACE = 0.3  # the place of something is seldom meant where any text is taken


@lru_cache(maxsize=200_000)
def match(source: Shape, target: Shape) -> EdgeMatch:
    """Whether a value of shape `source` can be given where `target` is taken."""
    if source.options:
        return _all_options(source, target)
    if target.options:
        found = max((match(source, option) for option in target.options), key=_strength)
        return found if found else _NO
    if target.kind == "any" or source.kind == "any":
        return _unknown(source, target)
    if source.kind == target.kind:
        return _same_kind(source, target)
    if source.kind == "integer" and target.kind == "number":
        return _meant(
            source, target, EdgeMatch(MatchLevel.COMPATIBLE, PLAIN, "a whole number is a number")
        )
    return _converted(source, target)


def _strength(found: EdgeMatch) -> tuple[float, float]:
    return (found.level is MatchLevel.COMPATIBLE) + (found.level is not MatchLevel.NO), found.score


def _all_options(source: Shape, target: Shape) -> EdgeMatch:
    """A union fits as far as its alternatives do: all of them, or some at a risk."""
    found = [match(option, target) for option in source.options]
    good = [each for each in found if each]
    if not good:
        return _NO
    weakest = min(good, key=_strength)
    if len(good) == len(found):
        return weakest
    return EdgeMatch(
        MatchLevel.CONVERTIBLE, weakest.score * CONVERSION, f"sometimes: {weakest.why}"
    )


def _unknown(source: Shape, target: Shape) -> EdgeMatch:
    if source.kind == target.kind == "any":
        return EdgeMatch(MatchLevel.COMPATIBLE, UNKNOWN, "neither side says its type")
    if target.kind == "any":
        return _meant(source, target, EdgeMatch(MatchLevel.COMPATIBLE, UNKNOWN, "takes anything"))
    return _meant(
        source,
        target,
        EdgeMatch(MatchLevel.CONVERTIBLE, UNKNOWN * CONVERSION, "the result's type is not said"),
    )


def _same_kind(source: Shape, target: Shape) -> EdgeMatch:
    if source.kind == "array":
        return _lists(source, target)
    if source.kind == "object":
        return _objects(source, target)
    kind = {"string": "text"}.get(source.kind, source.kind)
    return _meant(source, target, EdgeMatch(MatchLevel.COMPATIBLE, PLAIN, f"both are {kind}"))


def _meant(source: Shape, target: Shape, base: EdgeMatch) -> EdgeMatch:
    """The match in the light of what both sides stand for."""
    ours, theirs = source.meaning, target.meaning
    if not ours and not theirs:
        return base
    if ours == theirs:
        share = base.score / PLAIN
        why = f"both are a {ours.replace('_', ' ')}"
        return EdgeMatch(base.level, min(1.0, share), why)
    if not ours or not theirs:
        known = (ours or theirs).replace("_", " ")
        side = "gives" if ours else "wants"
        share = (NAMED_PLACE if ours in ("path", "url") else ONE_SIDED) / PLAIN
        return EdgeMatch(base.level, base.score * share, f"{base.why}; one {side} a {known}")
    if frozenset({ours, theirs}) in _RELATED:
        why = f"a {ours} where a {theirs} is wanted"
        return EdgeMatch(MatchLevel.CONVERTIBLE, base.score * CONVERSION, why)
    return _NO


def _lists(source: Shape, target: Shape) -> EdgeMatch:
    if source.items is None or target.items is None:
        bonus = 1.0 if source.meaning == target.meaning == "table" else PLAIN
        level = MatchLevel.COMPATIBLE if target.items is None else MatchLevel.CONVERTIBLE
        score = bonus if level is MatchLevel.COMPATIBLE else UNKNOWN
        return EdgeMatch(level, score, "both are lists")
    inner = match(source.items, target.items)
    if not inner:
        return _NO
    score = inner.score
    if source.meaning == target.meaning == "table":
        return EdgeMatch(inner.level, max(score, 0.8), "both are a table")
    return EdgeMatch(inner.level, score, f"lists: {inner.why}")


def _objects(source: Shape, target: Shape) -> EdgeMatch:
    """Every property that the target needs has to be there and fit."""
    if not target.fields:
        return EdgeMatch(MatchLevel.COMPATIBLE, PLAIN, "both are objects")
    if not source.fields:
        if target.always:
            why = "an object whose properties are not said"
            return EdgeMatch(MatchLevel.CONVERTIBLE, UNKNOWN * CONVERSION, why)
        return EdgeMatch(MatchLevel.COMPATIBLE, UNKNOWN, "both are objects")
    scores: list[float] = []
    level = MatchLevel.COMPATIBLE
    for name, wanted in target.fields:
        given = source.property(name)
        found = match(given, wanted) if given is not None else _NO
        if not found:
            if name in target.always or given is not None:
                return _NO
            continue
        if found.level is MatchLevel.CONVERTIBLE or name not in source.always:
            level = MatchLevel.CONVERTIBLE if name in target.always else level
        scores.append(found.score)
    if not scores:
        return EdgeMatch(MatchLevel.COMPATIBLE, UNKNOWN, "both are objects")
    shared = f"{len(scores)} of {len(target.fields)} properties fit"
    return EdgeMatch(level, min(1.0, PLAIN + 0.4 * len(scores) / len(target.fields)), shared)


def _converted(source: Shape, target: Shape) -> EdgeMatch:
    """Types that differ, and what could turn the one into the other."""
    if source.kind == "number" and target.kind == "integer":
        return _meant(source, target, _convert("if it is a whole number"))
    if source.kind == "string" and target.kind in _NUMBERS:
        return _meant(source, target, _convert("if the text is a number"))
    if source.kind in _NUMBERS and target.kind == "string":
        return _meant(source, target, _convert("written as text"))
    if source.kind in ("object", "array") and target.kind == "string" and target.meaning == "json":
        return _convert("written as JSON")
    if source.kind in _SCALARS and target.kind == "array" and target.items is not None:
        inner = match(source, target.items)
        if inner.level is MatchLevel.COMPATIBLE:
            return EdgeMatch(MatchLevel.CONVERTIBLE, inner.score * CONVERSION, "as a list of one")
    return _NO


def _convert(why: str) -> EdgeMatch:
    return EdgeMatch(MatchLevel.CONVERTIBLE, PLAIN * CONVERSION, why)
