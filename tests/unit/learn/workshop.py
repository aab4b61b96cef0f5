"""A library with a gate in a database of its own, without sandbox or model."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from hammerstone.core.clock import SystemClock
from hammerstone.core.tools import Case, Spec, Status
from hammerstone.guard.maturity import MaturityPolicy
from hammerstone.learn.ledger.changes import appliers
from hammerstone.learn.policies import (
    FineTuningPolicy,
    GatePolicy,
    HarnessPolicy,
    MiningPolicy,
    PromptTrackPolicy,
    RepairPolicy,
)
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.library.policies import Policies
from hammerstone.library.search import ToolSearch
from hammerstone.library.tools.registry import ActivationReason, NewVersion, Registry
from hammerstone.storage import Database

TRACKS = (PromptTrackPolicy, FineTuningPolicy, HarnessPolicy)


@dataclass(frozen=True)
class Workshop:
    db: Database
    registry: Registry
    policies: Policies
    gate: ChangeGate
    clock: SystemClock

    async def add(self, new: NewVersion) -> None:
        await self.registry.register(new, ActivationReason("registered", "test", "test"))


def version_of(name: str, code: str, *, suite: tuple[Case, ...] = (), kind: str = "number"):
    spec = Spec(
        name=name,
        description=f"{name} of a value",
        parameters={
            "type": "object",
            "properties": {"value": {"type": kind}},
            "required": ["value"],
        },
        returns={"type": kind},
    )
    return NewVersion(spec, code, suite, (), Status.VERIFIED, 0.95, {}, {"by": "test"})


@asynccontextmanager
async def workshop(folder: Path) -> AsyncIterator[Workshop]:
    db = await Database.open_url(f"sqlite:///{folder}/hammerstone.db")
    try:
        more = (GatePolicy, MaturityPolicy, RepairPolicy, MiningPolicy, *TRACKS)
        policies = Policies(db, more)
        await policies.load()
        registry = Registry(db, ToolSearch(db, None, policies), SystemClock())
        gate = ChangeGate(db, policies, appliers(registry, policies, db), SystemClock())
        yield Workshop(db, registry, policies, gate, SystemClock())
    finally:
        await db.close()
