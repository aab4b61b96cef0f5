"""Amounts in words as numbers: "3 hours and 35 minutes" becomes 3 and 35.

A specification may take such an amount as one text. Then every candidate has to read English,
and a small model's candidates do not. One number for each unit says the same.
"""

from dataclasses import replace
from typing import cast

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Spec
from hammerstone.run.understand.literals import Kind, find_literals
from hammerstone.run.units import amounts_in
from hammerstone.synthesis.signature import parameter_schemas


def in_numbers(request: str, spec: Spec, values: JsonObject) -> tuple[Spec, JsonObject]:
    """The spec and the request's values with a number for each unit of an amount in words.

    What the request quotes is meant as text and stays it.
    """
    quoted = [one.value for one in find_literals(request) if one.kind is Kind.TEXT]
    required = list(cast(list[str], spec.parameters.get("required", [])))
    parameters: JsonObject = {}
    numbers: JsonObject = {}
    for name, schema in parameter_schemas(spec).items():
        value = values.get(name)
        amounts = amounts_in(value) if isinstance(value, str) and value not in quoted else {}
        whole = len(amounts) > 1 and all(isinstance(each, int) for each in amounts.values())
        new: JsonObject = {name: schema}
        if amounts:
            names = _names(name, list(amounts))
            new = {names[unit]: _counted(name, unit, whole=whole) for unit in amounts}
            numbers |= {names[unit]: amount for unit, amount in amounts.items()}
            required += new if name in required else ()
        elif name in values:
            numbers[name] = value
        if parameters.keys() & new.keys():
            return spec, values  # it has such parameters already
        parameters |= new
    if numbers == values:
        return spec, values
    asked: list[Json] = [name for name in parameters if name in required]
    changed = {**spec.parameters, "properties": parameters, "required": asked}
    return replace(spec, parameters=changed), numbers


def _names(name: str, units: list[str]) -> dict[str, str]:
    """What the parameter for each unit is called; one alone may be in the name already."""
    if len(units) == 1 and units[0] in name.split("_"):
        return {units[0]: name}
    return {unit: f"{name}_{unit}" for unit in units}


def _counted(name: str, unit: str, *, whole: bool) -> JsonObject:
    """Without what was said of the text: its form would mislead the authors.

    Nobody says "3.5 hours and 20 minutes": several units together are `whole` numbers.
    """
    kind = "integer" if whole else "number"
    return {"type": kind, "description": f"the {unit} of the {name.replace('_', ' ')}"}
