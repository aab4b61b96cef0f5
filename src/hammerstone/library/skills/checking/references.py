"""References in a skill's plan, read into sources and filled in when the plan runs.

A text that begins with `$` refers: to `$input`, `$item`, `$index` or the id of a step, and from
there by dots into objects and lists. `$$` is a plain dollar.
"""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from hammerstone.core.dataflow import (
    Constant,
    FromRequest,
    FromStep,
    MissingPart,
    Source,
    value_at,
)
from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json

# What is given to a step: the skill's input, and inside `for_each` the item and its number.
INPUT = "input"
LOOP = ("item", "index")

Template: TypeAlias = Source[str] | list["Template"] | dict[str, "Template"]
Reference: TypeAlias = FromStep[str] | FromRequest


def read_template(value: Json) -> Template:
    """The value with a source in place of every text, number and reference."""
    if isinstance(value, list):
        return [read_template(item) for item in value]
    if isinstance(value, dict):
        return {key: read_template(item) for key, item in value.items()}
    if not isinstance(value, str) or not value.startswith("$"):
        return Constant(value)
    if value.startswith("$$"):
        return Constant(value[1:])
    name, *path = value[1:].split(".")
    if name in (INPUT, *LOOP):
        return FromRequest(name, tuple(path))
    return FromStep(name, tuple(path))


def references_in(template: Template) -> Iterator[Reference]:
    """Everything that a template refers to, in order."""
    if isinstance(template, FromStep | FromRequest):
        yield template
    elif not isinstance(template, Constant):
        for part in template.values() if isinstance(template, dict) else template:
            yield from references_in(part)


def name_of(reference: Reference) -> str:
    """The name that a reference begins with."""
    return reference.step if isinstance(reference, FromStep) else reference.name


def text_of(reference: Reference) -> str:
    """The reference as it is written in a plan."""
    return "$" + ".".join((name_of(reference), *map(str, reference.path)))


def filled(template: Template, known: Mapping[str, Json], where: str) -> Json:
    """The value that a template stands for; raises `BadRequest` for what is not known."""
    if isinstance(template, Constant):
        return template.value
    if isinstance(template, list):
        return [filled(item, known, where) for item in template]
    if isinstance(template, dict):
        return {key: filled(item, known, where) for key, item in template.items()}
    name = name_of(template)
    if name not in known:
        raise BadRequest(f"{where}: there is no {text_of(template)}")
    try:
        return value_at(known[name], template.path)
    except MissingPart as error:
        told = f"{where}: there is no {error.part!r} in {text_of(template)}"
        raise BadRequest(told) from None
