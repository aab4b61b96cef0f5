"""What follows from a value that a person stated: a case, a lower standing, a repair.

The value is a case of the tool from then on, with the person as its source. The tool stands
lower until it passes: a repair that does brings the standing back.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from hammerstone.core.calls import Program
from hammerstone.core.clock import Clock
from hammerstone.core.errors import HammerstoneError, Stopped
from hammerstone.core.hashing import canonical
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.repair import FailedCall
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Assessment, Case, Effect, Status, Tool
from hammerstone.judging.cases import meets
from hammerstone.judging.equality import decoded, same
from hammerstone.learn.feedback.confirmations import settled, stated_cases
from hammerstone.learn.repair.reflection import call_of, limits_of
from hammerstone.learn.repair.tool_repairer import RepairOutcome, RepairResult, ToolRepairer
from hammerstone.library.search import ToolSearch
from hammerstone.library.tools.registry import HIDDEN, Registry
from hammerstone.storage import Database, Execution
from hammerstone.storage.stores.learning.analyses import Confirmation

WHO = "feedback"
_LOOKED_AT = 5  # tools that search finds for the same words
_NEARLY = 0.9  # of the relevance of the tool that was used, for another one to be meant
_FALLS = {Status.TRUSTED: Status.EXPERIMENTAL, Status.VERIFIED: Status.EXPERIMENTAL}


class CorrectionOutcome(StrEnum):
    """What came of a stated value."""

    REPAIRED = "repaired"
    NOT_REPAIRED = "not repaired"
    PASSES = "passes"  # the tool gives the stated value now
    ANOTHER_TOOL = "another tool"  # another one gives it: the wrong one was picked
    OUT_OF_USE = "out of use"
    CONTRADICTED = "contradicted"  # people disagree about this call


@dataclass(frozen=True, slots=True)
class CorrectionResult:
    """The outcome, why, how the tool stands now, and the other tool where that was meant."""

    outcome: CorrectionOutcome
    reason: str
    standing: str = ""
    other: str = ""


@dataclass(frozen=True, slots=True)
class StatedValue:
    """A call with what it returned and what a person stated instead, in wire form."""

    call: Execution
    value: Json
    request: str
    user: str


class Corrections:
    def __init__(
        self,
        db: Database,
        registry: Registry,
        search: ToolSearch,
        repairer: ToolRepairer,
        sandbox: Callable[[], Awaitable[Sandbox]],
        clock: Clock,
    ) -> None:
        self._db = db
        self._registry = registry
        self._search = search
        self._repairer = repairer
        self._sandbox = sandbox
        self._clock = clock

    async def keep(self, call: Execution, said: list[tuple[Json, bool]], user: str) -> bool:
        """Keep what a person said about a call as cases; whether people contradict each other."""
        known = await self._db.analyses.confirmations(call.tool)
        for result, right in said:
            new = Confirmation(
                tool=call.tool,
                arguments=call.arguments,
                result=result,
                right=right,
                session_id=call.session_id,
                user=user,
                at=self._clock.now(),
            )
            if not any(_same_word(new, each) for each in known):
                await self._db.analyses.confirm(new)
        _, contradicted = settled(await self._db.analyses.confirmations(call.tool))
        return canonical(call.arguments) in contradicted

    async def follow(self, stated: StatedValue) -> CorrectionResult:
        """Do what a stated value asks for; what came of it."""
        name = stated.call.tool
        said = [(stated.call.result, False), (stated.value, True)]
        contradicted = await self.keep(stated.call, said, stated.user)
        tool = await self._registry.find(name)
        if tool is None or tool.status in HIDDEN:
            why = f"{name} is no longer in use" if tool is None else f"{name} is {tool.status}"
            return CorrectionResult(CorrectionOutcome.OUT_OF_USE, why, str(tool and tool.status))
        if contradicted:
            await self.recheck(name)
            why = "somebody gave another value for this call, so neither of the two counts"
            return CorrectionResult(CorrectionOutcome.CONTRADICTED, why, str(tool.status))
        other = await self._other_tool(stated, tool)
        if other:
            why = f"{other} gives this value, so {name} was the wrong tool here"
            return CorrectionResult(CorrectionOutcome.ANOTHER_TOOL, why, str(tool.status), other)
        await self._fall(tool)
        return await self._mend(tool, stated)

    async def has_fallen(self, tool: Tool) -> bool:
        """Whether a stated value has taken the tool's standing."""
        return tool.status is Status.EXPERIMENTAL and (
            (await self._before_fall(tool)).status is not tool.status
        )

    async def repair_open(self, name: str) -> RepairResult | None:
        """Try to mend a tool for a value that a person stated and that it does not give; None
        when there is none. One that gives all of them has its standing back."""
        tool = await self._registry.get(name)
        open_ = await self.recheck(name)
        if not open_:
            return None
        case, said = open_[0]
        before = await self._before_fall(tool)
        return await self._repairer.look_into(_failed(before, case, said))

    async def recheck(self, name: str) -> list[tuple[Case, Confirmation]]:
        """The stated values that a tool does not give; without any its standing is given back."""
        tool = await self._registry.get(name)
        stated = stated_cases(await self._db.analyses.confirmations(name))
        sandbox, version = await self._sandbox(), tool.version
        program, limits = Program(version.code, version.spec.name), limits_of(version.spec)
        failing = [
            (case, said)
            for case, said in stated
            if not meets(case, await sandbox.call(program, case.call, limits=limits))
        ]
        if not failing:
            await self._rise(tool)
        return failing

    async def _mend(self, tool: Tool, stated: StatedValue) -> CorrectionResult:
        said = Confirmation(
            tool=tool.name,
            arguments=stated.call.arguments,
            result=stated.value,
            right=True,
            session_id=stated.call.session_id,
            user=stated.user,
            at=self._clock.now(),
        )
        ((case, _),) = stated_cases([said])
        failed = _failed(tool, case, said, request=stated.request, run=stated.call.run_id)
        try:
            mending = await self._repairer.look_into(failed)
        except Stopped:
            raise
        except HammerstoneError as error:  # the case is kept, and tried again later
            mending = RepairResult(RepairOutcome.FAILED, error.message)
        now = await self._registry.get(tool.name)
        outcome = CorrectionOutcome.NOT_REPAIRED
        if mending.outcome is RepairOutcome.REPAIRED:
            outcome = CorrectionOutcome.REPAIRED
        elif not await self.recheck(tool.name):
            outcome = CorrectionOutcome.PASSES
            now = await self._registry.get(tool.name)
        return CorrectionResult(outcome, mending.reason, str(now.status))

    async def _fall(self, tool: Tool) -> None:
        after = _FALLS.get(tool.status)
        if after is None:
            return
        evidence: JsonObject = {
            "who": WHO,
            # Whoever looks at the tool reads this, and the values are that person's own.
            "reason": "a person stated another value for a call",
            "from": str(tool.status),
        }
        assessment = Assessment(tool.version.id, after, tool.confidence, evidence)
        await self._registry.assess(tool.name, assessment)

    async def _rise(self, tool: Tool) -> None:
        """Give back the standing that stated values took, now that the tool gives them."""
        before = await self._before_fall(tool)
        if before.status is tool.status:
            return
        evidence: JsonObject = {
            "who": WHO,
            "reason": "it gives every value that people said is right",
        }
        back = Assessment(tool.version.id, before.status, tool.confidence, evidence)
        await self._registry.assess(tool.name, back)

    async def _before_fall(self, tool: Tool) -> Tool:
        """The tool with the standing that it had before a stated value took it."""
        known = await self._registry.assessments(tool.version.id)
        last: Mapping[str, Json] = known[-1].evidence if known else {}
        if last.get("who") != WHO or "from" not in last or tool.status in HIDDEN:
            return tool
        return replace(tool, status=Status(str(last["from"])))

    async def _other_tool(self, stated: StatedValue, used: Tool) -> str:
        """Another tool that search finds for the same words and that gives the stated value."""
        arguments = stated.call.arguments
        if not isinstance(arguments, dict) or _says_little(stated.value, arguments):
            return ""
        hits = await self._search.find(stated.request, _LOOKED_AT, tenant=stated.user)
        own = next((hit.relevance for hit in hits if hit.name == used.name), 0.0)
        for hit in hits:
            if hit.name == used.name or hit.relevance < _NEARLY * own:
                continue
            tool = await self._registry.find(hit.name)
            if tool is not None and await self._gives(tool, arguments, stated.value):
                return tool.name
        return ""

    async def _gives(self, tool: Tool, arguments: JsonObject, value: Json) -> bool:
        spec = tool.version.spec
        if spec.effect is not Effect.PURE or spec.takes.mismatch(arguments):
            return False
        program = Program(tool.version.code, spec.name)
        sandbox = await self._sandbox()
        outcome = await sandbox.call(program, call_of(arguments), limits=limits_of(spec))
        return outcome.ok and same(decoded(outcome.value), decoded(value), loose=True)


def _failed(
    tool: Tool, case: Case, said: Confirmation, *, request: str = "", run: str = ""
) -> FailedCall:
    return FailedCall(
        tool=tool,
        arguments=said.arguments if isinstance(said.arguments, dict) else {},
        failure=None,
        error="a person stated another value",
        request=request,
        session_id=said.session_id,
        user=said.user,
        run_id=run,
        expected=case,
    )


def _same_word(new: Confirmation, known: Confirmation) -> bool:
    return (
        new.right == known.right
        and new.user == known.user
        and canonical(new.arguments) == canonical(known.arguments)
        and canonical(new.result) == canonical(known.result)
    )


def _says_little(value: Json, arguments: JsonObject) -> bool:
    """Whether many tools give such a value by chance: empty, 0 or 1, or an argument itself."""
    plain = decoded(value)
    return plain in (None, 0, 1, "", [], {}) or any(
        same(plain, argument, loose=True) for argument in arguments.values()
    )
