"""Two tools that do the same become one: the better stays, with what both were tested by."""

from collections.abc import Mapping
from dataclasses import replace

from hammerstone.core.calls import STANDARD, Call, Program
from hammerstone.core.changes import ProposalKind
from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Case, CaseKind, Status, Tool, Version
from hammerstone.judging.cases import meets
from hammerstone.judging.named_inputs import arguments_of
from hammerstone.library.tools.duplicates.duplicate_search import Duplicates
from hammerstone.library.tools.registry import ActivationReason, NewVersion, Registry
from hammerstone.library.tools.sharing import OPEN_CASES, declared_people, open_places, with_people

_RANK = {Status.TRUSTED: 3, Status.VERIFIED: 2, Status.EXPERIMENTAL: 1}


async def merge(
    first: Tool,
    second: Tool,
    *,
    duplicates: Duplicates,
    registry: Registry,
    sandbox: Sandbox,
    who: str,
) -> Tool:
    """The better of two tools that behave the same, with both suites; the other is deprecated.

    Of the other's cases those are taken over on which both agree. Raises `BadRequest` when the
    two differ on some input.
    """
    kept, gone = sorted((first, second), key=_worth, reverse=True)
    old = gone.version
    match = await duplicates.compare(old.spec, old.code, old.suite, kept, sandbox)
    if match is None:
        raise BadRequest(f"{first.name} and {second.name} do not give the same results")
    added = await _taken_over(kept, gone, match.parameters, sandbox)
    evidence: JsonObject = {
        "merged_from": gone.name,
        "merged_version": old.id,
        "agreed_inputs": match.agreed,
        "cases_taken_over": len(added),
    }
    result = kept
    if added:
        version = kept.version
        new = NewVersion(
            spec=version.spec,
            code=version.code,
            suite=(*version.suite, *added),
            rejected=version.rejected,
            status=kept.status,
            confidence=kept.confidence,
            evidence=evidence,
            provenance={**_both(version, old), "merged_from": gone.name},
        )
        reason = f"{gone.name} does the same; its cases hold here as well"
        result = await registry.register(new, ActivationReason("merged", who, reason, evidence))
    reason = f"merged into {kept.name}"
    await registry.deprecate(gone.name, kept.name, who=who, reason=reason, kind=ProposalKind.MERGE)
    return result


def _both(kept: Version, gone: Version) -> JsonObject:
    """Where the kept tool comes from, with the people and runs behind the other's cases, too."""
    free: JsonObject = {OPEN_CASES: [*open_places(kept)]}  # the other's cases come last
    both = with_people({**kept.provenance, **free}, declared_people(gone.provenance))
    if gone.provenance.get("run") and not declared_people(gone.provenance):
        more = both.get("runs")
        runs = [*more] if isinstance(more, list) else []
        return {**both, "runs": [*runs, gone.provenance["run"]]}
    return both


def _worth(tool: Tool) -> tuple[int, float, int, str]:
    """Standing, then certainty, then use; the name makes it always the same one."""
    return _RANK.get(tool.status, 0), tool.confidence or 0.0, tool.successes, tool.name


async def _taken_over(
    kept: Tool, gone: Tool, parameters: Mapping[str, str], sandbox: Sandbox
) -> list[Case]:
    """The other tool's cases in our words, where our tool passes them and has none like them."""
    spec = kept.version.spec
    here = [arguments_of(case, spec) for case in kept.version.suite]
    cases: list[Case] = []
    for case in gone.version.suite:
        given = arguments_of(case, gone.version.spec)
        if given is None or case.kind is CaseKind.PROPERTY or not given.keys() <= set(parameters):
            continue
        ours = {parameters[name]: value for name, value in given.items()}
        if ours not in here:
            cases.append(replace(case, call=Call(kwargs=ours)))
    if not cases:
        return []
    program = Program(kept.version.code, spec.name)
    (row,) = await sandbox.matrix([program], [case.call for case in cases], limits=STANDARD)
    pairs = zip(cases, row, strict=True)
    return [case for case, outcome in pairs if meets(case, outcome, named=True)]
