"""What JSON can hold, as types."""

from collections.abc import Mapping
from typing import TypeAlias

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
JsonObject: TypeAlias = dict[str, Json]
JsonSchema: TypeAlias = Mapping[str, Json]
