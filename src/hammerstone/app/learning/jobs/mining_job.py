"""Counts what requests did with tools: patterns, and what search learned for the ledger."""

from hammerstone.app.learning.jobs.learning_job import RequestJob
from hammerstone.core.formatting import count
from hammerstone.core.job_runs import JobChange, JobReport
from hammerstone.learn.ledger.lesson_entries import LessonEntries
from hammerstone.learn.mining.miner import Miner
from hammerstone.learn.policies import MiningPolicy
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.library.graph import SkillGraph
from hammerstone.run.services import Guards, Records


class MiningJob(RequestJob):
    """Its counts change no behaviour, so a dry run counts as well."""

    name = "mining"
    about = "counts which tools follow each other"

    def __init__(
        self, records: Records, guards: Guards, gate: ChangeGate, graph: SkillGraph
    ) -> None:
        super().__init__(records.db, guards.policies)
        self._clock = records.clock
        self._gate = gate
        self._graph = graph

    async def run(self, *, dry_run: bool) -> JobReport:
        db, clock = self._db, self._clock
        await self._gate.recover()
        await LessonEntries(db, clock).gather()
        policy = self._policies.get(MiningPolicy)
        mined = await Miner(db, policy, clock, self._graph.observe).run()
        changes: list[JobChange] = []
        if mined.patterns:
            read = f"{count(mined.runs, 'request')} with {count(mined.executions, 'call')}"
            changes.append(JobChange(f"{count(mined.patterns, 'pattern')} counted", f"{read} read"))
        return JobReport(tuple(changes), details={"mined": mined.to_json()})
