"""Numbers that belong to a tool's rule: "3 euros for the first hour, then 1.50 an hour".

Where a tool has such numbers inside instead of as parameters, its description says so: its test
authors have to know them, and nobody with other prices may be answered by it.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Spec
from hammerstone.guard.data import plain
from hammerstone.run.bind.grounding import UnusedNumber, unused_numbers

_SENTENCE = re.compile(r"\S.*?(?:[.!?](?=\s)|$)", re.DOTALL)
_LONGEST = 400


def with_rule(spec: Spec, text: str, numbers: Iterable[UnusedNumber]) -> Spec:
    """The spec with the sentences of a request that state these numbers, which stay inside."""
    numbers = list(numbers)
    said = spec.description
    for sentence in _SENTENCE.finditer(text):
        inside = any(sentence.start() <= one.start < sentence.end() for one in numbers)
        words = " ".join(plain(sentence[0]).split())
        if inside and len(said) + len(words) < len(spec.description) + _LONGEST:
            said += f" {words}"
    constants = tuple(dict.fromkeys(one.number for one in numbers))
    return replace(spec, description=said, constants=constants)


def has_another_rule(spec: Spec, text: str, arguments: JsonObject) -> bool:
    """Whether a request states numbers of its own where the tool has others inside."""
    if not spec.constants:
        return False
    return any(one.number not in spec.constants for one in unused_numbers(text, arguments))
