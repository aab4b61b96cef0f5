"""Hammerstone: an agent that builds, proves and reuses its own tools.

    async with Hammerstone.open() as hs:
        answer = await hs.ask("What is 17.5% of 240?")
        print(answer.text, answer.sureness, answer.why)

Or, without async: `hammerstone.ask("What is 17.5% of 240?")`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone, ask
    from hammerstone.core.answers import Answer, Cost, Event
    from hammerstone.core.errors import HammerstoneError
    from hammerstone.core.settings import Settings
    from hammerstone.run.request import AskOptions

_HOMES = {
    "Answer": "hammerstone.core.answers",
    "AskOptions": "hammerstone.run.request",
    "Cost": "hammerstone.core.answers",
    "Event": "hammerstone.core.answers",
    "Hammerstone": "hammerstone.app.hammerstone",
    "HammerstoneError": "hammerstone.core.errors",
    "Settings": "hammerstone.core.settings",
    "ask": "hammerstone.app.hammerstone",
}

__all__ = [
    "Answer",
    "AskOptions",
    "Cost",
    "Event",
    "Hammerstone",
    "HammerstoneError",
    "Settings",
    "ask",
]


def __getattr__(name: str) -> Any:
    """Public names are imported on first use, so that `import hammerstone` costs nothing.

    Garbage is collected afterwards: nearly all that is made meanwhile stays.
    """
    if name not in _HOMES:
        raise AttributeError(f"module 'hammerstone' has no attribute {name!r}")
    import gc
    from importlib import import_module

    collects = gc.isenabled()
    gc.disable()
    try:
        return getattr(import_module(_HOMES[name]), name)
    finally:
        if collects:
            gc.enable()
