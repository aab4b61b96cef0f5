"""The rules of agentskills.io, and YAML that is up to no good."""

import pytest

from hammerstone.library.skills.front_matter import (
    BadFrontMatter,
    read_document,
    read_yaml,
)
from hammerstone.library.skills.rules import check, name_problem
from tests.unit.library.skills.conftest import skill_text


def problems(text: str, folder: str | None = "pdf-tools") -> dict[str, str]:
    checked = check({"SKILL.md": text.encode()}, folder)
    return {each.field: each.severity for each in checked.problems}


@pytest.mark.parametrize("name", ["a", "pdf-tools", "a1-2b", "x" * 64, "2-go"])
def test_good_names(name: str) -> None:
    assert name_problem(name) == ""


@pytest.mark.parametrize(
    "name",
    [
        "",
        "x" * 65,
        "PDF",
        "-a",
        "a-",
        "a--b",
        "a_b",
        "a b",
        "ä",
        "a.b",
        "../a",
        "a/b",
        None,
        5,
        ["a"],
    ],
)
def test_bad_names(name: object) -> None:
    assert name_problem(name)  # type: ignore[arg-type]


def test_a_valid_skill_has_no_problem() -> None:
    more = (
        "license: Apache-2.0\ncompatibility: Needs git\nallowed-tools: Bash(git:*) Read\n"
        'metadata:\n  author: someone\n  version: "1.0"\n'
    )
    assert problems(skill_text("pdf-tools", more=more)) == {}


@pytest.mark.parametrize(
    ("more", "field", "severity"),
    [
        ("compatibility: " + "x" * 501, "compatibility", "error"),
        ("compatibility: ''", "compatibility", "error"),
        ("license: [a]", "license", "error"),
        ("metadata: text", "metadata", "error"),
        ("metadata:\n  nested:\n    a: b", "metadata.nested", "error"),
        ("metadata:\n  version: 1.0", "metadata.version", "warning"),
        ("allowed-tools: [Read, Write]", "allowed-tools", "warning"),
        ("allowed-tools: 5", "allowed-tools", "error"),
        ("user-invocable: false", "user-invocable", "warning"),
        ("user-invocable: maybe", "user-invocable", "warning"),
        ("hooks: {}", "hooks", "warning"),
    ],
)
def test_fields(more: str, field: str, severity: str) -> None:
    assert problems(skill_text("pdf-tools", more=more + "\n"))[field] == severity


def test_a_switch_has_to_be_true_or_false() -> None:
    checked = check({"SKILL.md": skill_text("a", more="user-invocable: maybe\n").encode()}, "a")
    assert [each.field for each in checked.errors] == ["user-invocable"]


def test_description_and_folder() -> None:
    assert problems(skill_text("pdf-tools", "x" * 1025))["description"] == "error"
    assert "description" not in problems(skill_text("pdf-tools", "x" * 1024))
    assert problems(skill_text("pdf-tools", "''"))["description"] == "error"
    assert problems(skill_text("pdf-tools"), "other")["name"] == "error"
    assert problems(skill_text("pdf-tools"), None) == {}
    assert problems("---\nname: pdf-tools\n---\nx")["description"] == "error"


def test_sizes_of_the_body() -> None:
    assert problems(skill_text("pdf-tools", body="x\n" * 600))["SKILL.md"] == "warning"
    assert problems(skill_text("pdf-tools", body="x" * 100_001))["SKILL.md"] == "error"
    assert problems(skill_text("pdf-tools", body=""))["SKILL.md"] == "warning"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"# no yaml",
        b"---\nname: a\n",
        b"---\n- a\n- b\n---\n",
        b"---\nname: [\n---\n",
        b"---\nname: a: b\n---\n",
        b"\xff\xfe\x00binary",
        b"---\nname: a\n---\n\x00",
        b"---\n\tname: a\n---\n",
        b"---\n!!python/object/apply:os.system ['true']\n---\n",
        b"---\n? [a]\n: b\n---\n",
        b"---\nx: .inf\n---\n",
    ],
)
def test_what_cannot_be_read_is_one_clear_error(content: bytes) -> None:
    checked = check({"SKILL.md": content}, "a")
    assert checked.document is None
    assert [each.field for each in checked.errors] == ["SKILL.md"]


def test_a_missing_file_names_one_that_is_nearly_it() -> None:
    (problem,) = check({"docs/skill.md": b""}, "a").errors
    assert "docs/skill.md" in problem.text


def test_small_yaml_cannot_become_huge() -> None:
    with pytest.raises(BadFrontMatter, match="alias"):
        read_yaml("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]")
    with pytest.raises(BadFrontMatter, match="characters"):
        read_yaml("a: " + "x" * 20_001)
    with pytest.raises(BadFrontMatter):
        read_yaml("[" * 500 + "]" * 500)
    with pytest.raises(BadFrontMatter, match="parts"):
        read_yaml("\n".join(f"k{n}: {n}" for n in range(1500)))


def test_dates_stay_text_and_windows_lines_are_read() -> None:
    document = read_document("\ufeff---\r\nname: a\r\nwhen: 2024-03-01\r\n---\r\nbody\r\n")
    assert document.fields == {"name": "a", "when": "2024-03-01"}
    assert document.body.strip() == "body"
