"""Progress of pulls, drawn for a person at a terminal."""

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.progress import Progress as Bars

from hammerstone.models.pull.partial import PullProgress


class ProgressBar:
    """One line a file; `show` is the callback for `pull`. Silent when nobody is watching."""

    def __init__(self, console: Console) -> None:
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._tasks: dict[str, TaskID] = {}

    def show(self, progress: PullProgress) -> None:
        task = self._tasks.get(progress.name)
        if task is None:
            task = self._bars.add_task(progress.name, total=progress.total_bytes)
            self._tasks[progress.name] = task
        label = f"{progress.name} ({progress.phase})"
        self._bars.update(task, completed=progress.done_bytes, description=label)

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bars.stop()
