"""A model around a model: what every wrapper shares."""

from hammerstone.core.chat import OnToken, Prompt, Reply, Usage
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.seams import Model


class Wrapper:
    """Passes everything on; a wrapper overrides `complete`."""

    def __init__(self, inner: Model) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        return self._inner.name

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        return await self._inner.complete(prompt, on_token=on_token)

    async def close(self) -> None:
        await self._inner.close()


def spent_by(error: HammerstoneError) -> Usage:
    """What a failed call has cost all the same."""
    usage = error.data.get("usage")
    return usage if isinstance(usage, Usage) else Usage()
