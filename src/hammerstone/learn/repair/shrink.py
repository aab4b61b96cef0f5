"""The smallest call that still fails in the same way."""

from collections.abc import Iterator

from hammerstone.core.calls import Outcome, Program
from hammerstone.core.hashing import canonical
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Version
from hammerstone.judging.result_types import type_mismatch
from hammerstone.learn.repair.reflection import call_of, limits_of

ROUNDS = 12
AT_ONCE = 24


async def shrink(
    version: Version, arguments: JsonObject, outcome: Outcome, sandbox: Sandbox
) -> JsonObject:
    """Arguments with the same failure that cannot easily be made smaller.

    Smaller ones must still fit the tool's schema, or the failure would be another one.
    """
    program = Program(version.code, version.spec.name)
    takes = version.spec.takes
    best = arguments
    seen = {canonical(arguments)}
    for _ in range(ROUNDS):
        batch: list[JsonObject] = []
        for candidate in _smaller(best):
            text = canonical(candidate)
            if text not in seen and takes.accepts(candidate):
                seen.add(text)
                batch.append(candidate)
            if len(batch) == AT_ONCE:
                break
        if not batch:
            break
        calls = [call_of(candidate) for candidate in batch]
        limits = limits_of(version.spec)
        (row,) = await sandbox.matrix([program], calls, limits=limits, case_wall_s=2.0)
        failing = [c for c, o in zip(batch, row, strict=True) if _alike(o, outcome, version)]
        if not failing:
            break
        best = min(failing, key=_size)
    return best


def _alike(one: Outcome, other: Outcome, version: Version) -> bool:
    if other.ok:  # it returned what it does not promise
        return one.ok and bool(type_mismatch(version.spec.returns, one.value))
    return one.failure is other.failure and one.error_type == other.error_type


def _size(arguments: JsonObject) -> tuple[int, str]:
    text = canonical(arguments)
    return len(text), text


def _smaller(arguments: JsonObject) -> Iterator[JsonObject]:
    """Arguments with one of them made smaller, the boldest cuts first."""
    for name in sorted(arguments, key=lambda n: -len(canonical(arguments[n]))):
        for value in _cut(arguments[name]):
            yield {**arguments, name: value}


def _cut(value: Json, depth: int = 0) -> Iterator[Json]:
    if isinstance(value, bool) or value is None or depth > 4:
        return
    if isinstance(value, int):
        yield from dict.fromkeys((0, 1, value // 2, value - 1 if value > 0 else value + 1))
    elif isinstance(value, float):
        yield from dict.fromkeys((0.0, 1.0, float(int(value))))
    elif isinstance(value, str):
        half = len(value) // 2
        yield from dict.fromkeys(("", value[:half], value[half:], value[1:], value[:-1]))
    elif isinstance(value, list):
        yield from _cut_list(value, depth)
    else:
        yield from _cut_dict(value, depth)


def _cut_list(items: list[Json], depth: int) -> Iterator[Json]:
    half = len(items) // 2
    if items:
        yield []
    if half:
        yield items[:half]
        yield items[half:]
    for place in range(min(len(items), 8)):
        yield items[:place] + items[place + 1 :]
    for place in range(min(len(items), 4)):
        for smaller in list(_cut(items[place], depth + 1))[:3]:
            yield [*items[:place], smaller, *items[place + 1 :]]


def _cut_dict(document: dict[str, Json], depth: int) -> Iterator[Json]:
    for key in list(document)[:8]:
        yield {k: v for k, v in document.items() if k != key}
    for key in list(document)[:4]:
        for smaller in list(_cut(document[key], depth + 1))[:3]:
            cut: JsonObject = {**document, key: smaller}
            yield cut
