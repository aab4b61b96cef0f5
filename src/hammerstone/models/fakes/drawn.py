"""A model that is asked once for each prompt, and the file that answers in its place ever after."""

import gzip
import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from hammerstone.core.chat import OnToken, Prompt, Reply, Sample, Usage
from hammerstone.core.errors import ModelError, ModelNonsense, ModelUnavailable
from hammerstone.core.seams import Model
from hammerstone.models.structure import complaint, unfenced

_LETTERS = 3.6  # of a token, assumed: prompts of files carry no count of their own

_SLOTS = 4  # prompts that the embedded model remembers the beginning of

OnMissing = Callable[[Prompt, int], None]
"""Called with a prompt and how many of its samples are not recorded, where no model is asked."""


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


class DrawnModel:
    """Records through: what is not in the book is asked of `model` and kept.

    Several samples of one prompt are different draws, and so are those of a later round of the
    same request; `begin` starts over, so that a request that is asked again gets the same draws.
    `Usage.seconds` are those of the pace, never measured ones. Without a model a prompt that was
    not recorded raises `ModelUnavailable`.
    """

    def __init__(
        self,
        book: DrawBook,
        model: Model | None = None,
        *,
        keep_in: Path | None = None,
        pace: ModelPace | None = None,
        on_missing: OnMissing | None = None,
    ) -> None:
        self._book = book
        self._model = model
        self._keep_in = keep_in
        self._pace = pace or ModelPace()
        self._on_missing = on_missing
        self._given: dict[str, int] = {}
        self._read: deque[str] = deque(maxlen=_SLOTS)
        self.asked = 0  # prompts that the model behind it had to answer
        self.missed = 0  # times that something was not recorded and nobody could be asked

    @property
    def name(self) -> str:
        return "recorded" if self._model is None else self._model.name

    def begin(self) -> None:
        """Give each prompt's draws from the first one on again."""
        self._given.clear()

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        key = draw_key(prompt)
        first = self._given.get(key, 0) if prompt.temperature > 0 else 0
        needed = first + prompt.samples if prompt.temperature > 0 else 1
        known = self._book.draws.get(key, [])
        if len(known) < needed:
            known = await self._drawn(prompt, key, needed - len(known))
        self._given[key] = needed
        draws = known[first:needed]
        draws = draws * (prompt.samples if prompt.temperature == 0 else 1)
        usage = self._usage(prompt, draws)
        reply = Reply(tuple(one.sample for one in draws), usage, self.name)
        _check(prompt, reply)
        for index, sample in enumerate(reply.samples):
            if on_token and sample.text:
                on_token(index, sample.text)
        return reply

    async def close(self) -> None:
        if self._model is not None:
            await self._model.close()

    async def _drawn(self, prompt: Prompt, key: str, missing: int) -> list[Draw]:
        """All draws of a prompt after the missing ones were asked for."""
        if self._model is None:
            self.missed += 1
            if self._on_missing is not None:
                self._on_missing(prompt, missing)
            raise ModelUnavailable(
                f"{missing} samples of this prompt are not recorded (purpose {prompt.purpose!r})",
                hint="run it with a model once",
            )
        seed = None if prompt.seed is None else prompt.seed + len(self._book.draws.get(key, []))
        asked = replace(prompt, samples=missing, seed=seed)
        self.asked += 1
        try:
            reply = await self._model.complete(asked)
        except ModelNonsense as error:
            # The same question would get the same nonsense; it is kept like any other reply.
            text = str(error.data.get("text", ""))
            fresh = [Draw(text, tokens_of(len(text)))] * missing
        else:
            each = round(reply.usage.output_tokens / max(1, len(reply.samples)))
            fresh = [Draw(one.text, each, one.finish) for one in reply.samples]
        self._book.add(key, prompt.purpose, fresh)
        if self._keep_in is not None:
            self._book.append_to(self._keep_in, key, fresh)
        return self._book.draws[key]

    def _usage(self, prompt: Prompt, draws: list[Draw]) -> Usage:
        """What the call costs: the prompt is read once, but for what was read just before."""
        text = "\n".join(f"{one.author}: {one.text}" for one in prompt.messages)
        known = max((_shared(text, past) for past in self._read), default=0)
        self._read.append(text)
        whole, read = tokens_of(len(text)), tokens_of(len(text) - known)
        written = sum(one.tokens for one in draws)
        return Usage(
            prompt_tokens=whole * len(draws),
            cached_tokens=whole * len(draws) - read,
            output_tokens=written,
            seconds=self._pace.seconds(read, written, len(draws)),
            calls=len(draws),
        )


def _shared(text: str, other: str) -> int:
    """How many letters two texts have in common at their beginning."""
    pairs = enumerate(zip(text, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(text), len(other)))


def _check(prompt: Prompt, reply: Reply) -> None:
    """Hold what every model promises: with a schema, text that it accepts."""
    for sample in reply.samples if prompt.schema is not None else ():
        reason = complaint(unfenced(sample.text), prompt.schema or {})
        if reason:
            raise ModelNonsense(
                f"the recorded reply has another form than was asked for: {reason}",
                usage=reply.usage,
                text=sample.text[:2000],
            )
