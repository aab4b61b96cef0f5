"""`hammerstone eval synthesis --tasks`: the whole pipeline with a live model."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hammerstone.serve.cli.output import console, print_json

if TYPE_CHECKING:
    from hammerstone.core.json_types import JsonObject


def evaluate_tasks(
    path: Path, *, limit: int, skip: int, as_json: bool, resume: Path | None = None
) -> None:
    """Build each task's function, judge it by its hidden tests, and print the numbers.

    With `resume`, tasks that the file has a result for are not done again, and new results are
    added to it.
    """
    from hammerstone.core.settings import load_settings
    from hammerstone.serve.cli.system.models.pulling import ensure_files

    ensure_files(load_settings())
    numbers = asyncio.run(_run(path, limit, skip, resume))
    if as_json:
        print_json(numbers)
    else:
        _print(numbers)


async def _run(path: Path, limit: int, skip: int, resume: Path | None) -> "JsonObject":
    from hammerstone.core.chat import Role
    from hammerstone.core.settings import load_settings
    from hammerstone.evaluation.bank.live_eval import LiveEvaluation, read_tasks
    from hammerstone.models.opening import open_models
    from hammerstone.sandbox import open_sandbox
    from hammerstone.synthesis.examine.verdict import ExaminePolicy

    tasks = read_tasks(path, limit, skip)
    settings = load_settings()
    out = console(stderr=True)
    sandbox = await open_sandbox(settings)
    models = open_models(settings)

    def show(text: str) -> None:
        out.print(text, markup=False, soft_wrap=True)

    try:
        model = models.for_role(Role.CODER)
        return await LiveEvaluation(model, sandbox, ExaminePolicy(), show, resume).run(tasks)
    finally:
        await models.close()
        await sandbox.close()


def _print(numbers: "JsonObject") -> None:
    def percent(value: Any) -> str:
        return "-" if value is None else f"{value:.1%}"

    out = console()
    out.print(
        f"{numbers['tasks']} tasks with {numbers['model']}: {numbers['verified']} verified "
        f"({percent(numbers['coverage'])}), {numbers['verified_correct']} of these right "
        f"({percent(numbers['precision'])})\n"
        f"chosen candidate right {percent(numbers['best_candidate_right'])}, one plain prompt "
        f"right {percent(numbers['plain_prompt_right'])}\n"
        f"on average {numbers['mean_candidates']:.1f} candidates, {numbers['mean_suites']:.1f} "
        f"suites, {numbers['mean_seconds']:.1f} s and {numbers['mean_tokens']:.0f} tokens a task; "
        f"the plain prompt {numbers['plain_prompt_seconds']:.1f} s and "
        f"{numbers['plain_prompt_tokens']:.0f} tokens"
    )
