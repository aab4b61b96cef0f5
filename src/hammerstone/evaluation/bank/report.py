"""Numbers, text and plots of an evaluation on a bank."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.evaluation.bank.evaluate import ScoredTask

BINS = 10


class JudgedConfidence(Protocol):
    """Anything with a confidence that turned out right or wrong."""

    @property
    def confidence(self) -> float: ...

    @property
    def right(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Bin:
    """Tasks whose confidence falls between two tenths."""

    low: float
    count: int
    confidence: float
    right: float


def reliability(scored: Sequence[JudgedConfidence]) -> list[Bin]:
    """How often the leader was right, by tenths of the confidence."""
    bins: list[Bin] = []
    for number in range(BINS):
        inside = [s for s in scored if min(BINS - 1, int(s.confidence * BINS)) == number]
        if inside:
            mean = sum(s.confidence for s in inside) / len(inside)
            right = sum(s.right for s in inside) / len(inside)
            bins.append(Bin(number / BINS, len(inside), mean, right))
    return bins


def calibration_error(scored: Sequence[JudgedConfidence]) -> float:
    """Expected calibration error over ten equal bins."""
    total = max(1, len(scored))
    return sum(b.count / total * abs(b.confidence - b.right) for b in reliability(scored))


def summary(scored: Sequence[ScoredTask]) -> JsonObject:
    """The keys that programs read."""
    count = max(1, len(scored))
    verified = [s for s in scored if s.verified]
    right = sum(s.right for s in verified)
    mutation = [s.mutation_score for s in verified if s.mutation_score is not None]
    bins: list[Json] = [
        {"low": b.low, "count": b.count, "confidence": b.confidence, "right": b.right}
        for b in reliability(scored)
    ]
    return {
        "tasks": len(scored),
        "verified": len(verified),
        "verified_correct": right,
        "coverage": len(verified) / count,
        "precision": right / len(verified) if verified else None,
        "ece": calibration_error(scored),
        "mean_candidates": sum(s.candidates for s in scored) / count,
        "mean_suites": sum(s.suites for s in scored) / count,
        "mean_tokens": sum(s.tokens for s in scored) / count,
        "questions_asked": sum(s.questions for s in scored),
        "seconds_per_task": sum(s.seconds for s in scored) / count,
        "mean_mutation_score": sum(mutation) / len(mutation) if mutation else None,
        "vetoes": _vetoes(scored),
        "reliability": bins,
    }


def _vetoes(scored: Sequence[ScoredTask]) -> JsonObject:
    """How often each veto was found, and how many of these tools were right all the same."""
    table: JsonObject = {}
    for name in sorted({one.veto for one in scored if one.veto}):
        found = [one for one in scored if one.veto == name]
        table[name] = {"found": len(found), "right": sum(one.right for one in found)}
    return table


def rule_scores(results: Mapping[str, Sequence[bool | None]]) -> JsonObject:
    """Coverage and precision of rules that said None (not verified), or right or wrong."""
    scores: JsonObject = {}
    for name, said in results.items():
        verified = [right for right in said if right is not None]
        scores[name] = {
            "coverage": len(verified) / max(1, len(said)),
            "precision": sum(verified) / len(verified) if verified else None,
        }
    return scores


def plot(scored: Sequence[JudgedConfidence], path: Path, title: str) -> None:
    """The reliability diagram as a PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    bins = reliability(scored)
    drawn: Any = pyplot.subplots(figsize=(5, 5))
    figure, axes = drawn
    axes.plot([0, 1], [0, 1], linestyle=":", color="grey")
    axes.plot([b.confidence for b in bins], [b.right for b in bins], marker="o")
    for b in bins:
        place = (b.confidence, b.right)
        axes.annotate(str(b.count), place, textcoords="offset points", xytext=(6, -10))
    axes.set(xlabel="confidence", ylabel="share that is right", title=title)
    axes.set(xlim=(0, 1), ylim=(0, 1.02))
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
