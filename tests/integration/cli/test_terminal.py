"""Commands in a real terminal: live line, chat, Ctrl-C, narrow windows, no colours."""

import asyncio
import json
import os
import subprocess
from pathlib import Path

import pytest

from evals.faulty_endpoint import FaultyEndpoint
from evals.provider_protocols import Asked
from hammerstone.serve.cli.terminal import cells
from tests.forked_commands import run_command
from tests.integration.cli.screens import COMMAND, on_screen, without_model

PRIME = "is_prime 97"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the starter tools, shared: starting one takes a second."""
    return tmp_path_factory.mktemp("data")


PROSE = "A prime has exactly two divisors, " * 12 + "and that is all."


def says(asked: Asked) -> str:
    return "```python\n# conversation\n```" if "python" in asked.system.lower() else PROSE


def endpoint_env(endpoint: FaultyEndpoint) -> dict[str, str]:
    return {
        "HAMMERSTONE_MODEL": "",
        "OPENAI_BASE_URL": f"{endpoint.url}/v1",
        "OPENAI_MODEL": "m",
        "OPENAI_API_KEY": "k",
    }


def test_an_answer_with_a_live_line_before_and_its_reasons_after(data: Path) -> None:
    with on_screen("ask", PRIME, data=data) as screen:
        assert screen.end() == 0, screen.text
    # What comes first in this folder looks for a tool; the same words again are looked up.
    steps = ("looking for a tool that fits · 0.", "found is_prime · ", "looking it up · 0.")
    assert any(step in screen.text for step in steps)
    left = screen.text.rpartition("\r")[2]  # what stands there after the live line is gone
    assert left.split("\n")[:2] == ["yes", "is_prime(number=97)"]
    assert "Sure (" in left and "why: hammerstone why" in left
    assert "SEARCHING" not in screen.text and "tool_found" not in screen.text


def test_why_explains_the_last_answer_itself(data: Path) -> None:
    with on_screen("ask", PRIME, data=data) as screen:
        screen.end()
    with on_screen("why", data=data) as screen:
        assert screen.end() == 0, screen.text
    for part in ("You asked", PRIME, "is_prime(number=97)", "Steps", "def is_prime", "It passes"):
        assert part in screen.text


def test_no_colours_and_nothing_moves_on_a_dumb_terminal(data: Path) -> None:
    for env in ({"TERM": "dumb"}, {"NO_COLOR": "1"}):
        with on_screen("ask", "is_prime 91", data=data, env=env) as screen:
            assert screen.end() == 0, screen.text
        assert "\x1b[3" not in screen.raw and "\x1b[2m" not in screen.raw
        assert "no" in screen.text.split()
    with on_screen("ask", "is_prime 93", data=data, env={"TERM": "dumb"}) as screen:
        screen.end()
    assert "\x1b" not in screen.raw and "looking for a tool that fits" in screen.text


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize(
    "words",
    [
        ("tools", "list"),
        ("tools", "show", "mean"),
        ("traces", "list"),
        ("sessions", "list"),
        ("policies", "show"),
        ("prompts", "list"),
        ("stats",),
        ("ledger", "--all"),
        ("doctor",),
    ],
    ids=" ".join,
)
def test_every_list_fits_its_window(data: Path, words: tuple[str, ...], columns: int) -> None:
    with on_screen(*words, data=data, columns=columns) as screen:
        assert screen.end() in (0, 1)
    assert "Traceback" not in screen.text
    too_wide = [line for line in screen.text.split("\n") if cells(line) > columns]
    assert too_wide == []


def test_a_chat_goes_on_after_ctrl_c_at_the_prompt(data: Path) -> None:
    with on_screen("chat", data=data) as screen:
        screen.wait_for(">")
        screen.interrupt()
        screen.wait_for("Ctrl-D leaves the chat")
        screen.type("half a line")
        screen.wait_for("half a line")
        screen.interrupt()
        screen.type(f"{PRIME}\r")
        came = screen.wait_for("why: /why")
        assert "is_prime(number=97)" in came and "Stopped" not in came
        screen.type("/why\r")
        screen.wait_for("It passes")
        screen.wait_for("More: ")
        screen.wait_for(">")
        screen.type("/wh\t")
        screen.wait_for("/why")
        screen.interrupt()
        screen.type("/sessions\r")
        screen.wait_for("* is this one")
        screen.type("/nothing\r")
        screen.wait_for("there is no command /nothing")
        screen.type("\x04")  # also before the next prompt stands there
        screen.wait_for("hammerstone chat --session")
        assert screen.end() == 0, screen.text
    history = data / "chat_history"
    assert PRIME in history.read_text() and history.stat().st_mode & 0o077 == 0
    with on_screen("chat", "--continue", data=data) as screen:
        screen.wait_for(">")
        screen.type("\x1b[A")  # the up key
        screen.wait_for("/nothing")
        screen.interrupt()
        screen.type("\x04")
        assert screen.end() == 0, screen.text


async def test_ctrl_c_stops_the_running_request_only(data: Path) -> None:
    endpoint = FaultyEndpoint(says, seconds_per_word=30)
    async with endpoint.running():
        await asyncio.to_thread(_stop, data, endpoint)


def _stop(data: Path, endpoint: FaultyEndpoint) -> None:
    with on_screen("chat", data=data, env=endpoint_env(endpoint)) as screen:
        screen.wait_for(">")
        screen.type("Hello, who are you?\r")
        screen.wait_for("writing solutions")
        screen.interrupt()
        screen.wait_for("Stopped.")
        screen.wait_for(">")
        screen.type(f"{PRIME}\r")
        assert "yes" in screen.wait_for("why: /why")
        screen.wait_for(">")
        screen.type("\x04")
        assert screen.end() == 0, screen.text


async def test_sentences_are_shown_while_they_are_written(data: Path) -> None:
    endpoint = FaultyEndpoint(says)
    async with endpoint.running():
        await asyncio.to_thread(_stream, data, endpoint)


def _stream(data: Path, endpoint: FaultyEndpoint) -> None:
    with on_screen("ask", "Hello, who are you?", data=data, env=endpoint_env(endpoint)) as screen:
        screen.wait_for("writing solutions")
        endpoint.seconds_per_word = 0.2
        screen.wait_for("A prime has exactly two")
        assert endpoint.words_sent < len(PROSE.split())  # it was not there as a whole yet
        endpoint.seconds_per_word = 0
        assert screen.end() == 0, screen.text
    shown = screen.text[screen.text.index("A prime") :]
    assert " ".join(shown.split()).count("and that is all.") == 1
    assert all(cells(line) <= 80 for line in shown.split("\n"))


def test_lines_of_a_pipe_are_a_chat_too(data: Path) -> None:
    done = _piped(["chat", "-q"], data, f"{PRIME}\n/files\n/quit\n")
    assert done.returncode == 0 and done.stdout.splitlines()[0] == "yes"
    assert "\x1b" not in done.stdout + done.stderr
    assert _piped(["chat"], data, "").returncode == 0


def _piped(words: list[str], data: Path, text: str) -> "subprocess.CompletedProcess[str]":
    env = {**os.environ, **without_model(data)}
    return run_command(*words, env=env, text=text)


@pytest.mark.parametrize("words", ["tools list", "--help", "policies show"])
def test_a_reader_that_goes_away_is_no_error(data: Path, words: str) -> None:
    env = {**os.environ, **without_model(data)}
    line = f"{COMMAND} {words} | head -c 10"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, env=env, timeout=60)
    assert done.stderr == "" and done.stdout


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_error(data: Path, closed: str) -> None:
    env = {**os.environ, **without_model(data)}
    line = f"{COMMAND} ask '{PRIME}' {closed}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, env=env, timeout=60)
    assert done.returncode == 0 and "Traceback" not in done.stderr


def test_going_on_in_the_last_session(data: Path) -> None:
    first = json.loads(_piped(["ask", PRIME, "--json"], data, "").stdout)
    again = json.loads(_piped(["ask", "is_prime 89", "-c", "--json"], data, "").stdout)
    assert again["session_id"] == first["session_id"]
    other = json.loads(_piped(["ask", "is_prime 88", "--json"], data, "").stdout)
    assert other["session_id"] != first["session_id"]


def test_there_is_nothing_to_go_on_with_at_first(tmp_path: Path) -> None:
    done = _piped(["ask", PRIME, "--continue"], tmp_path, "")
    assert done.returncode == 4 and "no session to go on in" in done.stderr
