"""Tools as JSON documents, and the hash that names a version."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from hammerstone.core.calls import Call
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Case, CaseKind, Effect, Spec


def canonical_json(value: object) -> str:
    """The one text of a JSON value: sorted keys, no spaces, ASCII only."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def version_id(code: str, spec: Spec, suite: Iterable[Case]) -> str:
    """SHA-256 over everything that makes a version what it is; the effect is in the spec.

    What is believed about a case (`support`, `note`) is an assessment and stays outside.
    """
    cases = [case_to_json(case) for case in suite]
    for case in cases:
        del case["support"], case["note"]
    document = {"code": code, "spec": spec_to_json(spec), "suite": cases}
    return hashlib.sha256(canonical_json(document).encode("ascii")).hexdigest()


def case_to_json(case: Case) -> JsonObject:
    return {
        "kind": str(case.kind),
        "call": {
            "args": list(case.call.args),
            "kwargs": dict(case.call.kwargs),
            "source": case.call.source,
        },
        "expected": case.expected,
        "check": case.check,
        "origin": case.origin,
        "support": case.support,
        "note": case.note,
    }


def case_from_json(data: Any) -> Case:
    call = data["call"]
    return Case(
        kind=CaseKind(data["kind"]),
        call=Call(args=tuple(call["args"]), kwargs=call["kwargs"], source=call["source"]),
        expected=data["expected"],
        check=data["check"],
        origin=data["origin"],
        support=data["support"],
        note=data["note"],
    )


def spec_to_json(spec: Spec) -> JsonObject:
    """The spec as a document; what few tools have only where they do, so that ids stay."""
    document: JsonObject = {
        "name": spec.name,
        "description": spec.description,
        "parameters": spec.parameters,
        "returns": spec.returns,
        "effect": str(spec.effect),
        "edge_cases": list(spec.edge_cases),
        "examples": [case_to_json(case) for case in spec.examples],
        "limits": spec.limits,
    }
    if spec.produces:
        document["produces"] = list(spec.produces)
    if spec.constants:
        document["constants"] = list(spec.constants)
    if spec.requests:
        document["requests"] = list(spec.requests)
    return document


def spec_from_json(data: Any) -> Spec:
    return Spec(
        name=data["name"],
        description=data["description"],
        parameters=data["parameters"],
        returns=data["returns"],
        effect=Effect(data["effect"]),
        edge_cases=tuple(data["edge_cases"]),
        examples=tuple(case_from_json(case) for case in data["examples"]),
        limits=data["limits"],
        produces=tuple(data.get("produces", ())),
        constants=tuple(data.get("constants", ())),
        requests=tuple(data.get("requests", ())),
    )
