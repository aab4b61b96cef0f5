"""Every command of docs/tutorial.md, in one shell, with a scripted endpoint as the model.

What the page shows below a command has to be printed by it, in this order; `...` stands for
anything. `make run q=...` runs what the Makefile runs, and ID is the newest entry of the ledger.
"""

import asyncio
import json
import os
import re
import signal
import sys
from pathlib import Path

import pytest

from evals.faulty_endpoint import FaultyEndpoint
from evals.provider_protocols import Asked

PAGE = Path(__file__).parents[3] / "docs" / "tutorial.md"
_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
_SERVED = re.compile(r"http://127\.0\.0\.1:\d+")
TESTS = """```python
assert total_minutes(1, 0) == 60
assert total_minutes(2, 5) == 125
assert total_minutes(0, 59) == 59
assert total_minutes(10, 10) == 610
assert total_minutes(0, 0) == 0
```"""
MINUTES = '''def total_minutes(hours: float, minutes: float) -> float:
    """Hours and minutes as minutes."""
    return hours * 60 + minutes'''
COLUMN = '''import csv

def column_total(path: str, column: str) -> float:
    """The total of a column of numbers in a CSV file."""
    with open(path, newline="") as file:
        return sum(float(row[column]) for row in csv.DictReader(file))'''


def commands(page: str) -> list[tuple[str, str]]:
    """Each command of a page with what is shown below it."""
    found: list[tuple[str, str]] = []
    for block in _BLOCK.findall(page):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            found.append((command, shown))
    return found


def shows(printed: str, shown: str) -> bool:
    """Whether what was printed is what the page shows, with `...` for anything."""
    pieces = [re.escape(piece.strip("\n")) for piece in shown.split("...")]
    return re.search(".*".join(pieces), printed, re.DOTALL) is not None


def says(asked: Asked) -> str:
    """What the model says to each prompt that these commands lead to."""
    numbers = re.findall(r"(\d+) hours and (\d+) minutes", asked.text)
    hours, minutes = numbers[-1] if numbers else ("3", "20")
    if asked.system.startswith("Fill in the arguments"):
        return json.dumps({"hours": int(hours), "minutes": int(minutes)})
    if asked.system.startswith("You answer requests by head"):
        return f"Answer: {int(hours) * 60 + int(minutes)}"
    if asked.system.startswith("You write tests"):
        return TESTS
    if "sales.csv" in asked.text:
        return f'```python\n{COLUMN}\n\nanswer = column_total("/files/sales.csv", "amount")\n```'
    if asked.system.startswith("You answer requests by writing Python"):
        return f"```python\n{MINUTES}\n\nanswer = total_minutes({hours}, {minutes})\n```"
    if asked.system.startswith("You write correct, simple Python"):
        return f"```python\n{MINUTES}\n```"
    raise AssertionError(f"nothing is scripted for: {asked.system[:80]}")


class Shell:
    """One bash, as the reader has it: what a command sets is there for the next one."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @staticmethod
    async def start(folder: Path, env: dict[str, str]) -> "Shell":
        process = await asyncio.create_subprocess_exec(
            "bash",
            cwd=folder,
            env=env,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        return Shell(process)

    async def run(self, command: str) -> str:
        """What a command prints, on both channels; fails with its exit code."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(f'{command}\necho "@@ended $?"\n'.encode())
        await self._process.stdin.drain()
        printed = ""
        while not (ended := re.search(r"@@ended (\d+)\n", printed)):
            line = await self._process.stdout.readline()
            assert line, printed
            printed += line.decode()
        assert ended[1] == "0", printed
        return printed[: ended.start()]

    async def start_serving(self, command: str) -> str:
        """What a server prints until it says where it is; then Ctrl-C."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(f"{command} &\n".encode())
        printed = ""
        while not _SERVED.search(printed):
            line = await self._process.stdout.readline()
            assert line, printed
            printed += line.decode()
        return printed

    async def end(self) -> None:
        os.killpg(self._process.pid, signal.SIGTERM)
        await self._process.wait()


def prepared(folder: Path, url: str) -> dict[str, str]:
    """The environment of a reader whose model is the scripted endpoint."""
    binaries = folder / ".venv" / "bin"
    binaries.mkdir(parents=True)
    (binaries / "hammerstone").symlink_to(Path(sys.executable).with_name("hammerstone"))
    return {
        **os.environ,
        "HAMMERSTONE_DATA_DIR": str(folder / "data"),
        "HAMMERSTONE_STARTER_TOOLS": "1",
        "HAMMERSTONE_EMBEDDER": "off",
        "HAMMERSTONE_PORT": "0",
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_MODEL": "m",
        "OPENAI_API_KEY": "k",
        "BROWSER": "true",
        "NO_COLOR": "1",
        "COLUMNS": "160",
    }


MAKE = 'make() { local q="${2#q=}"; .venv/bin/hammerstone ask "$q"; }'


@pytest.mark.timeout(400)
async def test_every_command_does_what_the_page_shows(tmp_path: Path) -> None:
    listed = commands(PAGE.read_text("utf-8"))
    assert len(listed) >= 15
    endpoint = FaultyEndpoint(says)
    async with endpoint.running():
        shell = await Shell.start(tmp_path, prepared(tmp_path, endpoint.url))
        try:
            await shell.run(MAKE)
            for command, shown in listed:
                if command == "hammerstone undo ID":
                    rows = json.loads(await shell.run("hammerstone ledger --json"))
                    command = f"hammerstone undo {rows[0]['id']}"
                serves = command.startswith("hammerstone serve")
                printed = await (shell.start_serving if serves else shell.run)(command)
                assert shows(printed, shown), f"$ {command}\n{printed}\nthe page shows:\n{shown}"
        finally:
            await shell.end()


def test_what_is_shown_has_to_be_printed_in_its_order() -> None:
    assert shows("a\nb 3 c\nd\n", "a\n...\nd\n")
    assert shows("x\nb 3 c\nd\n", "...\nb...c\n...")
    assert not shows("a\nd\n", "...\nb\n...")
    assert not shows("d\na\n", "a\n...\nd\n")


def test_commands_are_taken_with_what_follows_them() -> None:
    page = "text\n```console\n$ one 1\nout\n$ two\n```\nmore\n```python\n$ not\n```\n"
    assert commands(page) == [("one 1", "out\n"), ("two", "")]
