"""What the tools of this library turned out to be, gathered from everything that is stored."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from hammerstone.core.hashing import canonical
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Assessment, Status
from hammerstone.judging.equality import decoded, same, same_answer
from hammerstone.learn.promotion.proposals import IN_FORCE, ProposalKind
from hammerstone.learn.repair.tool_repairer import settled
from hammerstone.library.tools.sharing import USER, declared_people
from hammerstone.storage import Database
from hammerstone.storage.rows import PointerMove
from hammerstone.storage.stores.learning.analyses import Confirmation
from hammerstone.storage.stores.tools.judgements import ComparedCall, GivenResult, JudgedVersion
from hammerstone.synthesis.examine.belief.own_calibration import (
    AGAINST,
    UNADJUSTED,
    OutcomeKind,
    OutcomeSign,
    ToolOutcome,
)

MANY_USES = 10
SEVERAL_SESSIONS = 3
"""From so many good uses in so many sessions on, silence says a little."""

_NOT_EXAMINED = ("repaired_from", "merged_from", "composite")
"""In a provenance: the confidence is another one's, or comes from another kind of proof."""

_RE_EXAMINED = "re-examined"  # in a pointer move's decision

_Signs = dict[str, list[tuple[datetime | None, OutcomeSign]]]


async def tool_outcomes(db: Database) -> list[ToolOutcome]:
    """Every version that was examined here, with what has come out about it since."""
    store = db.judgements
    versions = {each.id: each for each in await store.versions()}
    signs: _Signs = {}
    for version_id, at, sign in (
        *_said(await store.said(), await store.given()),
        *_followed(versions, await store.moves()),
        *_rebuilt(versions.values()),
        *_agreed(await store.compared()),
    ):
        signs.setdefault(version_id, []).append((at, sign))
    for mended in await store.mended(ProposalKind.REPAIR, IN_FORCE):
        sign = OutcomeSign(OutcomeKind.REPAIRED, mended.person)
        signs.setdefault(mended.version_id, []).append((mended.at, sign))
    reach = await store.reach()
    outcomes: list[ToolOutcome] = []
    for version in versions.values():
        examined = _examined(version)
        if examined is None:
            continue
        found = _since(examined.at, signs.get(version.id, ()))
        used = reach.get(version.id)
        wide = used and used.good >= MANY_USES and used.sessions >= SEVERAL_SESSIONS
        if used and wide and not any(sign.kind in AGAINST for sign in found):
            found.append(OutcomeSign(OutcomeKind.USED, used.person))
        outcomes.append(_outcome(version, examined, found))
    return outcomes


def _examined(version: JudgedVersion) -> Assessment | None:
    """The assessment that its examination left; None for one that was not examined here."""
    about = version.provenance
    if not about.get("model") or not about.get("run"):
        return None  # shipped, imported, edited or given
    if any(key in about for key in _NOT_EXAMINED):
        return None
    return next((each for each in version.assessments if each.confidence is not None), None)


def _outcome(version: JudgedVersion, examined: Assessment, found: list[OutcomeSign]) -> ToolOutcome:
    before = examined.evidence.get(UNADJUSTED)
    sure = before if isinstance(before, float | int) else examined.confidence
    return ToolOutcome(
        version_id=version.id,
        tool=version.tool,
        model=str(version.provenance["model"]),
        confidence=float(sure or 0.0),
        signs=tuple(_joined(found)),
        owner=str(version.provenance.get(USER) or ""),
    )


def _since(
    examined: datetime | None, signs: Sequence[tuple[datetime | None, OutcomeSign]]
) -> list[OutcomeSign]:
    """What came out after the examination; what it knew already is in its number."""
    return [s for at, s in signs if examined is None or at is None or at >= examined]


def _joined(found: Iterable[OutcomeSign]) -> Iterator[OutcomeSign]:
    """Each kind once; what several people say rests on no single one of them."""
    people: dict[OutcomeKind, set[str]] = {}
    for sign in found:
        people.setdefault(sign.kind, set()).add(sign.person)
    for kind in OutcomeKind:
        if kind in people:
            one = people[kind]
            yield OutcomeSign(kind, next(iter(one)) if len(one) == 1 else "")


_Found = Iterator[tuple[str, datetime | None, OutcomeSign]]


def _said(said: Sequence[Confirmation], given: Sequence[GivenResult]) -> _Found:
    """People's words, each for the version whose result they were about.

    Where they contradict each other about a call, that says nothing about the tool.
    """
    calls: dict[tuple[str, str, str], list[GivenResult]] = {}
    for call in given:
        key = (call.tool, call.session_id, canonical(call.arguments))
        calls.setdefault(key, []).append(call)
    by_tool: dict[str, list[Confirmation]] = {}
    for word in said:
        by_tool.setdefault(word.tool, []).append(word)
    for words in by_tool.values():
        _, contradicted = settled(words)
        for word in words:
            about = canonical(word.arguments)
            meant = calls.get((word.tool, word.session_id, about), ())
            before = [call for call in meant if call.at <= word.at]
            kind = _kind_of(word, before[-1].result) if before else None
            if kind and about not in contradicted:
                yield before[-1].version_id, word.at, OutcomeSign(kind, word.user)


def _kind_of(word: Confirmation, result: Json) -> OutcomeKind | None:
    alike = same(decoded(word.result), decoded(result))
    if word.right:
        return OutcomeKind.CONFIRMED if alike else OutcomeKind.STATED
    return OutcomeKind.REFUSED if alike else None


def _followed(versions: Mapping[str, JudgedVersion], moves: Sequence[PointerMove]) -> _Found:
    """Versions whose place another took after they were examined again.

    The same code with more cases met what a person had said; other code means it did not.
    """
    for move in moves:
        old, new = versions.get(move.from_version or ""), versions.get(move.to_version or "")
        if old is None or new is None or move.decision.get("kind") != _RE_EXAMINED:
            continue
        people = declared_people(new.provenance)
        kind = OutcomeKind.CONFIRMED if new.code == old.code else OutcomeKind.CONTRADICTED
        yield old.id, move.at, OutcomeSign(kind, people[0] if len(people) == 1 else "")


def _rebuilt(versions: Iterable[JudgedVersion]) -> _Found:
    """Versions that another build agreed with, and those that an examination did away with."""
    for version in versions:
        for each in version.assessments[1:]:
            if "agreeing_build" in each.evidence:
                yield version.id, each.at, OutcomeSign(OutcomeKind.AGREED)
            elif each.status is Status.RETIRED and "mutation_score" in each.evidence:
                yield version.id, each.at, OutcomeSign(OutcomeKind.CONTRADICTED)


def _agreed(compared: Sequence[ComparedCall]) -> _Found:
    """Versions whose result an independent solution of the same request gave, too."""
    for call in compared:
        answer = call.answer if isinstance(call.answer, dict) else {}
        agree = answer.get("agree")
        if not isinstance(agree, int) or agree < 1 or answer.get("tool") != call.tool:
            continue
        # Of several steps it says which was weakest only in words; a correction came later.
        if answer.get("steps") or "correction" in answer:
            continue
        if same_answer(decoded(call.result), answer.get("result")):
            yield call.version_id, call.at, OutcomeSign(OutcomeKind.AGREED)
