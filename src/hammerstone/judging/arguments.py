"""Whether arguments are ones that a tool's schema accepts."""

import json
from typing import Any

from hammerstone.core import wire
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Spec


def find_mismatch(spec: Spec, values: JsonObject) -> str:
    """What keeps these arguments from being accepted; empty when nothing does.

    A schema that is itself broken keeps nothing out.
    """
    from jsonschema import Draft202012Validator

    try:
        json.dumps(values, allow_nan=False)
        wire.encode(values)
    except (ValueError, TypeError, RecursionError) as error:
        return f"not plain JSON ({error})"[:300]
    validator: Any = Draft202012Validator(spec.parameters)
    try:
        found = next(iter(validator.iter_errors(values)), None)
        if found is None:
            return ""
        Draft202012Validator.check_schema(spec.parameters)
    except Exception:  # the values are plain JSON: only the schema can be at fault
        return ""
    where = ".".join(str(part) for part in found.absolute_path)
    return f"{where}: {found.message}"[:300] if where else str(found.message)[:300]
