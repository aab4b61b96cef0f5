"""Which commands change what is shared, as the audit list says it."""

import shlex

import pytest

from hammerstone.serve.cli.main import app
from hammerstone.serve.cli.system.changes import COMMANDS, change_of


@pytest.mark.parametrize(
    ("typed", "change"),
    [
        ("policies set fit high=0.9 --why because", ("changed a policy", "fit")),
        ("policies set --why 'a secret' fit high=0.9", ("changed a policy", "fit")),
        ("people add ada --role owner --days 3", ("let somebody in", "ada")),
        ("people revoke ada", ("revoked a token", "ada")),
        ("stop --all", ("stopped", "all")),
        ("stop --session s1 --why x", ("stopped", "s1")),
        ("resume", ("resumed", "all")),
        ("tools sync folder", ("imported tools", "folder")),
        ("tools sync folder --dry-run", None),
        ("stop", None),
        ("tools list", None),
        ("people list --json", None),
        ("ask 'stop all'", None),
        ("", None),
    ],
)
def test_a_command_is_told_by_its_words(typed: str, change: tuple[str, str] | None) -> None:
    assert change_of(shlex.split(typed)) == change


def test_every_command_of_the_list_exists() -> None:
    groups = {group.name: group.typer_instance for group in app.registered_groups}
    alone = {command.name for command in app.registered_commands}
    for words in COMMANDS:
        if len(words) == 1:
            assert words[0] in alone
            continue
        group = groups[words[0]]
        for below in words[1:-1]:
            inner = group.registered_groups  # type: ignore[union-attr]
            group = next(one.typer_instance for one in inner if one.name == below)
        commands = group.registered_commands  # type: ignore[union-attr]
        names = {one.name or one.callback.__name__.replace("_", "-") for one in commands}  # type: ignore[union-attr]
        assert words[-1] in names, words
