"""A real model's answers, kept in a file and given again without the model."""

import json
from collections import defaultdict, deque
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hammerstone.core.chat import OnToken, Prompt, Reply, Sample, Usage
from hammerstone.core.errors import ModelError
from hammerstone.core.seams import Model
from hammerstone.models.fingerprint import fingerprint


class RecordedModel:
    """Replays a cassette, or records one: `record(model, path)`, `replay(path)`.

    A cassette is a text file with one JSON object a line: the prompt's fingerprint, the prompt
    for people, the reply. The same prompt asked twice gets its two recorded answers in order;
    a prompt that was not recorded, or more often than recorded, raises `ModelError`.
    """

    def __init__(self, path: Path, model: Model | None, name: str) -> None:
        self._path = path
        self._model = model
        self._name = name
        self._replies: dict[str, deque[Reply]] = defaultdict(deque)

    @classmethod
    def record(cls, model: Model, path: Path) -> "RecordedModel":
        """Passes calls on to `model` and appends its replies to the cassette."""
        path.parent.mkdir(parents=True, exist_ok=True)
        return cls(path, model, model.name)

    @classmethod
    def replay(cls, path: Path) -> "RecordedModel":
        """Answers from the cassette alone."""
        recorded = cls(path, None, "recorded")
        try:
            lines = path.read_text("utf-8").splitlines()
        except OSError as error:
            raise ModelError(f"the cassette {path} cannot be read: {error.strerror}") from None
        for number, line in enumerate(filter(None, lines), 1):
            try:
                entry = json.loads(line)
                reply = _reply_from(entry["reply"])
                recorded._replies[str(entry["fingerprint"])].append(reply)
            except (ValueError, KeyError, TypeError) as error:
                raise ModelError(f"{path}, line {number} is not a recording: {error}") from None
            recorded._name = reply.model
        return recorded

    @property
    def name(self) -> str:
        return self._name

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        key = fingerprint(prompt)
        if self._model is not None:
            reply = await self._model.complete(prompt, on_token=on_token)
            self._append(key, prompt, reply)
            return reply
        if not self._replies[key]:
            raise ModelError(
                f"no recording of this prompt (purpose {prompt.purpose!r}) in {self._path}",
                hint="record the cassette again",
                fingerprint=key,
            )
        reply = self._replies[key].popleft()
        for index, sample in enumerate(reply.samples):
            if on_token and sample.text:
                on_token(index, sample.text)
        return reply

    async def close(self) -> None:
        if self._model is not None:
            await self._model.close()

    def _append(self, key: str, prompt: Prompt, reply: Reply) -> None:
        entry = {"fingerprint": key, "prompt": asdict(prompt), "reply": asdict(reply)}
        with self._path.open("a", encoding="utf-8") as cassette:
            cassette.write(json.dumps(entry, ensure_ascii=False) + "\n")


def _reply_from(data: dict[str, Any]) -> Reply:
    samples = tuple(Sample(**sample) for sample in data["samples"])
    return Reply(samples, Usage(**data["usage"]), str(data["model"]))
