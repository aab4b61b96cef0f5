"""Every control of this machine and its state, in the order of the ways in, for `doctor
--security`."""

from pathlib import Path

from hammerstone.app.security.confinement import confinement_controls
from hammerstone.app.security.control import SecurityControl, off
from hammerstone.app.security.door_controls import entry_controls, outside_controls
from hammerstone.app.security.file_controls import file_controls
from hammerstone.app.security.stored_controls import StoredState, stored_controls, stored_state
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.settings import Settings


async def security_controls(settings: Settings, here: Path) -> list[SecurityControl]:
    """The state of each control; `here` is the working directory."""
    files = file_controls(settings, here)  # before the sandbox makes what is missing
    try:
        stored = await stored_state(settings)
        kept = stored_controls(stored)
    except HammerstoneError as error:
        stored = StoredState()
        fix = error.hint or "hammerstone db check"
        kept = [off("database", f"what is stored cannot be checked: {error.message}", fix)]
    return [
        *await confinement_controls(settings),
        *entry_controls(settings, stored),
        *files,
        *outside_controls(settings, stored),
        *kept,
    ]
