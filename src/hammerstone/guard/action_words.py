"""What an action would do, in sentences that a person reads before they decide.

The page shows the parts, the terminal the same parts as lines. Nothing is hidden: what is too
long says how much more there is, and characters that nobody sees are written out.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from hammerstone.core.approvals import Approval
from hammerstone.core.formatting import count
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.guard.data import visible
from hammerstone.guard.maturity import Action, ActionKind

SHOWN_CHARS = 2_000
"""Of the values and the description in the text of an approval; what is longer says so."""
ID_CHARS = 8  # as many as are shown; fewer could mean another approval than the one that was read
_LONGEST_VALUE = 300
_LONGEST_DESCRIPTION = 600
_EFFECTS = {
    ActionKind.WRITE: "It changes something: it writes, sends or deletes.",
    ActionKind.CONNECTOR: "It contacts a service outside this machine.",
    ActionKind.WEB: "It searches the web or reads a page of it.",
    ActionKind.HEAVY: "It needs more time or memory than a tool usually gets.",
    ActionKind.BUILD: "It writes and runs new code, in the sandbox.",
    ActionKind.IMPROVE: "It changes Hammerstone itself.",
    ActionKind.CALL: "It runs one tool.",
}


@dataclass(frozen=True, slots=True)
class ActionValue:
    """One value that an action gets; `more` are the characters that are left out here."""

    name: str
    value: str
    more: int = 0


@dataclass(frozen=True, slots=True)
class ActionWords:
    """An action in words. `description` is what the tool says of itself, so it is not ours."""

    question: str
    consequences: tuple[str, ...]
    description: str
    values: tuple[ActionValue, ...]

    def to_json(self) -> JsonObject:
        return asdict(self)


def action_words(approval: Approval) -> ActionWords | None:
    """The words for what an approval is asked for, in parts; None for a question."""
    about: Any = approval.action
    if about is None or "tool" not in about:
        return None
    given: dict[str, Any] = about.get("arguments") or {}
    action = Action(
        ActionKind(approval.kind),
        str(about["tool"]),
        about.get("version"),
        given,
        preview=str(about.get("preview") or ""),
        reversible=bool(about.get("reversible", True)),
        verified=bool(about.get("verified", True)),
    )
    return ActionWords(
        question=_question(action),
        consequences=_consequences(action),
        description=visible(action.preview, kept="\n")[:_LONGEST_DESCRIPTION],
        values=tuple(_value(visible(str(key)), value) for key, value in given.items()),
    )


def approval_text(action: Action, id: str) -> str:
    """The same words as lines, for a terminal and for what is stored."""
    lines = [_question(action), " ".join(_consequences(action))]
    if action.arguments:
        given = "\n".join(map(_written, action.arguments.items()))
        lines.append(f"It gets {count(len(action.arguments), 'value')}:")
        lines += _indented(_shortened(given, id))
    else:
        lines.append("It gets no values.")
    if action.preview:  # indented, so that its words cannot pass for ours
        own = _shortened(visible(action.preview, kept="\n"), id)
        lines += ["The tool says of itself:", *_indented(own)]
    return "\n".join(lines)


def whole_action(approval: Approval) -> str:
    """All that an action is given, and what it says of itself, uncut; empty for a question."""
    if approval.action is None:
        return ""
    action: Mapping[str, Json] = approval.action
    text = json.dumps(action.get("arguments"), ensure_ascii=False, indent=1, default=str)
    preview = str(action.get("preview") or "")
    return visible(f"{text}\n{preview}".rstrip(), kept="\n")


def _question(action: Action) -> str:
    version = f" (version {action.version})" if action.version is not None else ""
    return f"Allow {visible(action.tool)}{version} to run?"


def _consequences(action: Action) -> tuple[str, ...]:
    said = [_EFFECTS[action.kind]]
    if not action.reversible:
        said.append("This cannot be undone.")
    if not action.verified:
        said.append("The tool is not proved yet.")
    return tuple(said)


def _value(name: str, value: Any) -> ActionValue:
    plain = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = visible(plain, kept="\n")
    return ActionValue(name, text[:_LONGEST_VALUE], max(0, len(text) - _LONGEST_VALUE))


def _written(argument: tuple[str, Json]) -> str:
    """An argument's name and value on one line: what breaks lines or is not seen is written out."""
    name, value = argument
    plain = name if name.isidentifier() else json.dumps(name, ensure_ascii=False)
    return f"{visible(plain)}: {visible(json.dumps(value, ensure_ascii=False, default=str))}"


def _indented(text: str) -> list[str]:
    return [f"  {line}" for line in text.split("\n")]


def _shortened(text: str, id: str) -> str:
    more = len(text) - SHOWN_CHARS
    if more <= 0:
        return text
    whole = f"hammerstone approvals show {id[:ID_CHARS]}"
    return f"{text[:SHOWN_CHARS]} … {more:,} more characters. To see all: {whole}"
