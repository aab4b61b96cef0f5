"""Marks that stand for one value each, and the sealed way back for those who may take it.

Two occurrences of one address get the same mark, so a trace stays readable; another tenant's
key gives another mark, so tenants cannot be joined. Without the key a mark says nothing; with
a vault, the key opens what is behind it. Deleting a tenant's key makes both final.
"""

import hashlib
import hmac
import os
import re
from typing import Protocol

from hammerstone.core.errors import NotFound, SettingsError

_MARK_HEX = 8  # 32 bits: at 10,000 values in a tenant, a 1 % chance that any two share a mark
_NONCE_BYTES = 12
_MARK = re.compile(r"\[([a-z-]+):([0-9a-f]+)\]")


class Vault(Protocol):
    """Keeps sealed values by their mark, for one tenant. It never sees a value or a key."""

    def put(self, mark: str, sealed: bytes) -> None: ...

    def find(self, mark: str) -> bytes | None: ...


class MemoryVault:
    """A vault that lasts as long as the process."""

    def __init__(self) -> None:
        self._sealed: dict[str, bytes] = {}

    def put(self, mark: str, sealed: bytes) -> None:
        self._sealed.setdefault(mark, sealed)

    def find(self, mark: str) -> bytes | None:
        return self._sealed.get(mark)


class Pseudonyms:
    """Marks of one tenant. `key` is 32 secret bytes; without a vault there is no way back."""

    def __init__(self, key: bytes, vault: Vault | None = None) -> None:
        if len(key) < 32:
            raise SettingsError("a tenant's key needs at least 32 bytes")
        # Two keys from one, so that naming a value tells nothing about sealing it.
        self._naming_key = hmac.digest(key, b"hammerstone mark", "sha256")
        self._sealing_key = hmac.digest(key, b"hammerstone seal", "sha256")
        self._vault = vault

    def mark(self, kind: str, value: str) -> str:
        """`[kind:hex]`, the same for the same value; sealed into the vault if there is one."""
        name = hmac.new(self._naming_key, f"{kind}\0{value}".encode(), hashlib.sha256)
        mark = f"[{kind}:{name.hexdigest()[:_MARK_HEX]}]"
        if self._vault is not None and self._vault.find(mark) is None:
            self._vault.put(mark, self._seal(mark, value))
        return mark

    def reveal(self, mark: str) -> str:
        """The value behind a mark; raises `NotFound` when this key and vault do not know it."""
        sealed = self._vault.find(mark) if self._vault is not None else None
        value = self._open(mark, sealed) if sealed is not None else None
        if value is None:
            raise NotFound(f"nothing is known behind {mark}", mark=mark)
        return value

    def reveal_all(self, text: str) -> str:
        """The text with every mark that can be opened replaced by its value."""

        def value_of(match: re.Match[str]) -> str:
            try:
                return self.reveal(match[0])
            except NotFound:
                return match[0]

        return _MARK.sub(value_of, text)

    def _seal(self, mark: str, value: str) -> bytes:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        nonce = os.urandom(_NONCE_BYTES)
        # The mark is authenticated too: a sealed value cannot be put behind another mark.
        return nonce + AESGCM(self._sealing_key).encrypt(nonce, value.encode(), mark.encode())

    def _open(self, mark: str, sealed: bytes) -> str | None:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        nonce, body = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
        try:
            return AESGCM(self._sealing_key).decrypt(nonce, body, mark.encode()).decode()
        except (InvalidTag, ValueError):
            return None
