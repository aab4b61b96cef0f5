"""Results of a long evaluation, kept line by line, so that it can be taken up again."""

import json
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import JsonObject


class ResultLine(Protocol):
    """One line of the file."""

    def to_json(self) -> JsonObject: ...


R = TypeVar("R", bound=ResultLine)
K = TypeVar("K", bound=Hashable)


class Progress(Generic[K, R]):
    """Results so far by their key, in a file if one is given."""

    def __init__(
        self, kind: Callable[..., R], key: Callable[[R], K], path: Path | None = None
    ) -> None:
        self._kind = kind
        self._key = key
        self._path = path
        self.done: dict[K, R] = {}

    def load(self) -> None:
        """Read what an earlier run kept. A last line that was not finished is done again."""
        if self._path is None or not self._path.exists():
            return
        text = self._path.read_text("utf-8")
        whole, _, rest = text.rpartition("\n")
        try:
            for line in filter(str.strip, whole.split("\n")):
                result = self._kind(**json.loads(line))
                self.done[self._key(result)] = result
        except (ValueError, TypeError) as error:
            raise BadRequest(
                f"{self._path} does not hold results of this evaluation: {error}",
                hint="give another file",
            ) from None
        if rest:
            self._path.write_text(f"{whole}\n" if whole else "", "utf-8")

    def add(self, result: R) -> None:
        self.done[self._key(result)] = result
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(result.to_json()) + "\n")
