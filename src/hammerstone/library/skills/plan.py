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
there by dots into objects and lists. `$$` is a plain dollar.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.library.skills.front_matter import Unreadable, read_yaml

MAX_STEPS = 30
_ID = re.compile(r"[a-z][a-z0-9_]{0,39}")
_KINDS = ("run", "skill", "tool")
_RESERVED = ("input", "item", "index")
_STEP_KEYS = {"id", "with", "for_each", *_KINDS}


@dataclass(frozen=True, slots=True)
class Step:
    id: str
    kind: str  # run, skill or tool
    what: str  # a script's path, a skill's or a tool's name
    arguments: Json
    for_each: Json = None


@dataclass(frozen=True, slots=True)
class Plan:
    steps: tuple[Step, ...]
    output: Json
    inputs: JsonObject


def read_plan(text: str) -> Plan:
    """The plan in a YAML or JSON text; raises `BadRequest` that says what is wrong."""
    try:
        document = read_yaml(text)
    except Unreadable as error:
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
    steps: list[Step] = []
    for number, each in enumerate(listed, 1):
        step = _step(each, number)
        known = {earlier.id for earlier in steps}
        if step.id in known:
            raise BadRequest(f"two steps of the plan are called {step.id}")
        inside = (
            known | {"input"} | ({"item", "index"} if step.for_each is not None else set[str]())
        )
        _must_be_known(step.arguments, inside, step.id)
        _must_be_known(step.for_each, known | {"input"}, step.id)
        steps.append(step)
    output = document.get("output", f"${steps[-1].id}")
    _must_be_known(output, {step.id for step in steps} | {"input"}, "output")
    return Plan(tuple(steps), output, inputs if isinstance(inputs, dict) else {})


def _step(document: Json, number: int) -> Step:
    if not isinstance(document, dict):
        raise BadRequest(f"step {number} of the plan is not a list of `name: value`")
    kinds = [kind for kind in _KINDS if kind in document]
    if len(kinds) != 1:
        raise BadRequest(f"step {number} of the plan needs one of run, skill and tool")
    if unknown := set(document) - _STEP_KEYS:
        raise BadRequest(f"step {number} of the plan has an unknown part: {min(unknown)}")
    name = document.get("id", f"step{number}")
    if not isinstance(name, str) or not _ID.fullmatch(name) or name in _RESERVED:
        raise BadRequest(f"step {number} of the plan has an id that is not allowed")
    what = document[kinds[0]]
    if not isinstance(what, str) or not what:
        raise BadRequest(f"step {name} of the plan does not say what to {kinds[0]}")
    each = document.get("for_each")
    if each is not None and not isinstance(each, str | list):
        raise BadRequest(f"for_each of step {name} is neither a reference nor a list")
    return Step(name, kinds[0], what, document.get("with", {}), each)


def _must_be_known(value: Json, names: set[str], where: str) -> None:
    """Only what comes before can be referred to: a plan cannot run in circles."""
    if isinstance(value, str) and value.startswith("$") and not value.startswith("$$"):
        name = value[1:].partition(".")[0]
        if name not in names:
            raise BadRequest(f"{where} of the plan refers to {value}, which is not known there")
    elif isinstance(value, list):
        for item in value:
            _must_be_known(item, names, where)
    elif isinstance(value, dict):
        for item in value.values():
            _must_be_known(item, names, where)


def resolved(value: Json, known: Mapping[str, Json], where: str) -> Json:
    """The value with every reference replaced by what it stands for; raises `BadRequest`."""
    if isinstance(value, str):
        if value.startswith("$$"):
            return value[1:]
        return _look_up(value, known, where) if value.startswith("$") else value
    if isinstance(value, list):
        return [resolved(item, known, where) for item in value]
    if isinstance(value, dict):
        return {key: resolved(item, known, where) for key, item in value.items()}
    return value


def _look_up(reference: str, known: Mapping[str, Json], where: str) -> Json:
    name, *path = reference[1:].split(".")
    value = known.get(name)
    if name not in known:
        raise BadRequest(f"{where}: there is no {reference}")
    for part in path:
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            raise BadRequest(f"{where}: there is no {part!r} in {reference}")
    return value
