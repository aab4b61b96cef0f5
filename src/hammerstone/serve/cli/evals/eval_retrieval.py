"""`hammerstone eval retrieval`: how well tools are found, on labelled requests."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from hammerstone.core.seams import Embedder

_COLUMNS = (
    "recall_at_1",
    "recall_at_3",
    "recall_at_5",
    "mrr_at_10",
    "ndcg_at_10",
    "p50_ms",
    "p95_ms",
)


def register(app: typer.Typer) -> None:
    """Add the command to the group of evaluations."""
    app.command("retrieval")(retrieval)


def retrieval(
    tools: Annotated[Path, typer.Option(help="Tools, one JSON object a line.")],
    queries: Annotated[Path, typer.Option(help="Requests with the names of the right tools.")],
    irrelevance: Annotated[
        Path | None, typer.Option(help="Requests that none of the offered functions answers.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure search: BM25, vectors, 70:30 and ours; learning from use; the fit decision."""
    import asyncio

    from hammerstone.core.settings import load_settings
    from hammerstone.evaluation.retrieval.data import (
        read_requests,
        read_tools,
        read_unanswerable,
    )
    from hammerstone.evaluation.retrieval.kept_vectors import KeptVectors
    from hammerstone.evaluation.retrieval.retrieval import evaluate
    from hammerstone.serve.cli.output import console, print_json

    folder = load_settings().data_dir / "evaluation"
    library = read_tools(tools)
    requests = read_requests(queries, library)
    unanswerable = read_unanswerable(irrelevance) if irrelevance else []
    progress = console(stderr=True)

    async def run() -> dict[str, Any]:
        embedder = await _embedder()
        try:
            return await evaluate(
                library,
                requests,
                unanswerable,
                embedder,
                lambda text: progress.print(f"[dim]{text}[/dim]"),
                KeptVectors(embedder, folder),
            )
        finally:
            await embedder.close()

    report = asyncio.run(run())
    if as_json:
        print_json(report)
    else:
        _show(report)


async def _embedder() -> "Embedder":
    """The configured embedder; the local one's files are fetched if need be."""
    from hammerstone.core.errors import ModelMissing
    from hammerstone.core.settings import load_settings
    from hammerstone.models.embedding.embedder_opening import open_embedder, why_words_only
    from hammerstone.models.pull.pulling import pull_embedder

    settings = load_settings()
    if settings.embedder == "local" and why_words_only(settings):
        await pull_embedder(settings)
    embedder = open_embedder(settings)
    if embedder is None:
        raise ModelMissing(
            f"retrieval cannot be measured: {why_words_only(settings)}",
            hint="set HAMMERSTONE_EMBEDDER=local",
        )
    return embedder


def _show(report: dict[str, Any]) -> None:
    from rich.table import Table

    from hammerstone.serve.cli.output import console

    out = console()
    table = Table(title=f"{report['requests']} requests over {report['tools']} tools")
    table.add_column("search")
    for column in _COLUMNS:
        table.add_column(column, justify="right")
    for name in ("bm25", "vector", "fused_70_30", "ours"):
        table.add_row(name, *(f"{report[name][column]:.3f}" for column in _COLUMNS))
    out.print(table)
    learned = ", ".join(
        f"{uses}: {'too few requests' if recall is None else f'{recall:.3f}'}"
        for uses, recall in report["after_use"].items()
    )
    out.print(f"recall@1 after up to n past requests a tool: {learned}")
    if picks := report["after_wrong_picks"]:
        values = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in picks.items())
        out.print(f"recall@1 after 20 uses, a tenth of them wrong picks: {values}")
    if some := report["after_use_of_some"]:
        pairs = ", ".join(f"{n}: {each['used']} and {each['others']}" for n, each in some.items())
        out.print(f"the same where every other tool has a past, for those and the others: {pairs}")
    for key, about in (
        ("fit", "fit decision"),
        ("fit_whole_library", "over the whole library, as labelled"),
        ("fit_whole_library_copies_right", "the same, near copies of the right tool being right"),
    ):
        if key in report:
            values = ", ".join(f"{name} {value}" for name, value in report[key].items())
            out.print(f"{about}: {values}")
