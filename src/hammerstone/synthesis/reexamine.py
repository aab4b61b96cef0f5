"""A tool examined again, when there is more to go by than when it was built.

The stored code, the stored suite and everything a person has said since are heard together with
new candidates and new tests. What a person said becomes part of the suite, so it makes a new
version; anything else is a new assessment of the version that is there.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hammerstone.core.calls import Call
from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import JsonObject
from hammerstone.core.syntax import syntax_tree
from hammerstone.core.tools import Assessment, Case, CaseOrigin, Status, Tool
from hammerstone.library.tools.registry import ActivationReason, NewVersion, Registry
from hammerstone.library.tools.sharing import OPEN_CASES, with_people
from hammerstone.synthesis.build import AskUser, Builder, examination_of
from hammerstone.synthesis.code.tidy import renamed
from hammerstone.synthesis.examine.verdict import (
    BehaviourStanding,
    ExaminationVerdict,
    ExaminePolicy,
)
from hammerstone.synthesis.jobs import BuildJob
from hammerstone.synthesis.registering import evidence_of
from hammerstone.synthesis.witnesses import Notify


@dataclass(frozen=True, slots=True)
class LaterEvidence:
    """What has come up about a tool since it was built."""

    truth: tuple[Case, ...] = ()  # results that a person confirmed or named
    candidates: tuple[str, ...] = ()  # code of further builds of the same promise
    files: Mapping[str, Path] = field(default_factory=dict[str, Path])
    user: str = ""  # whose truth and files these are


@dataclass(frozen=True, slots=True)
class Reexamination:
    tool: Tool
    verdict: ExaminationVerdict
    before: Status


class Reexaminer:
    """Examines tools of the library again; the library follows the verdict."""

    def __init__(self, builder: Builder, registry: Registry, policy: ExaminePolicy) -> None:
        self._builder = builder
        self._registry = registry
        self._policy = policy

    async def reexamine(
        self, tool: Tool, evidence: LaterEvidence, *, notify: Notify, ask: AskUser | None = None
    ) -> Reexamination:
        """The tool as it stands after another examination, and the verdict behind it."""
        version = tool.version
        spec = version.spec
        truth = _truth(tool, evidence)
        request = str(version.provenance.get("request") or "")
        job = BuildJob(replace(spec, examples=truth), request, files=evidence.files)
        if not evidence.files and any("/files/" in repr(case.call) for case in version.suite):
            raise BadRequest(
                f"{tool.name} reads files, and was examined with some that are not here",
                hint=f"hammerstone prove {tool.name} --file FILE",
            )
        examination = examination_of(job, self._builder.sandbox, truth)
        written = [case for case in version.suite if case.origin_kind is not CaseOrigin.USER]
        suites = [_own(group, tool) for group in _by_author(written)]
        await examination.hear([version.code, *evidence.candidates], suites)
        verdict = await self._builder.judge(job, examination, self._policy, notify=notify, ask=ask)
        learned = [h.case for h in examination.truth if h.case not in version.suite]
        return await self._follow(tool, verdict, learned, evidence.user)

    async def _follow(
        self, tool: Tool, verdict: ExaminationVerdict, learned: Sequence[Case], user: str
    ) -> Reexamination:
        version, before = tool.version, tool.status
        standing = _STATUS.get(verdict.standing, Status.EXPERIMENTAL)
        told: JsonObject = {
            **evidence_of(verdict),
            "reason": f"examined again: {verdict.reason}",
        }
        better = verdict.code is not None and verdict.code != version.code
        if verdict.code is None:
            # Where nothing meets what the person said, the code that is there does not either.
            status = Status.RETIRED if learned else before
            now = Assessment(version.id, status, verdict.confidence, told)
            return Reexamination(await self._registry.assess(tool.name, now), verdict, before)
        if learned or (better and verdict.standing is BehaviourStanding.VERIFIED):
            spec = replace(version.spec, examples=_merged(version.spec.examples, learned))
            new = NewVersion(
                spec=spec,
                code=verdict.code,
                suite=verdict.suite,
                rejected=verdict.rejected,
                status=standing,
                confidence=verdict.confidence,
                evidence=told,
                provenance=with_people(
                    {**version.provenance, "examined_again": version.number, OPEN_CASES: []},
                    [user],
                ),
            )
            decision = ActivationReason("re-examined", "synthesis", verdict.reason, told)
            return Reexamination(await self._registry.register(new, decision), verdict, before)
        now = Assessment(version.id, standing, verdict.confidence, told)
        return Reexamination(await self._registry.assess(tool.name, now), verdict, before)


_STATUS = {
    BehaviourStanding.VERIFIED: Status.VERIFIED,
    BehaviourStanding.EXPERIMENTAL: Status.EXPERIMENTAL,
}


def _truth(tool: Tool, evidence: LaterEvidence) -> tuple[Case, ...]:
    said = [case for case in tool.version.suite if case.origin_kind is CaseOrigin.USER]
    known = _own(_merged(tool.version.spec.examples, said), tool)
    return _merged(_own(evidence.truth, tool), known)


def _merged(first: Sequence[Case], second: Sequence[Case]) -> tuple[Case, ...]:
    """Both, each call once; the first has the last word."""
    cases = {case.call.source or repr(case.call): case for case in (*second, *first)}
    return tuple(cases.values())


def _by_author(cases: Sequence[Case]) -> list[list[Case]]:
    authors: dict[str, list[Case]] = {}
    for case in cases:
        authors.setdefault(case.origin, []).append(case)
    return list(authors.values())


def _own(cases: Sequence[Case], tool: Tool) -> list[Case]:
    """The cases with calls by the tool's name: the code may know it by an earlier one too."""
    inner, name = _inner_name(tool), tool.version.spec.name

    def own(call: Call) -> Call:
        return replace(call, source=renamed(call.source, inner, name)) if call.source else call

    return [replace(case, call=own(case.call)) for case in cases]


def _inner_name(tool: Tool) -> str:
    """The name that the code itself gives the function: `inner` for `name = inner`."""
    name = tool.version.spec.name
    for node in syntax_tree(tool.version.code).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            target = node.targets[0]
            if isinstance(target, ast.Name) and target.id == name:
                return node.value.id
    return name
