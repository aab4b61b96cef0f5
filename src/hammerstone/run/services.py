"""The services that answering a request needs, in five groups; the app makes each once.

A stage takes in its constructor the group or the single service that it works with.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from hammerstone.connectors import Connectors
from hammerstone.core.chat import Role
from hammerstone.core.clock import Clock
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Allowance, Model, Sandbox
from hammerstone.guard.approvals import ApprovalDesk
from hammerstone.guard.services import ServiceBreakers
from hammerstone.guard.stop import StopSwitch
from hammerstone.library.caches import CallCache, RequestMemo
from hammerstone.library.documents import Documents
from hammerstone.library.graph import SkillGraph
from hammerstone.library.memory import Memory
from hammerstone.library.policies import Policies
from hammerstone.library.prompting.own_adapters import OwnAdapters
from hammerstone.library.search import ToolSearch
from hammerstone.library.skills import Skills
from hammerstone.library.tools.duplicates import Duplicates
from hammerstone.library.tools.registry import Registry
from hammerstone.library.tools.upkeep.lifecycle import Lifecycle
from hammerstone.library.workflows import Workflows
from hammerstone.storage import Database
from hammerstone.tracing.tracer import Tracer
from hammerstone.tracing.traces import Scrub

OpenSandbox: TypeAlias = Callable[[], Awaitable[Sandbox]]
"""Opens the sandbox on first use: a repeated request never pays for it."""


class RoleModels(Protocol):
    """The role table: which model answers for which job; `chosen` is asked in its place."""

    def for_role(
        self, role: Role, *, allowance: Allowance | None = None, chosen: str | None = None
    ) -> Model: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What tools are found in, and what looks after them there."""

    registry: Registry
    search: ToolSearch
    graph: SkillGraph
    skills: Skills
    workflows: Workflows
    lifecycle: Lifecycle
    duplicates: Duplicates
    documents: Documents
    adapters: OwnAdapters  # of the embedded model


@dataclass(frozen=True, slots=True)
class Workshop:
    """What does the work: models, the sandbox with its cache, and services outside."""

    models: RoleModels
    sandbox: OpenSandbox
    calls: CallCache
    connectors: Connectors
    breakers: ServiceBreakers


@dataclass(frozen=True, slots=True)
class Guards:
    """What decides and says no: the numbers in force, the stop switch, people's approvals."""

    policies: Policies
    stop: StopSwitch
    desk: ApprovalDesk


@dataclass(frozen=True, slots=True)
class Memories:
    """What is remembered for a person: facts and exchanges, and answers word for word."""

    memory: Memory
    memo: RequestMemo


@dataclass(frozen=True, slots=True)
class Records:
    """What is written down: when, where, and without what is private."""

    db: Database
    clock: Clock
    tracer: Tracer
    scrub: Scrub

    def clean_text(self, text: str) -> str:
        """The text as it may be stored: without secrets and personal data."""
        return str(self.scrub(text))

    def clean(self, document: JsonObject) -> JsonObject:
        """The document as it may be stored."""
        cleaned = self.scrub(document)
        assert isinstance(cleaned, dict)
        return cleaned

    def storable(self, value: Json) -> bool:
        """Whether nothing in the value has to be scrubbed: only such values are cached, since
        a scrubbed one would be a wrong answer later."""
        return self.scrub(value) == value


@dataclass(frozen=True, slots=True)
class Services:
    """All that an engine holds, by what it is for."""

    catalogue: Catalogue
    workshop: Workshop
    guards: Guards
    records: Records
    memories: Memories
