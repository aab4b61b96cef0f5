"""Arguments for a tool, taken from the request and checked against the tool's schema."""

import json
from dataclasses import dataclass

from hammerstone.core import wire
from hammerstone.core.chat import Message, Prompt
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Model
from hammerstone.core.tools import Spec

_SYSTEM = "Fill in the arguments of the function call from the user's request. Reply as JSON."


@dataclass(frozen=True, slots=True)
class Arguments:
    """Either `values` that the schema accepts, or the `problem` with the last try."""

    values: JsonObject
    problem: str = ""


class ArgumentReader:
    def __init__(self, model: Model) -> None:
        self._model = model

    async def read(self, spec: Spec, request: str, *, attempts: int) -> Arguments:
        """The arguments for `spec`; a mismatch is shown to the model before it tries again."""
        if not spec.parameters.get("properties"):
            return Arguments({})
        function = {
            "name": spec.name,
            "description": spec.description,
            "parameters": spec.parameters,
        }
        asked = f"Function: {json.dumps(function, ensure_ascii=False)}\nRequest: {request}"
        messages = [Message("system", _SYSTEM), Message("user", asked)]
        found = Arguments({}, "the model was not asked")
        for _ in range(max(1, attempts)):
            prompt = Prompt(
                messages=tuple(messages),
                schema=spec.parameters,
                max_tokens=1024,
                purpose="arguments",
            )
            reply = await self._model.complete(prompt)
            found = check_arguments(spec, reply.text)
            if not found.problem:
                return found
            messages += [
                Message("assistant", reply.text),
                Message("user", f"That does not fit: {found.problem}. Reply with corrected JSON."),
            ]
        return found


def check_arguments(spec: Spec, text: str) -> Arguments:
    """The arguments in a JSON text, or what is wrong with them."""
    try:
        values: Json = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Arguments({}, f"not JSON ({error})")
    if not isinstance(values, dict):
        return Arguments({}, "not a JSON object")
    return Arguments(values, find_mismatch(spec, values))


def find_mismatch(spec: Spec, values: JsonObject) -> str:
    """What keeps these arguments from being accepted; empty when nothing does."""
    from jsonschema import Draft202012Validator

    try:
        json.dumps(values, allow_nan=False)
        wire.encode(values)
    except (ValueError, TypeError, RecursionError) as error:
        return f"not plain JSON ({error})"[:300]
    error = next(iter(Draft202012Validator(spec.parameters).iter_errors(values)), None)
    if error is None:
        return ""
    where = ".".join(str(part) for part in error.absolute_path)
    return f"{where}: {error.message}"[:300] if where else error.message[:300]
