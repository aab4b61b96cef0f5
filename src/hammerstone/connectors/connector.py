"""The one shape of every way to the outside."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from hammerstone.core.errors import HammerstoneError
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Effect


class ServiceDown(HammerstoneError):
    """The service did not answer, or not in time: it may later."""

    code = "service_down"
    exit_code = 6


@dataclass(frozen=True, slots=True)
class Offer:
    """Something a connector can do. `name` is `connector.operation`."""

    name: str
    connector: str
    description: str
    parameters: JsonObject
    effect: Effect = Effect.READS
    web: bool = False  # finds or reads pages: allowed from another maturity than the rest


@dataclass(frozen=True, slots=True)
class ConnectorResult:
    """What came back: text for people and models, `value` for programs. Data, never orders."""

    text: str
    value: Json
    source: str  # where it is from, as a person would name it


class Connector(Protocol):
    """Raises `ServiceDown` when the service does not answer, `BadRequest` for arguments that it
    does not take, `Refused` for what the person did not allow. Nothing else."""

    @property
    def name(self) -> str: ...

    @property
    def service(self) -> str:
        """What the breaker is called: `mcp:NAME`, `http:NAME`, `search:NAME`, `pages:web`."""
        ...

    async def offers(self) -> list[Offer]: ...

    async def call(self, operation: str, arguments: Mapping[str, Json]) -> ConnectorResult: ...

    async def close(self) -> None: ...
