"""Replies of a model to prompts about documents, kept so that a number can be printed again."""

import gzip
import json
import time
import zlib
from pathlib import Path

from hammerstone.core.chat import Prompt, Reply
from hammerstone.core.errors import BadRequest, ModelError
from hammerstone.core.seams import Model
from hammerstone.models.fingerprint import fingerprint


class KeptReplies:
    """Gives the kept replies to exactly the same prompt; others are asked for and kept.

    `recorded` is read alone; new replies go to `own`, whole or not at all, so whatever breaks off
    an evaluation, the next one goes on from there. Without a model, or after `until` (a time of
    `time.monotonic`), what was not kept raises `ModelError`.
    """

    def __init__(
        self,
        recorded: Path | None,
        model: Model | None,
        own: Path | None = None,
        until: float | None = None,
    ) -> None:
        self._own = own
        self._model = model
        self._until = until
        self._kept: dict[str, list[str]] = {}
        self.recorded = 0
        self.asked = 0
        self.trouble = ""  # why the last prompt has no reply
        for path in (recorded, own):
            if path is not None and path.is_file():
                self._kept |= _read(path)

    def has(self, prompt: Prompt) -> bool:
        return fingerprint(prompt) in self._kept

    async def texts(self, prompt: Prompt) -> list[str]:
        """The texts of the samples."""
        key = fingerprint(prompt)
        if key in self._kept:
            self.recorded += 1
            return self._kept[key]
        try:
            reply = await self._asked(prompt)
        except ModelError as error:
            self.trouble = error.message
            raise
        self.asked += 1
        self._kept[key] = [sample.text for sample in reply.samples]
        if self._own is not None:
            _append(self._own, {"prompt": key, "replies": self._kept[key]})
        return self._kept[key]

    async def _asked(self, prompt: Prompt) -> Reply:
        if self._model is None:
            raise ModelError("no recorded reply to this prompt", hint="ask the model: --live")
        if self._until is not None and time.monotonic() >= self._until:
            raise ModelError("the time is over", hint="run it again: it goes on from here")
        return await self._model.complete(prompt)


def _append(path: Path, row: dict[str, object]) -> None:
    """One row as a piece of its own, so that what stands before stays whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(row, ensure_ascii=False) + "\n"
    with path.open("ab") as file:
        file.write(gzip.compress(text.encode()))


def _read(path: Path) -> dict[str, list[str]]:
    """The replies in a file. One that is cut in the middle of a row, since whoever wrote it was
    killed, is written anew with its whole rows."""
    found: dict[str, list[str]] = {}
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                found[str(row["prompt"])] = list(map(str, row["replies"]))
    except (EOFError, OSError, zlib.error, ValueError, KeyError, TypeError) as error:
        if not (found or isinstance(error, EOFError)):
            raise BadRequest(f"{path} holds no replies of an evaluation") from None
        rows = ({"prompt": key, "replies": said} for key, said in found.items())
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        whole = path.with_name(f"{path.name}.whole")
        whole.write_bytes(gzip.compress(text.encode()))
        whole.replace(path)
    return found
