"""Inputs by parameter name, in wire form: those of a tool's cases, and others made from them."""

from collections.abc import Sequence

from hammerstone.core import wire
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Case, Spec
from hammerstone.judging.equality import decoded
from hammerstone.judging.inputs import LiteralArguments, read_call, vary
from hammerstone.judging.schema_inputs import promised_inputs

Arguments = dict[str, Json]
"""Arguments by parameter name, in wire form."""

_PROMISED = 6  # inputs to begin with where none is known


def arguments_of(case: Case, spec: Spec) -> Arguments | None:
    """A case's arguments by name; None where they are not plain values of these parameters."""
    names = spec.takes.names
    call = case.call
    if call.source is None:
        given = dict(zip(names, call.args, strict=False))
        return None if len(call.args) > len(names) else {**given, **call.kwargs}
    known = read_call(call.source, spec.name)
    if known is None or len(known.args) > len(names):
        return None
    by_name = dict(zip(names, known.args, strict=False))
    for name, value in known.kwargs:
        if name not in names or name in by_name:
            return None
        by_name[name] = value
    return _encoded(by_name)


def variations(known: Sequence[Arguments], spec: Spec, limit: int) -> list[Arguments]:
    """Up to `limit` inputs made from known ones, or from the schema where nothing is known.

    Negative numbers are among them: two tools that differ only there are two tools.
    """
    takes = spec.takes
    choices = {
        name: values
        for name, schema in takes.schemas.items()
        if isinstance(values := schema.get("enum"), list)
    }
    start = [_known(given, takes.names) for given in known if given]
    start = start or promised_inputs(takes, _PROMISED)
    made = vary(start, limit, choices=choices, signed=True)
    encoded = [_encoded(dict(one.kwargs)) for one in made]
    return [given for given in encoded if given is not None]


def _known(given: Arguments, names: Sequence[str]) -> LiteralArguments:
    ordered = sorted(given, key=lambda name: names.index(name) if name in names else len(names))
    return LiteralArguments((), tuple((name, decoded(given[name])) for name in ordered))


def _encoded(values: dict[str, object]) -> Arguments | None:
    try:
        return {name: wire.encode(value) for name, value in values.items()}
    except wire.WireError:
        return None
