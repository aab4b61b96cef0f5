"""A tool's arguments from everything that is known: plan, references, words, and a model for
the rest. Says for each argument where it came from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hammerstone.core.answers import ArgumentOrigin
from hammerstone.core.approvals import Question, QuestionKind
from hammerstone.core.chat import Role
from hammerstone.core.dataflow import (
    FROM_WORDS,
    Constant,
    DeclaredSource,
    FromStep,
    KeyPath,
    MissingPart,
    value_at,
)
from hammerstone.core.hashing import canonical
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Spec, Tool, type_of, types_of
from hammerstone.judging.rendering import plain
from hammerstone.library.policies import ExecutionPolicy, Policies
from hammerstone.library.tools.sharing import OWN_ARGUMENTS, USER
from hammerstone.run.act.step_outcome import StepOutcome
from hammerstone.run.bind.arguments import ArgumentReader, Arguments
from hammerstone.run.bind.earlier_calls import EarlierCall, arguments_like
from hammerstone.run.bind.fill import fill
from hammerstone.run.bind.grounding import unused_numbers
from hammerstone.run.context import Run, RunModels
from hammerstone.run.find.plan import PlanStep
from hammerstone.run.understand.mentions import Mention
from hammerstone.storage import Database, SessionValue


@dataclass(frozen=True, slots=True)
class BoundArguments:
    """Arguments with their sources, or why there are none.

    `certain`: no model was asked, so asking one again would be the first time. `origins` are
    those that are known by now; of the others the request tells.
    """

    values: JsonObject
    sources: Mapping[str, DeclaredSource] = field(default_factory=dict[str, DeclaredSource])
    problem: str = ""
    question: Question | None = None
    certain: bool = False
    unused: tuple[str, ...] = ()  # numbers of the request that no argument takes
    origins: Mapping[str, ArgumentOrigin] = field(default_factory=dict[str, ArgumentOrigin])


@dataclass(frozen=True, slots=True)
class ArgumentSources:
    """What the arguments of a step may come from, beside its words.

    `made` are the results of the steps it needs, newest first; `known` is settled already.
    """

    step: PlanStep
    mentions: Sequence[Mention]
    made: Sequence[SessionValue]
    done: Mapping[str, StepOutcome]
    known: Mapping[str, Json]
    data: Mapping[str, Json] = field(default_factory=dict[str, Json])  # of the call before


class _NothingUsable(Exception):
    """A step before gave nothing where the plan looks for a value."""


def _planned(given: ArgumentSources) -> tuple[JsonObject, dict[str, DeclaredSource]]:
    """The arguments that the plan names, and where each comes from."""
    settled: JsonObject = {}
    sources: dict[str, DeclaredSource] = {}
    for name, source in given.step.arguments.items():
        if isinstance(source, Constant):
            settled[name], sources[name] = source.value, DeclaredSource(source)
        elif isinstance(source, FromStep):
            before = given.done[source.step]
            try:
                settled[name] = value_at(before.result, source.path)
            except MissingPart as error:
                raise _NothingUsable(f"step {source.step} gave nothing usable: {error}") from error
            sources[name] = _of_step(before, source.path)
    return settled, sources


class Binder:
    """Binds the arguments of calls."""

    def __init__(self, models: RunModels, policies: Policies, db: Database) -> None:
        self._models = models
        self._policies = policies
        self._db = db

    async def bind(self, run: Run, tool: Tool, given: ArgumentSources) -> BoundArguments:
        """The arguments of one call. `run`'s text has small referenced values in it already."""
        spec = tool.version.spec
        offered = _offered(given)
        data = [*given.data.values()] if given.data and not offered else []
        try:
            settled, sources = _settled(run, spec, given, [*offered, *_from_words(data)])
        except _NothingUsable as error:
            return BoundArguments({}, problem=str(error))
        asked_before = run.budget.spent.calls
        alone = run.ledger.alone and not (settled or offered)
        read = await self._read(run, tool, settled, alone=alone)
        certain = run.budget.spent.calls == asked_before
        if read.invented:
            return BoundArguments({}, question=_question(spec, read.invented[0]))
        if read.problem:
            return BoundArguments({}, problem=f"{spec.name} fits, but {_plainly(read.problem)}")
        for name in [name for name in read.values if name not in sources]:
            sources[name] = _source_of(read.values[name], offered)
        # What varies an earlier call names the value that goes, too: "10% instead of 20%".
        said = () if given.known else unused_numbers(run.words, read.values)
        mismatch = spec.takes.mismatch(read.values)
        return BoundArguments(
            read.values,
            sources,
            mismatch,
            certain=certain,
            unused=tuple(one.written for one in said),
            origins=_earlier(given, data, read.values, sources),
        )

    def by_words(self, run: Run, tool: Tool, given: ArgumentSources) -> BoundArguments | None:
        """The arguments that the words and the steps before settle without a model: all that the
        tool cannot do without, and no number left over. None where they do not."""
        spec = tool.version.spec
        try:
            settled, sources = _settled(run, spec, given, _offered(given))
        except _NothingUsable:
            return None
        values = fill(spec, run.words_for_models, settled).values
        missing = set(spec.takes.required) - values.keys()
        if not values or missing or spec.takes.mismatch(values):
            return None
        if unused_numbers(run.words, values):
            return None
        sources = {name: sources.get(name, FROM_WORDS) for name in values}
        origins = _earlier(given, [], values, sources)
        return BoundArguments(values, sources, certain=True, origins=origins)

    async def _read(self, run: Run, tool: Tool, settled: JsonObject, *, alone: bool) -> Arguments:
        """What the words say: by rule where they settle everything, else by a model; or, where
        they stand `alone`, as an earlier request in the same words was read."""
        spec = tool.version.spec
        about = run.context.about if run.context is not None else ""
        # What the person said earlier counts like their words now; what was answered does not.
        words = f"{run.words_for_models}\n{about}" if about else run.words_for_models
        filled = fill(spec, words, settled)
        if not filled.open:  # the words settle them all, and no model has to be asked
            return Arguments(filled.values, spec.takes.mismatch(filled.values))
        recalls = run.reading.refers_back or about
        if alone and not about:
            like = arguments_like(spec, run.words, await self._earlier_calls(run, tool))
            if like is not None:
                return Arguments(like)
        text = run.text_for_models if recalls else run.words_for_models
        attempts = self._policies.get(ExecutionPolicy).extraction_attempts
        reader = ArgumentReader(self._models.of(run, Role.PLANNER))
        return await reader.read(spec, text, attempts=attempts, known=settled, words=words)

    async def _earlier_calls(self, run: Run, tool: Tool) -> list[EarlierCall]:
        """The person's requests that the tool answered, and the one that it was made for."""
        limit, user = self._policies.get(ExecutionPolicy).earlier_calls, run.request.user
        if limit == 0:
            return []
        found = await self._db.executions.answering(tool.name, user, limit)
        about = tool.version.provenance
        if about.get(USER) == user:
            found.append((str(about.get("request")), about.get(OWN_ARGUMENTS)))
        return [EarlierCall(text, values) for text, values in found if isinstance(values, dict)]


def _settled(
    run: Run,
    spec: Spec,
    given: ArgumentSources,
    offered: Sequence[tuple[Json, DeclaredSource]],
) -> tuple[JsonObject, dict[str, DeclaredSource]]:
    """The arguments that the plan, the person or what is `offered` settle, and where they are
    from."""
    settled, sources = _planned(given)
    for name, value in (*given.known.items(), *given.step.said.items()):
        if name not in settled and name in spec.takes.schemas:
            settled[name], sources[name] = value, FROM_WORDS
    if any(source is FROM_WORDS for _, source in offered):
        settled |= fill(spec, run.words_for_models, settled).values
    for value, source in offered:
        place = _place_for(spec, value, settled)
        if place is not None:
            settled[place], sources[place] = value, source
    return {name: _as_declared(spec, name, value) for name, value in settled.items()}, sources


def _source_of(value: Json, offered: Sequence[tuple[Json, DeclaredSource]]) -> DeclaredSource:
    """Where a value that was read comes from: from what is offered, if it is the same."""
    same = (source for each, source in offered if canonical(each) == canonical(value))
    return next(same, FROM_WORDS)


def _as_declared(spec: Spec, name: str, value: Json) -> Json:
    """A whole number as a parameter wants it that takes nothing else: 106 for 106.0."""
    wanted = types_of(spec.takes.schema_of(name))
    if isinstance(value, float) and value.is_integer() and "integer" in wanted:
        return value if "number" in wanted else int(value)
    return value


def _from_words(data: Sequence[Json]) -> list[tuple[Json, DeclaredSource]]:
    return [(value, FROM_WORDS) for value in data]


def _earlier(
    given: ArgumentSources,
    data: Sequence[Json],
    values: JsonObject,
    sources: Mapping[str, DeclaredSource],
) -> dict[str, ArgumentOrigin]:
    """The arguments that come from a step before, or from the call that the words vary."""
    before = {canonical(value) for value in data}
    return {
        name: ArgumentOrigin.EARLIER
        for name, value in values.items()
        if name in given.known
        or isinstance(sources[name].source, FromStep)
        or (before and canonical(value) in before)
    }


def _offered(given: ArgumentSources) -> list[tuple[Json, DeclaredSource]]:
    """Values that the words refer to, or that come from the step before, with their source."""
    found: list[tuple[Json, DeclaredSource]] = []
    for mention in given.mentions:
        if mention.value is not None and not mention.problem:
            found.append((mention.given, _source(mention.value, mention.path, given.made)))
    if not given.mentions and given.step.after:
        found += [(plain(value.value), _source(value, (), given.made)) for value in given.made]
    return found


def _source(value: SessionValue, path: KeyPath, made: Sequence[SessionValue]) -> DeclaredSource:
    source = FromStep(value.step, path)
    if any(value.id == each.id for each in made):
        return DeclaredSource(source)
    return DeclaredSource(source, value.run_id, value.number)


def _of_step(before: StepOutcome, path: KeyPath) -> DeclaredSource:
    return DeclaredSource(FromStep(before.value.step if before.value else 0, path))


def _place_for(spec: Spec, given: Json, settled: Mapping[str, Json]) -> str | None:
    """The one open parameter that takes this value; None when several or none do."""
    kind = type_of(given)
    fitting = [
        name
        for name, schema in spec.takes.schemas.items()
        if name not in settled and _takes(schema, kind)
    ]
    if len(fitting) == 1:
        return fitting[0]
    large = kind in ("array", "object")
    return fitting[0] if fitting and large else None


def _takes(schema: JsonObject, kind: str) -> bool:
    wanted = types_of(schema)
    return kind in wanted or (kind == "integer" and "number" in wanted)


def _question(spec: Spec, name: str) -> Question:
    """What to ask for a value that the request does not hold."""
    about = spec.takes.description_of(name).strip().rstrip(".")
    words = name.replace("_", " ")
    text = f"What should {words} be{f' ({about})' if about else ''}?"
    return Question(QuestionKind.MISSING, text, parameter=name)


def _plainly(problem: str) -> str:
    return f"I could not find the values for it in your request: {problem}"
