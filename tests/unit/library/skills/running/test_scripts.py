"""Scripts of skills: which one stands for a skill, what may run, what it came to."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from hammerstone.core.calls import Call, Failure, Outcome, Program
from hammerstone.core.errors import BadRequest, NotFound, Refused
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.library.skills import Skills
from hammerstone.library.skills.bundle import Bundle
from hammerstone.library.skills.running.launcher import launch
from hammerstone.library.skills.running.scripts import (
    MAX_ARGUMENTS,
    MAX_STDIN,
    ScriptCall,
    main_script,
    run_script,
)
from hammerstone.library.skills.skill import Skill, shortened
from tests.unit.library.skills.conftest import skill_text


def skill(*scripts: str, name: str = "word-count", **fields: Json) -> Skill:
    files = {"SKILL.md": 1, **{f"scripts/{one}": 1 for one in scripts}}
    return Skill(name, "", {"name": name, **fields}, "Body", files, (), "", "", datetime.now(UTC))


@pytest.mark.parametrize(
    ("scripts", "main"),
    [
        (["a.py"], "a.py"),
        (["a.py", "data.txt"], "a.py"),
        (["a.py", "main.py"], "main.py"),
        (["tool.py", "run.py"], "tool.py"),
        (["main.py", "tool.py"], "main.py"),
        (["a.py", "run.py"], "run.py"),
        (["a.py", "word_count.py"], "word_count.py"),
    ],
)
def test_the_script_that_stands_for_a_skill(scripts: list[str], main: str) -> None:
    assert main_script(skill(*scripts)) == f"scripts/{main}"


@pytest.mark.parametrize(
    ("scripts", "hint"),
    [
        ([], "name one of: none"),
        (["a.py", "b.py"], "name one of: scripts/a.py, scripts/b.py"),
        (["a.sh"], "name one of: scripts/a.sh"),
    ],
)
def test_no_script_stands_for_a_skill(scripts: list[str], hint: str) -> None:
    with pytest.raises(NotFound, match="has no one script to run") as missing:
        main_script(skill(*scripts))
    assert missing.value.hint == hint


class Answers:
    """A sandbox that gives one outcome and keeps what it was asked."""

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self.calls: list[tuple[Program, Call, dict[str, bytes]]] = []

    async def call(self, program: Program, call: Call, **more: Any) -> Outcome:
        files = {name: path.read_bytes() for name, path in more["files"].items()}
        self.calls.append((program, call, files))
        return self._outcome


async def imported(skills: Skills, script: str = "print(1)") -> Skill:
    files = {"SKILL.md": skill_text("a").encode(), "scripts/x.py": script.encode()}
    return (await skills.add(Bundle("a", files, "folder"))).skill


async def run(skills: Skills, outcome: Outcome) -> Any:
    sandbox = cast(Sandbox, Answers(outcome))
    return await run_script(skills, sandbox, await imported(skills), "scripts/x.py")


@pytest.mark.parametrize(
    ("outcome", "ok", "value", "exit_code", "error"),
    [
        (Outcome(0, stdout='{"a": 1}\n'), True, {"a": 1}, 0, ""),
        (Outcome(0, stdout="plain text\n\n"), True, "plain text", 0, ""),
        (Outcome(0, stdout="NaN"), True, "NaN", 0, ""),
        (Outcome(3, stdout="1", stderr=" went wrong \n"), False, 1, 3, "went wrong"),
        (Outcome(3), False, "", 3, "it ended with code 3"),
        (Outcome(2, stderr="x" * 600), False, "", 2, "x" * 500),
        (Outcome(None, Failure.RAISED, "KeyError", "'a'"), False, None, None, "KeyError: 'a'"),
        (Outcome(None, Failure.TIMEOUT, error="too slow"), False, None, None, "too slow"),
    ],
)
async def test_what_a_script_came_to(
    skills: Skills, outcome: Outcome, ok: bool, value: Json, exit_code: int | None, error: str
) -> None:
    done = await run(skills, outcome)
    assert (done.ok, done.value, done.exit_code, done.error) == (ok, value, exit_code, error)
    shown: JsonObject = done.to_json()
    assert (shown["ok"], shown["failure"]) == (
        ok,
        str(outcome.failure) if outcome.failure else None,
    )


async def test_a_script_gets_the_files_of_its_skill(skills: Skills, tmp_path: Path) -> None:
    given = tmp_path / "data.csv"
    given.write_bytes(b"1,2")
    sandbox = Answers(Outcome(0))
    call = ScriptCall(("-v",), "input", {"data.csv": given})
    added = await imported(skills)
    await run_script(skills, cast(Sandbox, sandbox), added, "scripts/x.py", call)
    ((program, asked, files),) = sandbox.calls
    assert program.function == "launch"
    path, argv, stdin, layout = asked.args
    assert (path, argv, stdin) == ("scripts/x.py", ["-v"], "input")
    assert layout == {"SKILL.md": "/files/skill_0000", "scripts/x.py": "/files/skill_0001"}
    assert files["skill_0001"] == b"print(1)"
    assert files["data.csv"] == b"1,2"
    taken = ScriptCall(files={"skill_0000": given})
    with pytest.raises(BadRequest, match="cannot be called 'skill_0000'"):
        await run_script(skills, cast(Sandbox, sandbox), added, "scripts/x.py", taken)


@pytest.mark.parametrize(
    ("call", "allowed"),
    [
        (ScriptCall(stdin="x" * MAX_STDIN), True),
        (ScriptCall(stdin="x" * (MAX_STDIN + 1)), False),
        (ScriptCall(argv=["x"] * MAX_ARGUMENTS), True),
        (ScriptCall(argv=["x"] * (MAX_ARGUMENTS + 1)), False),
    ],
)
async def test_how_much_a_script_may_be_given(
    skills: Skills, call: ScriptCall, allowed: bool
) -> None:
    sandbox = Answers(Outcome(0))
    added = await imported(skills)
    if allowed:
        assert (await run_script(skills, cast(Sandbox, sandbox), added, "scripts/x.py", call)).ok
    else:
        with pytest.raises(BadRequest, match="too much input"):
            await run_script(skills, cast(Sandbox, sandbox), added, "scripts/x.py", call)
    assert len(sandbox.calls) == int(allowed)


async def test_only_scripts_that_are_there_and_not_blocked_run(skills: Skills) -> None:
    nowhere = cast(Sandbox, None)
    added = await imported(skills)
    with pytest.raises(NotFound, match=r"a has no script 'SKILL\.md'") as missing:
        await run_script(skills, nowhere, added, "SKILL.md")
    assert missing.value.hint == "there are: scripts/x.py"
    blocked = Skill(
        "a", "", {}, "", {"scripts/x.py": 1, "scripts/y.py": 1},
        (
            {"path": "scripts/x.py", "severity": "block", "text": "steals"},
            {"path": "scripts/x.py", "severity": "warn", "text": "odd"},
            {"path": "scripts/y.py", "severity": "warn", "text": "odd"},
        ),
        "", "", datetime.now(UTC),
    )  # fmt: skip
    with pytest.raises(Refused, match=r"scripts/x\.py of a may not run: steals$"):
        await run_script(skills, nowhere, blocked, "scripts/x.py")
    assert blocked.blocked("scripts/y.py") == ""


@pytest.mark.parametrize(
    ("code", "ending", "told"),
    [
        ("import sys\nsys.exit()", 0, ""),
        ("import sys\nsys.exit(3)", 3, ""),
        ("import sys\nsys.exit(True)", 1, ""),
        ("import sys\nsys.exit(False)", 0, ""),
        ("import sys\nsys.exit('bad input')", 1, "bad input\n"),
        ("pass", 0, ""),
    ],
)
def test_the_exit_code_of_a_script(
    code: str, ending: int, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    for name in ("argv", "path", "stdin"):
        monkeypatch.setattr(f"sys.{name}", getattr(__import__("sys"), name))
    (tmp_path / "given").write_text(code)
    layout = {"scripts/x.py": str(tmp_path / "given")}
    monkeypatch.setattr("sys.path", list(__import__("sys").path))
    assert launch("scripts/x.py", [], "", layout) == ending
    assert capsys.readouterr().err == told


def test_what_a_script_sees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sys

    monkeypatch.chdir(tmp_path)
    for name in ("argv", "stdin"):
        monkeypatch.setattr(sys, name, getattr(sys, name))
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "out").mkdir()
    (tmp_path / "one").write_text(
        "import json, os, pathlib, sys, other\n"
        "pathlib.Path('out/kept.txt').write_text('kept')\n"
        "print(json.dumps([sys.argv[1:], sys.stdin.read(), os.path.basename(os.getcwd()),"
        " other.X, __name__]))"
    )
    (tmp_path / "two").write_text("X = 5")
    layout = {
        "scripts/x.py": str(tmp_path / "one"),
        "scripts/other.py": str(tmp_path / "two"),
    }
    assert launch("scripts/x.py", ["-v"], "ü", layout) == 0
    assert json.loads(capsys.readouterr().out) == [["-v"], "ü", "skill", 5, "__main__"]
    assert (tmp_path / "out" / "kept.txt").read_text() == "kept"


def test_what_a_skill_asks_for_and_may_have() -> None:
    granted = ["Bash", "Read", "Write"]
    assert skill().permitted_tools(granted) == {"Bash", "Read", "Write"}
    some = skill(**{"allowed-tools": "Bash(git:*) Read Other"})
    assert some.asked_tools == ("Bash(git:*)", "Read", "Other")
    assert some.permitted_tools(granted) == {"Bash", "Read"}
    assert skill(**{"allowed-tools": ["Read", 5]}).asked_tools == ("Read", "5")
    assert skill(**{"allowed-tools": ""}).permitted_tools(granted) == frozenset()
    assert skill(**{"allowed-tools": 5}).asked_tools is None


def test_who_may_start_a_skill() -> None:
    assert (skill().user_invocable, skill().agent_invocable) == (True, True)
    assert not skill(**{"user-invocable": False}).user_invocable
    assert not skill(**{"disable-model-invocation": True}).agent_invocable
    assert skill(**{"disable-model-invocation": False}).agent_invocable


def test_files_of_a_skill_by_kind() -> None:
    one = skill("a.py")
    more = Skill(
        one.name, "", {"license": "MIT", "metadata": {"hammerstone": "plan.yaml"}}, "Body",
        {**one.files, "references/x.md": 3, "plan.yaml": 4}, (), "d", "folder", one.at,
    )  # fmt: skip
    assert more.scripts == ("scripts/a.py",)
    assert more.references == ("references/x.md", "plan.yaml")
    assert (more.license, more.plan_path) == ("MIT", "plan.yaml")
    assert (one.license, one.plan_path) == ("", "")
    assert "Body" in more.for_models()
    shown = more.to_json()
    assert shown["files"] == [{"path": path, "bytes": size} for path, size in more.files.items()]


@pytest.mark.parametrize(
    ("text", "chars", "result"),
    [
        ("one  two\nthree", 13, "one two three"),
        ("one two three", 12, "one two…"),
        ("one, two", 7, "one…"),
        ("abcdefgh", 5, "abcd…"),
    ],
)
def test_a_description_on_one_line(text: str, chars: int, result: str) -> None:
    assert shortened(text, chars) == result
