"""What each part of a passage's score finds: `python -m evals.document_ways SETS...`.

A set is what `hammerstone eval documents --data` reads. The documents are read once; then every
question is searched with the weights that are in force, and without what the words of the passage
as a whole add: how many of the question's words it says, and how many beside each other. Printed
is how often the right passage is first and among five, and first in the file of the question.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Mapping
from pathlib import Path

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.board.fresh import fresh_settings
from hammerstone.evaluation.documents.document_eval import write_documents
from hammerstone.evaluation.documents.document_scores import recall
from hammerstone.evaluation.documents.question_sets import QuestionSet, read_question_set
from hammerstone.library.documents import DocumentPolicy

WAYS: Mapping[str, Mapping[str, float]] = {
    "neither": {"said_weight": 0.0, "pairs_weight": 0.0},
    "words that are said": {"pairs_weight": 0.0},
    "words beside each other": {"said_weight": 0.0},
    "both": {},
}
LOOKED_AT = 10


async def try_ways(given: QuestionSet) -> None:
    shipped = DocumentPolicy()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as texts:
        settings = fresh_settings(load_settings(), Path(folder), starter_tools=False)
        async with Hammerstone.open(settings) as hs:
            write_documents(given, Path(texts))
            await hs.documents.add(texts)
            for name, without in WAYS.items():
                weights = {key: getattr(shipped, key) for key in ("said_weight", "pairs_weight")}
                values = {**weights, **without}
                await hs.policies.change(
                    DocumentPolicy.name, values, who="evaluation", why="ways of searching"
                )
                print(f"  {name}: {await _found(hs, given)}", flush=True)


async def _found(hs: Hammerstone, given: QuestionSet) -> str:
    said: list[int | None] = []
    in_file: list[int | None] = []
    for one in (one for one in given.questions if one.answerable):
        passages = await hs.documents.search(one.text, limit=LOOKED_AT)
        hits = [(one.said_in(p.path, p.text), one.found_in(p.path, p.text)) for p in passages]
        said.append(next((at for at, hit in enumerate(hits) if hit[0]), None))
        in_file.append(next((at for at, hit in enumerate(hits) if hit[1]), None))
    return f"{recall(said, 1):.3f} / {recall(said, 5):.3f}, in the file {recall(in_file, 1):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", type=Path, nargs="+")
    for path in parser.parse_args().sets:
        print(path, flush=True)
        asyncio.run(try_ways(read_question_set(path)))


if __name__ == "__main__":
    main()
