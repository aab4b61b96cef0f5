"""Tools as skills that others can use, judged by the reference validator too."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from skills_ref import validate

from hammerstone.core.calls import Call
from hammerstone.core.errors import BadRequest
from hammerstone.core.tools import Case, CaseKind, Spec, Status, Tool, Version
from hammerstone.library.skills import Skills
from hammerstone.library.skills.export import skill_name, tool_files, write_files

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "percent": {"type": "number", "description": "how many | percent"},
        "number": {"type": "number"},
    },
    "required": ["percent", "number"],
}
CODE = """def percentage_of(percent: float, number: float) -> float:
    return percent / 100 * number
"""
SUITE = (
    Case(CaseKind.VALUE, Call(args=(10, 200)), 20.0),
    Case(CaseKind.VALUE, Call(source="percentage_of(50, number=10)"), 5.0),
    Case(CaseKind.VALUE, Call(source="percentage_of(*[1, 2])"), 0.02),
    Case(CaseKind.VALUE, Call(source="percentage_of(float('nan'), 1)"), None),
    Case(CaseKind.RAISES, Call(args=("x", 1)), "TypeError"),
    Case(CaseKind.VALUE, Call(args=({"$date": "2024-01-01"}, 1)), 1),
)


def tool(name: str = "percentage_of", code: str = CODE, **changes: Any) -> Tool:
    values: dict[str, Any] = {
        "description": "Compute a given percentage of a number.",
        "parameters": SCHEMA,
        "returns": {"type": "number", "description": "the part"},
        "edge_cases": ("0 percent is 0",),
    }
    spec = Spec(name, **(values | changes))
    version = Version("id", name, 2, code, spec, SUITE, (), {}, NOW)
    return Tool(name, version, Status.VERIFIED, 0.973)


def run(folder: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """As another agent would: with plain Python that knows nothing of this product."""
    return subprocess.run(
        [sys.executable, "-I", "scripts/tool.py", *arguments],
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_an_exported_tool_is_a_skill_by_both_validators(skills: Skills, tmp_path: Path) -> None:
    folder = write_files(tool_files(tool()), tmp_path / "percentage-of")
    assert validate(folder) == []
    assert skills.check(skills.read(folder)).problems == ()
    text = (folder / "SKILL.md").read_text("utf-8")
    assert "how many / percent" in text
    examples = (folder / "references/examples.md").read_text("utf-8")
    assert '`{"percent": 10, "number": 200}` gives `20.0`' in examples
    assert '`{"percent": 50, "number": 10}` gives `5.0`' in examples
    assert examples.count("gives") == 2


def test_an_exported_tool_runs_on_its_own(tmp_path: Path) -> None:
    folder = write_files(tool_files(tool()), tmp_path / "percentage-of")
    done = run(folder, "--json", '{"percent": 17.5, "number": 240}')
    assert (done.returncode, json.loads(done.stdout)) == (0, 42.0)
    assert json.loads(run(folder, stdin='{"percent": 10, "number": 5}').stdout) == 0.5
    for bad in ("{", "[]", '{"percent": 1}', '{"percent": "x", "number": {}}'):
        failed = run(folder, "--json", bad)
        assert failed.returncode == 1
        assert "error" in json.loads(failed.stderr)


def test_results_that_json_does_not_know(tmp_path: Path) -> None:
    code = (
        "import datetime\n\ndef odd(percent, number):\n"
        "    return {'day': datetime.date(2024, 3, 1), 'set': {2, 1}, 'pair': (1, 2)}\n"
    )
    folder = write_files(tool_files(tool("odd", code)), tmp_path / "odd")
    done = run(folder, "--json", '{"percent": 1, "number": 2}')
    assert json.loads(done.stdout) == {"day": "2024-03-01", "set": [1, 2], "pair": [1, 2]}


@pytest.mark.parametrize(
    "description",
    [
        'Quotes " and \\ and """ and {braces} and 100 % and \'single\'.',
        "x" * 5000,
        "Line\nbreaks\n---\nname: evil\n",
        "# Heading: with colon",
    ],
)
def test_odd_descriptions_stay_data(tmp_path: Path, description: str) -> None:
    odd = tool(description=description)
    folder = write_files(tool_files(odd), tmp_path / "percentage-of")
    assert validate(folder) == []
    assert run(folder, "--help").returncode == 0
    assert json.loads(run(folder, "--json", '{"percent": 1, "number": 200}').stdout) == 2.0


def test_names_and_packages() -> None:
    assert skill_name("Parse__Date2") == "parse-date2"
    assert skill_name("__") == "tool"
    assert len(skill_name("a_" * 80)) <= 64
    files = tool_files(tool(code="import pandas as pd\nimport json\n" + CODE))
    assert b"with pandas" in files["SKILL.md"]


def test_an_export_never_writes_over_something(tmp_path: Path) -> None:
    files = tool_files(tool())
    write_files(files, tmp_path / "percentage-of")
    with pytest.raises(BadRequest, match="exists"):
        write_files(files, tmp_path / "percentage-of")
    with pytest.raises(BadRequest, match="folder is called"):
        write_files(files, tmp_path / "other")
    assert not (tmp_path / "other").exists()


async def test_an_export_can_be_imported_again(skills: Skills, tmp_path: Path) -> None:
    folder = write_files(tool_files(tool()), tmp_path / "percentage-of")
    taken = await skills.add(skills.read(folder))
    assert taken.skill.findings == ()
    assert [hit.name for hit in await skills.find("percentage of a number")] == ["percentage-of"]


def test_the_page_lists_what_a_tool_takes_in_a_table(tmp_path: Path) -> None:
    page = tool_files(tool())["SKILL.md"]
    text = page.decode() if isinstance(page, bytes) else page
    assert "| percent | number | yes | how many / percent |" in text
    optional = tool(parameters={**SCHEMA, "required": ["percent"]})
    page = tool_files(optional)["SKILL.md"]
    text = page.decode() if isinstance(page, bytes) else page
    assert "| number | number | no |  |" in text
