"""Arguments for a tool, taken from the request and checked against the tool's schema.

What the words settle is filled in without a model; it is asked for the rest only, with a
grammar for the rest only, and what it says is held against the request.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelNonsense
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Model
from hammerstone.core.tools import Spec
from hammerstone.prompts import load
from hammerstone.run.bind.fill import fill
from hammerstone.run.bind.grounding import ground
from hammerstone.run.bind.signatures import signature


@dataclass(frozen=True, slots=True)
class Arguments:
    """Either `values` that the schema accepts, or the `problem` with the last try.

    `invented` are required values that nothing in the request supports.
    """

    values: JsonObject
    problem: str = ""
    invented: tuple[str, ...] = ()


class ArgumentReader:
    """A reader of arguments: by the words where they settle them, else with a model."""

    def __init__(self, model: Model) -> None:
        self._model = model

    async def read(
        self,
        spec: Spec,
        request: str,
        *,
        attempts: int,
        known: Mapping[str, Json] | None = None,
        words: str | None = None,
    ) -> Arguments:
        """The arguments for `spec`; a mismatch is shown to the model before it tries again.

        `known` are values that are settled already. `words` is the request as the person wrote
        it, when `request` holds more than that.
        """
        said = request if words is None else words
        filled = fill(spec, said, known)
        if not filled.open:
            return Arguments(filled.values, spec.takes.mismatch(filled.values))
        rest = _rest(spec, filled.open)
        settled = json.dumps(filled.values, ensure_ascii=False)[:2000] if filled.values else ""
        messages = load("arguments").fill(
            function=signature(spec, filled.open), request=request, known=settled
        )
        found = Arguments({}, "the model was not asked")
        for _ in range(max(1, attempts)):
            prompt = Prompt(messages, schema=rest, max_tokens=1024, purpose="arguments")
            try:
                reply = await self._model.complete(prompt)
            except ModelNonsense as error:
                # A small model may leave a required value out, whatever the grammar says: then
                # the request does not hold it, and the person is asked.
                missing = _missing(spec, filled.open)
                return Arguments(filled.values, "" if missing else error.message, missing)
            found = read_arguments(spec, filled.values, reply.text, said)
            if not found.problem:
                return found
            messages += load("arguments_again").fill(reply=reply.text, problem=found.problem)
        return found


def _missing(spec: Spec, names: tuple[str, ...]) -> tuple[str, ...]:
    """The open parameters that have to be there."""
    return tuple(name for name in names if name in spec.takes.required)


def _rest(spec: Spec, names: tuple[str, ...]) -> JsonObject:
    """The schema of the parameters that are still open."""
    takes = spec.takes
    return {
        "type": "object",
        "properties": {name: takes.schema_of(name) for name in names},
        "required": [name for name in takes.required if name in names],
        "additionalProperties": False,
    }


def read_arguments(spec: Spec, known: JsonObject, text: str, request: str) -> Arguments:
    try:
        values: Json = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Arguments({}, f"not JSON ({error})")
    if not isinstance(values, dict):
        return Arguments({}, "not a JSON object")
    settled = ground(spec, values | known, request, certain=known)
    plain = {name: settled.values[name] for name in spec.takes.names if name in settled.values}
    extra = {name: value for name, value in settled.values.items() if name not in plain}
    return Arguments(plain | extra, spec.takes.mismatch(plain | extra), settled.invented)
