"""Replies for the search of a prompt, by the embedded model: `python -m evals.prompt_samples 600`.

It goes on where it was broken off, and writes what `evals/prompt_track.py` reads; the replies of
the test come from `evals/prompt_rows.py`. The embedded
model writes with the package's adapter; it has to be switched off (`hammerstone model adapters`)
for the weights alone: `python -m evals.prompt_samples 600 "weights alone"`.
"""

import asyncio
import sys
from pathlib import Path

from evals.prompt_record import PromptRecord, write_records
from evals.prompt_track import RECORDED, ROWS, Experiment, Parts, Weights
from evals.solution_trials import ReplyValues
from hammerstone.core.chat import Role
from hammerstone.core.errors import ModelUnavailable
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.answers.answer_rows import read_rows
from hammerstone.models.opening import open_models
from hammerstone.sandbox import open_sandbox


async def sample(seconds: float, weights: Weights, shared: Path) -> None:
    """Replies by the embedded model for at most so long."""
    settings, path = load_settings(), Path(RECORDED)
    records = {one.value: PromptRecord.read(path, one) for one in Weights}
    models, sandbox = open_models(settings), await open_sandbox(settings)
    experiment = Experiment(records[weights], Parts.of(read_rows(shared / ROWS)))
    experiment.record.author.live = models.for_role(Role.PLANNER)
    experiment.use((models.for_role(Role.CODER), ReplyValues(sandbox)))
    try:
        async with asyncio.timeout(seconds):
            searched, chance = await experiment.search(), await experiment.chance()
            print(searched.to_json(), chance.to_json(), flush=True)
    except (TimeoutError, ModelUnavailable) as error:
        tried = len(experiment.record.trials)
        print(f"not finished: {error!r}; {tried} trials so far", flush=True)
    finally:
        write_records(path, records)
        await models.close()
        await sandbox.close()


if __name__ == "__main__":
    chosen = Weights(sys.argv[2]) if len(sys.argv) > 2 else Weights.ADAPTER
    asyncio.run(sample(float(sys.argv[1]), chosen, Path("../shared/data")))
