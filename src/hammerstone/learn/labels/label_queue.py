"""Which decisions a person should label first: those whose label would help most."""

from collections.abc import Sequence

from hammerstone.learn.labels.labeller import DecisionLabel


def usefulness(label: DecisionLabel) -> float:
    """From 0 to 2: how much is open about a decision, and how near it was to another one.

    A decision near the border of a band teaches where the border belongs; one that search was
    sure about teaches little, unless what is known about it contradicts itself.
    """
    decision = label.decision
    open_share = 2 * (1 - label.certainty) if label.signals else 1.0
    borders = [decision.weights.get(name, 0.5) for name in ("high", "middle")]
    near = max(1 - min(1.0, abs(decision.probability - border) / 0.3) for border in borders)
    return open_share * (0.2 + 0.8 * near) + (1.0 if label.contradicted else 0.0)


def queue(labels: Sequence[DecisionLabel], length: int) -> list[DecisionLabel]:
    """The decisions worth a look, most useful first; one of each request.

    What a person has labelled already, and what offers no tool, is left out.
    """
    waiting = [
        label
        for label in labels
        if label.decision.chosen and not any(one.kind == "labelled" for one in label.signals)
    ]
    waiting.sort(key=lambda label: (-usefulness(label), -label.decision.at.timestamp()))
    found: dict[str, DecisionLabel] = {}
    for label in waiting:
        found.setdefault(f"{label.decision.request} {label.decision.chosen}", label)
    return list(found.values())[:length]
