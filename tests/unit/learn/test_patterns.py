"""What is read out of the counts: pairs, patterns that nothing longer explains, and ripe ones."""

from datetime import UTC, datetime
from typing import Any, cast

import pytest

from hammerstone.learn.mining.patterns import PatternBook, closed
from hammerstone.learn.mining.sequences import MAX_STEPS, occurrences
from hammerstone.learn.policies import MiningPolicy
from hammerstone.storage.stores.library.patterns import LoggedCall, PatternRow


def row(steps: str, frequency: int = 4, **more: Any) -> PatternRow:
    given: dict[str, Any] = {
        "id": steps, "steps": tuple(steps), "frequency": frequency, "sessions": 3, "seen": 4,
        "good": 4, "flowing": 4, "whole": 0, "seconds": 8.0, "successes": 4, "length": len(steps),
        "at": datetime.now(UTC), "first_at": datetime.now(UTC), "last_at": datetime.now(UTC),
        **more,
    }  # fmt: skip
    return PatternRow(**{name: given[name] for name in PatternRow.__dataclass_fields__})


class Counts:
    """The counts of the miner; singles are how often a tool was used at all."""

    def __init__(self, *rows: PatternRow, **singles: int) -> None:
        self._rows, self._singles = [*rows], singles
        self.asked: list[dict[str, Any]] = []

    @property
    def patterns(self) -> "Counts":
        return self

    async def singles(self, tools: list[str]) -> dict[str, PatternRow]:
        assert tools == sorted(set(tools))
        return {tool: row(tool, self._singles[tool]) for tool in tools if tool in self._singles}

    async def list(self, **options: Any) -> list[PatternRow]:
        self.asked.append(options)
        return self._rows

    def book(self, **policy: Any) -> PatternBook:
        return PatternBook(cast(Any, self), MiningPolicy(**policy))


async def test_pairs_the_surest_first() -> None:
    counts = Counts(row("ab", 30), row("ac", 3), row("de", 3), a=30, d=3)
    found = await counts.book().relationships("a")
    assert [(one.source, one.target, one.count) for one in found] == [
        ("a", "b", 30), ("d", "e", 3), ("a", "c", 3),
    ]  # fmt: skip
    assert counts.asked == [{"max_length": 2, "tool": "a", "limit": 5000}]
    always, three, seldom = (one.confidence for one in found)
    assert always == pytest.approx(1 / (1 + 1.28**2 / 30))
    assert three == pytest.approx(1 / (1 + 1.28**2 / 3))
    assert seldom < 0.1
    assert found[0].to_json()["flowing"] == 4


async def test_how_sure_a_pair_that_sometimes_follows_is() -> None:
    (one,) = await Counts(row("ab", 5), a=10).book().relationships()
    total, share, z = 10, 0.5, 1.28
    spread = z * (share * (1 - share) / total + z**2 / (4 * total**2)) ** 0.5
    expected = (share + z**2 / (2 * total) - spread) / (1 + z**2 / total)
    assert one.confidence == pytest.approx(expected)


async def test_the_least_confidence_and_the_most_pairs() -> None:
    counts = Counts(row("ab", 30), row("ac", 3), a=30)
    (sure,) = await counts.book().relationships(min_confidence=0.5)
    assert sure.target == "b"
    assert len(await counts.book().relationships(min_confidence=sure.confidence)) == 1
    assert len(await counts.book().relationships(limit=1)) == 1


async def test_more_often_than_its_first_tool_is_certain_enough() -> None:
    (unknown,) = await Counts(row("ab", 4)).book().relationships()
    (known,) = await Counts(row("ab", 4), a=2).book().relationships()
    assert unknown.confidence == known.confidence > 0.5
    (nothing,) = await Counts(row("ab", 0)).book().relationships()
    assert nothing.confidence == 0.0


@pytest.mark.parametrize(
    ("steps", "whole", "seen", "kind"),
    [
        ("abc", 2, 4, "whole"),
        ("abc", 1, 4, "part"),
        ("ab", 1, 4, "pair"),
        ("ab", 1, 1, "whole"),
        ("ab", 0, 0, "pair"),
    ],
)
async def test_the_kind_of_a_pattern(steps: str, whole: int, seen: int, kind: str) -> None:
    counts = Counts(row(steps, whole=whole, seen=seen, flowing=seen // 2))
    (pattern,) = await counts.book().patterns()
    assert pattern.kind == kind
    assert pattern.flowing == (0.5 if seen == 4 else 0.0)
    assert pattern.mean_s == (8.0 / seen if seen else 0.0)
    assert pattern.to_json()["steps"] == [*steps]


@pytest.mark.parametrize(
    ("rows", "kept"),
    [
        ([("abc", 4), ("ab", 4), ("bc", 5)], ["abc", "bc"]),
        ([("abcd", 4), ("ab", 4), ("bc", 4), ("cd", 4), ("abc", 4), ("bcd", 4)], ["abcd"]),
        ([("abcd", 4), ("ac", 4)], ["abcd", "ac"]),
        ([("ab", 4)], ["ab"]),
        ([], []),
    ],
)
def test_patterns_that_nothing_longer_explains(
    rows: list[tuple[str, int]], kept: list[str]
) -> None:
    found = closed([row(steps, frequency) for steps, frequency in rows])
    assert ["".join(one.steps) for one in found] == kept


@pytest.mark.parametrize(
    ("more", "ripe"),
    [
        ({}, True),
        ({"sessions": 2}, True),
        ({"sessions": 1}, False),
        ({"flowing": 0}, False),
        ({"flowing": 0, "whole": 3}, True),
        ({"flowing": 0, "whole": 2}, False),
    ],
)
async def test_when_a_pattern_is_ripe(more: dict[str, Any], ripe: bool) -> None:
    counts = Counts(row("ab", 4, **more))
    assert bool(await counts.book().ripe()) is ripe
    assert counts.asked == [{"min_frequency": 3, "limit": 5000}]


async def test_success_is_needed_and_the_number_is_limited() -> None:
    good = Counts(row("ab", 4))
    (ripe,) = await good.book(success=1.0).ripe()
    assert (ripe.success, ripe.steps) == (1.0, ("a", "b"))
    assert await good.book(success=1.01).ripe() == []
    both = Counts(row("ab", 4), row("cd", 5))
    assert len(await both.book().patterns(min_frequency=3, limit=1)) == 1
    assert both.asked[0] == {"min_frequency": 3, "limit": 5000}


def call(number: int, tool: str, *after: int, ok: bool = True) -> LoggedCall:
    sources: Any = {f"a{n}": {"step": n, "path": []} for n in after}
    return LoggedCall("r", number, tool, ok, 0.5, sources)


def found(*calls: LoggedCall, longest: int = 5, longest_whole: int = 10) -> dict[str, Any]:
    made = occurrences(list(calls), longest=longest, longest_whole=longest_whole)
    return {"".join(one.tools): one for one in made}


def test_how_long_a_window_and_a_whole_may_be() -> None:
    calls = [call(n, tool) for n, tool in enumerate("abcd")]
    assert set(found(*calls, longest=2, longest_whole=3)) == {*"abcd", "ab", "bc", "cd"}
    assert set(found(*calls, longest=3, longest_whole=4)) == {
        *"abcd", "ab", "bc", "cd", "abc", "bcd", "abcd",
    }  # fmt: skip
    assert found(*calls, longest=3, longest_whole=4)["abcd"].whole
    assert not found(*calls, longest=4, longest_whole=3)["abcd"].whole


def test_one_call_is_a_whole_run() -> None:
    (one,) = found(call(0, "a")).values()
    assert (one.whole, one.flowing, one.seconds, one.ok, one.place) == (
        True, False, 0.5, True, "r:0",
    )  # fmt: skip
    assert found() == {}


def test_the_best_of_two_equal_sequences_is_kept() -> None:
    seen = found(call(0, "a"), call(1, "b"), call(2, "a"), call(3, "b", 2))
    assert (seen["ab"].flowing, seen["ab"].place) == (True, "r:2|r:3")
    failed = found(call(0, "a"), call(1, "b", ok=False), call(2, "a"), call(3, "b"))
    assert failed["ab"].ok
    assert failed["ab"].seconds == 1.0


def test_a_sequence_flows_when_each_step_takes_something_from_inside() -> None:
    seen = found(call(0, "a"), call(1, "b", 0), call(2, "c", 0))
    assert seen["abc"].flowing
    assert not seen["bc"].flowing
    assert "ac" not in seen  # what stands between hangs together with both


def test_only_the_beginning_of_a_long_run_is_read() -> None:
    calls = [call(n, f"t{n}") for n in range(MAX_STEPS + 2)]
    singles = {one.tools for one in occurrences(calls, longest=2, longest_whole=2)}
    assert (f"t{MAX_STEPS - 1}",) in singles
    assert (f"t{MAX_STEPS}",) not in singles
