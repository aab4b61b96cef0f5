"""The maturity table, cell by cell."""

import pytest

from hammerstone.core.errors import BadRequest
from hammerstone.core.tools import Effect
from hammerstone.guard.maturity import (
    Action,
    ActionContext,
    ActionKind,
    MaturityLevel,
    MaturityPolicy,
    decide,
    iterations,
    level_in_force,
    may_improve,
)

CALL = Action(ActionKind.CALL, "t")
READ = Action(ActionKind.CALL, "t", effect=Effect.READS)
UNVERIFIED = Action(ActionKind.CALL, "t", verified=False)
WRITE = Action(ActionKind.WRITE, "t", effect=Effect.WRITES)
FINAL_WRITE = Action(ActionKind.WRITE, "t", effect=Effect.WRITES, reversible=False)
RISKY_WRITE = Action(ActionKind.WRITE, "t", effect=Effect.WRITES, verified=False)
CONNECTOR = Action(ActionKind.CONNECTOR, "t", effect=Effect.READS)
WEB = Action(ActionKind.WEB, "t", effect=Effect.READS)
HEAVY = Action(ActionKind.HEAVY, "t")
UNVERIFIED_HEAVY = Action(ActionKind.HEAVY, "t", verified=False)
BUILD = Action(ActionKind.BUILD, "t")
IMPROVE = Action(ActionKind.IMPROVE, "t")

A, K, R = "allow", "ask", "refuse"
TABLE = [
    #               1  2  3  4  5
    (CALL, A, A, A, A, A),
    (READ, A, A, A, A, A),
    (UNVERIFIED, A, A, A, A, A),
    (WRITE, K, K, K, K, A),
    (FINAL_WRITE, K, K, K, K, K),
    (RISKY_WRITE, K, K, K, K, K),
    (CONNECTOR, R, R, K, K, A),
    (WEB, R, R, R, K, A),
    (HEAVY, K, K, K, K, A),
    (UNVERIFIED_HEAVY, K, K, K, K, A),
    (BUILD, R, R, R, A, A),
    (IMPROVE, R, R, R, A, A),
]


@pytest.mark.parametrize(
    ("action", "level", "ruling"),
    [(row[0], level, row[level]) for row in TABLE for level in MaturityLevel],
    ids=lambda value: str(value) if not isinstance(value, Action) else f"{value.kind}",
)
def test_the_table(action: Action, level: MaturityLevel, ruling: str):
    decision = decide(action, ActionContext(level, given_tool="t"))
    assert decision.ruling == ruling
    assert bool(decision.why) == (ruling != A)
    assert bool(decision.rule) == (ruling != A)


def test_at_level_one_only_the_given_tool_is_used():
    assert decide(CALL, ActionContext(MaturityLevel.TASK, given_tool="other")).ruling == "refuse"
    assert decide(CALL, ActionContext(MaturityLevel.TASK)).ruling == "refuse"
    assert decide(CALL, ActionContext(MaturityLevel.TASK, given_tool="t")).ruling == "allow"


def test_rounds_at_each_level():
    policy = MaturityPolicy()
    assert [iterations(level, policy) for level in MaturityLevel] == [1, 3, 5, 5, 10]
    assert iterations(MaturityLevel.TASK, MaturityPolicy(iterations_1=0)) == 1


def test_improving_itself_begins_at_four():
    assert [may_improve(level) for level in MaturityLevel] == [False, False, False, True, True]


@pytest.mark.parametrize(
    ("agent", "skill", "task", "level"),
    [
        (4, None, None, 4),
        (4, 2, None, 2),
        (2, 5, None, 2),  # a skill cannot raise the agent
        (2, None, 5, 5),  # a person can, for one task
        (5, None, 1, 1),
        (2, 3, 5, 3),  # the skill's own level is its ceiling
    ],
)
def test_which_level_holds(agent: int, skill: int | None, task: int | None, level: int):
    assert level_in_force(MaturityPolicy(level=agent), skill, task) == level


@pytest.mark.parametrize("number", [0, 6, -1, 99])
def test_there_are_five_levels(number: int):
    with pytest.raises(BadRequest, match="no maturity level"):
        level_in_force(MaturityPolicy(level=number))


def test_the_policy_may_do_without_asking_but_never_for_writes():
    lax = MaturityPolicy(ask_for_connectors=False, ask_for_heavy=False)
    here = ActionContext(MaturityLevel.LEARNING, lax)
    for action in (UNVERIFIED, CONNECTOR, WEB, HEAVY):
        assert decide(action, here).ruling == "allow"
    for action in (WRITE, FINAL_WRITE, RISKY_WRITE):
        assert decide(action, here).ruling == "ask"
