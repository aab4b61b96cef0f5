"""The specification that a solution is: its name, typed parameters, docstring and result."""

import ast
import math
import re

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.syntax import syntax_tree
from hammerstone.core.tools import Effect, Spec
from hammerstone.synthesis.files.given_files import FOLDER
from hammerstone.synthesis.files.produced_files import kinds_of
from hammerstone.synthesis.solutions.generality import Generality
from hammerstone.synthesis.solutions.heads import HeadParameter, refined
from hammerstone.synthesis.solutions.own_call import OwnCall

_SECTION = re.compile(r"^\s*(args|arguments|parameters|params|returns?|raises|examples?)\s*:", re.I)
_DESCRIBED = re.compile(r"^\s*(?::param\s+)?(\w+)\s*(?:\([^)]*\))?\s*:\s*(\S.*)$")


def specification(kept: Generality, own: OwnCall) -> Spec:
    """What the function promises, in the words of its head and refined by its own call."""
    function, head = kept.function, kept.function.head
    about, told = _prose(head.description)
    properties: dict[str, Json] = {}
    for parameter in head.parameters:
        used = function.arguments.get(parameter.name)
        properties[parameter.name] = _schema(parameter, told.get(parameter.name, ""), used)
    required: list[Json] = [p.name for p in head.parameters if not p.has_default]
    parameters: JsonObject = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    return Spec(
        name=head.name,
        description=about or head.name.replace("_", " ").capitalize() + ".",
        parameters=parameters,
        returns=refined(head.returns, own.returned),
        effect=Effect.READS if _reads(function.code, function.arguments) else Effect.PURE,
        produces=kinds_of(own.artifacts),
        constants=kept.inside,
    )


def _schema(parameter: HeadParameter, said: str, used: Json) -> JsonObject:
    """A parameter's schema. Where nothing is said about a number, one of the size that it was
    used with shows its scale: 15 percent are 15 and not 0.15. It is not the person's own."""
    schema: JsonObject = {**parameter.hint}
    if said:
        schema["description"] = said
    elif isinstance(used, int | float) and not isinstance(used, bool):
        schema["examples"] = [_of_that_size(used)]
    if parameter.has_default:
        schema["default"] = parameter.default
    return schema


def _of_that_size(used: float) -> float:
    """Another number of the same sign, kind and order of magnitude."""
    if used == 0 or not math.isfinite(used):
        return 0
    whole = isinstance(used, int)
    tens = 10 ** (len(str(abs(used))) - 1) if whole else 10.0 ** math.floor(math.log10(abs(used)))
    for digits in (15, 25):
        made = max(digits * tens // 10, digits // 10) if whole else digits * tens / 10
        if not math.isclose(made, abs(used)):
            break
    return math.copysign(made, used) if not whole else made if used > 0 else -made


def _prose(docstring: str) -> tuple[str, dict[str, str]]:
    """The text before the sections of a docstring, and what these say about parameters."""
    about: list[str] = []
    told: dict[str, str] = {}
    inside = False
    for line in docstring.split("\n"):
        if _SECTION.match(line) or line.lstrip().startswith((":param", ":return")):
            inside = True
        described = _DESCRIBED.match(line) if inside else None
        if described:
            told.setdefault(described[1], described[2].strip())
        elif not inside:
            about.append(line.strip())
    return " ".join(" ".join(about).split()), told


def _reads(code: str, arguments: JsonObject) -> bool:
    """Whether the code opens files: by its arguments, its constants, or by calling `open`."""
    if any(isinstance(value, str) and value.startswith(FOLDER) for value in arguments.values()):
        return True
    for node in ast.walk(syntax_tree(code)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and FOLDER in node.value:
            return True
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "open"
        ):
            return True
    return False
