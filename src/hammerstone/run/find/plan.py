"""A plan: steps, and where each step's arguments come from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from hammerstone.core.dataflow import Constant, FromStep, Source, needed_steps
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Spec, fits_type, type_at
from hammerstone.run.understand.reading import read


class Strategy(StrEnum):
    """The ways to answer."""

    SINGLE = "single"
    SEQUENCE = "sequence"
    COMPOSITION = "composition"
    WORKFLOW = "workflow"
    BUILDING = "building"  # a tool was asked for
    SOLVING = "solving"  # no tool fits: whole solutions
    SKILL = "skill"  # a written procedure of its own


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One call. Without a `tool` it is found, or built, when its turn comes.

    `after` are steps that its words refer to ("the result"); which argument they fill is
    decided once the tool is known. Arguments that are not named here come from the words.
    """

    id: str
    text: str
    tool: str | None = None
    arguments: Mapping[str, Source[str]] = field(default_factory=dict[str, Source[str]])
    after: tuple[str, ...] = ()
    unfit: bool = False  # search has looked already: no tool fits these words
    fit: float = 1.0  # the chance that `tool` is the right one for these words
    whole: bool = False  # it does several parts: what a later one refers to is made inside
    beside_solution: bool = False  # the tool may fit: it runs beside a solution that is compared
    said: Mapping[str, Json] = field(default_factory=dict[str, Json])  # read from the words already
    skill: str | None = None  # the skill that the person starts by its name

    @property
    def referring(self) -> str:
        """The beginning of the words that may refer to something from before this step."""
        if not self.whole:
            return self.text
        first = read(self.text).parts[0]
        return self.text[: self.text.find(first) + len(first)]

    @property
    def needs(self) -> set[str]:
        """The steps that have to be done before this one."""
        named = needed_steps(self.arguments.values()) if self.arguments else set[str]()
        return named | set(self.after)


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps that a request takes, and why these."""

    strategy: Strategy
    steps: tuple[PlanStep, ...]
    why: str = ""
    rival: str | None = None  # a tool that search could not tell from the single step's
    named: bool = False  # the request calls the single step's tool by its name

    @property
    def last(self) -> PlanStep:
        return self.steps[-1]

    def problem(self, specs: Mapping[str, Spec]) -> str:
        """What keeps the plan from being carried out; empty when nothing does.

        `specs` are those of the tools that are known already.
        """
        ids = [step.id for step in self.steps]
        if not ids:
            return "the plan has no steps"
        if len(set(ids)) < len(ids):
            return "two steps have the same id"
        for step in self.steps:
            if missing := sorted(step.needs - set(ids)):
                return f"step {step.id} uses step {missing[0]}, which does not exist"
        if sum(map(len, self.waves())) < len(ids):
            return "the steps wait for each other, so none can start"
        for step in self.steps:
            if problem := self._mismatch(step, specs):
                return problem
        return ""

    def waves(self) -> list[tuple[PlanStep, ...]]:
        """Steps that can run at the same time, in order; steps of a circle are left out."""
        done: set[str] = set()
        waiting = list(self.steps)
        waves: list[tuple[PlanStep, ...]] = []
        while ready := tuple(step for step in waiting if step.needs <= done):
            waves.append(ready)
            done |= {step.id for step in ready}
            waiting = [step for step in waiting if step.id not in done]
        return waves

    def _mismatch(self, step: PlanStep, specs: Mapping[str, Spec]) -> str:
        spec = specs.get(step.tool or "")
        if spec is None:
            return ""
        for name, source in step.arguments.items():
            if name not in spec.takes.names:
                return f"step {step.id}: {spec.name} has no parameter {name}"
            if not isinstance(source, FromStep):
                continue
            maker = next(other for other in self.steps if other.id == source.step)
            made = specs.get(maker.tool or "")
            if made is None:
                continue
            given = type_at(made.returns, source.path)
            if given is None:
                return f"step {step.id}: the result of {made.name} has no {list(source.path)}"
            if not fits_type(given, spec.takes.schema_of(name)):
                return f"step {step.id}: the result of {made.name} does not fit {name}"
        return ""

    def to_json(self) -> JsonObject:
        steps: list[Json] = []
        for step in self.steps:
            shown: JsonObject = {
                "id": step.id,
                "text": step.text,
                "tool": step.tool,
                "after": [*sorted(step.needs)],
                "arguments": {name: _shown(s) for name, s in step.arguments.items()},
            }
            steps.append(shown)
        return {"strategy": str(self.strategy), "why": self.why, "steps": steps}

    def in_words(self) -> str:
        """The plan as a person reads it, before it runs."""
        if len(self.steps) == 1:
            return self.steps[0].tool or self.steps[0].text
        said: list[str] = []
        for step in self.steps:
            uses = f" (uses {', '.join(sorted(step.needs))})" if step.needs else ""
            said.append(f"{step.id}. {step.text}{f' [{step.tool}]' if step.tool else ''}{uses}")
        return "; ".join(said)


def _shown(source: Source[str]) -> Json:
    if isinstance(source, Constant):
        return {"constant": source.value}
    if isinstance(source, FromStep):
        return {"step": source.step, "path": list(source.path)}
    return "request"
