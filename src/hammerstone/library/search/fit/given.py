"""What a request brings along that a tool's parameters could take: numbers and other values."""

import re

_CUT = 4_000  # characters; a pasted document gives no more than its beginning
_NUMBER = re.compile(
    r"(?<![\w.])[-+$€£]?\d[\d,]*(?:\.\d+)?"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred"
    r"|thousand|million)\b",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"'[^']{1,80}'|\"[^\"]{1,80}\"|“[^”]{1,80}”"  # quoted
    r"|(?<=[a-z,;] )[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*"  # a name inside a sentence
    r"|\b\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b"  # a date
    r"|[\w.+-]+@[\w-]+\.\w+|https?://\S+|/[\w./-]+"  # an address, a path
    r"|\[[^\]]*\]|\{[^}]*\}"  # a list, an object
)


def without_values(request: str, mark: str) -> str:
    """The request with every value and every number that it gives replaced by a mark."""
    return _NUMBER.sub(mark, _VALUE.sub(mark, request[:_CUT]))


def count_numbers(request: str) -> int:
    """How many numbers a request gives, in digits or in words."""
    return len(_NUMBER.findall(request[:_CUT]))


def count_values(request: str) -> int:
    """How many values other than plain numbers a request seems to give."""
    return len(_VALUE.findall(request[:_CUT]))
