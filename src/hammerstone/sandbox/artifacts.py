"""Names of output files that are safe to write anywhere."""

import re
import unicodedata
from collections.abc import Collection

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
