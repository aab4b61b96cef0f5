"""Witnesses from lists, and programs that double numbers rightly and wrongly."""

from collections.abc import Sequence

from hammerstone.core.calls import Call
from hammerstone.core.tools import Case, CaseKind
from hammerstone.synthesis.examine.belief.confidence import Calibration

# Fixed, so that these tests do not move with the shipped calibration.
PLAIN = Calibration(
    ("share", "size", "told", "several", "second_reading", "one_program", "upheld", "flipped"),
    (0.9, 0.6, 0.6, 0.5, -1.5, -0.8, 0.8, 0.8),
    -0.3,
    "test",
)
RIGHT = "def double(xs):\n    return [x * 2 for x in xs]\n"
OTHER = (
    "def double(xs):\n    out = []\n    for x in xs:\n        out.append(x + x)\n    return out\n"
)
WRONG = "def double(xs):\n    return [x ** 2 for x in xs]\n"
SUITE = ["assert double([1, 3]) == [2, 6]", "assert double([]) == []", "assert double([5]) == [10]"]


class Given:
    """Witnesses from lists."""

    def __init__(self, codes: Sequence[str], suites: Sequence[Sequence[str]]) -> None:
        self.codes, self.given = list(codes), [list(suite) for suite in suites]

    async def candidates(self, count: int) -> list[str]:
        taken, self.codes = self.codes[:count], self.codes[count:]
        return taken

    async def suites(self, count: int) -> list[list[str]]:
        taken, self.given = self.given[:count], self.given[count:]
        return taken


def says(source: str, expected: object) -> Case:
    return Case(CaseKind.VALUE, Call(source=source), expected, origin="user")  # type: ignore[arg-type]
