"""Replies for the search of a prompt, by the embedded model: `python -m evals.prompt_samples 600`.

It goes on where it was broken off, and writes what `evals/prompt_track.py` reads.
"""

import asyncio
import gzip
import json
import sys
from pathlib import Path
from typing import Any

from evals.kept_model import KeptModel
from evals.prompt_track import BANK, RECORDED, ROWS, Experiment, Parts, replayed
from hammerstone.core.chat import Role
from hammerstone.core.errors import ModelUnavailable
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.answers.answer_rows import read_rows
from hammerstone.evaluation.prompting.solution_trials import SOLVE, ReplyValues
from hammerstone.models.opening import open_models
from hammerstone.prompts import shipped_text
from hammerstone.sandbox import open_sandbox


async def sample(seconds: float, shared: Path) -> None:
    """Replies by the embedded model for at most so long; goes on where it was broken off."""
    settings, path = load_settings(), Path(RECORDED)
    parts = Parts.of(read_rows(shared / ROWS))
    model, known = replayed(path, Path(BANK), parts)
    models, sandbox = open_models(settings), await open_sandbox(settings)
    model.live, values = models.for_role(Role.CODER), ReplyValues(sandbox, known)
    experiment = Experiment(model, values, parts)
    try:
        async with asyncio.timeout(seconds):
            found = await experiment.search()
            print(found.to_json(), flush=True)
            if found.gained:
                await experiment.test(shipped_text(SOLVE))
                await experiment.test(found.best.text)
    except (TimeoutError, ModelUnavailable) as error:
        print(f"not finished: {error!r}; {len(model.known)} prompts so far", flush=True)
    finally:
        write(path, model, values)
        await models.close()
        await sandbox.close()


def write(path: Path, model: KeptModel, values: ReplyValues) -> None:
    """What is known and not given from elsewhere, as a recording."""
    rows: dict[str, Any] = {}
    for key, texts in sorted(model.known.items()):
        if key in model.given:
            continue
        rows[key] = {"samples": texts}
        if all(text in values.known for text in texts):
            rows[key]["values"] = [values.known[text] for text in texts]
    # No time in the header: the same replies are the same file.
    path.write_bytes(gzip.compress(json.dumps(rows, ensure_ascii=False).encode(), 9, mtime=0))


if __name__ == "__main__":
    asyncio.run(sample(float(sys.argv[1]), Path("../shared/data")))
