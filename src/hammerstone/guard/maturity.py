"""What the agent may do by itself: an action, one table, and one decision.

    level          rounds   tools                       improves itself   asks before
    1 task              1   the given one               no                writing (*)
    2 workflow          3   the library's               no                writing (*)
    3 adaptive          5   and connectors              no                writing (*)
    4 learning          5   and new ones, the web       yes               writing (*)
    5 autonomous       10   all                         yes               what cannot be undone

(*) and before connectors and heavy limits, unless the policy says otherwise. Code that only
computes needs nobody's leave, verified or not: it runs in the sandbox and has no effect.

The level is the agent's, lowered to a skill's own while that skill works, and may be set by a
person for one task. Text that a tool, a file or a skill brings along cannot raise it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from fnmatch import fnmatchcase
from typing import ClassVar

from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Effect, Status, Tool
from hammerstone.core.triggers import NEW_TOOLS


class ActionKind(StrEnum):
    """Why an action may need leave; the first that holds names it."""

    WRITE = "write"
    CONNECTOR = "connector"  # something outside this machine
    WEB = "web"  # web search and page reading
    HEAVY = "heavy"  # limits beyond the standard ones
    BUILD = "build"  # new code
    IMPROVE = "improve"  # a change of the agent itself
    CALL = "call"  # none of these


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that is about to happen. `preview` shows a person what it would change.

    `verified`: the tool was proved; what was not may compute, and is asked about sooner where
    it does more than that.
    """

    kind: ActionKind
    tool: str
    version: int | None = None
    arguments: Mapping[str, Json] = field(default_factory=dict[str, Json])
    effect: Effect = Effect.PURE
    preview: str = ""
    reversible: bool = True
    verified: bool = True

    @staticmethod
    def of(
        tool: Tool,
        arguments: Mapping[str, Json],
        *,
        preview: str = "",
        reversible: bool | None = None,
    ) -> "Action":
        """The call of a tool. What a tool writes counts as irreversible unless said otherwise."""
        spec = tool.version.spec
        writes = spec.effect is Effect.WRITES
        if writes:
            kind = ActionKind.WRITE
        elif spec.limits == "heavy":
            kind = ActionKind.HEAVY
        else:
            kind = ActionKind.CALL
        undone = not writes if reversible is None else reversible
        return Action(
            kind,
            tool.name,
            tool.version.number,
            arguments,
            spec.effect,
            preview,
            undone,
            verified=tool.status is not Status.EXPERIMENTAL,
        )


@dataclass(frozen=True, slots=True)
class Permission:
    """Whether an action may happen, and why (not). `approval_id` when a person was asked."""

    given: bool
    reason: str = ""
    approval_id: str | None = None


class MaturityLevel(IntEnum):
    TASK = 1
    WORKFLOW = 2
    ADAPTIVE = 3
    LEARNING = 4
    AUTONOMOUS = 5


class MaturityRuling(StrEnum):
    ALLOW = "allow"
    ASK = "ask"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class MaturityPolicy:
    """How much the agent may do by itself, how many rounds it has, and what needs permission."""

    name: ClassVar[str] = "maturity"
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {"level": (1, 5)}
    level: int = 4
    iterations_1: int = 1
    iterations_2: int = 3
    iterations_3: int = 5
    iterations_4: int = 5
    iterations_5: int = 10
    ask_for_connectors: bool = True
    ask_for_heavy: bool = True


@dataclass(frozen=True, slots=True)
class MaturityDecision:
    """A ruling, the rule that made it, and why in words."""

    ruling: MaturityRuling
    rule: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class ActionContext:
    """Where an action is decided: the level in force, the policy, the tool the person named, and
    the only tools that may run, where there is such a list (names, patterns, `new`)."""

    level: MaturityLevel
    policy: MaturityPolicy = MaturityPolicy()
    given_tool: str | None = None
    tools: tuple[str, ...] | None = None

    def lists(self, action: Action) -> bool:
        """Whether the list of tools, if there is one, has this action's."""
        if self.tools is None:
            return True
        if action.kind is ActionKind.BUILD:
            return NEW_TOOLS in self.tools
        return any(fnmatchcase(action.tool, pattern) for pattern in self.tools)


_ALLOWED = MaturityDecision(MaturityRuling.ALLOW)
# The lowest level that may do it at all.
_FROM: dict[ActionKind, MaturityLevel] = {
    ActionKind.CONNECTOR: MaturityLevel.ADAPTIVE,
    ActionKind.WEB: MaturityLevel.LEARNING,
    ActionKind.BUILD: MaturityLevel.LEARNING,
    ActionKind.IMPROVE: MaturityLevel.LEARNING,
}
_WORDS: dict[ActionKind, str] = {
    ActionKind.CONNECTOR: "use connectors",
    ActionKind.WEB: "use the web",
    ActionKind.BUILD: "write new tools",
    ActionKind.IMPROVE: "improve itself",
}


def level_in_force(
    policy: MaturityPolicy, skill: int | None = None, task: int | None = None
) -> MaturityLevel:
    """The task's level if a person set one, else the agent's; never above the skill's."""
    level = as_level(policy.level if task is None else task)
    return level if skill is None else min(level, as_level(skill))


def as_level(number: int) -> MaturityLevel:
    try:
        return MaturityLevel(number)
    except ValueError:
        raise BadRequest(f"there is no maturity level {number}", hint="levels are 1 to 5") from None


def iterations(level: MaturityLevel, policy: MaturityPolicy) -> int:
    """How often the agent may plan and act in one request."""
    return max(1, int(getattr(policy, f"iterations_{int(level)}")))


def may_improve(level: MaturityLevel) -> bool:
    return level >= _FROM[ActionKind.IMPROVE]


def decide(action: Action, standing: ActionContext) -> MaturityDecision:
    """Whether an action is allowed, needs leave, or is refused, at this level."""
    level = standing.level
    if not standing.lists(action):
        what = "a new program" if action.kind is ActionKind.BUILD else action.tool
        return _refused("allowed tools", f"{what} is not among the tools that may run here")
    needed = _FROM.get(action.kind, MaturityLevel.TASK)
    if level < needed:
        may = _WORDS[action.kind]
        return _refused(
            "level",
            f"the maturity level is {level:d}, and only level {needed:d} or higher may {may}",
        )
    if level is MaturityLevel.TASK and action.tool != standing.given_tool:
        return _refused(
            "given tool", "the maturity level is 1, so only the tool that you named may run"
        )
    if level is MaturityLevel.AUTONOMOUS:
        return _asks_when_autonomous(action)
    return _asks(action, standing.policy)


def _asks_when_autonomous(action: Action) -> MaturityDecision:
    if not action.verified and action.effect is Effect.WRITES:
        return _ask(
            "unverified write", "it changes something outside Hammerstone and is not proved"
        )
    if not action.reversible:
        return _ask("irreversible", "what it does cannot be undone")
    return _ALLOWED


def _asks(action: Action, policy: MaturityPolicy) -> MaturityDecision:
    kind = action.kind
    if action.effect is Effect.WRITES:
        return _ask("writes", "it changes something outside Hammerstone")
    if not action.reversible:
        return _ask("irreversible", "what it does cannot be undone")
    if kind in (ActionKind.CONNECTOR, ActionKind.WEB) and policy.ask_for_connectors:
        return _ask("outside", "it contacts a service outside this machine")
    if kind is ActionKind.HEAVY and policy.ask_for_heavy:
        return _ask("heavy", "it needs more memory and time than usual")
    return _ALLOWED


def _ask(rule: str, why: str) -> MaturityDecision:
    return MaturityDecision(MaturityRuling.ASK, rule, why)


def _refused(rule: str, why: str) -> MaturityDecision:
    return MaturityDecision(MaturityRuling.REFUSE, rule, why)
