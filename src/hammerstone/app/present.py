"""Things of the library as text and plain JSON, the same for every door."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hammerstone.app.words.tool_words import evidence_sentences, trust_sentences
from hammerstone.core.formatting import percent
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Case, CaseKind, Tool, Version
from hammerstone.judging.rendering import call_source, check_words, show
from hammerstone.library.tools.registry import Registry
from hammerstone.library.tools.sharing import HIDDEN_CASES, Sharing, numbers_of
from hammerstone.storage import SpanRow, TraceRow


def case_line(case: Case, function: str) -> str:
    """A case as one readable line."""
    call = call_source(case.call, function) or case.check
    if case.kind is CaseKind.VALUE:
        line = f"{call} == {show(case.expected)}"
    elif case.kind is CaseKind.RAISES:
        line = f"{call} raises {case.expected or 'an error'}"
    else:
        line = f"{call} {check_words(case.check)}"
    extra = [f"{percent(case.support)} likely right"] if case.support is not None else []
    extra += [case.note] if case.note else []
    return f"{line}  ({'; '.join(extra)})" if extra else line


def trace_summary(row: TraceRow) -> dict[str, Any]:
    ended = row.ended_at or row.started_at
    return {
        "id": row.id,
        "user": row.user,
        "session_id": row.session_id,
        "run_id": row.run_id,
        "status": row.status,
        "started_at": row.started_at.isoformat(),
        "seconds": (ended - row.started_at).total_seconds(),
        "iterations": row.iterations,
        "name": row.metadata.get("name"),
        "request": row.metadata.get("request"),
        "error": row.metadata.get("error"),
        "cost": row.metadata.get("cost"),
    }


def trace_document(row: TraceRow, spans: list[SpanRow]) -> dict[str, Any]:
    """The whole trace: its summary, what came out, and every span."""
    return {
        **trace_summary(row),
        "final_output": row.final_output,
        "spans": [span_document(span) for span in spans],
    }


def span_document(span: SpanRow) -> dict[str, Any]:
    """One step of a trace with all that was kept of it."""
    return {
        "id": span.id,
        "parent_id": span.parent_id,
        "name": span.name,
        "kind": span.kind,
        "started_at": span.started_at.isoformat(),
        "duration_s": span.duration_s,
        "input": span.input,
        "output": span.output,
        "error": span.error,
        "status": span.status,
        "attributes": dict(span.attributes),
    }


def tool_summary(tool: Tool) -> dict[str, Any]:
    spec = tool.version.spec
    return {
        "name": tool.name,
        "description": spec.description,
        "version": tool.version.number,
        "status": str(tool.status),
        "effect": str(spec.effect),
        "confidence": tool.chance,
        "proved": tool.confidence,
        "uses": tool.uses,
        "successes": tool.successes,
    }


def version_document(version: Version) -> dict[str, Any]:
    """A version as it was made: promise, code, and the cases kept and thrown away."""
    spec = version.spec
    return {
        "id": version.id,
        "version": version.number,
        "created_at": version.created_at.isoformat(),
        "code": version.code,
        "description": spec.description,
        "parameters": spec.parameters,
        "returns": spec.returns,
        "effect": str(spec.effect),
        "edge_cases": list(spec.edge_cases),
        "requests": list(spec.requests),
        "suite": [_case(case, spec.name) for case in version.suite],
        "rejected": [_case(case, spec.name) for case in version.rejected],
        "provenance": dict(version.provenance),
        "hidden_cases": version.provenance.get(HIDDEN_CASES, 0),
    }


def _case(case: Case, function: str) -> dict[str, Any]:
    return {
        "kind": str(case.kind),
        "text": case_line(replace(case, support=None, note=""), function),
        "origin": case.origin,
        "support": case.support,
        "note": case.note,
    }


async def tool_document(
    registry: Registry, tool: Tool, sharing: Sharing, user: str
) -> dict[str, Any]:
    """A tool as somebody may see it: its active version, the evidence, its history and use."""
    versions = await registry.versions(tool.name)
    assessments = await registry.assessments(tool.version.id)
    evidence = dict(assessments[-1].evidence) if assessments else {}
    if not await sharing.is_open_to(tool.version, user):
        evidence = numbers_of(evidence)
    whole = all([await sharing.is_open_to(one, user) for one in versions])
    trust = await registry.trust(tool.version.id)
    return {
        **version_document(await sharing.seen_by(tool.version, user)),
        **tool_summary(tool),
        "evidence": evidence,
        "evidence_words": evidence_sentences(evidence),
        "trust": trust.to_json() if trust else None,
        "trust_words": trust_sentences(trust) if trust else [],
        "assessments": [
            {
                "status": str(one.status),
                "confidence": one.confidence,
                "at": one.at.isoformat() if one.at else None,
            }
            for one in assessments
        ],
        "versions": [
            {
                "version": one.number,
                "created_at": one.created_at.isoformat(),
                "active": one.id == tool.version.id,
            }
            for one in versions
        ],
        "moves": [
            {"decision": _decision(move.decision, whole), "at": move.at.isoformat()}
            for move in await registry.history(tool.name)
        ],
    }


def _decision(decision: Mapping[str, Json], whole: bool) -> JsonObject:
    """Why a version became the active one; without the reason where that may quote somebody."""
    return {k: v for k, v in decision.items() if whole or k in ("kind", "who")}
