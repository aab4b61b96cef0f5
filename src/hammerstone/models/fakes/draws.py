"""What a model drew for each prompt it was ever asked: a file that answers in its place."""

import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from hammerstone.core.chat import Prompt, Sample
from hammerstone.core.errors import ModelError

_LETTERS = 3.6  # of a token, assumed: prompts of files carry no count of their own


@dataclass(frozen=True, slots=True)
class ModelPace:
    """How fast a model reads and writes, in tokens a second.

    The defaults are the embedded model's with its adapter on two quiet cores (docs/design
    adapter.md and models.md): a recording made on a busy or a faster machine is charged alike.
    """

    read: float = 67.3
    write: float = 23.3
    write_together: float = 28.7  # of all samples that are written side by side

    def seconds(self, read: int, written: int, samples: int) -> float:
        return read / self.read + written / (self.write if samples < 2 else self.write_together)


@dataclass(frozen=True, slots=True)
class Draw:
    """One sample as it was drawn, with its tokens."""

    text: str
    tokens: int
    finish: str = "stop"

    @property
    def sample(self) -> Sample:
        return Sample(self.text, "length" if self.finish == "length" else "stop")


@dataclass(slots=True)
class DrawBook:
    """Draws by prompt. Asked for more than there are, it gives those it has."""

    draws: dict[str, list[Draw]] = field(default_factory=dict[str, list[Draw]])
    purposes: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def read(cls, *paths: Path) -> "DrawBook":
        """The draws of these files in their order; one that is not there has none."""
        book = cls()
        for path in paths:
            for number, line in enumerate(_lines(path), 1):
                try:
                    row = json.loads(line)
                    drawn = [Draw(str(t), int(n), str(end)) for t, n, end in row["draws"]]
                    book.add(str(row["key"]), str(row.get("purpose", "")), drawn)
                except (ValueError, KeyError, TypeError) as error:
                    raise ModelError(f"{path}, line {number} holds no draws: {error}") from None
        return book

    def add(self, key: str, purpose: str, draws: Iterable[Draw]) -> None:
        self.draws.setdefault(key, []).extend(draws)
        self.purposes.setdefault(key, purpose)

    def write(self, path: Path) -> None:
        """All draws as a file, the same bytes for the same draws."""
        rows = (_row(key, self.purposes[key], self.draws[key]) for key in sorted(self.draws))
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        path.write_bytes(gzip.compress(text.encode("utf-8", "surrogatepass"), 9, mtime=0))

    def append_to(self, path: Path, key: str, draws: Iterable[Draw]) -> None:
        """Add a prompt's new draws to a plain file, so that nothing is lost when one stops."""
        row = _row(key, self.purposes.get(key, ""), draws)
        with path.open("a", encoding="utf-8", errors="surrogatepass") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def draw_key(prompt: Prompt) -> str:
    """One name for prompts whose samples are drawn alike, however many are asked for.

    Purpose and part are for traces, and where no more than one way to go on is drawn, a seed
    changes nothing.
    """
    asked = asdict(prompt)
    for name in ("purpose", "part", "samples"):
        del asked[name]
    if prompt.temperature == 0:
        del asked["seed"]
    text = json.dumps(asked, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def tokens_of(letters: int) -> int:
    """About how many tokens a text of so many letters has."""
    return round(letters / _LETTERS)


def _row(key: str, purpose: str, draws: Iterable[Draw]) -> Mapping[str, Any]:
    return {
        "key": key,
        "purpose": purpose,
        "draws": [(one.text, one.tokens, one.finish) for one in draws],
    }


def _lines(path: Path) -> list[str]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ModelError(f"the recording {path} cannot be read: {error.strerror}") from None
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    return [line for line in data.decode("utf-8", "surrogatepass").split("\n") if line]
