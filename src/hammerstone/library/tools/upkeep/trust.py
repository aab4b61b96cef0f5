"""What use makes of a proof: each version's earned trust, looked up and kept up to date.

Whether a failed call is the tool's own fault is read from its code and its error.
"""

import ast
import math
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import ClassVar

from hammerstone.core.calls import Failure, error_type_of
from hammerstone.core.feedback import UseVerdict
from hammerstone.core.syntax import syntax_tree
from hammerstone.core.tools import Tool
from hammerstone.core.trust import EarnedTrust, UseSigns, earned_trust
from hammerstone.library.policies import Policies
from hammerstone.library.policies.feedback_policy import FeedbackPolicy
from hammerstone.storage import Database

OWN_FAILURE = "own failure"


@dataclass(frozen=True, slots=True)
class TrustPolicy:
    """How far use moves the chance that a tool's next answer is right."""

    name: ClassVar[str] = "trust"
    ranges: ClassVar[dict[str, tuple[float, float]]] = {
        "prior_uses": (1.0, 1000.0),
        "person_uses": (0.0, 1000.0),
        "fall_weight": (0.0, 1000.0),
        "rise_weight": (0.0, 1000.0),
    }
    prior_uses: float = 20.0  # judged uses that the proof is worth at most
    person_uses: float = 5.0  # what one person's uses weigh at most, where several share a library
    fall_weight: float = 1.5  # what has to speak against a tool before it can lose the mark
    rise_weight: float = 5.0  # what has to speak for one that has not got it

    def crosses(
        self, chance: float, mark: float, *, marked: bool, good: float, wrong: float
    ) -> bool:
        """Whether use moves a version over the mark, and is enough to do so: one mistaken word
        takes nothing, and a few answers that nobody objected to give nothing."""
        if marked:
            return chance < mark and wrong >= self.fall_weight
        return chance >= mark and good >= self.rise_weight


class TrustBook:
    """The earned trust of versions: computed from judged uses, kept for whoever shows it."""

    def __init__(self, db: Database, policies: Policies) -> None:
        self._db = db
        self._policies = policies

    async def of(self, tool: Tool, since: datetime | None = None) -> EarnedTrust | None:
        """What is known now about the active version, from uses since then; None for a tool that
        was never proved, or without a judged use."""
        if tool.confidence is None:
            return None
        believed = self._policies.get(FeedbackPolicy).counts
        signs = await self._db.trust.signs(tool.version.id, since, believed)
        own, _ = await self.failures(tool, since)
        if own:
            signs = [*signs, UseSigns("", UseVerdict.WRONG, OWN_FAILURE, own, float(own))]
        if not signs:
            return None
        policy = self._policies.get(TrustPolicy)
        shared = await self._db.sessions.several_people()
        return earned_trust(
            tool.confidence,
            signs,
            prior_uses=policy.prior_uses,
            person_uses=policy.person_uses if shared else math.inf,
        )

    async def failures(self, tool: Tool, since: datetime | None = None) -> tuple[int, int]:
        """How many failed calls of the active version were its own fault, and how many were not."""
        known = await self._db.executions.failures(tool.version.id, since=since)
        own = sum(own_fault(tool.version.code, kind, error) for kind, error in known)
        return own, len(known) - own

    def crosses(self, trust: EarnedTrust, mark: float, *, marked: bool) -> bool:
        """Whether use moves a version over the mark."""
        policy = self._policies.get(TrustPolicy)
        return policy.crosses(trust.chance, mark, marked=marked, good=trust.good, wrong=trust.wrong)

    async def renew(self, tool: Tool, since: datetime | None = None) -> EarnedTrust | None:
        """As `of`, and kept: answers of the tool are as sure as this from now on."""
        trust = await self.of(tool, since)
        if trust is None:
            await self._db.trust.drop([tool.version.id])
        else:
            await self._db.trust.put(tool.version.id, trust)
        return trust


_NOT_ITS_OWN = frozenset({Failure.LOST})
_REFUSALS = frozenset({"ValueError"})  # what tools say no with, unless they have words of their own


def own_fault(code: str, failure: Failure, error: str) -> bool:
    """An error that the code raises in so many words is an answer; any other is an accident.

    `error` is an `Outcome.error_line`, as executions store it. A sandbox that died says nothing
    about the tool.
    """
    if failure in _NOT_ITS_OWN:
        return False
    if failure is not Failure.RAISED:
        return True
    return error_type_of(error) not in refusals(code)


@lru_cache(maxsize=256)
def refusals(code: str) -> frozenset[str]:
    """The types of the errors that a program raises on purpose."""
    try:
        tree = syntax_tree(code)
    except (SyntaxError, ValueError):
        return frozenset()
    named: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Raise) or node.exc is None:
            continue
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if isinstance(raised, ast.Name):
            named.add(raised.id)
        elif isinstance(raised, ast.Attribute):
            named.add(raised.attr)
    return frozenset(named) or _REFUSALS
