"""Replies of the evaluation of documents that are not recorded, sampled elsewhere and taken in.

    python -m evals.document_rows texts           the repository's own files that are asked about
    python -m evals.document_rows write FOLDER    reader.jsonl.gz and plain.jsonl.gz
    python -m evals.document_rows take FOLDER     the same names in FOLDER/results, recorded

`texts` keeps the files as they are now beside documentation_questions.jsonl: what is read changes
with every line of them, and a recorded reply belongs to exactly one prompt. `write` asks what the
product would ask a model about every question of every set (documents/normans.json, the articles
of evals/data/reading, both files of questions about documentation) and the baselines with the text
pasted in. `reader` is sampled with models/local/reader.gguf (`training.sample`), `plain` without
any adapter (`training.pasted`, one greedy reply). A row's id is the key that its replies are
recorded by. `take` leaves out recorded replies that nothing asks for any more.
"""

import argparse
import asyncio
import gzip
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.chat import Prompt
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.board.fresh import fresh_settings
from hammerstone.evaluation.documents.document_eval import evaluate_documents
from hammerstone.evaluation.documents.kept_replies import KeptReplies
from hammerstone.evaluation.documents.question_sets import (
    beside,
    read_question_set,
    texts_beside,
)
from hammerstone.models.fingerprint import fingerprint
from hammerstone.models.local.lora import READING

RECORDED = Path("evals/data/document_replies.jsonl.gz")
DOCUMENTATION = Path("evals/data/documentation_questions.jsonl")
OWN = "docs/"  # where the repository's own files are
SETS = (
    Path("../shared/data/documents/normans.json"),
    *sorted(Path("evals/data/reading").glob("*.json")),
    Path("evals/data/manual_questions.jsonl"),
    DOCUMENTATION,
)
READER, PLAIN = "reader.jsonl.gz", "plain.jsonl.gz"


class AskedPrompts(KeptReplies):
    """Notes every prompt and what is recorded for it; to the others nothing is stated."""

    def __init__(self) -> None:
        super().__init__(RECORDED, None)
        self.known: dict[str, list[str]] = {}
        self.open: dict[str, Prompt] = {}

    async def texts(self, prompt: Prompt) -> list[str]:
        key = fingerprint(prompt)
        if self.has(prompt):
            self.known[key] = await super().texts(prompt)
            return self.known[key]
        self.open[key] = prompt
        return ["not stated"] * prompt.samples


async def asked_prompts(sets: Iterable[Path] = SETS) -> AskedPrompts:
    """What the product asks about the questions of all sets."""
    asked = AskedPrompts()
    for path in sets:
        before = len(asked.known), len(asked.open)
        with tempfile.TemporaryDirectory() as folder:
            settings = fresh_settings(load_settings(), Path(folder), starter_tools=False)
            async with Hammerstone.open(settings) as hs:
                await evaluate_documents(hs, read_question_set(path), asked, None)
        known, missing = len(asked.known) - before[0], len(asked.open) - before[1]
        print(f"{path.stem}: {known} prompts recorded, {missing} not", flush=True)
    return asked


def sample_row(key: str, prompt: Prompt) -> dict[str, Any]:
    """A prompt as the sampler reads it: the replies are drawn as the product draws them."""
    return {
        "id": key,
        "messages": [{"role": one.author, "content": one.text} for one in prompt.messages],
        "n": prompt.samples,
        "temperature": prompt.temperature,
        "max_tokens": prompt.max_tokens,
        "greedy_first": prompt.temperature == 0,
    }


def write(folder: Path, missing: Mapping[str, Prompt]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in (READER, PLAIN):
        rows = [
            sample_row(key, prompt)
            for key, prompt in missing.items()
            if (prompt.purpose in READING) == (name == READER)
        ]
        write_rows(folder / name, rows)
        print(f"{name}: {len(rows)} rows")


def taken(asked: AskedPrompts, sampled: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """The replies to what is asked today: those recorded before, and whole ones of the sampler."""
    found = dict(asked.known)
    for row in sampled:
        prompt = asked.open.get(row["id"])
        if prompt is not None and len(row["samples"]) == prompt.samples and not row.get("partial"):
            found.setdefault(row["id"], list(row["samples"]))
    return found


def keep_texts() -> None:
    """Write the repository's own files that the questions about documentation are asked of."""
    rows = [json.loads(line) for line in DOCUMENTATION.read_text("utf-8").splitlines()]
    names = {row["file"] for row in rows if (row["file"] or "").startswith(OWN)}
    files = {file: text for name in sorted(names) for file, text in beside(name, {}, Path.cwd())}
    out = texts_beside(DOCUMENTATION)
    write_rows(out, [{"file": file, "text": text.decode()} for file, text in files.items()])
    print(f"{out}: {len(files)} files")


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def read_rows(paths: Iterable[Path]) -> Iterator[dict[str, Any]]:
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            yield from (json.loads(line) for line in file if line.strip())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["texts", "write", "take"])
    parser.add_argument("folder", type=Path, nargs="?")
    options = parser.parse_args()
    if options.step == "texts":
        keep_texts()
        return
    asked = asyncio.run(asked_prompts())
    if options.step == "write":
        write(options.folder, asked.open)
        return
    replies = taken(asked, read_rows(sorted((options.folder / "results").glob("*.jsonl.gz"))))
    write_rows(RECORDED, [{"prompt": key, "replies": said} for key, said in replies.items()])
    print(f"{len(replies)} prompts recorded, {len(asked.open.keys() - replies.keys())} not")


if __name__ == "__main__":
    main()
