"""`hammerstone eval documents`: are questions about documents answered, and refused, rightly?"""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.serve.cli.output import AsJson, tell

if TYPE_CHECKING:
    from hammerstone.evaluation.documents.question_sets import QuestionSet, QuestionStep

_SAID_EVERY_S = 5.0
RECORDED = Path("evals/data/document_replies.jsonl.gz")


def register(app: typer.Typer) -> None:
    """Add the command to the group of evaluations."""
    app.command("documents")(documents)


def documents(
    data: Annotated[
        Path, typer.Option(help="An article with questions (.json), or questions (.jsonl).")
    ],
    replies: Annotated[
        Path | None, typer.Option(help="Where replies are kept; new ones are added to them.")
    ] = None,
    live: Annotated[bool, typer.Option(help="Ask the model where no reply was recorded.")] = True,
    minutes: Annotated[
        float | None, typer.Option(min=0, help="Ask no longer; the next run goes on from there.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure answers from documents: passages found, answers right, refusals right."""
    import asyncio

    from hammerstone.core.settings import load_settings
    from hammerstone.evaluation.documents.question_sets import read_question_set
    from hammerstone.serve.cli.output import print_json
    from hammerstone.serve.cli.system.models.pulling import ensure_files

    given = read_question_set(data)
    if live:
        ensure_files(load_settings())
    until = None if minutes is None else time.monotonic() + 60 * minutes
    try:
        report = asyncio.run(_run(given, replies, live, until))
    except KeyboardInterrupt:
        tell("\nWhat was answered is kept: the same command goes on from there.")
        raise
    if as_json:
        print_json(report)
    else:
        _show(report)


async def _run(
    given: "QuestionSet", own: Path | None, live: bool, until: float | None
) -> dict[str, Any]:
    import tempfile

    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.chat import Role
    from hammerstone.core.hashing import digest
    from hammerstone.core.settings import load_settings
    from hammerstone.evaluation.board.fresh import fresh_settings
    from hammerstone.evaluation.documents.document_eval import evaluate_documents
    from hammerstone.evaluation.documents.kept_replies import KeptReplies
    from hammerstone.models.embedding.embedder_opening import open_embedder
    from hammerstone.models.opening import open_models

    settings, kept = load_settings(), own
    with tempfile.TemporaryDirectory(prefix="hammerstone-eval-") as folder:
        models = open_models(settings)
        embedder = open_embedder(settings)
        try:
            async with Hammerstone.open(fresh_settings(settings, Path(folder))) as hs:
                model = models.for_role(Role.RESPONDER) if live else None
                if kept is None and model is not None:  # one file a model
                    name = f"document_replies_{digest(model.name)[:8]}.jsonl.gz"
                    kept = settings.data_dir / "evaluation" / name
                replies = KeptReplies(None if own else RECORDED, model, kept, until)
                report = await evaluate_documents(hs, given, replies, embedder, QuestionProgress())
        finally:
            await models.close()
            if embedder is not None:
                await embedder.close()
    if report.unasked:
        tell(f"{report.unasked} of {len(given.questions)} questions count for search alone: "
             f"{replies.trouble}.")  # fmt: skip
    asked = {"replies_recorded": replies.recorded, "replies_asked": replies.asked}
    return {**report.to_json(), **asked}


class QuestionProgress:
    """Says on stderr, now and then, which question is asked and how long the rest of them takes,
    as it went until now."""

    def __init__(self) -> None:
        self._way = ""
        self._began = self._said = 0.0

    def __call__(self, step: "QuestionStep") -> None:
        now = time.monotonic()
        if step.way != self._way:
            self._way, self._began, self._said = step.way, now, 0.0
        if now - self._said < _SAID_EVERY_S and step.number < step.of:
            return
        self._said = now
        done = step.number - 1
        rest = (now - self._began) / done * (step.of - done) if done else 0.0
        left = f", about {rest / 60:.0f} min left" if rest >= 60 else ""
        tell(f"{step.text}{left}", style="dim")


def _show(report: dict[str, Any]) -> None:
    from rich.table import Table

    from hammerstone.serve.cli.output import console

    out = console()
    table = Table(title=f"{report['n']} questions, {report['answerable']} of them answered there")
    for name in ("", "all", "first half", "second half"):
        table.add_column(name, justify="left" if not name else "right")
    for key in (
        "recall_at_1",
        "recall_at_5",
        "answered",
        "right_of_answered",
        "unanswerable_refused",
        "answerable_refused",
        "calibration_error",
    ):
        parts = (report, report["first_half"], report["second_half"])
        table.add_row(key.replace("_", " "), *(str(one[key]) for one in parts))
    out.print(table)
    out.print(
        f"not certain, with the likeliest answer: {report['uncertain']}, right "
        f"{report['uncertain_likeliest_right']}; said that nothing was found: "
        f"{report['not_found']}, rightly {report['not_found_right']}"
    )
    for name, found in report["baselines"].items():
        if found is not None:
            told = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in found.items())
            out.print(f"{name}: {told}")
