"""The line of a chat: history without secrets, and what Tab completes."""

import stat
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from hammerstone.serve.cli.requests.chat.chat_commands import _BY_NAME, COMMANDS
from hammerstone.serve.cli.requests.chat.chat_input import (
    HISTORY,
    TypedLines,
    chat_completer,
    open_history,
)

SECRET = "my key is sk-proj-" + "Ab3dEf6hIj9kLm2n" * 3


def test_history_is_private_and_keeps_no_secrets(tmp_path: Path) -> None:
    history = open_history(tmp_path / "data")
    history.append_string("What is 17.5% of 240?")
    history.append_string(SECRET)
    history.append_string("two\nlines")
    path = tmp_path / "data" / HISTORY
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "sk-proj" not in path.read_text()
    assert history.get_strings()[1] == SECRET  # the up key still has it in this chat
    later = open_history(tmp_path / "data")
    assert list(later.load_history_strings()) == ["two\nlines", "What is 17.5% of 240?"]


def test_a_history_that_others_could_read_is_closed(tmp_path: Path) -> None:
    path = tmp_path / HISTORY
    path.write_text("")
    path.chmod(0o644)
    open_history(tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def completed(text: str) -> list[str]:
    found = chat_completer(COMMANDS).get_completions(Document(text), CompleteEvent())
    return [text[: len(text) + one.start_position] + one.text for one in found]


def test_commands_are_completed() -> None:
    assert completed("/w") == ["/why", "/wrong"]
    assert completed("/zzz") == []
    assert completed("what is w") == []


def test_paths_are_completed_after_an_at_sign_and_after_file(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").touch()
    assert completed(f"sum @{tmp_path}/sa") == [f"sum @{tmp_path}/sales.csv"]
    assert completed(f"/file {tmp_path}/sa") == [f"/file {tmp_path}/sales.csv"]


def test_every_command_that_help_lists_exists() -> None:
    assert {name for name, _ in COMMANDS} <= _BY_NAME.keys()


@pytest.mark.parametrize("key", ["\x04", "\x00"], ids=["at the prompt", "before the prompt"])
async def test_ctrl_d_leaves_whenever_it_is_pressed(tmp_path: Path, key: str) -> None:
    with create_pipe_input() as keyboard, create_app_session(keyboard, DummyOutput()):
        lines = TypedLines(tmp_path, COMMANDS)
        keyboard.send_text("kept\r")
        assert await lines.line() == "kept"
        keyboard.send_text(f"half{key}\r")
        assert await lines.line() == "half"  # a line that is begun is not thrown away
        keyboard.send_text(key)
        assert await lines.line() is None
