"""Tools that produce files: what a request wants, and files as values that can be compared.

A candidate leaves its files in the folder `out`. They leave its process as bytes and are opened
in another sandbox run, which describes what is in them: rows and columns, pages, the text, whether
a picture shows anything. The description becomes part of the call's value, so behaviours, cases and
verdicts treat a file's content like any other result, and no parser of the host sees it.
"""

import asyncio
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from hammerstone.core.calls import STANDARD, Call, Failure, Limits, Outcome, Program
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Case, CaseKind

FOLDER = "out"
KINDS: Mapping[str, str] = {
    "csv": r"csv",
    "xlsx": r"xlsx|excel|spreadsheet",
    "png": r"png|charts?|plots?|histograms?|diagrams?|bar graph|line graph|pie graph|graph of",
    "pdf": r"pdf",
    "docx": r"docx|word document",
    "pptx": r"pptx|powerpoint|slides?",
    "json": r"json file",
    "txt": r"txt|text file",
    "md": r"markdown file",
}
_MAKING = re.compile(
    r"\b(save|write|export|create|make|produce|generate|draw|plot|render|chart|store|download"
    r"|convert|turn|as an?|into an?|to an?)\b",
    re.IGNORECASE,
)
_READING = re.compile(r"\b(read|load|open|from|in|of|parse)\s+(the|this|that|my|an?)?\s*$", re.I)


def kinds_wanted(request: str) -> tuple[str, ...]:
    """The kinds of files that a request asks to be made; files that it only reads do not count."""
    if not _MAKING.search(request):
        return ()
    found: list[str] = []
    for kind, words in KINDS.items():
        for match in re.finditer(rf"(?<![\w/.]){words}\b", request, re.IGNORECASE):
            if not _READING.search(request[: match.start()]):
                found.append(kind)
                break
    return tuple(found[:2])


def kinds_of(names: Sequence[str]) -> tuple[str, ...]:
    """The kinds of files by their names; what is none of `KINDS` is left out."""
    endings = [PurePath(name).suffix.lstrip(".").lower() for name in names]
    return tuple(dict.fromkeys(ending for ending in endings if ending in KINDS))


def shape_check(kinds: Sequence[str]) -> str:
    """A property over a call's value: files of all these kinds were left, and they open."""
    return (
        f"all(any(f['kind'] == k and not f['problem'] for f in result['files']) "
        f"for k in {sorted(kinds)!r})"
    )


def shape_cases(kinds: Sequence[str], calls: Sequence[Call], origin: str) -> list[Case]:
    """For each call the case that it leaves the declared files, and that they open."""
    return [Case(CaseKind.PROPERTY, c, check=shape_check(kinds), origin=origin) for c in calls]


class FileSeeingSandbox:
    """A sandbox in whose matrix a call's value is `{"returned": ..., "files": [...]}`.

    Each call gets a process of its own, since files are only collected at a process's end.
    """

    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner

    @property
    def backend(self) -> str:
        return self._inner.backend

    async def call(
        self,
        program: Program,
        call: Call,
        *,
        limits: Limits = STANDARD,
        files: Mapping[str, Path] | None = None,
    ) -> Outcome:
        if "matplotlib" in program.code:
            watcher = _WATCHER.read_text(encoding="utf-8")
            program = replace(program, code=f"{program.code}\n{watcher}\n_hammerstone_watch()\n")
        outcome = await self._inner.call(program, call, limits=limits, files=files)
        return await self._with_files(outcome) if outcome.ok else outcome

    async def matrix(
        self,
        programs: Sequence[Program],
        calls: Sequence[Call],
        *,
        limits: Limits = STANDARD,
        case_wall_s: float = 2.0,
        files: Mapping[str, Path] | None = None,
    ) -> list[list[Outcome]]:
        if any(program.function in _OWN for program in programs):
            return await self._inner.matrix(
                programs, calls, limits=limits, case_wall_s=case_wall_s, files=files
            )
        allowed = replace(limits, wall_s=max(case_wall_s, _CASE_WALL_S))

        async def row(program: Program) -> list[Outcome]:
            outcomes: list[Outcome] = []
            for call in calls:
                if outcomes and all(o.failure is Failure.TIMEOUT for o in outcomes[:2]):
                    outcomes.append(outcomes[0])  # it hangs on everything
                    continue
                outcomes.append(await self.call(program, call, limits=allowed, files=files))
            return outcomes

        return list(await asyncio.gather(*map(row, programs)))

    async def _with_files(self, outcome: Outcome) -> Outcome:
        described = await self.describe(outcome)
        value: JsonObject = {"returned": outcome.value, "files": described}
        return replace(outcome, value=value)

    async def describe(self, outcome: Outcome) -> list[Json]:
        """What is in the files that a call left, by name; opened in a sandbox."""
        drawn = [one for one in outcome.artifacts if one.name == _DRAWN]
        artifacts = [one for one in outcome.artifacts if one.name != _DRAWN]
        if not artifacts:
            return []
        with tempfile.TemporaryDirectory(prefix="hammerstone-files-") as folder:
            paths: dict[str, Path] = {}
            for artifact in artifacts:
                path = Path(folder) / artifact.name
                path.write_bytes(artifact.content)
                paths[artifact.name] = path
            calls = [Call(args=(f"/files/{name}",)) for name in sorted(paths)]
            program = Program(_DESCRIBER.read_text(encoding="utf-8"), "describe")
            (row,) = await self._inner.matrix(
                [program], calls, files=paths, case_wall_s=_CASE_WALL_S
            )
        described: list[Json] = []
        for name, seen in zip(sorted(paths), row, strict=True):
            if seen.ok and isinstance(seen.value, dict):
                picture = seen.value.get("kind") == "png" and drawn
                shows: JsonObject = {"shows": _read_drawn(drawn[0].content)} if picture else {}
                described.append(seen.value | shows)
            else:
                kind = name.rpartition(".")[2].lower()
                described.append({"kind": kind, "problem": seen.error or str(seen.failure)})
        return described

    async def close(self) -> None:
        """Whoever gave the sandbox closes it."""


def _read_drawn(content: bytes) -> Json:
    """What the watcher noted; nothing that the code could not also have returned."""
    try:
        return [json.loads(line) for line in content.decode("utf-8").split("\n") if line]
    except (ValueError, RecursionError):
        return "unreadable"


_OWN = frozenset({"holds", "nothing"})  # programs of the examination itself, not candidates
_CASE_WALL_S = 8.0
_DRAWN = "hammerstone-drawn.json"
_WATCHER = Path(__file__).parent / "chart_notes.py"
_DESCRIBER = Path(__file__).parent / "describing.py"
