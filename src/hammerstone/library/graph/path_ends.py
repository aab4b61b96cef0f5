"""What somebody has and what somebody wants, in the graph's words."""

from dataclasses import dataclass

from hammerstone.core.json_types import Json
from hammerstone.library.graph.values.shapes import (
    FILE,
    Shape,
    shape_of_schema,
    shape_of_value,
)


@dataclass(frozen=True, slots=True)
class Have:
    """Something at hand: a value, a type, a file, or what a tool returned."""

    name: str
    shape: Shape
    tool: str = ""  # whose result it is; edges learned from that tool count

    @classmethod
    def value(cls, name: str, value: Json) -> "Have":
        return cls(name, shape_of_value(value, name))

    @classmethod
    def type(cls, name: str, schema: Json) -> "Have":
        return cls(name, shape_of_schema(schema, name))

    @classmethod
    def file(cls, name: str) -> "Have":
        return cls(name, FILE)

    @classmethod
    def result(cls, tool: str, shape: Shape | None = None) -> "Have":
        """What `tool` returned; its declared type unless the value's own shape is given."""
        return cls(f"result of {tool}", shape or Shape("any"), tool)


@dataclass(frozen=True, slots=True)
class Want:
    """The end that a path has to reach: a tool's result, a type, or what a description names."""

    tool: str = ""
    shape: Shape | None = None
    text: str = ""

    @classmethod
    def result_of(cls, tool: str) -> "Want":
        return cls(tool=tool)

    @classmethod
    def type(cls, schema: Json, name: str = "") -> "Want":
        return cls(shape=shape_of_schema(schema, name))

    @classmethod
    def described(cls, text: str) -> "Want":
        return cls(text=text)

    def __str__(self) -> str:
        if self.tool:
            return f"the result of {self.tool}"
        return str(self.shape) if self.shape is not None else f'"{self.text}"'
