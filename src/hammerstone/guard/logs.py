"""Logs without secrets and personal data: a processor for structlog."""

from collections.abc import Callable, MutableMapping
from typing import Any, TypeAlias

from hammerstone.core.json_types import Json
from hammerstone.tracing.capture import capture

Processor: TypeAlias = Callable[[Any, str, MutableMapping[str, Any]], MutableMapping[str, Any]]

_OURS = frozenset({"level", "timestamp", "logger", "exc_info", "stack_info"})
_MAX_CHARS = 8_192


def scrub_logs(scrub: Callable[[Json], Json]) -> Processor:
    """A processor that scrubs every field; put it after `format_exc_info`, before the renderer."""

    def process(
        logger: Any, method: str, event: MutableMapping[str, Any]
    ) -> MutableMapping[str, Any]:
        ours = {key: event[key] for key in event if key in _OURS}
        rest = capture({k: v for k, v in event.items() if k not in _OURS}, _MAX_CHARS)
        clean = scrub(rest)
        event.clear()
        event.update(ours)
        if isinstance(clean, dict):
            event.update(clean)
        return event

    return process
