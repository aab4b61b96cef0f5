"""Numbers that belong to a tool's rule: "3 euros for the first hour, then 1.50 an hour".

A tool that has such numbers inside, instead of as parameters, answers nobody with other prices.
"""

from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Spec
from hammerstone.run.bind.grounding import unused_numbers


def has_another_rule(spec: Spec, text: str, arguments: JsonObject) -> bool:
    """Whether a request states numbers of its own where the tool has others inside."""
    if not spec.constants:
        return False
    return any(one.number not in spec.constants for one in unused_numbers(text, arguments))
