"""Numbers that a change may not make worse: kept in a file of the repository, looked at by CI.

The instant set gives the same numbers on every run, so no statistics are needed here: whoever
makes one worse on purpose writes the file anew and says why.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from hammerstone.core.errors import BadRequest
from hammerstone.core.evaluations import (
    Better,
    MeasurementRecord,
    MeasurementState,
    MetricValue,
)
from hammerstone.evaluation.board.page.wording import amount
from hammerstone.evaluation.board.scoreboard import Scoreboard

# Units that do not depend on how fast the machine is.
_STEADY = ("share", "count", "")
SLACK_POINTS = 0.02  # of a share: another processor rounds vectors otherwise
SLACK_PART = 0.05  # of any other number
HeldNumbers = Mapping[str, Mapping[str, float]]  # by measurement and metric


def read_held(path: Path) -> HeldNumbers:
    """What the file holds. Raises `BadRequest` for one that cannot be read."""
    try:
        held = json.loads(path.read_text("utf-8"))
        return {
            str(name): {str(metric): float(value) for metric, value in numbers.items()}
            for name, numbers in held.items()
        }
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise BadRequest(f"{path} holds no numbers of a scoreboard: {error}") from None


def steady_numbers(board: Scoreboard) -> dict[str, dict[str, float]]:
    """The numbers of a run that are worth holding."""
    found = {
        record.measurement: {
            metric.name: metric.value
            for metric in record.metrics
            if metric.unit in _STEADY and metric.value is not None
        }
        for record in board.records
        if record.state is MeasurementState.DONE
    }
    return {name: numbers for name, numbers in found.items() if numbers}


def below(board: Scoreboard, held: HeldNumbers) -> list[str]:
    """What is worse than it was held to be, in sentences: numbers, and measurements that broke or
    were cut short. What cannot run here is no fault of the change."""
    found: list[str] = []
    for record in board.records:
        if record.state in (MeasurementState.FAILED, MeasurementState.PARTLY):
            found.append(f"{record.title}: {record.state}. {record.why}")
        found += _worse(record, held.get(record.measurement, {}))
    measured = {record.measurement for record in board.records}
    found += [f"{name} is not measured any more" for name in held if name not in measured]
    return found


def _worse(record: MeasurementRecord, held: Mapping[str, float]) -> list[str]:
    known = {metric.name: metric for metric in record.metrics}
    found = [
        f"{record.title}, {name}: {amount(metric.value, metric.unit)}, "
        f"was {amount(held[name], metric.unit)}"
        for name, metric in known.items()
        if name in held and _is_below(metric, held[name])
    ]
    if record.state is MeasurementState.DONE:
        gone = [name for name in held if name not in known]
        found += [f"{record.title}, {name}: there is no such number any more" for name in gone]
    return found


def _is_below(metric: MetricValue, held: float) -> bool:
    if metric.value is None:
        return True
    slack = SLACK_POINTS if metric.unit == "share" else SLACK_PART * abs(held)
    lost = held - metric.value if metric.better is Better.HIGHER else metric.value - held
    return lost > slack
