"""Tools as plain JSON and back: the form in databases, exports and hashes."""

from collections.abc import Mapping
from typing import Any

from hammerstone.core.calls import Call
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Case, CaseKind, Effect, Spec


def case_to_json(case: Case, *, with_support: bool = True) -> JsonObject:
    """The case; without `support` and `note` it is the part that a version's hash covers."""
    call: JsonObject = (
        {"source": case.call.source}
        if case.call.source is not None
        else {"args": list(case.call.args), "kwargs": dict(case.call.kwargs)}
    )
    plain: JsonObject = {"kind": str(case.kind), "call": call, "expected": case.expected}
    if case.check:
        plain["check"] = case.check
    if case.origin:
        plain["origin"] = case.origin
    if with_support and case.support is not None:
        plain["support"] = case.support
    if with_support and case.note:
        plain["note"] = case.note
    return plain


def case_from_json(data: Mapping[str, Any]) -> Case:
    call: dict[str, Any] = data["call"]
    return Case(
        kind=CaseKind(data["kind"]),
        call=Call(
            args=tuple(call.get("args", ())),
            kwargs=dict(call.get("kwargs", {})),
            source=call.get("source"),
        ),
        expected=data.get("expected"),
        check=data.get("check", ""),
        origin=data.get("origin", ""),
        support=data.get("support"),
        note=data.get("note", ""),
    )


def spec_to_json(spec: Spec) -> JsonObject:
    return {
        "name": spec.name,
        "description": spec.description,
        "parameters": spec.parameters,
        "returns": spec.returns,
        "effect": str(spec.effect),
        "edge_cases": list(spec.edge_cases),
        "examples": [case_to_json(case) for case in spec.examples],
        "limits": spec.limits,
    }


def spec_from_json(data: Mapping[str, Any]) -> Spec:
    return Spec(
        name=data["name"],
        description=data["description"],
        parameters=data["parameters"],
        returns=data["returns"],
        effect=Effect(data.get("effect", "pure")),
        edge_cases=tuple(data.get("edge_cases", ())),
        examples=tuple(case_from_json(case) for case in data.get("examples", ())),
        limits=data.get("limits", "standard"),
    )
