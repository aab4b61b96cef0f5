"""What a request would find, without answering it: the look that `ask` takes, shown."""

from dataclasses import asdict

from hammerstone.core.answers import EventKind
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.guard.budget import Budget
from hammerstone.library.search import Band, Filters, Hit
from hammerstone.run.context import Contacts, Emitter, Run
from hammerstone.run.find.discover import Discovery, Finder
from hammerstone.run.find.plan import Plan, Strategy
from hammerstone.run.find.planning import Planner
from hammerstone.run.request import Request
from hammerstone.run.services import Catalogue, Guards, Records


class _SilentEmitter(Emitter):
    """Nobody watches a preview, and nothing of it is stored."""

    async def emit(self, kind: EventKind, text: str, **data: Json) -> None:
        pass


class RequestPreview:
    """Shows what requests would find: the same reading, the same hits, the same fit, and the plan
    that would be carried out. No model is asked and nothing is recorded."""

    def __init__(
        self,
        planner: Planner,
        finder: Finder,
        catalogue: Catalogue,
        guards: Guards,
        records: Records,
    ) -> None:
        self._planner = planner
        self._finder = finder
        self._catalogue = catalogue
        self._guards = guards
        self._records = records

    async def of(
        self, text: str, user: str, *, limit: int = 5, filters: Filters | None = None
    ) -> JsonObject:
        """The hits for a request, how likely the first one fits, and the plan.

        `filters` narrow the hits that are shown; a request knows no such thing, so the fit is
        then of the first that is left, and there is no plan.
        """
        run = await self._run(text, user)
        found = await self._finder.look(run, text, limit=max(limit, 5), filters=filters)
        plan = await self._planner.plan_for(run, text, text) if filters is None else None
        return {
            "query": text,
            "hits": [_shown(hit) for hit in found.hits[:limit]],
            "fit": _fit(found),
            "plan": _planned(plan) if plan is not None else None,
            "skill": await self._skill(run, plan) if plan is not None else None,
            "words_only": self._catalogue.search.words_only or None,
        }

    async def _run(self, text: str, user: str) -> Run:
        records = self._records
        seen = await records.db.revisions.take("")
        await self._guards.policies.load(seen.policies)
        return Run(
            id="preview",
            request=Request(text, "", user),
            trace_id="",
            seen=seen,
            clock=records.clock,
            began_s=records.clock.elapsed_s(),
            budget=Budget(),
            contacts=Contacts(),
            emitter=_SilentEmitter("preview", "", records, None),
        )

    async def _skill(self, run: Run, plan: Plan) -> JsonObject | None:
        """The skill that would be used, where no tool is certain and none is likelier."""
        last = plan.last
        uncertain = last.beside_solution or plan.strategy is Strategy.SOLVING
        if len(plan.steps) > 1 or not uncertain:
            return None
        hits = await self._catalogue.skills.find(run.words, run.request.user, 1)
        least = max(self._catalogue.skills.policy.fit, last.fit if last.tool else 0.0)
        return hits[0].to_json() if hits and hits[0].probability >= least else None


def _shown(hit: Hit) -> JsonObject:
    return asdict(hit) | {"explanation": hit.explanation}


def _fit(found: Discovery) -> JsonObject:
    if found.fit is None:
        return {"probability": 0.0, "band": str(Band.LOW), "signals": None}
    return found.fit.to_json()


def _planned(plan: Plan) -> JsonObject:
    steps: list[Json] = [
        {
            "text": step.text,
            "tool": step.tool,
            "fit": round(step.fit, 4) if step.tool else None,
            "beside_solution": step.beside_solution,
            "said": dict(step.said),
        }
        for step in plan.steps
    ]
    return {"strategy": str(plan.strategy), "why": plan.why, "steps": steps}
