"""`hammerstone uninstall`: stop what runs, and say what else there is to delete."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from hammerstone.core.formatting import count, size
from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.tables import show_pairs
from hammerstone.serve.cli.terminal import one_line

if TYPE_CHECKING:
    from hammerstone.core.settings import Settings

_PATIENCE_S = 10.0
_LOOK_S = 0.05


def uninstall(
    as_json: AsJson = False,
) -> None:
    """Stop everything that runs in the background, and list the folders you can delete.

    Nothing is deleted: your tools and sessions are yours. What you started in another window,
    such as `hammerstone serve`, is listed; it ends with Ctrl-C there.
    """
    from hammerstone.core.settings import load_settings
    from hammerstone.serve.cli.requests.pictures import picture_folder

    settings = load_settings()
    stopped = _stop_models(settings.runtime_dir)
    running = _running(settings)
    found = [settings.data_dir, picture_folder()]
    folders = {str(folder): _size(folder) for folder in found if folder.is_dir()}
    if as_json:
        print_json({"stopped": stopped, "running": [*running], "folders": folders})
        return
    ended = count(len(stopped), "model process was", "model processes were")
    say(f"{ended} stopped." if stopped else "No model was running in the background.")
    for pid, command in running.items():
        told = f"Still running: {command}. End it with Ctrl-C in its window, or with: kill {pid}"
        tell(told, style="yellow")
    if folders:
        say("These folders can be deleted:")
        show_pairs([(f"  {path}", size(taken)) for path, taken in folders.items()], style="")
        tell("The first one holds your tools, sessions and models.", style="yellow")
    say("Then remove the program, the way you installed it:")
    say("  uv tool uninstall hammerstone\n  pip uninstall hammerstone")


def _stop_models(runtime_dir: Path) -> list[int]:
    """End every model process of this data folder, and wait until they are gone."""
    from hammerstone.models.local.rendezvous import live_processes

    stopped = live_processes(runtime_dir)
    for pid in stopped:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + _PATIENCE_S
    while (left := live_processes(runtime_dir)) and time.monotonic() < deadline:
        time.sleep(_LOOK_S)
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return stopped


def _running(settings: "Settings") -> dict[int, str]:
    """Other processes that use this data folder, with what was typed to start them."""
    from hammerstone.storage.files.hold import holders
    from hammerstone.storage.files.names import FILE_NAME

    found: dict[int, str] = {}
    for pid in holders(settings.data_dir / FILE_NAME):
        with suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
            found[pid] = one_line(" ".join(words).strip())
    return found


def _size(folder: Path) -> int:
    """What the files in it take; links are not followed."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += (Path(place) / name).lstat().st_size
    return total
