"""The body of a response: so many bytes of it, unpacked, and what they say."""

import httpx

from hammerstone.core import intake
from hammerstone.core.intake import Inflation, read_apart
from hammerstone.core.json_types import Json

# A body that is packed can be a thousand times larger than what was sent.
UNPACKED = {"accept-encoding": "identity"}


async def body_of(response: httpx.Response, max_bytes: int) -> bytes:
    """The first bytes of a body; raises `IntakeError` for one that cannot be unpacked."""
    encoding = response.headers.get("content-encoding", "")
    packed = encoding.strip().lower() not in ("", "identity")
    inflation = Inflation(encoding, max_bytes)
    async for piece in response.aiter_raw() if packed else response.aiter_bytes():
        inflation.feed(piece)
        if inflation.full:
            break
    return bytes(inflation.content)


async def text_of(response: httpx.Response, content: bytes) -> str:
    """The text of a body, in the charset that it says if that is one of the web's."""
    kind = response.headers.get("content-type", "")
    return await read_apart(intake.read_text, content, kind)


async def json_of(content: bytes | str) -> Json:
    """The value of a body; raises `IntakeError`."""
    return await read_apart(intake.read_json, content)
