"""Completion in shells: the script for each, and names of tools, sessions, runs and traces."""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated

import typer

from hammerstone.serve.cli.terminal import one_line

# As the engine knows them; a test compares. Asking the engine would take a second.
POLICIES = (
    "answer",
    "approvals",
    "build_budget",
    "cache",
    "documents",
    "duplicates",
    "durability",
    "evidence",
    "evolution",
    "execution",
    "experiments",
    "feedback",
    "fine_tuning",
    "fit",
    "gate",
    "graph",
    "harness",
    "judges",
    "labels",
    "learning",
    "lifecycle",
    "maturity",
    "memory",
    "mining",
    "monitor",
    "plan",
    "prompt_track",
    "proof",
    "proving",
    "questions",
    "queue",
    "repair",
    "request_budget",
    "search",
    "services",
    "session",
    "signals",
    "skill_track",
    "skills",
    "synthesis",
    "traces",
    "triggers",
    "trust",
    "tuning",
)
_SHOWN = 50

Names = list[tuple[str, str]]


class Shell(StrEnum):
    """A shell that completes commands."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


_HOW = {
    Shell.BASH: 'add to ~/.bashrc: eval "$(hammerstone completion bash)"',
    Shell.ZSH: 'add to ~/.zshrc, after compinit: eval "$(hammerstone completion zsh)"',
    Shell.FISH: "hammerstone completion fish > ~/.config/fish/completions/hammerstone.fish",
}


def completion(
    shell: Annotated[Shell, typer.Argument(help="bash, zsh or fish.")],
) -> None:
    """Print what makes your shell complete commands, options and names with Tab.

    bash: add `eval "$(hammerstone completion bash)"` to ~/.bashrc

    zsh: add `eval "$(hammerstone completion zsh)"` to ~/.zshrc, after compinit

    fish: hammerstone completion fish > ~/.config/fish/completions/hammerstone.fish
    """
    import sys

    from typer._completion_shared import get_completion_script

    from hammerstone.serve.cli.output import say, tell
    from hammerstone.serve.cli.terminal import is_terminal

    variable = "_HAMMERSTONE_COMPLETE"
    script = get_completion_script(
        prog_name="hammerstone", complete_var=variable, shell=shell.value
    )
    say(script, fold=False)
    if is_terminal(sys.stdout):
        tell(f"To use it, {_HOW[shell]}", style="dim")


def _stored(kind: str) -> Callable[[str], Names]:
    def complete(incomplete: str) -> Names:
        from hammerstone.core.errors import SettingsError
        from hammerstone.core.settings import load_settings
        from hammerstone.storage.files.names import stored_names

        try:
            found = stored_names(load_settings(), kind, incomplete)
        except SettingsError:
            return []
        return [(name, one_line(about)[:_SHOWN]) for name, about in found]

    return complete


def complete_policies(incomplete: str) -> list[str]:
    return [name for name in POLICIES if name.startswith(incomplete)]


complete_tools = _stored("tools")
complete_skills = _stored("skills")
complete_sessions = _stored("sessions")
complete_runs = _stored("runs")
complete_traces = _stored("traces")
complete_approvals = _stored("approvals")
complete_proposals = _stored("proposals")
