"""Tables that fit the window: columns that matter less leave first, then rows become cards."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hammerstone.core.formatting import listing
from hammerstone.serve.cli.output import say, tell
from hammerstone.serve.cli.terminal import cells, folded, is_terminal, printable, styled, width_of

_GAP = 2
_NARROW = 26  # a column of sentences is not made narrower than this


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: what stands above it and how it behaves where room is short."""

    title: str
    leaves: int = 0  # 0 stays; of the others the one with the highest number leaves first
    flows: bool = False  # sentences, broken between words
    right: bool = False  # numbers


def show_table(
    columns: Sequence[Column], rows: Iterable[Sequence[object]], styles: Sequence[str] = ()
) -> None:
    """Print rows below their titles; without a terminal each row is one whole line.

    `styles` has one for the first cell of each row.
    """
    texts = [[printable(str(cell)) for cell in row] for row in rows]
    if not is_terminal(sys.stdout):
        lines = [[" ".join(cell.split()) for cell in row] for row in texts]
        _print(columns, lines, styles, _natural(columns, lines))
        return
    width = width_of(sys.stdout)
    kept = list(range(len(columns)))
    widths = _fitted(columns, texts, kept, width)
    while widths is None:
        leaving = max(kept, key=lambda n: columns[n].leaves)
        if not columns[leaving].leaves:
            _print_cards(columns, texts, width)
            return
        kept.remove(leaving)
        widths = _fitted(columns, texts, kept, width)
    _print(columns, texts, styles, widths)
    left_out = [column.title for n, column in enumerate(columns) if n not in kept]
    if left_out:
        told = f"Not shown: {listing(left_out)}. A wider window or --json shows everything."
        tell(told, style="dim")


def _natural(columns: Sequence[Column], texts: Sequence[Sequence[str]]) -> dict[int, int]:
    return {
        number: max(
            [cells(column.title)]
            + [cells(line) for row in texts for line in row[number].split("\n")]
        )
        for number, column in enumerate(columns)
    }


def _fitted(
    columns: Sequence[Column], texts: Sequence[Sequence[str]], kept: Sequence[int], width: int
) -> dict[int, int] | None:
    """The width of each column that is kept; None where they do not fit side by side."""
    widths = {n: each for n, each in _natural(columns, texts).items() if n in kept}
    room = (
        width - _GAP * (len(kept) - 1) - sum(w for n, w in widths.items() if not columns[n].flows)
    )
    flowing = sorted((n for n in kept if columns[n].flows), key=lambda n: widths[n])
    for place, number in enumerate(flowing):
        share = room // (len(flowing) - place)
        if share < min(widths[number], _NARROW):
            return None
        widths[number] = min(widths[number], share)
        room -= widths[number]
    return widths if room >= 0 else None


def _print(
    columns: Sequence[Column],
    texts: Sequence[Sequence[str]],
    styles: Sequence[str],
    widths: dict[int, int],
) -> None:
    _print_row(columns, [column.title for column in columns], widths, title=True)
    for number, row in enumerate(texts):
        _print_row(columns, row, widths, style=styles[number] if styles else "")


def _print_row(
    columns: Sequence[Column],
    row: Sequence[str],
    widths: dict[int, int],
    *,
    title: bool = False,
    style: str = "",
) -> None:
    folds = {n: list(folded(row[n], max(1, width))) for n, width in widths.items()}
    for line in range(max(map(len, folds.values()))):
        parts: list[str] = []
        for n, width in widths.items():
            text = folds[n][line] if line < len(folds[n]) else ""
            pad = " " * (width - cells(text))
            text = pad + text if columns[n].right else text + pad
            shown = "bold" if title else style if n == 0 else ""
            parts.append(styled(text, shown, sys.stdout) if shown else text)
        sys.stdout.write((" " * _GAP).join(parts).rstrip() + "\n")


def _print_cards(columns: Sequence[Column], texts: Sequence[Sequence[str]], width: int) -> None:
    """Each row as a few lines: its first cell, short facts in a row, sentences below."""
    for row in texts:
        head, *facts = zip(columns, row, strict=True)
        title = head[1]
        if not head[0].title and facts:  # a mark or a number stands before the name
            title = f"{title.strip()} {facts.pop(0)[1]}"
        for line in folded(title, width):
            say(line, style="bold", fold=False)
        short = [f"{c.title} {text}" for c, text in facts if not c.flows and text.strip()]
        told = ["\n".join(_in_rows(short, width - _GAP))] if short else []
        told += [text for c, text in facts if c.flows and text.strip()]
        for text in told:
            for line in folded(text, width - _GAP):
                say(" " * _GAP + line, fold=False)


def _in_rows(facts: Sequence[str], width: int) -> list[str]:
    """Short facts side by side, as many to a line as fit."""
    lines: list[str] = []
    for fact in facts:
        if lines and cells(lines[-1]) + 3 + cells(fact) <= width:
            lines[-1] += f" · {fact}"
        else:
            lines.append(fact)
    return lines


def show_pairs(pairs: Iterable[tuple[str, object]], *, style: str = "bold") -> None:
    """Names with what belongs to each, the names in a column of their own."""
    lines = [(name, printable(str(text))) for name, text in pairs]
    longest = max((cells(name) for name, _ in lines), default=0)
    width = width_of(sys.stdout) if is_terminal(sys.stdout) else 10**9
    beside = longest + _GAP + _NARROW <= width
    for name, text in lines:
        label = styled(name, style, sys.stdout)
        if not beside:
            sys.stdout.write(f"{label}\n")
            parts = list(folded(text, width - _GAP))
            sys.stdout.write("".join(f"{' ' * _GAP}{part}\n" for part in parts))
            continue
        first, *more = folded(text, width - longest - _GAP)
        sys.stdout.write(f"{label}{' ' * (longest - cells(name) + _GAP)}{first}\n")
        sys.stdout.write("".join(f"{' ' * (longest + _GAP)}{part}\n" for part in more))
