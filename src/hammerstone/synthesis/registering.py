"""After a verdict: the tool is kept, or one that does the same is, or the rejection is recorded."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from hammerstone.core.answers import EventKind
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Assessment, Effect, Spec, Status, Tool
from hammerstone.guard.purity import depends_on_the_moment
from hammerstone.guard.scan import scan
from hammerstone.judging.rendering import show
from hammerstone.library.tools.duplicates import Duplicates
from hammerstone.library.tools.registry import ActivationReason, NewVersion, Registry
from hammerstone.library.tools.sharing import (
    OPEN_CASES,
    OWN_ARGUMENTS,
    USER,
    made_up,
    with_people,
)
from hammerstone.synthesis.examine.verdict import (
    BehaviourStanding,
    ExaminationVerdict,
    ReadingQuestion,
)
from hammerstone.synthesis.witnesses import Notify

_KEPT_CHARS = 10_000  # of a question's results: what is longer nobody compares


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a tool comes from; kept with it as its provenance."""

    request: str  # as it may be stored
    run_id: str
    trace_id: str
    model: str
    tokens: int = 0
    user: str = ""  # whose request it was
    given: str | None = None  # all that the person gave, in words; None: more than can be told
    arguments: JsonObject | None = None  # of the request's own call, as they may be stored

    def to_json(self) -> JsonObject:
        told: JsonObject = {
            "request": self.request,
            "run": self.run_id,
            "trace": self.trace_id,
            "model": self.model,
            "cost_tokens": self.tokens,
        }
        if self.arguments is not None and self.user:
            told[OWN_ARGUMENTS] = self.arguments
        return with_people({**told, USER: self.user}, [self.user]) if self.user else told


@dataclass(frozen=True, slots=True)
class Registration:
    """The tool that keeps the promise now, or why there is none.

    `parameters` names each parameter of the spec in the words of a tool that was there before;
    it is empty for a new one.
    """

    tool: Tool | None = None
    parameters: Mapping[str, str] | None = None
    reason: str = ""


class Registrar:
    """Makes the library follow a verdict."""

    def __init__(
        self,
        registry: Registry,
        duplicates: Duplicates,
        sandbox: Callable[[], Awaitable[Sandbox]],
        notify: Notify,
    ) -> None:
        self._registry = registry
        self._duplicates = duplicates
        self._sandbox = sandbox
        self._notify = notify

    async def follow(self, spec: Spec, verdict: ExaminationVerdict, origin: Origin) -> Registration:
        """The tool after a verdict: registered, found to be there already, or rejected."""
        if verdict.standing is BehaviourStanding.REJECTED or verdict.code is None:
            return await self._rejected(
                spec, verdict, verdict.reason or "none of the programs was right"
            )
        found = scan(verdict.code, spec.effect, makes_files=bool(spec.produces))
        findings = [finding for finding in found if finding.blocks]
        if findings:
            return await self._rejected(spec, verdict, f"the code is not allowed: {findings[0]}")
        if spec.effect is Effect.PURE and depends_on_the_moment(verdict.code):
            spec = replace(spec, effect=Effect.READS)  # the clock or chance: never cached
        twin = await self._twin(spec, verdict, origin)
        return twin or await self._register(spec, verdict, origin)

    async def _twin(
        self, spec: Spec, verdict: ExaminationVerdict, origin: Origin
    ) -> Registration | None:
        """The tool that already behaves like the new code, and our parameters in its words.

        A build that agrees with an experimental tool is new evidence for that tool.
        """
        code, suite = verdict.code or "", verdict.suite
        match = await self._duplicates.find_match(spec, code, suite, await self._sandbox())
        if match is None:
            return None
        tool = match.tool
        await self._notify(
            EventKind.TOOL_FOUND, f"{tool.name} already does this", {"tool": tool.name}
        )
        if verdict.standing is BehaviourStanding.VERIFIED and tool.status is Status.EXPERIMENTAL:
            evidence = evidence_of(verdict) | {
                "agreeing_build": origin.run_id,
                "inputs_alike": match.agreed,
            }
            known = Assessment(tool.version.id, Status.VERIFIED, verdict.confidence, evidence)
            tool = await self._registry.assess(tool.name, known)
            text = f"{tool.name} is {tool.status} now: another build agrees with it"
            told: dict[str, Json] = {"tool": tool.name, "status": str(tool.status)}
            await self._notify(EventKind.VERIFYING, text, told)
        return Registration(tool, match.parameters)

    async def _rejected(self, spec: Spec, verdict: ExaminationVerdict, reason: str) -> Registration:
        """Keep what was rejected, as a record only: it is in no library and cannot be called."""
        told: dict[str, Json] = {
            "tool": spec.name,
            "status": "rejected",
            "reason": reason,
            "code": verdict.code,
            "confidence": verdict.confidence,
            "candidates": verdict.candidates_used,
            "suites": verdict.suites_used,
            "evidence": verdict.evidence,
        }
        await self._notify(EventKind.VERIFYING, f"{spec.name} is rejected: {reason}", told)
        return Registration(reason=reason)

    async def _register(
        self, spec: Spec, verdict: ExaminationVerdict, origin: Origin
    ) -> Registration:
        verified = verdict.standing is BehaviourStanding.VERIFIED
        status = Status.VERIFIED if verified else Status.EXPERIMENTAL
        tool = await self._registry.register(
            NewVersion(
                spec=spec,
                code=verdict.code or "",
                suite=verdict.suite,
                rejected=verdict.rejected,
                status=status,
                confidence=verdict.confidence,
                evidence=evidence_of(verdict),
                provenance=_provenance(origin, spec, verdict),
            ),
            ActivationReason(
                "registered", "synthesis", verdict.reason, {"confidence": verdict.confidence}
            ),
            as_new_tool=True,
        )
        if tool.status is Status.RETIRED:
            why = f"{tool.name} was retired by a person: hammerstone tools unretire {tool.name}"
            return await self._rejected(spec, verdict, why)
        kept = len(tool.version.suite)
        await self._notify(
            EventKind.VERIFYING,
            f"{tool.name} is {status} ({verdict.confidence:.0%} sure, {kept} tests kept)",
            {"tool": tool.name, "status": str(status), "confidence": verdict.confidence},
        )
        return Registration(tool)


def _provenance(origin: Origin, spec: Spec, verdict: ExaminationVerdict) -> JsonObject:
    """Where the tool comes from, and which of its cases hold nothing of whoever asked."""
    told = origin.to_json()
    free = [] if origin.given is None else made_up(verdict.suite, spec, origin.given)
    return {**told, OPEN_CASES: free} if origin.user else told


def evidence_of(verdict: ExaminationVerdict) -> JsonObject:
    """What the verdict rests on, with the question that would help most if nobody was asked."""
    return {
        **verdict.evidence,
        "mutation_score": verdict.mutation_score,
        "reason": verdict.reason,
        "question": question_document(verdict.question) if verdict.question else None,
    }


def question_document(asked: ReadingQuestion) -> JsonObject:
    """A question as it is kept with a tool: to be read, and with its values to be answered."""
    results = [show(result) for result in asked.results]
    document: JsonObject = {
        "call": asked.call.source,
        "results": list[Json](results),
        "belief": [round(share, 4) for share in asked.belief],
    }
    values = json.dumps(asked.results)  # to the letter: JSONB would turn 1e16 into a whole number
    return {**document, "values": values} if len(values) <= _KEPT_CHARS else document
