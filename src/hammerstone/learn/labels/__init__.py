"""Labels of decisions, from what people say and do: was the tool right, was the answer?"""

from hammerstone.learn.labels.label_policy import LabelPolicy
from hammerstone.learn.labels.labeller import DecisionLabel, Labeller, LabelSignal

__all__ = ["DecisionLabel", "LabelPolicy", "LabelSignal", "Labeller"]
