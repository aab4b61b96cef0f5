"""What a run works with, put together by the app."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from hammerstone.core.chat import Role
from hammerstone.core.clock import Clock
from hammerstone.core.seams import Model, Sandbox
from hammerstone.library.caches import CallCache, RequestMemo
from hammerstone.library.policies import Policies
from hammerstone.library.registry import Registry
from hammerstone.library.search import ToolSearch
from hammerstone.models.wrappers.budget import Allowance
from hammerstone.storage import Database
from hammerstone.tracing.tracer import Tracer


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
    clock: Clock
