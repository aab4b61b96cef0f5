"""Whether a model's text is what was asked for, and asking again for what is not."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from jsonschema import SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for

from hammerstone.core.chat import Prompt, Reply, Sample
from hammerstone.core.errors import ModelNonsense, ModelRefused
from hammerstone.core.json_types import JsonSchema

FENCE = "```"


def check_schema(schema: JsonSchema) -> None:
    """Refuse a schema that is none, before a provider is asked."""
    _validator(json.dumps(schema))


def complaint(text: str, schema: JsonSchema) -> str | None:
    """Why the schema does not accept the text; None when it does."""
    try:
        value = json.loads(text)
    except ValueError as error:
        return f"not JSON: {error}"
    try:
        _validator(json.dumps(schema)).validate(value)
    except ValidationError as error:
        where = "/".join(str(part) for part in error.absolute_path) or "the top"
        return f"at {where}: {error.message[:300]}"
    return None


def unfenced(text: str) -> str:
    """The text without the code fence some models put around JSON."""
    text = text.strip()
    if text.startswith(FENCE) and text.endswith(FENCE) and "\n" in text:
        return text[text.index("\n") : -len(FENCE)].strip()
    return text


async def ask_until_valid(
    ask: Callable[[Prompt], Awaitable[Reply]], prompt: Prompt, *, rounds: int = 2
) -> Reply:
    """A reply whose samples the schema accepts, those that were not asked once more.

    Raises `ModelNonsense`, with what was spent in `data["usage"]`, when some still are not.
    """
    if prompt.schema is None:
        return await ask(prompt)
    check_schema(prompt.schema)
    good: dict[int, Sample] = {}
    missing = list(range(prompt.samples))
    reply, reason = None, ""
    for attempt in range(rounds):
        if attempt and prompt.temperature == 0:
            break  # the same question would get the same answer
        again = replace(prompt, samples=len(missing), seed=_next_seed(prompt, attempt))
        fresh = await ask(again)
        reply = fresh if reply is None else replace(fresh, usage=reply.usage + fresh.usage)
        for index, sample in zip(tuple(missing), fresh.samples, strict=True):
            sample = replace(sample, text=unfenced(sample.text))
            reason = complaint(sample.text, prompt.schema) or ""
            if not reason:
                good[index] = sample
                missing.remove(index)
            elif sample.finish == "length":
                reason = f"cut off at {prompt.max_tokens} tokens"
        if not missing:
            return replace(reply, samples=tuple(good[i] for i in range(prompt.samples)))
    assert reply is not None
    raise ModelNonsense(
        f"{reply.model} did not answer in the form that was asked for: {reason or 'see data'}",
        hint="ask for less at once, or use a stronger model for this role",
        usage=reply.usage,
        model=reply.model,
        text=reply.text[:2000],
    )


def _next_seed(prompt: Prompt, attempt: int) -> int | None:
    return None if prompt.seed is None else prompt.seed + attempt * 7919


@lru_cache(maxsize=256)
def _validator(schema_json: str) -> Validator:
    schema: Any = json.loads(schema_json)
    kind = validator_for(schema)
    try:
        kind.check_schema(schema)
    except SchemaError as error:
        raise ModelRefused(f"the output schema is not a JSON Schema: {error.message}") from None
    return kind(schema)
