"""A server with triggers and a model that is never asked, to be killed: for `evals.triggers`.

python -m evals.trigger_server DATA_FOLDER PORT
"""

import sys
from pathlib import Path

import uvicorn

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.app.triggers.new_trigger import NewTrigger
from hammerstone.core.settings import Settings
from hammerstone.core.tools import Spec, Status
from hammerstone.core.triggers import TriggerKind, TriggerLimits
from hammerstone.library.tools.registry import ActivationReason, NewVersion
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.app import create_app

NAME = "orders"
CODE = "def add_numbers(first, second):\n    return first + second\n"


def settings_in(folder: Path, port: int = 0) -> Settings:
    return Settings(
        data_dir=folder / "data",
        embedder="off",
        starter_tools=False,
        port=port,
        hooks_per_minute=10_000_000,
    )


def models() -> OneModel:
    return OneModel(ScriptedModel([]))  # it raises when it is asked


async def set_up(folder: Path, runs: int) -> str:
    """A tool and a webhook that calls it by name, so often a day; the webhook's secret."""
    async with Hammerstone.open(settings_in(folder), models=models()) as hs:
        number = {"type": "number"}
        parameters = {"first": number, "second": number}
        spec = Spec(
            name="add_numbers",
            description="Add two numbers.",
            parameters={"type": "object", "properties": parameters, "required": [*parameters]},
            returns=number,
        )
        new = NewVersion(spec, CODE, (), (), Status.VERIFIED, 0.99, {}, {})
        await hs.tools.register(new, ActivationReason("registered", "evaluation", "given"))
        await hs.policies.change(
            "triggers", {"lease_s": 2.0, "look_every_s": 0.2}, who="evaluation", why="kills"
        )
        limits = TriggerLimits(runs_a_day=runs, tokens_a_day=None, usd_a_day=None)
        added = await hs.triggers.book.add(
            NewTrigger(
                NAME,
                TriggerKind.WEBHOOK,
                "Use add_numbers with first {first} and second {second}",
                limits=limits,
                answers=f"folder:{folder}/answers",
            ),
            who=hs.settings.user,
        )
        return added.secret


def main(folder: str, port: str) -> None:
    settings = settings_in(Path(folder), int(port))
    app = create_app(settings, models=models())
    uvicorn.run(app, host="127.0.0.1", port=int(port), log_level="error", access_log=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
