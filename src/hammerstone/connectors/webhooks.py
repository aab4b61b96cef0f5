"""Signatures of webhooks, as the Standard Webhooks specification has them.

A call carries `webhook-id`, `webhook-timestamp` (seconds) and `webhook-signature` (one or more
`v1,BASE64`). Signed is `id.timestamp.body` with HMAC-SHA256. The id names the call: who sends it
again after an error keeps the id, and it counts once.
"""

import base64
import binascii
import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"
_MARK = "whsec_"
_ID = re.compile(r"[\x21-\x7e]{1,128}")
_SECONDS = re.compile(r"[0-9]{1,12}")


@dataclass(frozen=True, slots=True)
class SignedCall:
    """What a rightly signed call says about itself."""

    id: str
    sent_s: int


def new_secret() -> str:
    """A secret nobody can guess, in the form that senders take."""
    return _MARK + base64.b64encode(secrets.token_bytes(32)).decode()


def sign(secret: str, id: str, sent_s: int, body: bytes) -> str:
    """The signature of one call."""
    content = f"{id}.{sent_s}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(_key(secret), content, hashlib.sha256)).decode()


def signed_headers(secret: str, id: str, sent_s: int, body: bytes) -> dict[str, str]:
    return {ID: id, TIMESTAMP: str(sent_s), SIGNATURE: sign(secret, id, sent_s, body)}


def verified(secret: str, headers: Mapping[str, str], body: bytes) -> SignedCall | None:
    """The call if its signature is right; None for any other. Whether it is too old is for who
    knows the time: an old call is told so only where it is really the sender's."""
    id, sent, given = (headers.get(name, "") for name in (ID, TIMESTAMP, SIGNATURE))
    if not _ID.fullmatch(id) or not _SECONDS.fullmatch(sent):
        return None
    right = sign(secret, id, int(sent), body).encode()
    found = False
    for one in given.split(" ")[:8]:  # several while a secret is changed
        found |= hmac.compare_digest(one.encode("utf-8", "replace"), right)
    return SignedCall(id, int(sent)) if found else None


def _key(secret: str) -> bytes:
    text = secret.removeprefix(_MARK)
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return secret.encode()
