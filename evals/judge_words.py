"""Asks the embedded model what the measurements of the judges replay, and keeps its words.

    python -m evals.judge_words traces|prompts|runs [COUNT]

Writes `evals/data/judge_replies.json.gz` (words about traces and runs) or adds the replies to
careless prompts to `evals/data/planted_replies.json.gz`. What is there already is not asked again.
"""

import asyncio
import gzip
import json
import random
import sys
from pathlib import Path
from typing import Any

from evals.planted_prompts import BAD_SYSTEMS, bad_solve_prompt
from evals.recorded_runs import JUDGED, SEED, runs_of
from hammerstone.core.chat import Prompt, Role
from hammerstone.core.seams import Model
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.answers.answer_rows import read_bank, read_rows
from hammerstone.learn.evolution.judges.model_judges import RUN_SCHEMA, judge_messages
from hammerstone.learn.evolution.judges.trace_judging import TRACE_SCHEMA, controls, messages_for
from hammerstone.models.opening import open_models
from hammerstone.prompts import read, shipped_text
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.sandbox import open_sandbox

HERE = Path(__file__).parent / "data"
WORDS, PLANTED = HERE / "judge_replies.json.gz", HERE / "planted_replies.json.gz"
REQUESTS = Path(__file__).parents[2] / "shared" / "data" / "requests"


def _kept(path: Path, empty: Any) -> Any:
    return json.loads(gzip.decompress(path.read_bytes())) if path.exists() else empty


def _keep(path: Path, document: Any) -> None:
    path.write_bytes(gzip.compress(json.dumps(document).encode(), mtime=0))


async def traces(model: Model, count: int) -> None:
    kept = _kept(WORDS, {"runs": {}, "traces": {}})
    for control in controls()[:count]:
        if control.id in kept["traces"]:
            continue
        asked = messages_for(control.digest(), ())
        prompt = Prompt(asked, schema=TRACE_SCHEMA, max_tokens=320, purpose="judge trace")
        kept["traces"][control.id] = [(await model.complete(prompt)).text]
        _keep(WORDS, kept)
        print(control.id, kept["traces"][control.id][0][:150], flush=True)


async def prompts(model: Model, count: int) -> None:
    """Replies to requests with a careless text in the place of the solve prompt, greedy."""
    kept = _kept(PLANTED, [])
    known = {one["id"] for one in kept}
    rows = read_rows(REQUESTS / "dev.jsonl")
    random.Random(SEED).shuffle(rows)
    for at, (kind, system) in enumerate(BAD_SYSTEMS.items()):
        template = read("solve", bad_solve_prompt(shipped_text("solve"), system))
        for row in rows[at * 20 : at * 20 + count]:
            name = f"{kind}-{row.id}"
            if name in known:
                continue
            asked = template.fill(request=row.request, notes="")
            prompt = Prompt(asked, max_tokens=200, purpose="solution")
            text = (await model.complete(prompt)).text
            kept.append({"id": name, "kind": kind, "row": row.id, "samples": [text]})
            _keep(PLANTED, kept)
            print(name, repr(text[:100]), flush=True)


async def runs(model: Model, count: int) -> None:
    """Words about `count` of the runs that are judged and as many of the others."""
    kept = _kept(WORDS, {"runs": {}, "traces": {}})
    rows = read_rows(REQUESTS / "dev.jsonl")
    bank = [one for one in read_bank(REQUESTS / "dev_bank.json.gz") if one.prompt == "D"]
    sandbox = await open_sandbox(load_settings())
    known = await runs_of(rows, bank, AnswerPolicy(), sandbox)
    await sandbox.close()
    random.Random(SEED).shuffle(known)
    for pair in zip(known[:JUDGED][:count], known[JUDGED:][:count], strict=False):
        for run in pair:
            if run.facts.run_id in kept["runs"] or not run.facts.answered:
                continue
            asked = judge_messages(run.facts)
            prompt = Prompt(asked, schema=RUN_SCHEMA, max_tokens=220, purpose="judge run")
            kept["runs"][run.facts.run_id] = [(await model.complete(prompt)).text]
            _keep(WORDS, kept)
            print(run.facts.run_id, run.right, kept["runs"][run.facts.run_id][0][-40:], flush=True)


async def main(what: str, count: str = "100") -> None:
    models = open_models(load_settings())
    try:
        model = models.for_role(Role.CODER if what == "prompts" else Role.JUDGE)
        await {"traces": traces, "prompts": prompts, "runs": runs}[what](model, int(count))
    finally:
        await models.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
