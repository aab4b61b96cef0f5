"""Whose words and values a version holds, and what others see of it."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hammerstone.core.calls import Call
from hammerstone.core.settings import Settings
from hammerstone.core.tools import Case, CaseKind, Spec, Version
from hammerstone.library.tools.sharing import (
    ELSEWHERE,
    Sharing,
    imported,
    made_up,
    numbers_of,
    open_places,
    with_people,
    without_doctests,
)
from hammerstone.storage import Database

SPEC = Spec("part_of", "A percentage of a number.", {"type": "object"}, {})
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def case(source: str, expected: Any, origin: str = "author 1") -> Case:
    return Case(CaseKind.VALUE, Call(source=source), expected, origin=origin)


SUITE = (
    case("part_of(25, 80)", 20),
    case("part_of(17.5, 240)", 42, "user"),
    case("part_of(17.5, 300)", 52.5),
    case("part_of(10, 100)", 10),
    case("part_of(18.5, 241)", 44.6, "strengthening"),
    case("part_of(3, 9)", 0.27, "run 7"),
)


def version(**provenance: Any) -> Version:
    return Version("v1", "part_of", 1, "code", SPEC, SUITE, (), provenance, NOW)


@pytest.fixture
async def db(tmp_path: Path) -> Any:
    opened = await Database.open(Settings(data_dir=tmp_path))
    yield opened
    await opened.close()


def test_only_cases_with_values_that_nobody_gave_are_everybodys() -> None:
    assert made_up(SUITE, SPEC, "What is 17.5% of 240?") == [0, 3]
    assert made_up(SUITE, SPEC, "What is 25% of 80?") == [2, 3]


def test_a_word_of_the_request_is_found_inside_other_words() -> None:
    suite = (case("shout('tea')", "TEA"), case("shout('xQuagmirels')", "XQUAGMIRELS"))
    assert made_up(suite, replace(SPEC, name="shout"), "Shout Quagmirel") == [0]


async def test_what_belongs_to_nobody_is_seen_whole(db: Database) -> None:
    sharing = Sharing(db, "local")
    for shipped in (version(origin="starter"), version(source="a function"), version()):
        assert await sharing.people_of(shipped) == frozenset()
        assert await sharing.seen_by(shipped, "bob") is shipped


async def test_others_see_the_open_cases_and_that_somebody_asked(db: Database) -> None:
    told = with_people({"request": "17.5% of 240", "user": "ann", "open_cases": [0, 3]}, ["ann"])
    own = version(**told, model="m")
    sharing = Sharing(db, "local")
    assert await sharing.seen_by(own, "ann") is own
    for other in ("bob", "local"):
        seen = await sharing.seen_by(own, other)
        assert seen.suite == (SUITE[0], SUITE[3]) and seen.rejected == ()
        assert dict(seen.provenance) == {"request": ELSEWHERE, "model": "m", "hidden_cases": 4}


async def test_versions_of_older_libraries_belong_to_who_made_the_run(db: Database) -> None:
    await db.runs.start("r1", "s1", "ann", "text", "t", NOW)
    sharing = Sharing(db, "local")
    assert await sharing.people_of(version(request="x", run="r1")) == {"ann"}
    assert await sharing.people_of(version(request="x", run="gone")) == {"local"}
    assert await sharing.people_of(version(request="x")) == {"local"}
    assert await sharing.people_of(version(runs=["r1", "gone"])) == {"ann", "local"}
    assert open_places(version(request="x", run="r1")) == []


async def test_a_deleted_run_does_not_hide_a_tool_from_whoever_asked(db: Database) -> None:
    own = version(**with_people({"request": "x", "run": "gone", "user": "ann"}, ["ann"]))
    assert await Sharing(db, "local").people_of(own) == {"ann"}


def test_what_comes_in_a_file_names_no_people_of_another_library() -> None:
    theirs = {"request": "17.5% of 240", "user": "ann", "people": ["ann"], "run": "r", "model": "m"}
    assert imported(theirs, "bob") == {"request": "17.5% of 240", "model": "m", "user": "bob"}
    assert imported({"request": ELSEWHERE, "hidden_cases": 3}, "bob") == {}


def test_evidence_for_others_is_numbers() -> None:
    evidence: Any = {"mutation_score": 0.9, "reason": "for 'x'", "question": {"call": "f(1)"}}
    assert numbers_of(evidence) == {"mutation_score": 0.9}


def test_example_calls_in_docstrings_are_left_out_for_others() -> None:
    code = 'def f(x):\n    """Twice.\n\n    >>> f(240)\n    480\n    """\n    return 2 * x\n'
    assert without_doctests(code) == 'def f(x):\n    """Twice.\n\n    """\n    return 2 * x\n'
    assert without_doctests("def f(x):\n    return x\n") == "def f(x):\n    return x\n"
