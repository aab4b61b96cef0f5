"""Replies of a model to prompts about documents, kept so that a number can be printed again."""

import gzip
import json
from pathlib import Path

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelError
from hammerstone.core.seams import Model
from hammerstone.models.fingerprint import fingerprint


class KeptReplies:
    """Gives the recorded replies to exactly the same prompt; others are asked for and kept.

    Without a model, what was not recorded raises `ModelError`.
    """

    def __init__(self, path: Path | None, model: Model | None) -> None:
        self._path = path
        self._model = model
        self._kept: dict[str, list[str]] = {}
        self.recorded = 0
        self.asked = 0
        if path is not None and path.is_file():
            with gzip.open(path, "rt", encoding="utf-8") as file:
                rows = [json.loads(line) for line in file if line.strip()]
            self._kept = {row["prompt"]: row["replies"] for row in rows}

    def has(self, prompt: Prompt) -> bool:
        return fingerprint(prompt) in self._kept

    async def texts(self, prompt: Prompt) -> list[str]:
        """The texts of the samples."""
        key = fingerprint(prompt)
        if key in self._kept:
            self.recorded += 1
            return self._kept[key]
        if self._model is None:
            raise ModelError("no recorded reply to this prompt", hint="ask the model: --live")
        reply = await self._model.complete(prompt)
        self.asked += 1
        self._kept[key] = [sample.text for sample in reply.samples]
        if self._path is not None:
            row = json.dumps({"prompt": key, "replies": self._kept[key]}, ensure_ascii=False)
            with gzip.open(self._path, "at", encoding="utf-8") as file:
                file.write(row + "\n")
        return self._kept[key]
