"""What is remembered between requests: rules, facts, exchanges, a summary."""

from hammerstone.library.memory.context import Context, Recalled
from hammerstone.library.memory.layers import Layers
from hammerstone.library.memory.memory import Asking, Memory
from hammerstone.library.memory.policy import MemoryPolicy
from hammerstone.library.memory.told import Layer

__all__ = ["Asking", "Context", "Layer", "Layers", "Memory", "MemoryPolicy", "Recalled"]
