"""Mutants of our own source: where they are made, and what is known of them."""

import ast
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from evals import line_tests, mutants, source_places
from evals.line_tests import LineTests
from evals.source_places import Place, mutated, places, sample

SOURCE = '''"""A docstring with 3 numbers."""
from typing import TYPE_CHECKING

WORDS = ("a", "of")
MOST = 7

if TYPE_CHECKING:
    LATER = 1


def least(value: int | None = 2, *, other: "str" = "") -> bool:
    """Another 5."""
    if not value:
        return False
    print(value, other)
    return value < MOST and other != "x"


class Shown:
    def __repr__(self) -> str:
        return "a" * 3
'''


@pytest.fixture
def own_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for module in (line_tests, source_places, mutants):
        monkeypatch.setattr(module, "SOURCE", tmp_path)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "least.py").write_text(SOURCE, "utf-8")
    return tmp_path / "run" / "least.py"


def test_only_what_a_test_could_notice_is_changed(own_source: Path) -> None:
    found = {(place.line, place.what) for place in places(own_source)}
    assert {line for line, _ in found} == {5, 11, 13, 14, 15, 16}
    assert {what for line, what in found if line == 13} == {
        "the condition reversed",
        "guard left out",
        "not left out",
    }
    assert (15, "first two arguments exchanged") in found
    assert (15, "statement left out") in found
    assert {(16, "< became <="), (16, "< became >="), (16, "and became or")} <= found
    assert {place.at_import for place in places(own_source) if place.line in (5, 11)} == {True}


def test_every_mutant_is_another_program_that_parses(own_source: Path) -> None:
    texts = [mutated(place) for place in places(own_source)]
    assert all(ast.parse(text) for text in texts)
    assert source_places.plain("run/least.py") not in texts


def test_a_sample_is_repeatable_and_takes_a_node_once(own_source: Path) -> None:
    drawn = sample(8, 3, "run")
    assert drawn == sample(8, 3, "run")
    assert drawn != sample(8, 4, "run")
    assert len({place.node for place in drawn}) == 8


def _row(name: str, lines: int, digest: str, seconds: float = 0.1) -> str:
    of_test = line_tests.digest(Path(__file__))
    row = {"test": name, "digest": of_test, "seconds": seconds}
    row["functions"] = {"run/least.py": ["least"]}
    return json.dumps({**row, "lines": {"run/least.py": (digest, f"{lines:x}")}}) + "\n"


def test_a_row_of_the_map_counts_while_its_source_is_the_same(
    own_source: Path, tmp_path: Path
) -> None:
    this = str(Path(__file__).relative_to(line_tests.ROOT))
    digest = line_tests.digest(own_source)
    kept = tmp_path / "lines.jsonl"
    kept.write_text(
        _row(f"{this}::now", 1 << 13, digest)
        + _row(f"{this}::before", 1 << 13, "0" * 12)
        + '{"test": "broken off'
    )
    found = LineTests(kept)
    assert found.tests_of("run/least.py", range(13, 14)) == [f"{this}::now"]
    assert found.tests_of("run/least.py", range(14, 20)) == []
    assert found.tests == {f"{this}::now"}


def test_of_a_long_test_the_functions_count_when_its_source_has_changed(
    own_source: Path, tmp_path: Path
) -> None:
    this = str(Path(__file__).relative_to(line_tests.ROOT))
    kept = tmp_path / "lines.jsonl"
    kept.write_text(_row(f"{this}::long", 1 << 13, "0" * 12, seconds=2.0))
    found = LineTests(kept)
    assert found.tests == {f"{this}::long"}
    assert found.tests_of("run/least.py", range(13, 14)) == []
    assert found.tests_of_function("run/least.py", "least") == [f"{this}::long"]
    assert found.tests_of_function("run/least.py", "Shown.other") == []
    assert found.tests_of_function("run/other.py", "least") == []
    own_source.rename(tmp_path / "run" / "other.py")
    assert found.tests_of_function("run/other.py", "least") == [f"{this}::long"]


def test_a_place_says_which_function_it_is_in(tmp_path: Path, own_source: Path) -> None:
    own_source.write_text(
        "class A:\n    def b(self):\n        def c():\n            return 1 < 2\n"
        "        return [x for x in self if x == 3]\n\nd = 4\n"
    )
    found = {(place.line, place.function) for place in places(own_source)}
    assert found == {(4, "A.b.<locals>.c"), (5, "A.b"), (7, "")}


def test_tests_of_the_module_come_first_then_the_fastest_one_of_each_kind() -> None:
    seconds = {
        "tests/integration/test_all.py::test_a": 0.1,
        "tests/unit/run/test_other.py::test_b[1]": 0.2,
        "tests/unit/run/test_other.py::test_b[2]": 0.1,
        "tests/unit/run/test_least.py::test_c": 0.5,
        "tests/unit/run/test_least.py::test_d": 31.0,
    }
    covering = mutants.CoveringTests(SimpleNamespace(seconds=seconds, tests={}))  # type: ignore[arg-type]
    assert covering._best("run/least.py", list(seconds)) == [
        "tests/unit/run/test_least.py::test_c",
        "tests/unit/run/test_other.py::test_b[2]",
        "tests/integration/test_all.py::test_a",
        "tests/unit/run/test_other.py::test_b[1]",
    ]


def test_what_died_stays_dead_and_a_survivor_is_tried_again_with_other_tests(
    own_source: Path,
) -> None:
    (place, *_) = places(own_source)
    assert isinstance(place, Place)
    digest = line_tests.digest(own_source)

    def holds(outcome: str, tried: list[str], now: list[str], source: str = digest) -> bool:
        result = mutants.Result(place.name, source, mutants._state(tried), outcome, "", 0.0)
        return mutants._holds(result, place, now)

    assert holds("killed", ["a"], ["b"])
    assert holds("survived", ["a"], ["a"])
    assert not holds("survived", ["a"], ["a", "b"])
    assert not holds("killed", ["a"], ["a"], source="another")
