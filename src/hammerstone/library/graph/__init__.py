"""The skill graph: which tool can follow which, what runs taught about it, and paths."""

from hammerstone.library.graph.edges import Edge, Transition, transitions_of
from hammerstone.library.graph.graph import SkillGraph
from hammerstone.library.graph.graph_policy import GraphPolicy
from hammerstone.library.graph.path import Binding, Hop, Path
from hammerstone.library.graph.path_ends import Have, Want

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
