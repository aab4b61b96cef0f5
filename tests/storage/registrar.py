"""A process of its own that registers tools: `registrar.py URL WHO ROUNDS`."""

import asyncio
import sys

from hammerstone.core.clock import SystemClock
from hammerstone.core.tools import Effect, Spec, Status
from hammerstone.library.policies import Policies
from hammerstone.library.search import ToolSearch
from hammerstone.library.tools.registry import ActivationReason, NewVersion, Registry
from hammerstone.storage import Database


def new_version(
    name: str, code: str, *, kind: str = "number", status: Status = Status.VERIFIED
) -> NewVersion:
    spec = Spec(
        name=name,
        description=f"{name} of a value",
        parameters={
            "type": "object",
            "properties": {"value": {"type": kind}},
            "required": ["value"],
        },
        returns={"type": kind},
        effect=Effect.PURE,
    )
    return NewVersion(spec, code, (), (), status, 0.95, {"mutation_score": 1.0}, {"by": "test"})


def registry_on(db: Database) -> Registry:
    return Registry(db, ToolSearch(db, None, Policies(db)), SystemClock())


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


async def main(url: str, who: str, rounds: int) -> None:
    db = await Database.open_url(url)
    registry = registry_on(db)
    _say("open")
    await asyncio.to_thread(sys.stdin.readline)  # both start together
    for number in range(rounds):
        decision = ActivationReason("registered", who, "race")
        same = new_version(f"same_{number}", f"def same_{number}(value): return value")
        await registry.register(same, decision, as_new_tool=True)
        rival = new_version(f"rival_{number}", f"def rival_{number}(value): return '{who}'")
        await registry.register(rival, decision, as_new_tool=True)
        kind = "string" if who == "left" else "number"
        other = new_version(f"other_{number}", f"def other_{number}(value): ...", kind=kind)
        tool = await registry.register(other, decision, as_new_tool=True)
        _say(tool.name)
    await db.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
