"""Files named in a request: `@path`, or a path that was dragged into the window."""

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

# A quoted path, or one up to the next blank that no backslash protects.
_NAMED = re.compile(
    r"""(?<!\S)(@?)(?:'((?:/|~|file:)[^']+)'|"((?:/|~|file:)[^"]+)"|((?:\\.|[^\s'"\\])+))"""
)
_PLACES = ("/", "~", "file:")


@dataclass(frozen=True, slots=True)
class FilesInLine:
    """A request with the names of its files in place of their paths, and the paths."""

    text: str
    paths: tuple[Path, ...]
    missing: tuple[str, ...]  # named with an @, and not there


def files_in(line: str) -> FilesInLine:
    """The files that a line names. A whole path counts where a file is; a word such as
    "and/or" and an address of somebody stay words."""
    paths: list[Path] = []
    missing: list[str] = []

    def named(found: "re.Match[str]") -> str:
        at, single, double, bare = found.groups()
        written = single or double or re.sub(r"\\(.)", r"\1", bare)
        if not at and not written.startswith(_PLACES):
            return found.group()
        path = file_at(written)
        if not path.is_file():
            if at and ("/" in written or "." in written):
                missing.append(written)
            return found.group()
        paths.append(path)
        return path.name

    text = _NAMED.sub(named, line)
    return FilesInLine(text, tuple(paths), tuple(missing))


def file_at(written: str) -> Path:
    """The path that somebody wrote, also as an address; `~` is the home folder."""
    address = urlsplit(written)
    if address.scheme == "file":
        return Path(unquote(address.path))
    return Path(written).expanduser()
