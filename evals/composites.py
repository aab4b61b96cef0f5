"""Chains of tools, run a few times with different values: which become composites, and are
those right on values nobody has seen, and are they what later requests are answered with?

    python -m evals.composites [--set instant|quick|full] [--json]

Every chain is really executed in the sandbox, in several sessions, then mined, learned, proved
and put before the gate like any other. Beside 24 honest chains there are traps that must not
become tools: equal values by coincidence, ambiguous sources, chains that fail too often, one
session repeating itself a thousand times, a part that writes. The second part goes through `ask`:
composite_asking.py.
"""

import random
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from evals.composite_asking import measure
from evals.composite_chains import CHAINS, TOOLS, TRAPS, Chain
from evals.measured import measured
from evals.own_process import own_process
from hammerstone.core import wire
from hammerstone.core.calls import Call, Outcome, Program
from hammerstone.core.clock import SystemClock
from hammerstone.core.dataflow import value_at
from hammerstone.core.seams import Sandbox
from hammerstone.core.settings import Settings
from hammerstone.core.tools import Effect, Spec, Status
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    case,
    higher,
    lower,
)
from hammerstone.guard.maturity import MaturityPolicy
from hammerstone.judging.equality import decoded, same
from hammerstone.learn.composites.bindings import plain
from hammerstone.learn.composites.composer import CompositeBuilder
from hammerstone.learn.ledger.changes import appliers
from hammerstone.learn.mining.miner import Miner
from hammerstone.learn.policies import GatePolicy, MiningPolicy
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.library.policies import Policies
from hammerstone.library.search import ToolSearch
from hammerstone.library.tools.registry import ActivationReason, NewVersion, Registry
from hammerstone.library.workflows import Workflow
from hammerstone.sandbox import open_sandbox
from hammerstone.storage import Database, Execution

START = datetime.now(UTC) - timedelta(days=2)
UNSEEN = 10


class Recorder:
    """Runs chains in the sandbox and writes down what a run would."""

    def __init__(self, db: Database, sandbox: Sandbox, versions: dict[str, str]) -> None:
        self._db = db
        self.sandbox = sandbox
        self._versions = versions
        self._runs = 0

    async def call(self, tool: str, arguments: dict[str, Any]) -> Outcome:
        kwargs = {name: wire.encode(value) for name, value in arguments.items()}
        return await self.sandbox.call(Program(TOOLS[tool].code, tool), Call(kwargs=kwargs))

    async def chain(self, chain: Chain, given: dict[str, Any]) -> tuple[Any, list[Any]]:
        """The result of the last step and everything each step did."""
        steps: list[Any] = []
        for step in chain.steps:
            arguments = {
                name: _value(source, given, steps) for name, source in step.arguments.items()
            }
            outcome = await self.call(step.tool, arguments)
            steps.append((step, arguments, outcome))
            if not outcome.ok:
                break
        return steps[-1][2], steps

    async def record(self, chain: Chain, given: dict[str, Any], session: str) -> None:
        self._runs += 1
        run, at_time = f"run{self._runs:05}", START + timedelta(seconds=self._runs)
        _, steps = await self.chain(chain, given)
        await self._db.runs.start(run, session, "ada", chain.request, "trace", at_time)
        for number, (step, arguments, outcome) in enumerate(steps):
            await self._db.executions.add(
                Execution(
                    id=f"{run}-{number}",
                    run_id=run,
                    session_id=session,
                    number=number,
                    tool=step.tool,
                    version_id=self._versions[step.tool],
                    arguments=arguments,
                    result=outcome.value,
                    ok=outcome.ok,
                    at=at_time,
                    failure=outcome.failure,
                    error=outcome.error,
                    seconds=outcome.use.wall_s,
                    sources=_sources(step.arguments) if chain.declared else {},
                )
            )
        await self._db.runs.finish(run, "done", None, at_time)


def _value(source: Any, given: dict[str, Any], steps: Sequence[Any]) -> Any:
    kind, *rest = source
    if kind == "ask":
        return given[rest[0]]
    if kind == "fixed":
        return rest[0]
    return value_at(plain(steps[rest[0]][2].value), rest[1:])


def _sources(arguments: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for name, (kind, *rest) in arguments.items():
        if kind == "from":
            told[name] = {"step": rest[0], "path": list(rest[1:])}
        else:
            told[name] = "request" if kind == "ask" else "constant"
    return told


async def _library(db: Database, registry: Registry) -> dict[str, str]:
    versions: dict[str, str] = {}
    for name, tool in TOOLS.items():
        spec = Spec(
            name=name,
            description=tool.about,
            parameters={"type": "object", "properties": tool.parameters, "required": []},
            returns={},
            effect=Effect(tool.effect),
        )
        new = NewVersion(spec, tool.code, (), (), Status.VERIFIED, 0.95, {}, {})
        made = await registry.register(new, ActivationReason("registered", "eval", "eval"))
        versions[name] = made.version.id
    return versions


async def evaluate(
    folder: Path, chains: Sequence[Chain] = CHAINS, traps: Sequence[Chain] = TRAPS
) -> dict[str, Any]:
    db = await Database.open_url(f"sqlite:///{folder}/composites.db")
    sandbox = await open_sandbox(Settings())
    clock = SystemClock()
    try:
        policies = Policies(db, (GatePolicy, MaturityPolicy, MiningPolicy))
        await policies.load()
        registry = Registry(db, ToolSearch(db, None, policies), clock)
        gate = ChangeGate(db, policies, appliers(registry, policies, db), clock)
        recorder = Recorder(db, sandbox, await _library(db, registry))
        rng = random.Random(11)
        for chain in (*chains, *traps):
            for number in range(chain.times):
                session = f"{chain.name}-{number % chain.sessions}"
                await recorder.record(chain, chain.draw(rng, number), session)
        policy = MiningPolicy()
        mined = await Miner(db, policy, clock).run()
        began = time.perf_counter()
        tried = await CompositeBuilder(db, registry, gate, sandbox, policy).run()
        seconds = time.perf_counter() - began
        return await _judge(tried, registry, recorder, rng, chains, traps) | {
            "mined_runs": mined.runs,
            "mining_s": mined.seconds,
            "composing_s": seconds,
        }
    finally:
        await sandbox.close()
        await db.close()


async def _judge(
    tried: Any,
    registry: Registry,
    recorder: Recorder,
    rng: random.Random,
    chains: Sequence[Chain],
    traps: Sequence[Chain],
) -> dict[str, Any]:
    outcomes = {one.steps: one for one in tried}
    found = built = right = wrong = checked = 0
    chain_s = composite_s = 0.0
    rows: list[dict[str, Any]] = []
    for chain in chains:
        one = outcomes.get(chain.tools)
        found += one is not None
        row: dict[str, Any] = {"chain": chain.name, "steps": len(chain.tools)}
        if one is None or one.outcome != "built":
            rows.append(
                row | {"outcome": one.outcome if one else "not found", "why": one and one.reason}
            )
            continue
        built += 1
        tool = await registry.get(one.tool)
        workflow = Workflow.from_json(tool.version.provenance["composite"])
        good = 0
        for number in range(UNSEEN):
            given = chain.draw(rng, 1000 + number)
            began = time.perf_counter()
            expected, _ = await recorder.chain(chain, given)
            middle = time.perf_counter()
            kwargs = {
                name: wire.encode(_value(chain.steps[step].arguments[argument], given, ()))
                for name, (step, argument) in workflow.inputs.items()
            }
            program = Program(tool.version.code, tool.name)
            outcome = await recorder.sandbox.call(program, Call(kwargs=kwargs))
            chain_s += middle - began
            composite_s += time.perf_counter() - middle
            same_failure = not expected.ok and not outcome.ok
            equal = outcome.ok and same(
                decoded(plain(outcome.value)), decoded(plain(expected.value))
            )
            good += same_failure or equal
            checked += 1
        right += good == UNSEEN
        wrong += good != UNSEEN
        rows.append(row | {"outcome": "built", "right_on_unseen": f"{good} of {UNSEEN}"})
    trapped = []
    for trap in traps:
        one = outcomes.get(trap.tools)
        promoted = one is not None and one.outcome == "built"
        wrong += promoted
        trapped.append(
            {"trap": trap.name, "promoted": promoted, "why": one.reason if one else "not ripe"}
        )
    return {
        "chains": len(chains),
        "patterns_found": found,
        "composites_built": built,
        "right_on_unseen_values": right,
        "unseen_calls": checked,
        "wrong_promoted": wrong,
        "speedup": chain_s / composite_s if composite_s else None,
        "traps": trapped,
        "rows": rows,
    }


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Which chains become composites, and that no trap does."""
    chains = context.some(CHAINS, instant=4, quick=8)
    traps = context.some(TRAPS, instant=3, quick=4)
    with tempfile.TemporaryDirectory() as folder:
        found = await evaluate(Path(folder), chains, traps)
    for row in found["rows"]:
        good = row.get("right_on_unseen", "")
        yield case(
            row["chain"], good == f"{UNSEEN} of {UNSEEN}", tags=("chain",),
            given=f"{row['outcome']}, right on {good or 'no'} unseen values",
            wanted="a composite that is right on all of them", reason=row.get("why"),
        )  # fmt: skip
    for trap in found["traps"]:
        yield case(
            f"trap: {trap['trap']}", not trap["promoted"], tags=("trap",), reason=trap["why"],
            given="promoted" if trap["promoted"] else "left alone", wanted="left alone",
        )  # fmt: skip
    chains = found["chains"]
    yield higher("chains that became a right composite", found["right_on_unseen_values"] / chains)
    yield higher("chains found as patterns", found["patterns_found"] / chains)
    yield lower("wrong composites promoted", found["wrong_promoted"], "count", target=0)
    yield higher("chain beside its composite, seconds", found["speedup"], "ratio")


async def ask_findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Unseen requests before and after learning: are they one call of the composite?"""
    found = await own_process(measure, embedder=context.settings.embedder)
    for number, row in enumerate(found["asked"]):
        yield case(
            f"{row['chain']} {number}", row["right_after"], tags=(f"way {row['way'] + 1}",),
            given=row["tools"], reason=row["why"],
            numbers={key: float(row[key]) for key in ("by_composite", "right_before")},
        )  # fmt: skip
    asked = found["requests"]
    yield higher("run by steps before, by the composite after", found["share"])
    yield higher(
        "right after learning", found["right_after"] / asked, of="score",
        baseline=found["right_before"] / asked, baseline_name="before learning",
    )  # fmt: skip
    yield lower("model calls for what a composite served", found["model_calls_served"], "count")
    yield lower(
        "one request", found["seconds_by_composite"], "s",
        baseline=found["seconds_by_steps"], baseline_name="by steps",
    )  # fmt: skip


if __name__ == "__main__":
    measured("composites", "composites_asked")
