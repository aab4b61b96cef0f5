"""Files of lines, each a JSON value, packed or not."""

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any


def opened(path: Path, mode: str = "rt") -> IO[Any]:
    """A text file, packed or not by its name."""
    if path.suffix == ".gz":
        return gzip.open(path, mode, encoding="utf-8")  # type: ignore[return-value]
    return path.open(mode, encoding="utf-8")


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of lines; a last line that was cut off is left out."""
    rows: list[dict[str, Any]] = []
    with opened(path) as file:
        for line in file:
            try:
                rows.append(json.loads(line))
            except ValueError:
                continue
    return rows


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    with opened(path, "wt") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
