"""Whether arguments are ones that a tool's schema accepts, in words."""

from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Spec


def find_mismatch(spec: Spec, values: JsonObject) -> str:
    """What keeps these arguments from being accepted, for a person; empty when nothing does."""
    found = spec.takes.validate(values, most=1)
    return found[0].text if found else ""
