"""Input files copied to where a guest can be shown them, read-only."""

import contextlib
import errno
import re
import secrets
import shutil
import tempfile
import unicodedata
from collections.abc import Collection, Mapping
from pathlib import Path

from hammerstone.core.database_files import refuse_database
from hammerstone.core.errors import BadRequest, SandboxLost


class FileStage:
    """A folder of copies: the originals may lie where the guest's uid cannot go."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="hammerstone-stage-"))
        # May be entered and not listed: who does not know a folder's random name, another
        # person on this machine or another guest, cannot reach the copies in it.
        self.folder.chmod(0o711)

    def put(self, files: Mapping[str, Path]) -> Path:
        """Copy the files into a new folder of the stage, under their keys."""
        folder = self.folder / secrets.token_hex(8)
        for name in files:
            refuse_database(files[name])
            if safe_name(name) != name:
                raise BadRequest(
                    f"a file cannot be called {name!r}", hint=f"use {safe_name(name)!r}"
                )
        try:
            folder.mkdir(mode=0o755)
            for name, path in files.items():
                shutil.copyfile(path, folder / name)
                (folder / name).chmod(0o444)
        except OSError as error:
            self.drop(folder)
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise SandboxLost(f"no space for a copy of the input files: {error}") from None
            raise BadRequest(f"a file cannot be read: {error}") from None
        return folder

    def drop(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            shutil.rmtree(self.folder)


_UNSAFE = re.compile(r"[^\w.()+,=@ -]", re.UNICODE)
_RESERVED = re.compile(r"(?i)^(con|prn|aux|nul|com\d|lpt\d)(\.|$)")
NAME_CHARS = 120
NAME_BYTES = 200  # file systems count bytes, and stop at 255


def safe_name(name: str, taken: Collection[str] = ()) -> str:
    """A base name without separators, controls, leading dots or reserved words, not in `taken`."""
    plain = unicodedata.normalize("NFC", name).replace("/", "_").replace("\\", "_")
    plain = _UNSAFE.sub("_", plain).strip(" .-~") or "file"
    if _RESERVED.match(plain):
        plain = f"_{plain}"
    stem, dot, suffix = plain.rpartition(".")
    if not dot or len(suffix) > 12:
        stem, suffix = plain, ""
    ending = f".{suffix}" if suffix else ""
    room = NAME_BYTES - len(ending.encode())
    stem = stem[: NAME_CHARS - len(ending)].encode()[:room].decode("utf-8", "ignore")
    candidate, number = f"{stem}{ending}", 1
    while candidate in taken:
        number += 1
        candidate = f"{stem}_{number}{ending}"
    return candidate
