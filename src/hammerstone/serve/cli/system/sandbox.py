"""`hammerstone sandbox`: prove the controls on this machine, install what tools may import."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from hammerstone.core.formatting import listing, shortened
from hammerstone.serve.cli.output import print_json, say, tell

if TYPE_CHECKING:
    from hammerstone.sandbox.conformance import ProbeResult, Report

app = typer.Typer(help="Test and prepare the sandbox that tools run in.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command()
def check(
    backend: Annotated[
        str | None, typer.Option(help="bubblewrap, landlock or container; else the one in use.")
    ] = None,
    fast: Annotated[
        bool, typer.Option("--fast", help="Only the attacks that also run at each start.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Attack the sandbox in every way we know, and show what stopped each attack.

    Exit code 0 when every attack was stopped, but for the known gaps that are listed.
    """
    report = asyncio.run(_check(backend, fast=fast, quiet=as_json))
    if as_json:
        print_json(report.to_json())
    else:
        _summarise(report)
    if report.breaches:
        raise typer.Exit(7)


async def _check(backend: str | None, *, fast: bool, quiet: bool) -> "Report":
    from hammerstone.core.errors import BadRequest
    from hammerstone.core.settings import load_settings
    from hammerstone.sandbox.conformance import FAST, run_probes
    from hammerstone.sandbox.opening import BACKENDS, open_backend_sandbox, open_sandbox

    if backend is not None and backend not in BACKENDS:
        raise BadRequest(f"there is no backend {backend}", hint=f"one of {', '.join(BACKENDS)}")
    settings = load_settings()
    if backend is None:
        sandbox = await open_sandbox(settings)
    else:
        sandbox = await open_backend_sandbox(backend, settings, prove=False)
    try:
        only = FAST if fast else None
        return await run_probes(sandbox, only=only, on_result=None if quiet else _show)
    finally:
        await sandbox.close()


def _show(result: "ProbeResult") -> None:
    mark, style = ("stopped", "green") if result.contained else ("NOT STOPPED", "red")
    say(f"{mark}  ", style=style, end="")
    say(f"{result.name}: {result.tries}")
    say(f"         {shortened(result.detail, 160)}", style="dim")


def _summarise(report: "Report") -> None:
    say(f"{report.backend}: {report.contained} of {report.total} attacks stopped", style="bold")
    for gap in report.known_gaps:
        say(f"known gap: {gap}")
    for result in report.breaches:
        say(f"not stopped: {result.name}: {result.detail}", style="red")


@app.command()
def setup(as_json: AsJson = False) -> None:
    """Prepare what tools run in, and install the packages they may import."""
    from hammerstone.core.settings import load_settings
    from hammerstone.sandbox.runtime import add_packages, prepare_runtime

    settings = load_settings()

    async def build() -> tuple[bool, str]:
        runtime = await add_packages(settings, await prepare_runtime(settings))
        return runtime.packages is not None, runtime.missing

    if not as_json:
        tell(f"Installing {listing(settings.sandbox_packages)} for tools ...")
    installed, missing = asyncio.run(build())
    if as_json:
        print_json({"packages": installed, "missing": missing})
    elif missing:
        tell(f"Tools have only Python's standard library; packages: {missing[-300:]}")
    else:
        say("The sandbox is complete.")
