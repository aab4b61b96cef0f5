"""Controls of files: who else on this machine can read what is kept, and what a project brings."""

import grp
import os
import pwd
import shlex
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from hammerstone.app.security.control import SecurityControl, off, ok, weak
from hammerstone.core.settings import SETTINGS_FILE, Settings
from hammerstone.tracing.scrub import Scrubber
from hammerstone.tracing.scrub.secrets import SECRET_KINDS


class Reach(StrEnum):
    """Who beside its owner can do something with a file or folder, by its mode."""

    NOBODY = "nobody else"
    GROUP = "its group"
    EVERYBODY = "every account of this machine"


def file_controls(settings: Settings, here: Path) -> list[SecurityControl]:
    """`here` is the working directory, whose settings file may be somebody else's."""
    return [data_folder(settings), settings_file(settings), project_file(settings, here)]


def data_folder(settings: Settings) -> SecurityControl:
    name, folder = "data folder", settings.data_dir
    try:
        if not folder.exists():
            return ok(name, f"{folder} is not there yet; it is made for you alone")
        owner, who = folder.stat().st_uid, reach(folder)
    except OSError as error:
        return off(
            name,
            f"{folder}: {error.strerror}",
            "set HAMMERSTONE_DATA_DIR to a folder that belongs to you",
        )
    if owner not in (os.geteuid(), 0):
        return off(
            name,
            f"{folder} belongs to {_account(owner)}",
            "set HAMMERSTONE_DATA_DIR to a folder that belongs to you",
        )
    return _by_reach(name, folder, who, "chmod 700", off)


def settings_file(settings: Settings) -> SecurityControl:
    """The person's own settings, which may hold keys."""
    name, file = "settings file", settings.data_dir / SETTINGS_FILE
    try:
        if not file.exists():
            return ok(name, "there is none")
        who = reach(file)
    except OSError as error:
        return off(name, f"{file}: {error.strerror}", "give it to the account you work with")
    return _by_reach(name, file, who, "chmod 600", off if secret_names(file) else weak)


def project_file(settings: Settings, here: Path) -> SecurityControl:
    """The settings file of the project, which is shared with everybody who has the project.

    Names that such a file may not set are refused before any command runs; this looks for
    secrets under other names.
    """
    name, file = "project's settings", here / SETTINGS_FILE
    if not file.exists() or file.parent == settings.data_dir:
        return ok(name, f"no {SETTINGS_FILE} in the working directory")
    found = secret_names(file)
    if found:
        detail = f"{file} holds what looks like a secret: {', '.join(found)}"
        return off(
            name,
            detail,
            "move it to an environment variable, and get a new one: others may know it",
        )
    return ok(name, f"{file}: no secret found")


def reach(path: Path) -> Reach:
    """Who can get at a path: its own mode, and whether the folders above let anybody pass."""
    real = path.resolve()
    about = real.stat()
    above = [parent.stat().st_mode for parent in real.parents]
    wanted = 0o7 if real.is_dir() else 0o6
    if about.st_mode & wanted and all(mode & 0o001 for mode in above):
        return Reach.EVERYBODY
    shared = not _is_personal(about.st_gid, about.st_uid)
    if shared and about.st_mode & (wanted << 3) and all(mode & 0o011 for mode in above):
        return Reach.GROUP
    return Reach.NOBODY


def secret_names(file: Path) -> list[str]:
    """The names in a settings file whose values look like secrets; never the values."""
    try:
        values = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return []
    hidden: Any = Scrubber(kinds=SECRET_KINDS)(values)
    return _changed(values, hidden)


def _changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    names: list[str] = []
    for name, value in before.items():
        other = after.get(name)
        if isinstance(value, dict) and isinstance(other, dict):
            names += [f"{name}.{inner}" for inner in _changed(value, other)]
        elif value != other:
            names.append(name)
    return names


def _by_reach(name: str, path: Path, who: Reach, change: str, worst: Any) -> SecurityControl:
    if who is Reach.NOBODY:
        return ok(name, f"{path}: yours alone")
    state = worst if who is Reach.EVERYBODY else weak
    return state(name, f"{path} is open to {who}", f"{change} {shlex.quote(str(path))}")


def _is_personal(group: int, user: int) -> bool:
    """Whether a group is the one that many systems give each account for itself."""
    try:
        return grp.getgrgid(group).gr_name == pwd.getpwuid(user).pw_name
    except KeyError:
        return False


def _account(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"account {user}"
