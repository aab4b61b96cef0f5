"""What people have said about a tool's results: in its own form, and what they agree on."""

import json
from typing import Any

from hammerstone.core import wire
from hammerstone.core.hashing import canonical
from hammerstone.core.json_types import Json, is_dict, is_sequence, is_set
from hammerstone.core.tools import Case, CaseKind, CaseOrigin, Spec
from hammerstone.judging.equality import decoded, same
from hammerstone.judging.result_types import type_mismatch
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


_TRUTHS = {"yes": True, "true": True, "no": False, "false": False}


def as_result(value: Json, spec: Spec, like: Json) -> tuple[Json, str]:
    """The stated value in wire form as the tool would return it, and why it cannot be one.

    `like` is what the tool returned, in wire form: a list becomes a tuple where that is one.
    A text that writes a value of the declared type is that value.
    """
    mismatch = ""
    for reading in _readings(value):
        shaped = wire.encode(_shaped(reading, decoded(like)))
        found = type_mismatch(spec.returns, shaped)
        if not found:
            return shaped, ""
        mismatch = mismatch or found
    return wire.encode(value), mismatch


def _readings(value: Json) -> list[Json]:
    """The value as it was stated, then as what its text may write."""
    if not isinstance(value, str):
        return [value]
    text, found = value.strip(), list[Json]([value])
    if text.lower() in _TRUTHS:
        found.append(_TRUTHS[text.lower()])
    for written in (text, text.replace(",", "")):
        try:
            found.append(json.loads(written))
        except ValueError:
            continue
    return found


def _shaped(value: Any, like: Any) -> Any:
    if is_sequence(value) and (is_sequence(like) or is_set(like)):
        inner = next(iter(like), None)
        items = [_shaped(item, inner) for item in value]
        if isinstance(like, tuple):
            return tuple(items)
        return items if is_sequence(like) else set(items)
    if is_dict(value) and is_dict(like):
        return {key: _shaped(item, like.get(key)) for key, item in value.items()}
    if isinstance(like, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value
