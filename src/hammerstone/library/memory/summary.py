"""The running summary of a session: one line an exchange, shorter the older it is."""

import re
from collections.abc import Sequence

from hammerstone.core.formatting import count
from hammerstone.library.memory.tokens import cut, tokens_of
from hammerstone.storage.stores.library.memory import Exchange

_LINE_TOKENS = 40
_SHORT_TOKENS = 14
_LEFT_OUT = re.compile(r"^\((\d+) earlier exchanges? left out\)$")


def fold(text: str, exchanges: Sequence[Exchange], tokens: int) -> str:
    """The summary with these exchanges added, within so many tokens; asks no model.

    What has to give way is the oldest: first its words, then the line itself, which is
    counted. The exchanges stay in the database and can be recalled.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    left_out = 0
    if lines and (match := _LEFT_OUT.match(lines[0])):
        left_out = int(match[1])
        lines = lines[1:]
    lines += [_line(exchange) for exchange in exchanges]
    shortened = 0
    while _size(lines, left_out) > tokens and shortened < len(lines):
        lines[shortened] = cut(lines[shortened], _SHORT_TOKENS)
        shortened += 1
    while lines and _size(lines, left_out) > tokens:
        lines.pop(0)
        left_out += 1
    return "\n".join(_counted(left_out) + lines)


def _line(exchange: Exchange) -> str:
    answer = cut(exchange.answer, _LINE_TOKENS // 2)
    return f"{cut(exchange.request, _LINE_TOKENS // 2)} → {answer or exchange.status}"


def _size(lines: Sequence[str], left_out: int) -> int:
    return tokens_of("\n".join([*_counted(left_out), *lines]))


def _counted(left_out: int) -> list[str]:
    if not left_out:
        return []
    return [f"({count(left_out, 'earlier exchange')} left out)"]
