"""Help that fits the window: whole words, names above their texts where it is narrow."""

import sys
from collections.abc import Sequence
from typing import Any

from typer.core import TyperGroup

from hammerstone.serve.cli.terminal import folded, is_terminal, width_of

_NARROW = 60
_WIDEST = 90
# What a value is, as a person reads it, by what the code calls it.
_KINDS = (("Path", "PATH"), ("int", "NUMBER"), ("float", "NUMBER"), ("str", "TEXT"))
SECTIONS: dict[str, tuple[str, ...]] = {
    "Ask": (
        "ask",
        "chat",
        "why",
        "wrong",
        "right",
        "sessions",
        "files",
        "documents",
        "approvals",
        "memory",
    ),
    "Tools": ("tools", "prove", "questions", "repair", "search", "skills", "graph"),
    "What it learned": (
        *("ledger", "undo", "learn", "evolve", "experiments", "labels", "tune"),
        *("proposals", "policies", "prompts"),
    ),
    "What happened": ("traces", "stats", "metrics"),
    "Other ways in": (
        *("serve", "worker", "workers", "triggers"),
        *("demo", "mcp", "connectors", "people"),
    ),
    "This machine": (*("doctor", "model", "sandbox", "db", "backup", "restore", "stop", "resume"),),
    "Set up": ("completion", "uninstall"),
    "Measure": ("bench", "eval", "suites"),
}


class SectionedGroup(TyperGroup):
    """The front door's help, with its commands by what they are for."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        known = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        for title, names in SECTIONS.items():
            rows = [(n, one.get_short_help_str()) for n in names if (one := known.pop(n, None))]
            with formatter.section(title):
                formatter.write_dl(rows)
        assert not known, f"commands without a section: {', '.join(known)}"

    def get_help_option(self, ctx: Any) -> Any:
        """False where it is not given: typer loads pydantic to read that there is no value."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.default = False
        return option


def readable(command: Any) -> Any:
    """The command, and all below it, with help that a narrow window shows whole."""
    contexts = command.context_class

    class WholeWords(contexts.formatter_class):  # type: ignore[misc, name-defined]
        def write_dl(self, rows: Sequence[tuple[str, str]], *_: Any, **__: Any) -> None:
            self._write_pairs(list(rows))

        def _write_pairs(self, rows: list[tuple[str, str]]) -> None:
            pad = " " * self.current_indent
            longest = max((len(name) for name, _ in rows), default=0)
            beside = self.width >= _NARROW and longest + 30 <= self.width
            for name, text in rows:
                room = self.width - len(pad) - (longest + 2 if beside else 4)
                first, *more = folded(" ".join(text.split()), room)
                if beside:
                    self.write(f"{pad}{name:<{longest + 2}}{first}\n")
                    lead = f"{pad}{'':<{longest + 2}}"
                else:
                    self.write(f"{pad}{name}\n")
                    lead, more = f"{pad}    ", [first, *more]
                self.write("".join(f"{lead}{line}\n" for line in more if line))

    class NarrowContext(contexts):  # type: ignore[misc, valid-type]
        formatter_class = WholeWords

    _prepare(command, NarrowContext)
    return command


def _prepare(command: Any, contexts: type) -> None:
    command.context_class = contexts
    if command.help and not command.short_help:
        command.short_help = " ".join(command.help.split("\n\n")[0].split())
    for parameter in command.params:
        if parameter.metavar is None and not getattr(parameter, "is_flag", False):
            parameter.metavar = _metavar(parameter)
    for below in getattr(command, "commands", {}).values():
        _prepare(below, contexts)


def _metavar(parameter: Any) -> str | None:
    if parameter.param_type_name == "argument":
        return str(parameter.name).upper()
    annotation = str(getattr(getattr(parameter, "type_descriptor", None), "annotation", ""))
    return next((shown for kind, shown in _KINDS if kind in annotation), None)


def help_width() -> int:
    """How wide help is: the window, but not so wide that lines are hard to follow."""
    return min(_WIDEST, width_of(sys.stdout)) if is_terminal(sys.stdout) else 80
