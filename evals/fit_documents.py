"""Weights of the support for answers from documents: `python -m evals.fit_documents TRIED...`.

The weights are fitted on the questions of our own about six articles (evals/data/reading), and on
nothing else. Each TRIED is an article with questions, or a file of questions about files; it says
nothing to the fit. Only questions with recorded replies count (document_replies.jsonl.gz);
`hammerstone eval documents --data FILE --replies evals/data/document_replies.jsonl.gz` records
more. Prints how many questions are answered, and
how many of these rightly, from which chance on: each of the six by weights from the other five,
then what is tried by weights from all six. `--write` writes these to the package.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Mapping
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
FITTED = Path("evals/data/reading")
VERBATIM = [field.name for field in fields(AnswerSignals)].index("verbatim")
VERBATIM_WEIGHT = 1.5
MARKS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)


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


def tried(
    name: str, chance: np.ndarray, answered: list[DocumentCase], asked: list[DocumentCase]
) -> None:
    """Print what is answered, and how well, from each chance on."""
    right = _right(answered)
    outside = np.array([not one.question.answerable for one in answered])
    silent = sum(not one.question.answerable for one in asked) - outside.sum()
    error = sum(
        own.sum() * abs(chance[own].mean() - right[own].mean())
        for low in np.arange(0, 1, 0.1)
        if (own := (chance >= low) & (chance < low + 0.1)).any()
    )
    print(f"{name}: calibration error {error / len(answered):.3f}")
    for mark in MARKS:
        given = chance >= mark
        share = f"{right[given].mean():.2f}" if given.any() else "none"
        refused = (silent + (~given)[outside].sum()) / max(1, silent + outside.sum())
        print(
            f"  from {mark:.2f}: {given.sum():3} of {len(asked)} answered, {share} of them right, "
            f"{refused:.2f} of what the text does not say refused"
        )


def left_out(sets: Mapping[str, list[DocumentCase]]) -> tuple[np.ndarray, list[DocumentCase]]:
    """The chance of each answer, by weights that were fitted on the other articles."""
    found: list[np.ndarray] = []
    every: list[DocumentCase] = []
    for name, cases in sets.items():
        rest = [one for key, own in sets.items() if key != name for one in own if one.answer]
        answered = [one for one in cases if one.answer]
        found.append(chances(fitted(rest), _signals(answered)))
        every += answered
    return np.concatenate(found), every


def _signals(cases: list[DocumentCase]) -> np.ndarray:
    return np.array([one.signals for one in cases])


def _right(cases: list[DocumentCase]) -> np.ndarray:
    return np.array([one.question.answerable and one.right for one in cases], float)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tried", type=Path, nargs="*")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    sets = {path.stem: asyncio.run(recorded_cases(path)) for path in sorted(FITTED.glob("*.json"))}
    chance, answered = left_out(sets)
    asked = [one for cases in sets.values() for one in cases]
    tried("six articles, each by the other five", chance, answered, asked)
    weights = fitted([one for one in asked if one.answer])
    for path in options.tried:
        cases = asyncio.run(recorded_cases(path))
        said = [one for one in cases if one.answer]
        tried(path.stem, chances(weights, _signals(said)), said, cases)
    if options.write:
        kept = json.loads(WEIGHTS.read_text())
        kept["intercept"] = round(float(weights[0]), 4)
        names = [field.name for field in fields(AnswerSignals)]
        kept["weights"] = {n: round(float(w), 4) for n, w in zip(names, weights[1:], strict=True)}
        WEIGHTS.write_text(json.dumps(kept, indent=2) + "\n")


if __name__ == "__main__":
    main()
