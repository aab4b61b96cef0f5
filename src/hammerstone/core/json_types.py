"""What JSON can hold, as types, and containers whose items may be anything."""

from collections.abc import Mapping
from typing import Any, TypeAlias, TypeGuard

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
JsonObject: TypeAlias = dict[str, Json]
JsonSchema: TypeAlias = Mapping[str, Json]


def is_dict(value: object) -> TypeGuard[dict[Any, Any]]:
    return isinstance(value, dict)


def is_mapping(value: object) -> TypeGuard[Mapping[Any, Any]]:
    return isinstance(value, Mapping)


def is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def is_sequence(value: object) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """A list or a tuple; a text is none."""
    return isinstance(value, list | tuple)


def is_set(value: object) -> TypeGuard[set[Any] | frozenset[Any]]:
    return isinstance(value, set | frozenset)


def is_collection(
    value: object,
) -> TypeGuard[list[Any] | tuple[Any, ...] | set[Any] | frozenset[Any]]:
    return isinstance(value, list | tuple | set | frozenset)
