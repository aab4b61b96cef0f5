"""`hammerstone eval documents`: are questions about documents answered, and refused, rightly?"""

from pathlib import Path
from typing import Annotated, Any

import typer

RECORDED = Path("evals/data/document_replies.jsonl.gz")


def register(app: typer.Typer) -> None:
    """Add the command to the group of evaluations."""
    app.command("documents")(documents)


def documents(
    data: Annotated[
        Path, typer.Option(help="An article with questions (.json), or questions (.jsonl).")
    ],
    replies: Annotated[
        Path | None, typer.Option(help="Recorded replies; new ones are added to them.")
    ] = None,
    live: Annotated[bool, typer.Option(help="Ask the model where no reply was recorded.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure answers from documents: passages found, answers right, refusals right."""
    import asyncio

    from hammerstone.serve.cli.output import console, print_json

    kept = replies or (RECORDED if RECORDED.is_file() else None)
    progress = console(stderr=True)
    report = asyncio.run(_run(data, kept, live, lambda text: progress.print(f"[dim]{text}[/dim]")))
    if as_json:
        print_json(report)
    else:
        _show(report)


async def _run(data: Path, kept: Path | None, live: bool, say: Any) -> dict[str, Any]:
    import tempfile

    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.chat import Role
    from hammerstone.core.settings import load_settings
    from hammerstone.evaluation.board.fresh import fresh_settings
    from hammerstone.evaluation.documents.document_eval import evaluate_documents
    from hammerstone.evaluation.documents.kept_replies import KeptReplies
    from hammerstone.evaluation.documents.question_sets import read_question_set
    from hammerstone.models.embedding.embedder_opening import open_embedder
    from hammerstone.models.opening import open_models

    given = read_question_set(data)
    settings = load_settings()
    with tempfile.TemporaryDirectory(prefix="hammerstone-eval-") as folder:
        models = open_models(settings)
        embedder = open_embedder(settings)
        try:
            async with Hammerstone.open(fresh_settings(settings, Path(folder))) as hs:
                model = models.for_role(Role.RESPONDER) if live else None
                found = KeptReplies(kept, model)
                report = await evaluate_documents(hs, given, found, embedder, say)
                asked = {"replies_recorded": found.recorded, "replies_asked": found.asked}
                return {**report.to_json(), **asked}
        finally:
            await models.close()
            if embedder is not None:
                await embedder.close()


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
    for name, found in report["baselines"].items():
        if found is not None:
            told = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in found.items())
            out.print(f"{name}: {told}")
