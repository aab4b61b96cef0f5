"""Is there a tool already that does this? By description, by signature, then by behaviour."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hammerstone.core.calls import STANDARD, Call, Outcome, Program
from hammerstone.core.documents import canonical_json
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Case, CaseKind, Effect, Spec, Tool
from hammerstone.judging.equality import alike
from hammerstone.judging.named_inputs import Arguments, arguments_of, variations
from hammerstone.library.policies import DuplicatePolicy, Policies
from hammerstone.library.search import ToolSearch
from hammerstone.library.tools.duplicates.signatures import mappings
from hammerstone.library.tools.registry import HIDDEN, Registry
from hammerstone.tracing import span

CASE_WALL_S = 1.0
# Made-up inputs on which only one of the two gives a result: validation may differ a little.
ONE_SIDED = 0.15


@dataclass(frozen=True, slots=True)
class DuplicateMatch:
    """A tool that behaves the same. `parameters` names each of ours in the other's words."""

    tool: Tool
    parameters: Mapping[str, str]
    agreed: int  # inputs that both answered, with the same result
    similarity: float | None


class Duplicates:
    def __init__(self, registry: Registry, search: ToolSearch, policies: Policies) -> None:
        self._registry = registry
        self._search = search
        self._policies = policies

    async def find_match(
        self,
        spec: Spec,
        code: str,
        suite: Sequence[Case],
        sandbox: Sandbox,
        *,
        besides: str | None = None,
    ) -> DuplicateMatch | None:
        """The tool that already does what this code does, if there is one, with the evidence;
        `besides` is not looked at."""
        policy = self._policies.get(DuplicatePolicy)
        if not policy.enabled or spec.effect is not Effect.PURE:
            return None
        with span("find duplicate", kind="search", input=spec.name) as traced:
            for tool, similarity in await self._candidates(spec, policy):
                if tool.name == besides:
                    continue
                match = await self.compare(spec, code, suite, tool, sandbox)
                if match:
                    traced.output = {"duplicate_of": tool.name, "agreed": match.agreed}
                    return DuplicateMatch(tool, match.parameters, match.agreed, similarity)
            traced.output = None
        return None

    async def _candidates(
        self, spec: Spec, policy: DuplicatePolicy
    ) -> list[tuple[Tool, float | None]]:
        """Tools that are near by description and could be called alike."""
        query = f"{spec.name.replace('_', ' ')}. {spec.description}"
        hits = await self._search.find(query, limit=policy.candidates)
        found: list[tuple[Tool, float | None]] = []
        for hit in hits:
            if hit.cosine is not None and hit.cosine < policy.similarity:
                continue
            tool = await self._registry.find(hit.name)
            if tool is None or tool.status in HIDDEN:
                continue
            if next(mappings(spec, tool.version.spec), None) is not None:
                found.append((tool, hit.cosine))
        return found

    async def compare(
        self, spec: Spec, code: str, suite: Sequence[Case], tool: Tool, sandbox: Sandbox
    ) -> DuplicateMatch | None:
        """Whether a tool returns what the code returns, whichever way its parameters are meant."""
        policy = self._policies.get(DuplicatePolicy)
        old = tool.version
        ours = _valued(suite, spec)
        ran = _Ran(Program(code, spec.name), sandbox)
        for names in mappings(spec, old.spec):
            back = {theirs: mine for mine, theirs in names.items()}
            shared = [
                {back[name]: value for name, value in given.items()}
                for case in old.suite
                if (given := arguments_of(case, old.spec)) is not None and given.keys() <= set(back)
            ]
            known = _distinct([*ours, *shared])
            made = variations(known, spec, policy.inputs)
            mine = await ran.on([*known, *made])
            other = _Ran(Program(old.code, old.spec.name), sandbox)
            theirs = await other.on(
                [{names[name]: value for name, value in given.items()} for given in (*known, *made)]
            )
            agreed = _agreement(mine, theirs, len(ours), policy.agreeing)
            if agreed:
                return DuplicateMatch(tool, names, agreed, None)
        return None


class _Ran:
    """One program's outcomes; an input is run once, however many comparisons use it."""

    def __init__(self, program: Program, sandbox: Sandbox) -> None:
        self._program = program
        self._sandbox = sandbox
        self._known: dict[str, Outcome] = {}

    async def on(self, inputs: Sequence[Arguments]) -> list[Outcome]:
        keys = [canonical_json(given) for given in inputs]
        missing = {
            key: given for key, given in zip(keys, inputs, strict=True) if key not in self._known
        }
        if missing:
            calls = [Call(kwargs=given) for given in missing.values()]
            (row,) = await self._sandbox.matrix(
                [self._program], calls, limits=STANDARD, case_wall_s=CASE_WALL_S
            )
            self._known.update(zip(missing, row, strict=True))
        return [self._known[key] for key in keys]


def _valued(suite: Sequence[Case], spec: Spec) -> list[Arguments]:
    """The inputs of cases that expect a result."""
    found = (arguments_of(case, spec) for case in suite if case.kind is not CaseKind.RAISES)
    return _distinct([given for given in found if given is not None])


def _distinct(inputs: Sequence[Arguments]) -> list[Arguments]:
    return list({canonical_json(given): given for given in inputs}.values())


def _agreement(mine: Sequence[Outcome], theirs: Sequence[Outcome], own: int, enough: int) -> int:
    """Inputs that both answer alike, or 0 where the two are different tools.

    A single different result decides. What our own suite expects, the other has to give; on
    other inputs one may refuse what the other answers, if that is rare.
    """
    agreed, one_sided = 0, 0
    results: list[str] = []
    for place, (one, other) in enumerate(zip(mine, theirs, strict=True)):
        if one.ok and other.ok:
            if not alike(one.value, other.value):
                return 0
            agreed += 1
            results.append(repr(one.value))
        elif one.ok != other.ok:
            if one.ok and place < own:
                return 0
            one_sided += 1
    if agreed < enough or len(set(results)) < 2:
        return 0
    return 0 if one_sided > max(1, ONE_SIDED * (agreed + one_sided)) else agreed
