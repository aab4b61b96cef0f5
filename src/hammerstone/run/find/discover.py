"""Which tool of the library answers a request, if any: by search, without a model."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace

from hammerstone.core.answers import EventKind
from hammerstone.core.tools import Effect, Status, Tool
from hammerstone.library.search import Band, Filters, Fit, Hit, ToolSearch
from hammerstone.library.tools.registry import HIDDEN, Registry
from hammerstone.run.bind.fill import fill
from hammerstone.run.context import Run, SeenTools
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.run.understand.reading import read, tool_names

_AS_LIKELY = 0.05  # less likely than the first by no more than this
_MOST_HITS = 5  # that are looked at
_NEAREST = 5  # tools that are tried beside solutions where search is not sure of any
_SAME_SCORE = 0.02  # two tools this close to each other are not told apart by search


@dataclass(frozen=True, slots=True)
class Discovery:
    """The best tool found, or none, and the `probability` that it fits.

    In the high band it is used; in the middle band it runs beside a solution; below that it
    is not used at all.
    """

    tool: Tool | None
    probability: float
    band: Band = Band.LOW
    hits: tuple[Hit, ...] = ()
    fit: Fit | None = None  # what the probability was made of
    why: str = ""  # the first hit stands there, where somebody has said so already

    @property
    def named(self) -> bool:
        """Whether the words call the tool by its name."""
        return bool(self.hits) and self.hits[0].named

    @property
    def certain(self) -> bool:
        return self.tool is not None and self.band is Band.HIGH

    @property
    def same_words(self) -> bool:
        """Whether it has answered a request that differs in values alone."""
        return self.certain and self.hits[0].same_wording

    @property
    def usable(self) -> bool:
        return self.tool is not None and self.band is not Band.LOW


def needs_second_look(found: Discovery, policy: AnswerPolicy) -> bool:
    """Whether the tool only may answer: by its fit, or since it was not proved and is likelier
    wrong than the policy lets pass."""
    tool = found.tool
    if tool is None or not found.certain or tool.status in (Status.VERIFIED, Status.TRUSTED):
        return not found.certain
    return not found.named and tool.chance is not None and tool.chance < policy.unproved_alone


class Finder:
    """The finder of tools, by search."""

    def __init__(self, registry: Registry, search: ToolSearch) -> None:
        self._registry = registry
        self._search = search
        self._known: tuple[int, dict[str, Tool]] = (-1, {})

    async def get(self, name: str) -> Tool:
        """The tool of that name as it is now; raises `NotFound` without one."""
        return await self._registry.get(name)

    async def named(self, run: Run, name: str) -> Tool:
        """The tool of that name, read once for each run; raises `NotFound` without one."""
        return await self.known_tool(run, name) or await self._registry.get(name)

    async def look(
        self,
        run: Run,
        text: str,
        *,
        without: frozenset[str] = frozenset(),
        leans: bool = False,
        limit: int = _MOST_HITS,
        filters: Filters | None = None,
    ) -> Discovery:
        """The tool that the words call by its name, else the best by search, whatever its band.

        Values that the words lack do not speak against a tool where they come from the step
        before (`leans`), nor where the words give none at all: then the person is asked.
        """
        search, tenant = self._search, run.request.user
        revision = run.seen.index if run.seen_lately else None
        without |= run.ledger.said.tools
        named = await self.named_in(run, text)
        plain = not (without or leans or filters or named) and limit == _MOST_HITS
        if plain and (known := await search.found_before(text, tenant, revision)):
            tool = await self.known_tool(run, known.hits[0].name)
            run.ledger.note_seen(SeenTools(text, known.hits, known.fit, known.weights))
            probability, band = known.fit.probability, known.fit.band
            return Discovery(tool, probability, band, known.hits, known.fit, known.why[0])
        found = await search.find(
            text, limit=limit, filters=filters, tenant=tenant, revision=revision
        )
        hits = [hit for hit in found if hit.name not in without]
        if named is not None and named.name not in without:
            hits = _led_by_name(hits, named.name)
        if not hits:
            self._note(run, text, hits, None)
            return Discovery(None, 0.0)
        to_come = leans or not read(text).literals
        fit = await search.fit(text, hits, tenant, values_to_come=to_come)
        if hits[0].named:
            fit = replace(fit, probability=1.0, band=Band.HIGH)
        self._note(run, text, hits, fit)
        if plain:
            search.keep_found(text, tenant, hits, fit)
        tool = await self.known_tool(run, hits[0].name)
        return Discovery(tool, fit.probability, fit.band, tuple(hits), fit)

    async def nearest(self, run: Run, text: str) -> AsyncIterator[Discovery]:
        """The tools that are nearest to some words, whatever their band, each with the chance
        that it fits and none of those before does. Tools with effects are left out."""
        hits = await self._search.find(
            text, limit=_NEAREST, tenant=run.request.user, revision=run.seen.index
        )
        hits = [hit for hit in hits if hit.name not in run.ledger.said.tools]
        left = 1.0
        for place, hit in enumerate(hits):
            tool = await self.known_tool(run, hit.name)
            if tool is None or not hit.considered:
                continue
            fit = await self._search.fit(
                text, hits[place:], run.request.user, values_to_come=not read(text).literals
            )
            chance, left = left * fit.probability, left * (1 - fit.probability)
            if tool.version.spec.effect is Effect.PURE and not tool.version.spec.produces:
                yield Discovery(tool, chance, fit.band, tuple(hits[place:]), fit)

    def _note(self, run: Run, text: str, hits: Sequence[Hit], fit: Fit | None) -> None:
        """Keep what was seen and chosen for the run's record; a tool called by its name was not
        found by any words."""
        if not (hits and hits[0].named):
            seen = SeenTools(text, tuple(hits), fit, self._search.weights_in_force)
            run.ledger.note_seen(seen)

    async def named_in(self, run: Run, text: str) -> Tool | None:
        """The one tool in use that the words call by its name, such as `count_words`."""
        known = [await self.known_tool(run, name) for name in tool_names(text)]
        named = [tool for tool in known if tool is not None and tool.status not in HIDDEN]
        return named[0] if len(named) == 1 else None

    async def known_tool(self, run: Run, name: str) -> Tool | None:
        """A tool as the library has it, read once for each run."""
        if name not in run.ledger.tools:
            if run.seen_lately:
                tool = await self._tool_at(name, run.seen.tools)
            else:
                tool = await self._registry.find(name)
            if tool is None:
                return None
            run.ledger.tools[name] = tool
        return run.ledger.tools[name]

    async def _tool_at(self, name: str, revision: int) -> Tool | None:
        """A tool as it was read before while the library's number is what it was then.

        How often it was used may be out of date: that changes without a new number.
        """
        if self._known[0] != revision:
            self._known = (revision, {})
        known = self._known[1]
        if name not in known and (tool := await self._registry.find(name)) is not None:
            known[name] = tool
        return known.get(name)

    async def rival(self, run: Run, found: Discovery, text: str) -> Tool | None:
        """A second tool that search cannot tell from the first, if there is one."""
        if not found.certain or found.same_words or len(found.hits) < 2:
            return None
        first, second = found.hits[0], found.hits[1]
        if first.score - second.score > _SAME_SCORE or first.learned > second.learned:
            return None
        fit = await self._search.fit(text, found.hits[1:], run.request.user)
        as_likely = fit.band is Band.HIGH and found.probability - fit.probability < _AS_LIKELY
        return await self.known_tool(run, second.name) if as_likely else None


def _led_by_name(hits: list[Hit], name: str) -> list[Hit]:
    """The hits, led by the tool that the words call by its name."""
    own = next((hit for hit in hits if hit.name == name), Hit(name, 1.0, 1.0, None, 1.0))
    return [replace(own, named=True, considered=True), *(hit for hit in hits if hit.name != name)]


async def tell_found(run: Run, found: Discovery) -> None:
    """Show which tool was found, and why."""
    assert found.tool is not None
    name = found.tool.name
    await run.say(
        EventKind.TOOL_FOUND,
        f"found {name} ({found.probability:.0%} likely to fit)",
        tool=name,
        probability=found.probability,
        why=found.why or next(hit.explanation for hit in found.hits if hit.name == name),
    )


def takes_all(tool: Tool, text: str) -> bool:
    """Whether the values in the words fill every parameter of the tool, with none left over."""
    filled = fill(tool.version.spec, text)
    return bool(filled.values) and not filled.open
