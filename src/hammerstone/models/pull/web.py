"""A file over HTTPS, from where an earlier attempt stopped."""

from urllib.parse import urlsplit

import httpx

from hammerstone.core.errors import PullError
from hammerstone.models.pull.model_files import WebSource
from hammerstone.models.pull.partial import Partial
from hammerstone.models.pull.progress import OnProgress, PullProgress

CONNECT_LIMIT_S = 5.0  # an unreachable first source must not delay the second one
READ_LIMIT_S = 30.0


async def fetch_web(source: WebSource, partial: Partial, on_progress: OnProgress) -> None:
    """Append what is missing. Raises `PullError` when the source does not deliver."""
    host = urlsplit(source.url).hostname or source.url
    timeout = httpx.Timeout(READ_LIMIT_S, connect=CONNECT_LIMIT_S)
    try:
        async with httpx.AsyncClient(timeout=timeout, follow_redirects=True) as client:
            start = partial.size
            headers = {"Range": f"bytes={start}-", "Accept-Encoding": "identity"}
            async with client.stream("GET", source.url, headers=headers) as response:
                start = _agreed_start(response, start, partial.file.size, host)
                await _append(response, partial, start, host, on_progress)
    except httpx.HTTPError as error:
        reason = str(error) or type(error).__name__
        raise PullError(f"{host}: {reason}", name=partial.file.name) from None


def _agreed_start(response: httpx.Response, wanted: int, size: int, host: str) -> int:
    """Where the answer's first byte belongs; refuses an answer that cannot be the file."""
    if response.status_code == httpx.codes.PARTIAL_CONTENT:
        range_ = response.headers.get("Content-Range", "")
        first, _, total = range_.removeprefix("bytes ").partition("/")
        if first.partition("-")[0] != str(wanted) or total not in ("*", str(size)):
            raise PullError(f"{host}: an unusable range, {range_!r}")
        return wanted
    if response.status_code != httpx.codes.OK:
        raise PullError(f"{host}: answered {response.status_code}")
    length = response.headers.get("Content-Length")
    if length is not None and int(length) != size:
        raise PullError(f"{host}: the file has {length} bytes instead of {size}")
    return 0


async def _append(
    response: httpx.Response, partial: Partial, start: int, host: str, on_progress: OnProgress
) -> None:
    size = partial.file.size
    with partial.path.open("r+b" if partial.path.exists() else "wb") as out:
        out.truncate(start)
        out.seek(start)
        done = start
        async for chunk in response.aiter_bytes():
            done += len(chunk)
            if done > size:
                raise PullError(f"{host}: sends more than the promised {size} bytes")
            out.write(chunk)
            on_progress(PullProgress(partial.file.name, "downloading", done, size, host))
    if done < size:
        raise PullError(f"{host}: stopped after {done} of {size} bytes")
