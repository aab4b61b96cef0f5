"""What measurements share: opened when the first one asks for it, closed at the end."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.chat import Role
from hammerstone.core.errors import BadRequest, ModelMissing
from hammerstone.core.seams import Embedder, Model, Sandbox
from hammerstone.core.settings import Settings
from hammerstone.evaluation.board.fresh import fresh_settings, without_database
from hammerstone.evaluation.board.measurement import Needs, checkout
from hammerstone.evaluation.retrieval.kept_vectors import KeptVectors
from hammerstone.library.policies import Policies, PolicyDecision
from hammerstone.models.embedding.embedder_opening import open_embedder, why_words_only
from hammerstone.models.opening import LOCAL, Models, local_model_path, open_models
from hammerstone.sandbox import open_sandbox

OF_CHECKOUT = "evals/"  # files that are part of the repository


@dataclass(slots=True)
class BoardResources:
    """`data` is the folder of the data files; None where there is none on this machine.

    `settings` name no database of the person's: `own` are those that do.
    """

    own: Settings
    policies: Policies
    data: Path | None = None
    settings: Settings = field(init=False)
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    _sandbox: Sandbox | None = None
    _embedder: Embedder | None = None
    _models: Models | None = None

    def __post_init__(self) -> None:
        self.settings = without_database(self.own)

    def find_file(self, name: str) -> Path | None:
        if Path(name).is_absolute():
            path = Path(name)
        elif name.startswith(OF_CHECKOUT):
            root = checkout()
            path = root / name if root else None
        else:
            path = self.data / name if self.data else None
        return path if path is not None and path.exists() else None

    def file(self, name: str) -> Path:
        path = self.find_file(name)
        if path is None:
            raise BadRequest(f"the data file {name} is missing", hint="give its folder with --data")
        return path

    def unmet(self, needs: Needs) -> str:
        """Why a measurement cannot run here, in words; empty when it can."""
        if needs.checkout and checkout() is None:
            return "it needs the repository: run `hammerstone eval` from its folder"
        missing = [name for name in needs.files if self.find_file(name) is None]
        if missing:
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            return f"the data file {missing[0]}{more} is missing: give its folder with --data"
        if needs.model and (reason := self.no_model()):
            return reason
        if needs.embedder and (reason := why_words_only(self.settings)):
            return reason
        return ""

    def no_model(self) -> str:
        """Why no model can be asked; empty when one is configured and its file is there."""
        if self.settings.model_for(Role.CODER) != LOCAL:
            return ""
        path = local_model_path(self.settings)
        return (
            "" if path.is_file() else f"{path} is missing: fetch it with `hammerstone model pull`"
        )

    async def sandbox(self) -> Sandbox:
        if self._sandbox is None:
            self._sandbox = await open_sandbox(self.settings)
            self._stack.push_async_callback(self._sandbox.close)
        return self._sandbox

    async def embedder(self) -> Embedder:
        if self._embedder is None:
            found = open_embedder(self.settings)
            if found is None:
                raise ModelMissing(why_words_only(self.settings))
            self._embedder = KeptVectors(found, self.settings.data_dir / "evaluation")
            self._stack.push_async_callback(found.close)
        return self._embedder

    def model(self, role: Role) -> Model:
        if self._models is None:
            self._models = open_models(self.settings)
            self._stack.push_async_callback(self._models.close)
        return self._models.for_role(role)

    @property
    def tokens(self) -> int:
        """Tokens of the shared models so far."""
        readings = self._models.meter.readings.values() if self._models else ()
        return sum(one.usage.tokens for one in readings)

    @asynccontextmanager
    async def product(self, **changes: Any) -> AsyncIterator[Hammerstone]:
        """A fresh product: own database, the configured models, the policies of this evaluation."""
        with tempfile.TemporaryDirectory(prefix="hammerstone-eval-") as folder:
            own = fresh_settings(self.settings, Path(folder), **changes)
            async with Hammerstone.open(own) as engine:
                for kind in self.policies.kinds:
                    value = self.policies.stored(kind.name)
                    if value is not None:
                        decision = PolicyDecision("evaluation", "as in the evaluation")
                        await engine.policies.put(kind.name, value, decision)
                yield engine

    async def close(self) -> None:
        await self._stack.aclose()
