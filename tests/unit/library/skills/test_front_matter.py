"""YAML at the head of a SKILL.md: what is read, where a mistake is, and how much there may be."""

import pytest

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.library.skills.front_matter import (
    MAX_DEPTH,
    MAX_YAML_CHARS,
    BadFrontMatter,
    Document,
    read_document,
    read_yaml,
    write_document,
)


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ("---\nname: a\n---\nBody\n", Document({"name": "a"}, "Body")),
        ("---  \nname: a\n---\t\n\n\nBody\nmore\n\n", Document({"name": "a"}, "Body\nmore")),
        ("---\nname: a\n---", Document({"name": "a"}, "")),
        ("---\na: 1\nb: [x, 2.5, null, true]\n---\n", Document(
            {"a": 1, "b": ["x", 2.5, None, True]}, "")),
        ("---\n5: a\n1.5: b\n---\n", Document({"5": "a", "1.5": "b"}, "")),
        ("---\na: x\n---\n---\nrest", Document({"a": "x"}, "---\nrest")),
    ],
)  # fmt: skip
def test_head_and_body(text: str, document: Document) -> None:
    assert read_document(text) == document


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name: a", "SKILL.md does not begin with YAML between two lines of ---"),
        (" ---\nname: a\n---", "SKILL.md does not begin with YAML between two lines of ---"),
        ("---\nname: a\n", "the YAML at the head of SKILL.md is not closed by a line of ---"),
        ("---\n- a\n---\n", "the YAML at the head of SKILL.md is not a list of `name: value`"),
        ("---\na: 1\nb: [\n---\n", "the YAML is broken: line 3: "),
        ("---\ntrue: a\n---\n", "a name in the YAML is not text"),
        ("---\na: .nan\n---\n", "the YAML holds a float, which is not allowed"),
        ("---\na: -.inf\n---\n", "the YAML holds a float, which is not allowed"),
        ("---\na: !!binary aGk=\n---\n", "the YAML holds a bytes, which is not allowed"),
        ("---\na: !!set {x}\n---\n", "the YAML holds a set, which is not allowed"),
    ],
)
def test_what_is_wrong_is_told(text: str, told: str) -> None:
    with pytest.raises(BadFrontMatter) as raised:
        read_document(text)
    assert str(raised.value).startswith(told)


def nested(depth: int) -> str:
    return "[" * depth + "1" + "]" * depth


def test_the_deepest_that_is_read() -> None:
    value: Json = read_yaml(nested(MAX_DEPTH))
    for _ in range(MAX_DEPTH):
        assert isinstance(value, list)
        value = value[0]
    assert value == 1
    with pytest.raises(BadFrontMatter, match="nested too deeply"):
        read_yaml(nested(MAX_DEPTH + 1))
    with pytest.raises(BadFrontMatter, match="nested too deeply"):
        read_yaml("{a: " * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1))


def test_the_longest_that_is_read() -> None:
    text = "a: " + "x" * (MAX_YAML_CHARS - 3)
    assert read_yaml(text) == {"a": "x" * (MAX_YAML_CHARS - 3)}
    with pytest.raises(BadFrontMatter, match="more than 20,000 characters"):
        read_yaml(text + "x")


@pytest.mark.parametrize(("items", "read"), [(1995, True), (1996, False)])
def test_the_most_parts_that_are_read(items: int, read: bool) -> None:
    # beside the items: the begin and the end of the stream, the document and the list
    text = "[" + ",".join(["1"] * items) + "]"
    if read:
        assert read_yaml(text) == [1] * items
    else:
        with pytest.raises(BadFrontMatter, match="too many parts"):
            read_yaml(text)


FIELDS: JsonObject = {"name": "b", "a": {"inner": "x --- y", "n": 5}, "list": ["--- z"]}


def test_what_is_written_can_be_read() -> None:
    text = write_document(FIELDS, "\n# Title\n\nBody\n\n")
    assert text.startswith("---\nname: b\na:\n")
    assert text.endswith("---\n\n# Title\n\nBody\n")
    assert read_document(text).body == "# Title\n\nBody"
    assert read_document(text).fields["a"] == {"inner": "x -- y", "n": 5}
    long = write_document({"description": "ü " * 300}, "x")
    assert len(long.splitlines()) == 5
