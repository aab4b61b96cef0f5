"""Experimental tools that keep a question, for tests that ask and answer it."""

from typing import Any

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.calls import Call
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Assessment, Case, CaseKind, Spec, Status, Tool
from hammerstone.library.tools.registry import ActivationReason, NewVersion
from tests.integration.engine import Script, add_tool, solution_of

REQUEST = "double the number 4"
DOUBLE = "def double(n: float) -> float:\n    return n * 2\n"
CEIL = "import math\n\n\ndef {name}(price: float) -> float:\n    return math.ceil(price)\n"
HALVES = (
    "import math\n\n\ndef {name}(price: float) -> float:\n    return math.ceil(price * 2) / 2\n"
)
CEIL_TESTS = "\n".join(
    f"assert round_up({price}) == {result}"
    for price, result in ((1, 1), (1.2, 2), (3.41, 4), (7.9, 8), (0, 0))
)
HALF_TESTS = "\n".join(
    f"assert round_up({price}) == {result}"
    for price, result in ((1, 1), (1.2, 1.5), (3.41, 3.5), (7.9, 8), (0, 0))
)


def agreeing(code: str = CEIL, tests: str = CEIL_TESTS) -> Script:
    """New authors who all read the promise in one way."""
    written = f"```python\n{code.format(name='round_up')}```"
    return Script(
        code=written,
        tests=f"```python\n{tests}\n```",
        repair=written,
        arguments='{"n": 4}',
        solution=solution_of(DOUBLE, "double(4)"),
    )


async def add_double(hs: Hammerstone) -> None:
    """A tool that answers `REQUEST` with 8."""
    number: JsonObject = {"type": "number", "description": "a number"}
    await add_tool(hs, DOUBLE, "Double a number.", {"n": number}, {"type": "number"})


def kept_question(call: str = "round_up(3.41)", **more: Any) -> JsonObject:
    return {"call": call, "results": ["4", "3.5"], **more}


async def add_asked(
    hs: Hammerstone,
    question: JsonObject | None,
    name: str = "round_up",
    *,
    confidence: float = 0.7,
    user: str = "",
    provenance: JsonObject | None = None,
) -> Tool:
    """A tool in use that is experimental and keeps a question; of nobody, or of one person."""
    number: JsonObject = {"type": "number"}
    spec = Spec(
        name=name,
        description="Round a price up.",
        parameters={
            "type": "object",
            "properties": {"price": number},
            "required": ["price"],
            "additionalProperties": False,
        },
        returns=number,
    )
    case = Case(CaseKind.VALUE, Call(source=f"{name}(1)"), 1, origin="author 1")
    about: JsonObject = {"request": "Round up", "user": user, "people": [user]} if user else {}
    new = NewVersion(
        spec=spec,
        code=CEIL.format(name=name),
        suite=(case,),
        rejected=(),
        status=Status.EXPERIMENTAL,
        confidence=confidence,
        evidence={"question": question},
        provenance=provenance or about,
    )
    return await hs.tools.register(new, ActivationReason("registered", "test", "given"))


async def standing(hs: Hammerstone, name: str, status: Status) -> None:
    """A tool's standing changes without a word about its question."""
    tool = await hs.tools.get(name)
    await hs.tools.assess(name, Assessment(tool.version.id, status, 0.8, {"reason": "test"}))
