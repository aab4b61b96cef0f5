"""What is remembered between requests: rules, facts, exchanges, a summary."""

from hammerstone.library.memory.context import Context, MemoryPolicy, RelatedExchange
from hammerstone.library.memory.layers import Layers
from hammerstone.library.memory.memory import Memory, MemoryRequest
from hammerstone.library.memory.memory_instructions import Layer

__all__ = [
    "Context",
    "Layer",
    "Layers",
    "Memory",
    "MemoryPolicy",
    "MemoryRequest",
    "RelatedExchange",
]
