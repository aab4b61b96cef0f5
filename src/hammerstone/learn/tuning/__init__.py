"""Tuning: better numbers for policies, found on earlier decisions and judged on later ones."""

from hammerstone.learn.tuning.knob import Knob, TuningCase
from hammerstone.learn.tuning.tuner import StudyOutcome, Tuner, TuningFinding
from hammerstone.learn.tuning.tuning_policy import TuningPolicy

__all__ = [
    "Knob",
    "StudyOutcome",
    "Tuner",
    "TuningCase",
    "TuningFinding",
    "TuningPolicy",
]
