"""Documents that nothing here was made with, asked as a person asks: `ask`, the embedded model.

    python -m evals.unseen_documents [--under /usr/share/doc]

The documents are two that Debian ships, a PDF of 17 pages and a text of 800 lines (the packages
shared-mime-info and dpkg); the questions were written from them before they were tried. Each is
asked of a fresh product with its default settings, so it also has to find out by itself that the
question is about the documents. A question is answered right or wrong, or refused (with a passage
that says the answer or without), or has gone another way than to the documents. Half of the words
of an answer count as right, as in the other measurements: read what is said, too.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Answer
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.board.fresh import fresh_settings
from hammerstone.evaluation.documents.document_scores import is_right
from hammerstone.library.documents.excerpts import plain_words
from hammerstone.library.skills.generate import DOCUMENTS

QUESTIONS = Path("evals/data/unseen_questions.jsonl")
SHIPPED = Path("/usr/share/doc")


class UnseenOutcome(StrEnum):
    """What came of a question."""

    RIGHT = "right"
    WRONG = "wrong"
    SHOWN = "refused, with the passage that says it"
    REFUSED = "refused"
    ELSEWHERE = "not from the documents"


def outcome_of(answer: Answer, wanted: Sequence[str]) -> UnseenOutcome:
    """How an answer counts for a question whose documents say one of the wanted answers, or do
    not say it where there are none."""
    if answer.skill != DOCUMENTS:
        return UnseenOutcome.ELSEWHERE
    if isinstance(answer.result, dict) and "answer" in answer.result:
        return (
            UnseenOutcome.RIGHT
            if is_right(str(answer.result["answer"]), wanted)
            else UnseenOutcome.WRONG
        )
    shown = plain_words(answer.text)
    said = any(plain_words(one) in shown for one in wanted)
    return UnseenOutcome.SHOWN if said else UnseenOutcome.REFUSED


async def ask_all(rows: Sequence[dict[str, Any]], under: Path) -> list[dict[str, Any]]:
    """Add the documents, then ask; one line for each question."""
    told: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="hammerstone-unseen-") as folder:
        settings = fresh_settings(load_settings(), Path(folder))
        async with Hammerstone.open(settings) as hs:
            for file in dict.fromkeys(row["file"] for row in rows if row["file"]):
                await hs.documents.add(str(under / file))
            for row in rows:
                began = time.monotonic()
                line: dict[str, Any] = {"id": row["id"], "asked": row["q"]}
                try:
                    answer = await hs.ask(row["q"])
                    line["outcome"] = outcome_of(answer, row["answers"])
                    line["said"] = answer.text
                except HammerstoneError as error:
                    line["outcome"], line["said"] = (
                        UnseenOutcome.ELSEWHERE,
                        f"{error.code}: {error}",
                    )
                line["wanted"] = row["answers"]
                told.append({**line, "seconds": round(time.monotonic() - began, 1)})
                print(json.dumps(told[-1], ensure_ascii=False), flush=True)
    return told


def summary(told: Sequence[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """How many of each outcome, for questions with an answer in the documents and without."""
    found: dict[str, dict[str, int]] = {}
    for name, inside in (("with an answer", True), ("without", False)):
        own = [one["outcome"] for one in told if bool(one["wanted"]) == inside]
        found[name] = dict(Counter(own))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    parser.add_argument("--under", type=Path, default=SHIPPED)
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.questions.read_text("utf-8").splitlines()]
    print(json.dumps(summary(asyncio.run(ask_all(rows, options.under))), indent=2))


if __name__ == "__main__":
    main()
