"""What people have said about a tool's results, and what they agree on."""

from hammerstone.core.hashing import canonical
from hammerstone.core.tools import Case, CaseKind, CaseOrigin
from hammerstone.judging.equality import decoded, same
from hammerstone.learn.repair.reflection import call_of
from hammerstone.storage.stores.learning.analyses import Confirmation


def settled(said: list[Confirmation]) -> tuple[list[Confirmation], list[str]]:
    """What people agree on, and the calls about which they contradict each other.

    A contradiction is evidence for neither side.
    """
    by_call: dict[str, list[Confirmation]] = {}
    for each in said:
        by_call.setdefault(canonical(each.arguments), []).append(each)
    agreed: list[Confirmation] = []
    contradicted: list[str] = []
    for key, about in by_call.items():
        right = [decoded(each.result) for each in about if each.right]
        wrong = [decoded(each.result) for each in about if not each.right]
        differ = any(not same(right[0], other) for other in right[1:])
        if differ or any(same(one, other) for one in right for other in wrong):
            contradicted.append(key)
        else:
            told = {"" if each.right else canonical(each.result): each for each in about}
            agreed += told.values()
    return agreed, contradicted


def stated_cases(said: list[Confirmation]) -> list[tuple[Case, Confirmation]]:
    """The values that people state for calls of a tool, as cases, where nobody contradicts."""
    agreed, _ = settled(said)
    return [
        (Case(CaseKind.VALUE, call_of(each.arguments), each.result, origin=CaseOrigin.USER), each)
        for each in agreed
        if each.right and isinstance(each.arguments, dict)
    ]
