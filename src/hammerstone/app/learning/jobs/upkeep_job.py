"""Keeps library and skill graph in order: standings that use has changed, halves without other."""

from hammerstone.app.learning.jobs.job_policy import LearningPolicy
from hammerstone.app.learning.jobs.learning_job import RequestJob
from hammerstone.core.formatting import count
from hammerstone.core.job_runs import JobChange, JobReport
from hammerstone.core.json_types import JsonObject
from hammerstone.library.graph import SkillGraph
from hammerstone.library.policies import Policies
from hammerstone.library.tools.upkeep import Upkeep
from hammerstone.storage import Database

_LIBRARY = "library_revision"


class UpkeepJob(RequestJob):
    name = "upkeep"
    about = "brings standings, search and the skill graph in line with use"

    def __init__(self, db: Database, upkeep: Upkeep, graph: SkillGraph, policies: Policies) -> None:
        super().__init__(db, policies)
        self._upkeep = upkeep
        self._graph = graph

    @property
    def every_s(self) -> float:
        return self._policies.get(LearningPolicy).upkeep_hours * 3600

    async def news(self) -> str:
        last = await self._db.job_runs.last(self.name)
        if last is not None and last.report.get(_LIBRARY) != await self._db.tools.revision():
            return "the library has changed"
        return await super().news()

    async def run(self, *, dry_run: bool) -> JobReport:
        report = await self._upkeep.run(dry_run=dry_run)
        changes = [
            JobChange(f"{one.tool}: {one.before} to {one.after}", one.reason)
            for one in report.standings
        ]
        changes += [JobChange(f"search learns {tool}") for tool in report.not_indexed]
        changes += [JobChange(f"search forgets {tool}", "no tool") for tool in report.without_tool]
        pruned = 0 if dry_run else await self._graph.prune()
        if pruned:
            what = f"{count(pruned, 'connection')} removed from the skill graph"
            changes.append(JobChange(what, "a tool at its end is gone"))
        revision = await self._db.tools.revision()
        details: JsonObject = {**report.to_json(), "pruned": pruned, _LIBRARY: revision}
        return JobReport(tuple(changes), details=details)
