"""Which recorded run a person means: an id, a git revision, a model, or a policies' hash."""

from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.evaluations import EvaluationRun
from hammerstone.evaluation.board.scoreboard import EvaluationRecords

LAST, BEFORE = "last", "before"
_LOOK_AT = 500  # runs


async def find_run(db: EvaluationRecords, text: str) -> EvaluationRun:
    """The newest finished run that the text names; `last` and `before` are the last two.

    Raises `NotFound` where there is none, and `BadRequest` for a short id of several runs.
    """
    runs = [run for run in await db.evaluations.recent(_LOOK_AT) if run.finished_at]
    if text in (LAST, BEFORE):
        place = 0 if text == LAST else 1
        if len(runs) > place:
            return runs[place]
    elif found := _named(runs, text):
        return found
    raise NotFound(
        f"no finished evaluation is recorded for {text!r}",
        hint="measure it first with `hammerstone eval`; `hammerstone eval --list` shows the runs",
    )


def _named(runs: list[EvaluationRun], text: str) -> EvaluationRun | None:
    ids = [run for run in runs if run.id.startswith(text)]
    if len(ids) > 1:
        raise BadRequest(f"several evaluations begin with {text}", hint="give more of the id")
    if ids:
        return ids[0]
    for run in runs:
        versions = run.versions
        if text == versions.policies or text in versions.model:
            return run
        if len(text) >= 4 and any(
            one.startswith(text) for one in (versions.revision, versions.code)
        ):
            return run
    return None


async def run_before(db: EvaluationRecords, run: EvaluationRun) -> EvaluationRun | None:
    """The finished run of the same set before this one."""
    for other in await db.evaluations.recent(_LOOK_AT):
        same = other.chosen == run.chosen and other.options == run.options
        if same and other.finished_at and other.started_at < run.started_at:
            return other
    return None
