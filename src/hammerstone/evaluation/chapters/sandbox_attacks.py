"""Robustness: attacks of generated code on the machine, each of which must be contained."""

from collections.abc import AsyncGenerator

from hammerstone.core.evaluations import CaseOutcome, Chapter, EvaluationSet
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding, Measurement, Needs
from hammerstone.evaluation.board.numbers.metrics import passed_share
from hammerstone.evaluation.chapters.findings import case
from hammerstone.sandbox.conformance import FAST, PROBES, Probe, run_probes


async def sandbox_attacks(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """The sandbox's own attacks: the quick ones, and all of them in the full set."""
    sandbox = await context.sandbox()
    gaps = getattr(sandbox, "known_gaps", {})
    everything = context.chosen is EvaluationSet.FULL
    chosen = [probe for probe in PROBES if everything or probe.name in FAST]

    async def one(probe: Probe) -> CaseOutcome:
        report = await run_probes(sandbox, only=[probe.name])
        (result,) = report.probes
        known = gaps.get(probe.name, "")
        return case(
            probe.name,
            result.contained,
            asked=result.tries,
            given=result.detail,
            wanted="contained",
            reason="" if result.contained else known or "the attack got through",
            tags=(str(result.kind), *(("known gap",) if known else ())),
        )

    outcomes: list[CaseOutcome] = []
    async for outcome in context.each(chosen, lambda probe: probe.name, one):
        outcomes.append(outcome)
        yield outcome
    yield passed_share("attacks contained", outcomes, target=1.0)


MEASUREMENTS = (
    Measurement(
        "sandbox_attacks",
        "Attacks on the sandbox",
        Chapter.ROBUSTNESS,
        sandbox_attacks,
        needs=Needs(sandbox=True),
    ),
)
