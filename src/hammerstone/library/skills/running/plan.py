"""The composition of a skill, as its author declares it: steps, their inputs, the output.

    inputs:
      text: {type: string}
    steps:
      - id: parts
        run: scripts/split.py            # an own script: JSON on stdin, JSON on stdout
        with: {text: $input.text}
      - id: counts
        skill: word-count                # another skill
        for_each: $parts                 # once for each item, the results in order
        with: {text: $item}
      - id: total
        tool: sum_numbers                # a tool of the library
        with: {numbers: $counts}
    output: $total

A text that begins with `$` refers: to `$input`, `$item`, `$index` or the id of a step, and from
there by dots into objects and lists. `$$` is a plain dollar. References are read into sources, and
filled in when the plan runs.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.library.skills.front_matter import BadFrontMatter, read_yaml

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


MAX_STEPS = 30
_ID = re.compile(r"[a-z][a-z0-9_]{0,39}")
_KINDS = ("run", "skill", "tool")
_STEP_KEYS = {"id", "with", "for_each", *_KINDS}


@dataclass(frozen=True, slots=True)
class SkillStep:
    """One call in a skill's plan: once, or once for each item."""

    id: str
    kind: str  # run, skill or tool
    what: str  # a script's path, a skill's or a tool's name
    arguments: Template
    for_each: Template | None = None


@dataclass(frozen=True, slots=True)
class SkillPlan:
    """The composition of a skill; `inputs` are the JSON Schemas of what it takes."""

    steps: tuple[SkillStep, ...]
    output: Template
    inputs: JsonObject


def read_plan(text: str) -> SkillPlan:
    """The plan in a YAML or JSON text; raises `BadRequest` that says what is wrong."""
    try:
        document = read_yaml(text)
    except BadFrontMatter as error:
        raise BadRequest(f"the plan cannot be read: {error}") from None
    if not isinstance(document, dict):
        raise BadRequest("the plan is not a list of `name: value`")
    if unknown := set(document) - {"inputs", "steps", "output"}:
        raise BadRequest(f"the plan has an unknown part: {min(unknown)}")
    listed, inputs = document.get("steps"), document.get("inputs")
    if not isinstance(listed, list) or not listed:
        raise BadRequest("the plan has no steps")
    if len(listed) > MAX_STEPS:
        raise BadRequest(f"the plan has {len(listed)} steps, allowed are {MAX_STEPS}")
    steps: list[SkillStep] = []
    for number, each in enumerate(listed, 1):
        step = _step(each, number)
        known = {earlier.id for earlier in steps}
        if step.id in known:
            raise BadRequest(f"two steps of the plan are called {step.id}")
        before = known | {INPUT}
        inside = before if step.for_each is None else before | {*LOOP}
        _must_be_known(step.arguments, inside, step.id)
        _must_be_known(step.for_each, before, step.id)
        steps.append(step)
    output = read_template(document.get("output", f"${steps[-1].id}"))
    _must_be_known(output, {step.id for step in steps} | {INPUT}, "output")
    return SkillPlan(tuple(steps), output, inputs if isinstance(inputs, dict) else {})


def _step(document: Json, number: int) -> SkillStep:
    if not isinstance(document, dict):
        raise BadRequest(f"step {number} of the plan is not a list of `name: value`")
    kinds = [kind for kind in _KINDS if kind in document]
    if len(kinds) != 1:
        raise BadRequest(f"step {number} of the plan needs one of run, skill and tool")
    if unknown := set(document) - _STEP_KEYS:
        raise BadRequest(f"step {number} of the plan has an unknown part: {min(unknown)}")
    name = document.get("id", f"step{number}")
    if not isinstance(name, str) or not _ID.fullmatch(name) or name in (INPUT, *LOOP):
        raise BadRequest(f"step {number} of the plan has an id that is not allowed")
    what = document[kinds[0]]
    if not isinstance(what, str) or not what:
        raise BadRequest(f"step {name} of the plan does not say what to {kinds[0]}")
    each = document.get("for_each")
    if each is not None and not isinstance(each, str | list):
        raise BadRequest(f"for_each of step {name} is neither a reference nor a list")
    items = None if each is None else read_template(each)
    return SkillStep(name, kinds[0], what, read_template(document.get("with", {})), items)


def _must_be_known(template: Template | None, names: set[str], where: str) -> None:
    """Only what comes before can be referred to: a plan cannot run in circles."""
    for reference in references_in(template) if template is not None else ():
        if name_of(reference) not in names:
            told = f"{where} of the plan refers to {text_of(reference)}, which is not known there"
            raise BadRequest(told)
