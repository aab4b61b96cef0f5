"""Traces that a dead process or a broken store would have lost, kept in files until exported.

Each process writes into a folder of its own and holds a lock on it. A trace leaves a short
note when it opens and one for each step that fails; the note goes when the trace is exported.
A trace that no exporter took is written whole. What lies in a folder whose lock is free
belongs to a process that died: the next start exports it.
"""

import fcntl
import json
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from hammerstone.core.errors import DataDirectoryError
from hammerstone.core.json_types import Json
from hammerstone.tracing.spans import SpanStatus
from hammerstone.tracing.traces import (
    FinishedSpan,
    FinishedTrace,
    from_json,
    span_from_json,
    span_to_json,
    to_json,
)
from hammerstone.tracing.warn import warn

_LOCK = "lock"
_DIED = "the process ended before the trace did"
_MAX_WHOLE = 1_000  # traces kept while a store is down; later ones are dropped


class Journal:
    """Notes of this process's open traces. Writing never fails a request: it is logged."""

    def __init__(self, folder: Path) -> None:
        """Raises `DataDirectoryError` when the folder cannot be made."""
        self._folder = folder
        self._own = folder / uuid.uuid4().hex
        self._whole = 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Locked under a name that others skip: in place, an unlocked folder is a dead one.
            hidden = folder / f".{self._own.name}"
            hidden.mkdir(mode=0o700)
            self._lock = (hidden / _LOCK).open("w")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            hidden.rename(self._own)
        except OSError as error:
            raise DataDirectoryError(
                f"traces cannot be kept in {folder}: {error}",
                hint="free some space or set HAMMERSTONE_DATA_DIR to a folder you may write to",
            ) from error

    def opened(self, head: dict[str, str], root: FinishedSpan) -> None:
        """Note a trace that begins: `head` says whom it is about."""
        self._append(root.trace_id, [dict(head), span_to_json(root)])

    def failed(self, span: FinishedSpan) -> None:
        self._append(span.trace_id, [span_to_json(span)])

    def exported(self, trace_id: str) -> None:
        """Forget the trace: it is safe elsewhere, or not wanted."""
        try:
            (self._own / f"{trace_id}.jsonl").unlink(missing_ok=True)
        except OSError as error:
            warn("trace note not removed", error=str(error))

    def keep_whole(self, trace: FinishedTrace) -> None:
        """Keep a trace that could not be exported, for the next start."""
        if self._whole >= _MAX_WHOLE:
            return
        self._whole += 1
        try:
            path = self._own / f"{trace.trace_id}.json"
            path.write_text(json.dumps(to_json(trace)), encoding="utf-8")
        except OSError as error:
            warn("trace not kept", trace_id=trace.trace_id, error=str(error))
        self.exported(trace.trace_id)

    def close(self) -> None:
        """Let go of the folder; it is removed unless it still holds a trace."""
        if not any(self._own.glob("*.json*")):
            shutil.rmtree(self._own, ignore_errors=True)
        self._lock.close()

    def left_behind(self) -> Iterator[tuple[FinishedTrace, Callable[[], None]]]:
        """Traces of processes that are gone, each with what to call once it is exported."""
        for folder in sorted(self._folder.iterdir()):
            if folder == self._own or folder.name.startswith("."):
                continue
            with ExitStack() as stack:
                try:
                    lock = stack.enter_context((folder / _LOCK).open("r+"))
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    continue  # that process lives, or another one is just clearing up after it
                yield from _traces_in(folder)
                if not any(folder.glob("*.json*")):
                    shutil.rmtree(folder, ignore_errors=True)

    def _append(self, trace_id: str, lines: list[dict[str, Any]]) -> None:
        text = "".join(json.dumps(line) + "\n" for line in lines)
        try:
            path = self._own / f"{trace_id}.jsonl"
            with path.open("a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            warn("trace not noted", trace_id=trace_id, error=str(error))


def _traces_in(folder: Path) -> Iterator[tuple[FinishedTrace, Callable[[], None]]]:
    for path in sorted(folder.glob("*.json*")):
        try:
            text = path.read_text(encoding="utf-8")
            whole = path.suffix == ".json"
            trace = from_json(json.loads(text)) if whole else _from_notes(text.splitlines())
        except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
            warn("trace note cannot be read", path=str(path), error=str(error))
            path.unlink(missing_ok=True)
            continue
        yield trace, path.unlink


def _from_notes(lines: list[str]) -> FinishedTrace:
    """What is known of a trace whose process died: its root and its failed steps."""
    head = json.loads(lines[0])
    trace_id = head["trace_id"]
    spans = [span_from_json(json.loads(line), trace_id) for line in _whole_lines(lines[1:])]
    end = max(_end(span) for span in spans)
    root = replace(
        spans[0],
        status=SpanStatus.ERROR,
        error=_DIED,
        duration_s=end - spans[0].started_at.timestamp(),
    )
    return FinishedTrace(
        trace_id=trace_id,
        name=root.name,
        user=head["user"],
        session_id=head["session_id"],
        run_id=head["run_id"],
        status=root.status,
        started_at=root.started_at,
        ended_at=datetime.fromtimestamp(end, root.started_at.tzinfo),
        input=root.input,
        output=None,
        error=root.error,
        metadata=root.attributes,
        spans=(root, *spans[1:]),
    )


def _whole_lines(lines: list[str]) -> Iterator[str]:
    """Without a last line that was cut off when the process died."""
    for line in lines:
        try:
            _: Json = json.loads(line)
        except ValueError:
            return
        yield line


def _end(span: FinishedSpan) -> float:
    return span.started_at.timestamp() + span.duration_s
