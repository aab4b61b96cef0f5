"""A model behind a folder: prompts go out as files, replies come back as files.

For replies that another machine samples. Prompts that are asked at nearly the same time are one
file; a reply that is in the folder already is not asked for again, so that what was broken off is
taken up where it was.
"""

import asyncio
import gzip
import json
import time
from pathlib import Path
from typing import Any

from hammerstone.core.chat import OnToken, Prompt, Reply, Sample, Usage
from hammerstone.core.errors import ModelUnavailable
from hammerstone.models.fingerprint import fingerprint

_GATHER_S, _LOOK_S, _MOST = 1.5, 2.0, 5000
ADAPTED = "solution"  # the purpose for which the package's adapter is put on


class FileModel:
    """Answers prompts from files of replies; `asked` and `answers` are folders.

    Without folders it knows what it was told (`keep`), and nothing else.
    """

    def __init__(self, asked: Path | None, answers: Path | None, label: str) -> None:
        self._asked, self._answers, self._label = asked, answers, label
        self.known: dict[str, tuple[list[str], list[int]]] = {}
        self.used: set[str] = set()
        self._read: set[str] = set()
        self._open: dict[str, Prompt] = {}
        self._waiting: dict[str, asyncio.Event] = {}
        self._number = 0
        self._work: list[asyncio.Task[None]] = []
        self._newest = 0.0

    @property
    def name(self) -> str:
        return "embedded model, sampled elsewhere"

    def keep(self, key: str, texts: list[str], tokens: list[int]) -> None:
        """A reply that is known from elsewhere, by its prompt's fingerprint."""
        self.known[key] = (texts, tokens)

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        key = fingerprint(prompt)
        await self.fetch(prompt)
        self.used.add(key)
        texts, tokens = self.known[key]
        usage = Usage(output_tokens=sum(tokens), calls=len(texts))
        return Reply(tuple(Sample(text) for text in texts), usage, self.name)

    async def fetch(self, prompt: Prompt) -> None:
        """Have a reply come, without using it."""
        key = fingerprint(prompt)
        if key in self.known:
            return
        if self._asked is None:
            raise ModelUnavailable("this prompt has no recorded reply")
        if key not in self._waiting:
            self._waiting[key] = asyncio.Event()
            self._open[key] = prompt
            self._newest = time.monotonic()
            if len(self._open) == 1:
                self._work.append(asyncio.create_task(self._send_soon()))
            if len(self._waiting) == 1:
                self._work.append(asyncio.create_task(self._look_on()))
        await self._waiting[key].wait()

    async def close(self) -> None:
        for task in self._work:
            task.cancel()

    async def _look_on(self) -> None:
        while self._waiting:
            self._look()
            for key in [key for key in self._waiting if key in self.known]:
                self._waiting.pop(key).set()
                self._open.pop(key, None)
            await asyncio.sleep(_LOOK_S)

    async def _send_soon(self) -> None:
        while time.monotonic() - self._newest < _GATHER_S:
            await asyncio.sleep(_GATHER_S / 3)
        prompts, self._open = self._open, {}
        prompts = {key: one for key, one in prompts.items() if key not in self.known}
        for adapted in (True, False):
            rows = [
                _row(key, one)
                for key, one in prompts.items()
                if (one.purpose == ADAPTED) == adapted
            ]
            for start in range(0, len(rows), _MOST):
                self._send(rows[start : start + _MOST], adapted)

    def _send(self, rows: list[dict[str, Any]], adapted: bool) -> None:
        assert self._asked is not None
        while True:
            self._number += 1
            name = f"{self._label}_{self._number:03d}"
            if not (self._asked / f"{name}.jsonl.gz").exists():
                break
        if adapted:
            (self._asked / f"{name}.adapter").touch()
        draft = self._asked / f"{name}.draft"
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        draft.write_bytes(gzip.compress(text.encode()))
        draft.rename(self._asked / f"{name}.jsonl.gz")

    def _look(self) -> None:
        assert self._asked is not None
        assert self._answers is not None
        for path in sorted(self._answers.glob(f"{self._label}_*.jsonl")):
            if path.name in self._read:
                continue
            lines = path.read_text("utf-8").split("\n")
            rows = [json.loads(line) for line in lines[:-1] if line]
            for row in rows:
                self.known[row["id"]] = (row["samples"], row.get("tokens", []))
            asked = self._asked / path.with_suffix(".jsonl.gz").name
            if asked.exists() and len(rows) >= gzip.decompress(asked.read_bytes()).count(b"\n"):
                self._read.add(path.name)


def _row(key: str, prompt: Prompt) -> dict[str, Any]:
    return {
        "id": key,
        "messages": [{"role": one.author, "content": one.text} for one in prompt.messages],
        "n": prompt.samples,
        "temperature": prompt.temperature,
        "max_tokens": prompt.max_tokens,
        "greedy_first": prompt.purpose == ADAPTED,
    }
