"""When a pattern becomes a tool: replayed from logged runs, later ones against earlier ones."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from hammerstone.learn.mining.sequences import occurrences
from hammerstone.learn.policies import MiningPolicy, TuningPolicy
from hammerstone.learn.tuning.knob import KnobValues, Scores, TrustedCases, TuningCase
from hammerstone.library.policies import Policies
from hammerstone.storage import Database

Chain = tuple[str, ...]


@dataclass(slots=True)
class ChainRecord:
    """How often tools had followed each other by a moment, how often well, and where."""

    times: int = 0
    well: int = 0
    sessions: set[str] = field(default_factory=set[str])


@dataclass(frozen=True, slots=True)
class RunChains:
    """The chains of a run, each with what was known about it before the run."""

    known: tuple[tuple[Chain, int, int, int], ...]  # chain, times, well, sessions


class PromotionKnob(TrustedCases):
    """How often, and how well, tools have to follow each other before they become one."""

    name = "promotion"
    policy = MiningPolicy.name
    about = "how often and how well tools follow each other before they become one"

    def __init__(self, db: Database, policies: Policies) -> None:
        self._db = db
        self._policies = policies

    def present(self) -> dict[str, float]:
        policy = self._policies.get(MiningPolicy)
        return {"frequency": policy.frequency, "success": policy.success}

    def grid(self) -> list[dict[str, float]]:
        return [
            {"frequency": often, "success": well}
            for often in (2, 3, 4, 5, 8)
            for well in (0.6, 0.7, 0.8, 0.9, 1.0)
        ]

    def bounds(self) -> dict[str, tuple[float, float]]:
        return {"frequency": (2, 20), "success": (0.5, 1.0)}

    def sound(self, values: KnobValues) -> dict[str, float] | None:
        return {"frequency": round(values["frequency"]), "success": round(values["success"], 2)}

    async def cases(self, until: datetime) -> list[TuningCase]:
        most = self._policies.get(TuningPolicy).most
        runs = await self._db.patterns.finished_runs(None, until, most)
        calls = await self._db.patterns.calls_of([run.id for run in runs])
        policy = self._policies.get(MiningPolicy)
        seen: dict[Chain, ChainRecord] = {}
        found: list[TuningCase] = []
        for run in runs:
            own = calls.get(run.id, [])
            chains = {
                one.tools: one.ok
                for one in occurrences(
                    own, longest=policy.longest, longest_whole=policy.longest_whole
                )
                if len(one.tools) > 1
            }
            if not chains:
                continue
            data = RunChains(tuple(_known(seen, chains)))
            found.append(TuningCase(run.id, run.session_id, run.finished_at, data, user=run.user))
            for chain, ok in chains.items():
                record = seen.setdefault(chain, ChainRecord())
                record.times += 1
                record.well += ok
                record.sessions.add(run.session_id)
        return found

    def scores(self, values: KnobValues, cases: Sequence[TuningCase]) -> Scores:
        """Calls that composites made by then would have saved in each run; making one costs.

        A run pays for the chain that becomes ripe with it; later runs with the chain gain.
        """
        policy, worth = self._policies.get(MiningPolicy), self._policies.get(TuningPolicy)
        often, well = values["frequency"], values["success"]
        return np.array(
            [_worth(case.data, often, well, policy.sessions, worth) for case in cases], float
        )


def _known(
    seen: dict[Chain, ChainRecord], chains: Iterable[Chain]
) -> Iterable[tuple[Chain, int, int, int]]:
    for chain in chains:
        record = seen.get(chain) or ChainRecord()
        yield chain, record.times, record.well, len(record.sessions)


def _worth(run: RunChains, often: float, well: float, sessions: int, worth: TuningPolicy) -> float:
    saved = making = 0.0
    for chain, times, good, places in run.known:
        ripe = times >= often and places >= sessions and good >= well * times
        if ripe:
            saved = max(saved, float(len(chain) - 1))
        elif times + 1 >= often and places + 1 >= sessions and good + 1 >= well * (times + 1):
            making += worth.idle_composite
    return saved - making
