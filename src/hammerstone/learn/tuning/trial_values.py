"""Which values are tried next: first a grid, then a Bayesian search where Optuna is there."""

import importlib.util
from collections.abc import Sequence
from typing import Any

from hammerstone.learn.tuning.knob import Knob

GRID, BAYESIAN = "grid", "grid and Bayesian search"
NO_OPTUNA = (
    "searching a grid alone: Optuna is not installed (pip install 'hammerstone[learn]' adds it)"
)
_DECIMALS = 4

Tried = tuple[dict[str, float], float]


def has_optuna() -> bool:
    return importlib.util.find_spec("optuna") is not None


class GridTrials:
    """The values in force, then the knob's grid, each once."""

    def __init__(self, knob: Knob) -> None:
        self._values = [knob.present(), *knob.grid()]

    def next(self, tried: Sequence[Tried]) -> dict[str, float] | None:
        known = [values for values, _ in tried]
        return next((values for values in self._values if values not in known), None)


class BayesianTrials:
    """Optuna's tree of Parzen estimators, told all that was tried, so it goes on where it was."""

    def __init__(self, knob: Knob, seed: int = 0) -> None:
        self._knob = knob
        self._seed = seed

    def next(self, tried: Sequence[Tried]) -> dict[str, float] | None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        space: dict[str, Any] = {
            name: optuna.distributions.FloatDistribution(low, high)
            for name, (low, high) in self._knob.bounds().items()
        }
        sampler = optuna.samplers.TPESampler(
            seed=self._seed + len(tried), n_startup_trials=0, multivariate=len(space) > 1
        )
        study = optuna.create_study(direction="maximize", sampler=sampler)
        for values, score in tried:
            if all(low <= values[name] <= high for name, (low, high) in self._limits()):
                params = {name: values[name] for name in space}
                study.add_trial(
                    optuna.trial.create_trial(params=params, distributions=space, value=score)
                )
        known = [values for values, _ in tried]
        for _ in range(20):
            asked = study.ask(space)
            found = self._knob.sound({n: round(v, _DECIMALS) for n, v in asked.params.items()})
            if found is not None and found not in known:
                return found
        return None

    def _limits(self) -> list[tuple[str, tuple[float, float]]]:
        return list(self._knob.bounds().items())
