"""`hammerstone repair NAME`: look into a tool's failures and mend it, with proof."""

from typing import TYPE_CHECKING, Annotated

import typer

from hammerstone.serve.cli.completion import complete_tools
from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine

if TYPE_CHECKING:
    from hammerstone.core.json_types import JsonObject
    from hammerstone.learn.repair.tool_repairer import RepairResult


def repair(
    name: Annotated[str, typer.Argument(help="The tool's name.", autocompletion=complete_tools)],
    as_json: AsJson = False,
) -> None:
    """Find out why a tool failed, and mend it where the fix can be proved."""
    document = _document(name, with_engine(lambda hs: hs.learning.repair(name)))
    if as_json:
        print_json(document)
        return
    say(f"{name}: {document['outcome']}: {document['reason']}")
    if document["cause"]:
        say(f"Cause ({document['kind']}): {document['cause']}")
    if document["proposal"]:
        tell(f"See the change: hammerstone proposals show {document['proposal']}", style="dim")


def _document(name: str, mending: "RepairResult") -> "JsonObject":
    reflection = mending.reflection
    return {
        "tool": name,
        "outcome": str(mending.outcome),
        "reason": mending.reason,
        "kind": str(reflection.kind) if reflection else "",
        "cause": reflection.cause if reflection else "",
        "proposal": mending.proposal,
        "version": mending.tool.version.number if mending.tool else None,
    }
