"""The skill graph: which tool can follow which, what runs taught about it, and paths."""

from hammerstone.library.graph.edges import Edge, Transition, transitions_of
from hammerstone.library.graph.graph import SkillGraph
from hammerstone.library.graph.path import Binding, GraphPolicy, Have, Hop, Path, Want

__all__ = [
    "Binding",
    "Edge",
    "GraphPolicy",
    "Have",
    "Hop",
    "Path",
    "SkillGraph",
    "Transition",
    "Want",
    "transitions_of",
]
