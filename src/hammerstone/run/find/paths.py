"""A way through the skill graph: when the tool that fits cannot take what the person has."""

from hammerstone.core.dataflow import Constant, FromRequest, FromStep, Source, renamed
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Tool, types_of
from hammerstone.library.graph import Have, SkillGraph, Want
from hammerstone.library.policies import Policies
from hammerstone.run.bind.fill import fill
from hammerstone.run.context import Run
from hammerstone.run.find.plan import Plan, PlanStep, Strategy
from hammerstone.run.plan_policy import PlanPolicy
from hammerstone.run.understand.literals import LiteralKind, find_literals


class GraphPaths:
    """Plans by ways through the skill graph that were gone before."""

    def __init__(self, graph: SkillGraph, policies: Policies) -> None:
        self._graph = graph
        self._policies = policies

    async def by_path(self, run: Run, tool: Tool, text: str) -> Plan | None:
        """A plan that ends in `tool` and begins with a file or text of the request.

        Only ways whose every hop was gone before count: types alone fit too easily.
        """
        if not _wants_data(tool, run.words_for_models):
            return None
        have = _at_hand(run, text)
        if not have:
            return None
        wishes = [Have.file(name) if is_file else Have.value(name, name) for name, is_file in have]
        most = self._policies.get(PlanPolicy).most_steps
        for path in await self._graph.paths(
            wishes, Want(tool=tool.name), 3, tenant=run.request.user
        ):
            if not 2 <= len(path.hops) <= most or path.learned < len(path.hops) - 1:
                continue
            steps: list[PlanStep] = []
            for number, hop in enumerate(path.hops, 1):
                known = (binding for binding in hop.bindings if not binding.missing)
                arguments = {each.parameter: _in_plan(each.source) for each in known}
                steps.append(PlanStep(str(number), text, hop.tool, arguments))
            return Plan(Strategy.COMPOSITION, tuple(steps), f"skill graph: {path.explanation}")
        return None


def _in_plan(source: FromStep[int] | FromRequest) -> Source[str]:
    """A hop's source in a plan; what is at hand goes by its own text."""
    return Constant(source.name) if isinstance(source, FromRequest) else renamed(source, str)


def _wants_data(tool: Tool, text: str) -> bool:
    """Whether the tool needs a list or record that the words do not hold."""
    spec = tool.version.spec
    open_ones = fill(spec, text).open
    return any(types_of(spec.takes.schema_of(name)) <= {"array", "object"} for name in open_ones)


def _at_hand(run: Run, text: str) -> list[tuple[str, bool]]:
    """Files and quoted texts of the request; whether each is a file."""
    files = [(f"/files/{name}", True) for name in run.named_files]
    quoted: list[Json] = [
        each.value for each in find_literals(text) if each.kind is LiteralKind.TEXT
    ]
    return [*files, *((str(each), False) for each in quoted)]
