"""Help of every command in a narrow window."""

import re
from typing import Any

import pytest
from typer.main import get_command

from hammerstone.serve.cli.help_text import SECTIONS, readable
from hammerstone.serve.cli.main import app
from hammerstone.serve.cli.terminal import cells

COMMAND = readable(get_command(app))
# Words of the code, or of one of us: a stranger does not know what they mean here.
_HOUSE_WORDS = re.compile(
    r"\b((?:your|the) leave|take in|came out|desk|in force|standings?)\b", re.I
)


def commands(command: Any = COMMAND, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    below = getattr(command, "commands", {})
    found = [path]
    for name, one in below.items():
        found += commands(one, (*path, name))
    return found


def help_of(path: tuple[str, ...], width: int) -> str:
    command, context = COMMAND, COMMAND.make_context("hammerstone", [], resilient_parsing=True,
                                                     terminal_width=width)  # fmt: skip
    for name in path:
        command = command.commands[name]
        context = command.make_context(
            name, [], parent=context, resilient_parsing=True, terminal_width=width
        )
    return command.get_help(context)


@pytest.mark.parametrize("width", [40, 80])
def test_help_of_every_command_fits_and_keeps_its_words(width: int) -> None:
    for path in commands():
        for line in help_of(path, width).splitlines():
            # One word alone, such as a name of an option, may be wider than the window.
            shown = line.rstrip()  # the space after the last word is not seen
            assert cells(shown) <= width or len(line.split()) <= 2, (path, line)
            assert not re.search(r"\w\.\.\.$", line), (path, line)  # a text that was cut


def test_every_command_and_option_says_what_it_does() -> None:
    for path in commands():
        command = COMMAND
        for name in path:
            command = command.commands[name]
        assert command.help, path
        for parameter in command.params:
            assert parameter.help, (path, parameter.name)


def test_help_needs_no_word_that_only_the_authors_know() -> None:
    found = {
        " ".join(path): words
        for path in commands()
        if (words := _HOUSE_WORDS.findall(help_of(path, 80)))
    }
    assert found == {}


def test_every_command_has_a_section() -> None:
    assert sorted(name for names in SECTIONS.values() for name in names) == sorted(COMMAND.commands)
