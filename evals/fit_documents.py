"""Weights of the support for answers from documents: `python -m evals.fit_documents DATA`.

DATA is an article with questions. Only questions with a recorded reply count
(evals/data/document_replies.jsonl.gz); `hammerstone eval documents --data DATA` records more.
Prints how well weights fitted on four fifths hold on the rest; `--write` fits on all and writes
them to the package.
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
    return [one for one in report.cases if one.signals and one.answer]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    cases = asyncio.run(recorded_cases(options.data))
    signals = np.array([one.signals for one in cases])
    right = np.array([one.question.answerable and one.right for one in cases], float)
    outside = np.array([not one.question.answerable for one in cases])
    held = np.zeros(len(cases))
    for fold in range(FOLDS):
        apart = np.arange(len(cases)) % FOLDS == fold
        held[apart] = chances(fit(signals[~apart], right[~apart]), signals[apart])
    for mark in (0.4, 0.5, 0.6):
        given = held >= mark
        share = right[given].mean() if given.any() else float("nan")
        refused = (~given)[outside].mean() if outside.any() else float("nan")
        print(
            f"from {mark}: {given.sum()} of {len(cases)} answered, {share:.2f} of them right, "
            f"{refused:.2f} of what the text does not say refused"
        )
    if options.write:
        weights = fit(signals, right)
        kept = json.loads(WEIGHTS.read_text())
        kept["intercept"] = round(float(weights[0]), 4)
        names = [field.name for field in fields(AnswerSignals)]
        kept["weights"] = {n: round(float(w), 4) for n, w in zip(names, weights[1:], strict=True)}
        WEIGHTS.write_text(json.dumps(kept, indent=2) + "\n")


if __name__ == "__main__":
    main()
