"""Amounts in words as numbers: "3 hours and 35 minutes" becomes 3 and 35.

A specification may take such an amount as one text. Then every candidate has to read English,
and a small model's candidates do not. One number for each unit says the same.
"""

from dataclasses import replace
from typing import cast

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Spec
from hammerstone.run.units import amounts_in
from hammerstone.synthesis.signature import parameter_schemas


def in_numbers(request: str, spec: Spec, values: JsonObject) -> tuple[Spec, JsonObject]:
    """The spec and the request's values with a number for each unit of an amount in words.

    What the request quotes is meant as text and stays it.
    """
    required = list(cast(list[str], spec.parameters.get("required", [])))
    properties: JsonObject = {}
    numbers: JsonObject = {}
    for name, schema in parameter_schemas(spec).items():
        value = values.get(name)
        text = value if isinstance(value, str) and not _quoted(value, request) else ""
        amounts = amounts_in(text)
        whole = len(amounts) > 1 and all(isinstance(each, int) for each in amounts.values())
        for unit, amount in amounts.items():
            named = name if unit in name else f"{name}_{unit}"
            properties[named] = _counted(name, unit, whole=whole)
            numbers[named] = amount
            required.append(named)
        if not amounts:
            properties[name] = schema
            if name in values:
                numbers[name] = value
    if properties.keys() == parameter_schemas(spec).keys() and numbers == values:
        return spec, values
    asked: list[Json] = [name for name in properties if name in required]
    return replace(
        spec, parameters={**spec.parameters, "properties": properties, "required": asked}
    ), numbers


def _quoted(text: str, request: str) -> bool:
    return any(f"{mark}{text}{mark}" in request for mark in "\"'`")


def _counted(name: str, unit: str, *, whole: bool) -> JsonObject:
    """Without what was said of the text: its form would mislead the authors.

    Nobody says "3.5 hours and 20 minutes": several units together are `whole` numbers.
    """
    kind = "integer" if whole else "number"
    return {"type": kind, "description": f"the {unit} of the {name.replace('_', ' ')}"}
