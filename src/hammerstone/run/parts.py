"""What a run works with, put together by the app."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, cast

from hammerstone.connectors import Connectors
from hammerstone.core.chat import Role
from hammerstone.core.clock import Clock
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Allowance, Model, Proofs, Repairer, Sandbox
from hammerstone.guard.approvals import ApprovalDesk
from hammerstone.guard.services import ServiceBreakers
from hammerstone.guard.stop import StopSwitch
from hammerstone.library.caches import CallCache, RequestMemo
from hammerstone.library.duplicates import Duplicates
from hammerstone.library.graph import SkillGraph
from hammerstone.library.memory import Memory
from hammerstone.library.policies import Policies
from hammerstone.library.registry import Registry
from hammerstone.library.search import ToolSearch
from hammerstone.library.skills import Skills
from hammerstone.library.upkeep.lifecycle import Lifecycle
from hammerstone.library.workflows import Workflows
from hammerstone.storage import Database
from hammerstone.tracing.tracer import Tracer
from hammerstone.tracing.traces import Scrub


class RoleModels(Protocol):
    """The role table: which model answers for which job."""

    def for_role(self, role: Role, *, allowance: Allowance | None = None) -> Model: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Parts:
    """`sandbox` opens it on first use: a repeated request never pays for it."""

    db: Database
    registry: Registry
    search: ToolSearch
    calls: CallCache
    memo: RequestMemo
    policies: Policies
    models: RoleModels
    sandbox: Callable[[], Awaitable[Sandbox]]
    tracer: Tracer
    scrub: Scrub
    clock: Clock
    stop: StopSwitch
    desk: ApprovalDesk
    services: ServiceBreakers
    connectors: Connectors
    memory: Memory
    graph: SkillGraph
    skills: Skills
    proofs: Proofs | None = None
    repairer: Repairer | None = None
    workflows: Workflows | None = None
    lifecycle: Lifecycle | None = None
    duplicates: Duplicates | None = None

    def clean_text(self, text: str) -> str:
        """The text as it may be stored: without secrets and personal data."""
        return str(self.scrub(text))

    def clean(self, document: JsonObject) -> JsonObject:
        """The document as it may be stored."""
        return cast(JsonObject, self.scrub(document))

    def storable(self, value: Json) -> bool:
        """Whether nothing in the value has to be scrubbed: only such values are cached, since
        a scrubbed one would be a wrong answer later."""
        return self.scrub(value) == value
