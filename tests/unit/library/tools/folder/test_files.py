"""One tool as a folder: what is written, what is read back, and each thing that can be wrong."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hammerstone.core.tools import Effect, Spec, Status, Tool, Version
from hammerstone.library.tools.folder.files import (
    MAX_BYTES,
    NOT_READ_BACK,
    BadToolFolder,
    ToolFiles,
    read_folder,
    render,
    same_content,
)
from tests.unit.library.tools.conftest import DOUBLE, value_case

ABOUT = """
name = "double"
description = "Twice a number."
effect = "pure"

[parameters.n]
type = "number"

[returns]
type = "number"
"""
TESTS = "def test_double():\n    assert double(2) == 4\n"


def put(folder: Path, name: str = "double", **files: str | None) -> Path:
    path = folder / name
    path.mkdir()
    given = {"tool.toml": ABOUT, "tool.py": DOUBLE, f"test_{name}.py": TESTS}
    given |= {key.replace("__", "."): text for key, text in files.items()}  # type: ignore[dict-item]
    for file, text in given.items():
        if text is not None:
            (path / file).write_text(text)
    return path


def problems(path: Path) -> tuple[str, ...]:
    read = read_folder(path)
    assert isinstance(read, BadToolFolder)
    assert read.name == path.name
    return read.problems


def good(path: Path) -> ToolFiles:
    read = read_folder(path)
    assert isinstance(read, ToolFiles), read
    return read


def test_a_folder_that_says_the_least(tmp_path: Path) -> None:
    files = good(put(tmp_path))
    spec = files.spec
    assert (files.name, files.code, files.base, files.provenance) == ("double", DOUBLE, None, {})
    assert spec == Spec(
        "double",
        "Twice a number.",
        {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]},
        {"type": "number"},
    )
    assert [case.call.source for case in files.suite] == ["double(2)"]


def test_everything_is_written_and_read_back(tmp_path: Path) -> None:
    spec = Spec(
        "double",
        'Twice "a" number.',
        {
            "type": "object",
            "properties": {
                "n": {"type": "number"},
                "odd name": {"type": "string", "default": None},
            },
            "required": ["n"],
            "additionalProperties": False,
        },
        {"type": "number", "minimum": 0},
        effect=Effect.READS,
        edge_cases=("zero",),
        limits="heavy",
        constants=(2.0,),
        requests=("double 5",),
    )
    version = Version(
        "v" * 64, "double", 3, DOUBLE, spec, (value_case("double(2)", 4),), (),
        {"origin": "test", "model": "m"}, datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    tool = Tool("double", version, Status.VERIFIED, 0.91239, uses=7)
    written = render(tool)
    assert list(written) == ["tool.py", "test_double.py", "tool.toml"]
    about = written["tool.toml"]
    read_part, _, rest = about.partition(NOT_READ_BACK)
    assert "optional = true" in read_part
    for line in ("number = 3", 'status = "verified"', "uses = 7", "confidence = 0.9124"):
        assert line in rest
    path = tmp_path / "double"
    path.mkdir()
    for name, text in written.items():
        (path / name).write_text(text)
    files = good(path)
    assert files.spec == spec
    assert (files.base, files.provenance) == ("v" * 64, {"origin": "test", "model": "m"})
    assert files.suite == version.suite
    plain = render(Tool("double", replace(version, spec=replace(spec, constants=(), requests=())),
                        Status.VERIFIED, None))["tool.toml"]  # fmt: skip
    for word in ("constants", "requests", "confidence"):
        assert word not in plain


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"tool__py": None}, ("tool.py: it is missing",)),
        ({"tool__toml": None, "test_double__py": None},
         ("tool.toml: it is missing", "test_double.py: it is missing")),
        ({"tool__py": "x = 1"}, ("tool.py: it has no function double",)),
        ({"tool__py": "def other(n):\n    def double(n): ..."},
         ("tool.py: it has no function double",)),
        ({"tool__toml": ABOUT.replace('"double"', '"other"')},
         ("tool.toml: the name is 'other', the folder's is 'double'",)),
        ({"tool__toml": ABOUT.replace("Twice a number.", " ")},
         ("tool.toml: description is missing",)),
        ({"tool__toml": ABOUT.replace('"pure"', '"odd"')},
         ("tool.toml: effect is one of pure, reads, writes",)),
        ({"tool__toml": 'limits = "huge"\n' + ABOUT}, ("tool.toml: limits is standard or heavy",)),
        ({"tool__toml": "constants = 5\n" + ABOUT}, ("tool.toml: constants are a list",)),
        ({"tool__toml": 'constants = [5, "x"]\n' + ABOUT}, ("tool.toml: constants are numbers",)),
        ({"tool__toml": ABOUT.replace("[returns]", "[other]")},
         ("tool.toml: [returns] is missing",)),
        ({"tool__toml": 'parameters = 5\n' + ABOUT.replace("[parameters.n]", "[more]")},
         ("tool.toml: [parameters.NAME] are tables",)),
        ({"tool__toml": ABOUT.replace("[parameters.n]\ntype", "[parameters]\nn")},
         ("tool.toml: [parameters.NAME] are tables",)),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(
    files: dict[str, str | None], expected: tuple[str, ...], tmp_path: Path
) -> None:
    assert problems(put(tmp_path, **files)) == expected


@pytest.mark.parametrize(
    ("files", "start"),
    [
        ({"tool__py": "def double(:"}, "tool.py: "),
        ({"tool__toml": "name = "}, "tool.toml: "),
        ({"test_double__py": "def test_x():\n    run()\n"}, "test_double.py: "),
    ],
)
def test_what_cannot_be_read_names_its_file(
    files: dict[str, str | None], start: str, tmp_path: Path
) -> None:
    (problem, *_) = problems(put(tmp_path, **files))
    assert problem.startswith(start)


def test_every_problem_of_a_description_is_told_at_once(tmp_path: Path) -> None:
    found = problems(put(tmp_path, tool__toml="x = 1", tool__py="y = 1"))
    assert len(found) == 7


@pytest.mark.parametrize("name", ["Double", "1double", "do-uble", "d" * 81, "_double"])
def test_names_that_are_no_tools(name: str, tmp_path: Path) -> None:
    assert problems(put(tmp_path, name)) == (
        "the folder's name is not a tool's: lower case, digits, _",
    )


def test_the_longest_name_is_a_tool(tmp_path: Path) -> None:
    name = "d" * 80
    path = put(tmp_path, name, tool__py=DOUBLE.replace("double", name),
               tool__toml=ABOUT.replace('"double"', f'"{name}"'))  # fmt: skip
    (path / f"test_{name}.py").write_text(TESTS.replace("double(2)", f"{name}(2)"))
    assert good(path).name == name


def test_links_are_not_followed(tmp_path: Path) -> None:
    path = put(tmp_path)
    (tmp_path / "linked").symlink_to(path)
    assert problems(tmp_path / "linked") == ("it is a link, and links are not followed",)
    (path / "tool.py").rename(path / "real.py")
    (path / "tool.py").symlink_to(path / "real.py")
    assert problems(path) == ("tool.py: it is a link, and links are not followed",)


def test_sizes_and_bytes(tmp_path: Path) -> None:
    path = put(tmp_path)
    filler = DOUBLE + "#" * (MAX_BYTES - len(DOUBLE))
    (path / "tool.py").write_text(filler)
    assert good(path).code == filler
    (path / "tool.py").write_text(filler + "#")
    assert problems(path) == (f"tool.py: it is larger than {MAX_BYTES} bytes",)
    (path / "tool.py").write_bytes(b"\xff\xfe")
    assert problems(path) == ("tool.py: it is not UTF-8 text",)
    (path / "tool.py").write_bytes(DOUBLE.replace("\n", "\r\n").encode())
    assert good(path).code == DOUBLE


def test_a_function_may_be_another_name_for_one(tmp_path: Path) -> None:
    code = "def twice(n):\n    return 2 * n\n\n\ndouble = twice\n"
    assert good(put(tmp_path, tool__py=code)).code == code


def test_optional_parameters_and_more_of_the_schema(tmp_path: Path) -> None:
    about = ABOUT.replace(
        "[returns]",
        '[parameters.m]\ntype = "string"\noptional = true\n\n'
        "[schema]\nadditionalProperties = false\n\n[returns]",
    )
    assert good(put(tmp_path, tool__toml=about)).spec.parameters == {
        "type": "object",
        "properties": {"n": {"type": "number"}, "m": {"type": "string"}},
        "required": ["n"],
        "additionalProperties": False,
    }


def test_the_same_content_however_it_is_laid_out() -> None:
    one = ToolFiles("double", Spec("double", "d", {}, {}), DOUBLE, ())
    assert same_content(one, replace(one, base="v", provenance={"a": 1}, code=f"\n{DOUBLE}\n\n"))
    for other in (
        replace(one, code=DOUBLE.replace("2", "3")),
        replace(one, suite=(value_case("double(2)", 4),)),
        replace(one, spec=replace(one.spec, description="e")),
    ):
        assert not same_content(one, other)
        assert not same_content(other, one)


def test_unused_types_are_kept_out(tmp_path: Path) -> None:
    texts: Any = 'edge_cases = "one"\nrequests = 5\n' + ABOUT
    spec = good(put(tmp_path, tool__toml=texts)).spec
    assert (spec.edge_cases, spec.requests) == ((), ())
