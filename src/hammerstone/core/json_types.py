"""What JSON can hold, as types."""

from collections.abc import Mapping
from typing import Any, TypeAlias, TypeGuard

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
JsonObject: TypeAlias = dict[str, Json]
JsonSchema: TypeAlias = Mapping[str, Json]


def is_record(value: Any) -> TypeGuard[dict[Any, Any]]:
    """Whether a value that came from elsewhere is a dictionary."""
    return isinstance(value, dict)


def is_sequence(value: Any) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """Whether a value that came from elsewhere is a list or a tuple."""
    return isinstance(value, list | tuple)


def is_set(value: Any) -> TypeGuard[set[Any] | frozenset[Any]]:
    """Whether a value that came from elsewhere is a set."""
    return isinstance(value, set | frozenset)
