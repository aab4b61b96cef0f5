"""What a memory file says line by line, what replaces what, and what a file may be at most."""

from datetime import date
from pathlib import Path

import pytest

from hammerstone.core.errors import DataDirectoryError
from hammerstone.library.memory.layers import FILE_BYTES, PINNED_BYTES, Layers, Line
from hammerstone.library.memory.memory_instructions import Layer
from tests.hand_clock import HandClock


@pytest.fixture
def layers(tmp_path: Path, clock: HandClock) -> Layers:
    return Layers(tmp_path / "memory", clock)


def write(layers: Layers, text: str, layer: Layer = Layer.USER) -> Path:
    path = layers.path("ada", layer)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("# Title\n\n- tea\n", [Line("tea")]),
        ("* tea\n+ cake\nbare", [Line("tea"), Line("cake"), Line("bare")]),
        ("- tea <!-- 2026-01-02, run 7 -->", [Line("tea", date(2026, 1, 2), "run 7")]),
        ("- tea <!-- 2026-01-02 -->", [Line("tea", date(2026, 1, 2))]),
        ("- tea <!-- 2026-13-45, run 7 -->", [Line("tea", None, "run 7")]),
        ("- tea <!-- a note --> is good", [Line("tea  is good")]),
        ("- a\n<!-- hidden\n- secret\n-->\n- b", [Line("a"), Line("b")]),
        ("\ufeff- tea", [Line("tea")]),
    ],
)
def test_lines_of_a_file(layers: Layers, text: str, lines: list[Line]) -> None:
    write(layers, text)
    assert [line.text for line in layers.lines("ada", Layer.USER)] == [one.text for one in lines]
    assert list(layers.lines("ada", Layer.USER)) == lines


@pytest.mark.parametrize(
    ("old", "new", "replaced"),
    [
        ("I live in Rome", "I live in Oslo", True),
        ("I prefer tea", "I prefer coffee", True),
        ("My name is Ada", "Call me Countess", True),
        ("My name is Ada", "My city is Rome", False),
        ("My city is Rome", "My city is Oslo", True),
        ("Always round at the end", "Never round at the end", True),
        ("red green blue", "red green blue yellow", True),  # 3 of 4 words
        ("red green", "red green blue", False),  # 2 of 3
        ("red green blue", "red green pink", False),
        ("always", "never", False),  # nothing is left to compare
        ("!!!", "???", False),
    ],
)
def test_a_line_about_the_same_takes_the_place_of_the_older(
    layers: Layers, old: str, new: str, replaced: bool
) -> None:
    layers.add("ada", Layer.MEMORY, old, "")
    gone = layers.add("ada", Layer.MEMORY, new, "")
    assert [line.text for line in gone] == ([old] if replaced else [])
    kept = [line.text for line in layers.lines("ada", Layer.MEMORY)]
    assert kept == ([new] if replaced else [old, new])


@pytest.mark.parametrize(
    ("about", "gone"),
    [
        ("TEA", ["I like tea", "tea time is four"]),
        ("time four", ["tea time is four"]),
        ("like coffee", []),
        ("boats", ["Boat trips in May"]),
        ("the of", []),
    ],
)
def test_what_is_forgotten(layers: Layers, about: str, gone: list[str]) -> None:
    everything = ["I like tea", "tea time is four", "Boat trips in May"]
    for text in everything:
        layers.add("ada", Layer.MEMORY, text, "")
    assert layers.forget("ada", about) == gone
    left = [line.text for line in layers.lines("ada", Layer.MEMORY)]
    assert left == [text for text in everything if text not in gone]


def test_only_the_named_files_are_searched_when_forgetting(layers: Layers) -> None:
    layers.add("ada", Layer.RULES, "Always drink tea", "")
    layers.add("ada", Layer.USER, "I like tea", "")
    assert layers.forget("ada", "tea", (Layer.USER,)) == ["I like tea"]
    assert [line.text for line in layers.lines("ada", Layer.RULES)] == ["Always drink tea"]


@pytest.mark.parametrize(
    ("layer", "most"), [(Layer.RULES, PINNED_BYTES), (Layer.MEMORY, FILE_BYTES)]
)
def test_a_file_of_the_largest_size_is_read(layers: Layers, layer: Layer, most: int) -> None:
    write(layers, "x" * most, layer)
    assert [len(line.text) for line in layers.lines("ada", layer)] == [most]


def test_a_file_that_is_too_large_says_how_large(layers: Layers) -> None:
    path = write(layers, "x" * (PINNED_BYTES + 1), Layer.RULES)
    with pytest.raises(DataDirectoryError) as refused:
        layers.lines("ada", Layer.RULES)
    assert str(path) in str(refused.value)
    assert f"it has {PINNED_BYTES + 1} bytes, more than {PINNED_BYTES}" in str(refused.value)


def test_a_file_whose_text_changed_is_read_again(layers: Layers) -> None:
    path = write(layers, "- one\n")
    assert layers.lines("ada", Layer.USER) == (Line("one"),)
    assert layers.lines("ada", Layer.USER) is layers.lines("ada", Layer.USER)
    path.write_text("- two and more\n")
    assert layers.lines("ada", Layer.USER) == (Line("two and more"),)


def test_the_state_changes_with_each_file(layers: Layers) -> None:
    assert layers.state("ada") == []
    layers.add("ada", Layer.USER, "I like tea", "")
    (first,) = layers.state("ada")
    assert first.startswith("user:")
    layers.add("ada", Layer.RULES, "Be brief", "")
    assert [one.split(":")[0] for one in layers.state("ada")] == ["rules", "user"]
    assert first in layers.state("ada")
    layers.add("ada", Layer.USER, "Cake is fine", "")
    assert first not in layers.state("ada")
    assert layers.state("bob") == []


def test_the_whole_file_is_written_and_read_as_it_is(layers: Layers) -> None:
    assert layers.text("ada", Layer.RULES) == ""
    layers.write("ada", Layer.RULES, "# Mine\n\n- tea <!-- x -->\n")
    assert layers.text("ada", Layer.RULES) == "# Mine\n\n- tea <!-- x -->\n"
    assert layers.lines("ada", Layer.RULES) == (Line("tea"),)
    assert [one.name for one in layers.path("ada", Layer.RULES).parent.glob("*.md")] == ["rules.md"]


def test_a_line_is_added_after_one_without_an_end(layers: Layers) -> None:
    path = write(layers, "- tea")
    layers.add("ada", Layer.USER, "Cake is fine", "run 1")
    assert path.read_text() == "- tea\n- Cake is fine <!-- 2026-03-10, run 1 -->\n"
    path = write(layers, "", Layer.MEMORY)
    layers.add("ada", Layer.MEMORY, "Cake", "")
    assert path.read_text() == "- Cake <!-- 2026-03-10 -->\n"


def test_folders_are_named_by_the_person_or_by_a_hash(layers: Layers, tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    assert layers.folder_of("ada-1_x") == folder / "ada-1_x"
    assert layers.folder_of("a" * 40) == folder / ("a" * 40)
    for odd in ("Ada", "a" * 41, "", "a b"):
        name = layers.folder_of(odd).name
        assert name.startswith(odd.lower()[:40].replace(" ", "-") + "-")
        assert len(name.rpartition("-")[2]) == 8
    assert layers.folder_of("Ada") != layers.folder_of("ADA")


def test_the_log_has_its_time_and_no_source(layers: Layers, clock: HandClock) -> None:
    layers.write_log("ada", ["one", "two\nlines"])
    assert layers.log("ada") == (Line("12:00 one"), Line("12:00 two lines"))
    clock.forward(days=2)
    assert layers.log("ada") == ()


def test_a_folder_that_cannot_be_written_says_so(layers: Layers, tmp_path: Path) -> None:
    (tmp_path / "memory").write_text("a file in the way")
    with pytest.raises(DataDirectoryError, match="cannot be written"):
        layers.add("ada", Layer.USER, "tea", "")
