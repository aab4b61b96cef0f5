"""Files of a session as inputs: what was given or made earlier can be used again."""

import asyncio
import hashlib
import mimetypes
import re
import shutil
import tempfile
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from hammerstone.library.policies import Policies
from hammerstone.run.context import Run
from hammerstone.run.plan_policy import SessionPolicy
from hammerstone.run.request import Request
from hammerstone.run.services import Records
from hammerstone.storage import ArtifactRow

_OTHER = re.compile(r"\b(other|second|previous|earlier|old|original)\b", re.IGNORECASE)
_MOST = 5
GIVEN = 0  # the step number of files that a person gave


class SessionFiles:
    """The files of a session: those that are given, and those that were given or made before."""

    def __init__(self, records: Records, policies: Policies) -> None:
        self._db = records.db
        self._clock = records.clock
        self._policies = policies

    async def keep_given(self, run: Run) -> None:
        """Put the files of this request where the run's record picks them up; one that the session
        has already, to the byte, is not kept twice."""
        policy = self._policies.get(SessionPolicy)
        now = self._clock.now()
        rows = await self._db.artifacts.of_session(run.request.session_id, now, limit=200)
        there = {(row.name, row.sha256) for row in rows}
        for name, path in run.named_files.items():
            if path.stat().st_size > policy.given_file_bytes:
                continue
            content = await asyncio.to_thread(path.read_bytes)
            row = given_file(run.request, run.id, name, content, now)
            row = replace(row, expires_at=now + timedelta(days=policy.file_days))
            if (name, row.sha256) not in there:
                run.ledger.files.append((row, content))
        if run.ledger.hold is not None:  # whoever takes the run up again needs them
            await self._db.artifacts.add(run.ledger.files)

    @asynccontextmanager
    async def with_session_files(self, run: Run) -> AsyncGenerator[Run, None]:
        """The run with the earlier files that its words mean; they are there during the block.

        A file given now hides an earlier one of the same name.
        """
        text = run.words
        rows = await self._db.artifacts.of_session(
            run.request.session_id, self._clock.now(), limit=50, asked_by=run.ledger.asked_at
        )
        chosen = _meant(text, rows)
        if not chosen:
            yield run
            return
        folder = Path(tempfile.mkdtemp(prefix="hammerstone-"))  # readable by this user alone
        try:
            paths: list[Path] = []
            for row in chosen:
                _, content = await self._db.artifacts.get(row.id)
                path = folder / row.name
                path.write_bytes(content)
                paths.append(path)
            yield run.with_files(tuple(paths))
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def given_file(
    request: Request, run_id: str, name: str, content: bytes, now: datetime
) -> ArtifactRow:
    """The row of a file that a person gave with a request."""
    return ArtifactRow(
        id=uuid.uuid5(uuid.NAMESPACE_OID, f"{run_id}/given/{name}").hex[:16],
        session_id=request.session_id,
        user=request.user,
        run_id=run_id,
        step=GIVEN,
        name=name,
        media_type=mimetypes.guess_type(name)[0] or "application/octet-stream",
        size_bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        at=now,
        expires_at=now,
    )


def _meant(text: str, rows: list[ArtifactRow]) -> list[ArtifactRow]:
    """The files a text means: those it names, else the newest, or the one before it."""
    newest: dict[str, ArtifactRow] = {}
    for row in rows:
        newest.setdefault(row.name, row)
    named = [row for name, row in newest.items() if name.lower() in text.lower()]
    if named:
        return named[:_MOST]
    latest = list(newest.values())
    if _OTHER.search(text) and len(latest) > 1:
        return [latest[1]]
    return latest[:1]
