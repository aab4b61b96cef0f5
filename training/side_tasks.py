"""Two more things the product asks of its model, for the made needs: the arguments of a call for
a schema, and asserts about a function. What is right is known from the need's program.
"""

import ast
import json
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hammerstone.synthesis.code.replies import read_tests
from training.needs.all_needs import NEEDS
from training.needs.need import Need
from training.solutions import Judged, is_right, run_function

_FILLED = re.compile(r"\{(\w+)[^}]*\}")
_BY_NAME = {need.name: need for need in NEEDS}
_FEWEST = 8  # asserts: a suite of two that are right is no good suite
_ROLES = ("typical", "varied")
_KINDS = {bool: "boolean", int: "integer", float: "number", str: "string", dict: "object"}


def schema_of(value: Any) -> dict[str, Any]:
    """A JSON schema that a value fits."""
    if isinstance(value, list):
        return {"type": "array", "items": schema_of(value[0]) if value else {}}
    return {"type": next(word for kind, word in _KINDS.items() if isinstance(value, kind))}


def promise_of(need: Need, values: Mapping[str, Any]) -> Any:
    """A need as the library describes a tool: its first wording is what it gives."""
    from hammerstone.core.tools import Spec  # the GPU machine only judges

    properties = {name: schema_of(value) for name, value in values.items()}
    takes = {"type": "object", "properties": properties, "required": list(properties)}
    about = _FILLED.sub(r"\1", need.wordings[0])
    return Spec(need.name, about, takes, schema_of(need.answer(**values)))


def argument_rows(needs: Sequence[Need], each: int, seed: int = 13) -> list[dict[str, Any]]:
    """Requests in the product's prompt for arguments, but for those it reads without a model."""
    from hammerstone.prompts import load
    from hammerstone.run.bind.fill import fill
    from hammerstone.run.bind.signatures import signature

    rows: list[dict[str, Any]] = []
    for need in needs:
        chance = random.Random(f"{need.name}-{seed}")
        for at in range(each):
            values = need.draw(chance)
            request = need.wordings[1 + at % (len(need.wordings) - 1)].format(**values)
            values = json.loads(json.dumps(values))
            spec = promise_of(need, values)
            filled = fill(spec, request)
            if not filled.open:
                continue
            known = json.dumps(filled.values, ensure_ascii=False) if filled.values else ""
            said = load("arguments").fill(
                function=signature(spec, filled.open), request=request, known=known
            )
            rows.append(
                _row(f"arguments-{need.name}-{at}", request, "arguments", said)
                | {"want": {name: values[name] for name in filled.open}, "max_tokens": 96}
            )
    return rows


def assert_rows(needs: Sequence[Need], each: int, seed: int = 17) -> list[dict[str, Any]]:
    """Functions in the product's prompt for tests."""
    from hammerstone.prompts import load
    from hammerstone.synthesis.code.signature import stub

    rows: list[dict[str, Any]] = []
    for need in needs:
        values = json.loads(json.dumps(need.draw(random.Random(f"{need.name}-{seed}"))))
        text = stub(promise_of(need, values))
        for at in range(each):
            role = _ROLES[at % len(_ROLES)]
            said = load("tests").fill(role, stub=text, note="", name=need.name)
            row = _row(f"asserts-{need.name}-{at}", need.name, "asserts", said)
            rows.append(row | {"want": need.name, "max_tokens": 300})
    return rows


def _row(name: str, request: str, check: str, said: Sequence[Any]) -> dict[str, Any]:
    messages = [{"role": one.author, "content": one.text} for one in said]
    return {"id": name, "q": request, "check": check, "messages": messages}


def judge_side_task(row: Mapping[str, Any], text: str) -> Judged:
    """A reply to a row of this module."""
    if row["check"] == "arguments":
        return _judge_arguments(row["want"], text)
    return judge_asserts(_BY_NAME[row["want"]], text)


def _judge_arguments(want: Mapping[str, Any], text: str) -> Judged:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        values = None
    right = is_right(values, want)
    return Judged(right, right, right, "", values)


def judge_asserts(need: Need, text: str) -> Judged:
    """The share of a suite's asserts whose value is what the need's program gives."""
    told = [read for line in read_tests(text) if (read := _read_assert(line, need))]
    got = run_function(need.answer, [arguments for arguments, _ in told])
    right = sum(is_right(value, want) for value, (_, want) in zip(got, told, strict=True))
    share = right / max(_FEWEST, len(told))
    return Judged(share >= 0.5, True, True, "", right, score=share)


def _read_assert(line: str, need: Need) -> tuple[list[Any], Any] | None:
    """Arguments and value of `assert need(arguments) == value`, all of them written out."""
    try:
        tree = ast.parse(line).body[0]
        if not isinstance(tree, ast.Assert) or not isinstance(tree.test, ast.Compare):
            return None
        call, (operator, *_), (value, *_) = tree.test.left, tree.test.ops, tree.test.comparators
        if not isinstance(call, ast.Call) or not isinstance(operator, ast.Eq):
            return None
        named = {one.arg: ast.literal_eval(one.value) for one in call.keywords}
        given = dict(zip(need.values, map(ast.literal_eval, call.args), strict=False)) | named
        return [given[name] for name in need.values], ast.literal_eval(value)
    except (SyntaxError, ValueError, KeyError, TypeError, MemoryError, RecursionError):
        return None
