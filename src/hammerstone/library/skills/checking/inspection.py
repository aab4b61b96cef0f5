"""A look at every file of a skill: scripts by the code scan, texts for odd instructions."""

from collections.abc import Iterator, Mapping

from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Effect
from hammerstone.guard.scan import scan
from hammerstone.library.skills.checking.suspicions import suspicions
from hammerstone.library.skills.skill import SCRIPTS

MAX_FINDINGS = 200


def inspect_files(files: Mapping[str, bytes]) -> list[JsonObject]:
    """What was found: `path`, `line`, `severity` (block, warn or note), `rule`, `text`.

    A blocking finding keeps that script from running; the skill itself may still be read.
    """
    found: list[JsonObject] = []
    for path, content in sorted(files.items()):
        found += _inspect(path, content)
    return found[:MAX_FINDINGS]


def _inspect(path: str, content: bytes) -> Iterator[JsonObject]:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        if path.startswith(SCRIPTS):
            yield _finding(path, 0, "block", "binary", "not text, so nobody can read it")
        return
    if path.endswith(".py"):
        # Files that a script writes stay in the sandbox: writing is what /tmp/out is for.
        for each in scan(text, Effect.WRITES):
            yield _finding(path, each.line, str(each.severity), each.rule, each.what)
    elif path.startswith(SCRIPTS):
        text_of = "only Python scripts can run in the sandbox"
        yield _finding(path, 0, "block", "language", text_of)
    for what in suspicions(text):
        yield _finding(path, 0, "warn", "instructions", what)


def _finding(path: str, line: int, severity: str, rule: str, text: str) -> JsonObject:
    return {"path": path, "line": line, "severity": severity, "rule": rule, "text": text}
