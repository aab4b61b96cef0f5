"""Weights of the support for answers from documents: `python -m evals.fit_documents DATA...`.

Each DATA is an article with questions, or a file of questions about files. Only questions with
recorded replies count (evals/data/document_replies.jsonl.gz); `hammerstone eval documents --data
DATA` records more. Prints how many questions are answered, and how many of these rightly, from
which chance on: with weights fitted on four fifths of a set and tried on the rest, and fitted on
the other sets alone. `--write` fits on all and writes the weights to the package.
"""

import argparse
import asyncio
import json
import tempfile
from dataclasses import fields
from pathlib import Path

import numpy as np

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.board.fresh import fresh_settings
from hammerstone.evaluation.documents.document_eval import evaluate_documents
from hammerstone.evaluation.documents.document_scores import DocumentCase
from hammerstone.evaluation.documents.kept_replies import KeptReplies
from hammerstone.evaluation.documents.question_sets import read_question_set
from hammerstone.library.documents.support import AnswerSignals

WEIGHTS = Path("src/hammerstone/library/documents/support_weights.json")
REPLIES = Path("evals/data/document_replies.jsonl.gz")
RIDGE = 0.3
FOLDS = 5
VERBATIM = [field.name for field in fields(AnswerSignals)].index("verbatim")
VERBATIM_WEIGHT = 1.5
MARKS = (0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)


def fit(signals: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Logistic regression with a ridge; the intercept comes first."""
    mean = signals.mean(0)
    rows = np.c_[np.ones(len(signals)), signals - mean]
    weights = np.zeros(rows.shape[1])
    ridge = RIDGE * np.r_[1e-9, np.ones(len(weights) - 1)]
    for _ in range(200):
        chance = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (chance - right) + ridge * weights
        bend = (rows * (chance * (1 - chance) + 1e-9)[:, None]).T @ rows + np.diag(ridge)
        weights -= np.linalg.solve(bend, slope)
    return np.r_[weights[0] - weights[1:] @ mean, weights[1:]]


def fitted(cases: list[DocumentCase]) -> np.ndarray:
    """The intercept and a weight for each signal.

    Nearly every answer is said word for word: too few are not to fit a weight for it, so it has
    the fixed one above, and the others are fitted on answers that the text has.
    """
    said = [one for one in cases if one.signals[VERBATIM]]
    others = np.delete(_signals(said), VERBATIM, axis=1)
    weights = fit(others, _right(said))
    weights[0] -= VERBATIM_WEIGHT
    return np.insert(weights, VERBATIM + 1, VERBATIM_WEIGHT)


def chances(weights: np.ndarray, signals: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-(np.c_[np.ones(len(signals)), signals] @ weights)))


async def recorded_cases(data: Path) -> list[DocumentCase]:
    """The questions that a model has answered, with their signals."""
    with tempfile.TemporaryDirectory() as folder:
        settings = fresh_settings(load_settings(), Path(folder), starter_tools=False)
        async with Hammerstone.open(settings) as hs:
            replies = KeptReplies(REPLIES, None)
            given = read_question_set(data)
            report = await evaluate_documents(hs, given, replies, None, pasted=False)
    return [one for one in report.cases if one.signals]


def tried(name: str, chance: np.ndarray, cases: list[DocumentCase], all_of: int) -> None:
    """Print what is answered, and how well, from each chance on."""
    right = _right(cases)
    outside = np.array([not one.question.answerable for one in cases])
    error = sum(
        own.sum() * abs(chance[own].mean() - right[own].mean())
        for low in np.arange(0, 1, 0.1)
        if (own := (chance >= low) & (chance < low + 0.1)).any()
    )
    print(f"{name}: calibration error {error / len(cases):.3f}")
    for mark in MARKS:
        given = chance >= mark
        share = f"{right[given].mean():.2f}" if given.any() else "none"
        refused = (~given)[outside].mean() if outside.any() else float("nan")
        print(
            f"  from {mark:.2f}: {given.sum():3} of {all_of} answered, {share} of them right, "
            f"{refused:.2f} of what the text does not say refused"
        )


def by_folds(cases: list[DocumentCase]) -> np.ndarray:
    """The chance of each case, by weights that were fitted on the other folds."""
    signals = _signals(cases)
    held = np.zeros(len(cases))
    for fold in range(FOLDS):
        apart = np.arange(len(cases)) % FOLDS == fold
        held[apart] = chances(
            fitted([c for c, out in zip(cases, apart, strict=True) if not out]), signals[apart]
        )
    return held


def _signals(cases: list[DocumentCase]) -> np.ndarray:
    return np.array([one.signals for one in cases])


def _right(cases: list[DocumentCase]) -> np.ndarray:
    return np.array([one.question.answerable and one.right for one in cases], float)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    sets = {path.stem: asyncio.run(recorded_cases(path)) for path in options.data}
    for name, cases in sets.items():
        answered = [one for one in cases if one.answer]
        tried(f"{name}, five folds", by_folds(answered), answered, len(cases))
        others = [one for key, rest in sets.items() if key != name for one in rest if one.answer]
        if others:
            weights = fitted(others)
            chance = chances(weights, _signals(answered))
            tried(f"{name}, fitted on the others", chance, answered, len(cases))
    if options.write:
        every = [one for cases in sets.values() for one in cases if one.answer]
        weights = fitted(every)
        kept = json.loads(WEIGHTS.read_text())
        kept["intercept"] = round(float(weights[0]), 4)
        names = [field.name for field in fields(AnswerSignals)]
        kept["weights"] = {n: round(float(w), 4) for n, w in zip(names, weights[1:], strict=True)}
        WEIGHTS.write_text(json.dumps(kept, indent=2) + "\n")


if __name__ == "__main__":
    main()
