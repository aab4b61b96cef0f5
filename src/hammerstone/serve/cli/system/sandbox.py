"""`hammerstone sandbox`: prove the controls on this machine, install what tools may import."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from hammerstone.serve.cli.output import console, print_json

if TYPE_CHECKING:
    from hammerstone.sandbox.conformance import ProbeResult, Report

app = typer.Typer(help="Prove and prepare the sandbox.", no_args_is_help=True)

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

    Exit code 0 means that every attack was contained but for the gaps the backend names.
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
    mark = "[green]contained[/]" if result.contained else "[red]NOT CONTAINED[/]"
    out = console()
    out.print(f"{mark}  {result.name}: {result.tries}")
    out.print(f"            {result.detail[:160]}", style="dim", markup=False)


def _summarise(report: "Report") -> None:
    out = console()
    out.print(f"{report.backend}: {report.contained} of {report.total} contained")
    for gap in report.known_gaps:
        out.print(f"known gap: {gap}", markup=False)
    for result in report.breaches:
        out.print(f"breach: {result.name}: {result.detail}", style="red", markup=False)


@app.command()
def setup(as_json: AsJson = False) -> None:
    """Build the runtime that tools run in, and install the packages they may import."""
    from hammerstone.core.settings import load_settings
    from hammerstone.sandbox.runtime import add_packages, prepare_runtime

    settings = load_settings()

    async def build() -> tuple[bool, str]:
        runtime = await add_packages(settings, await prepare_runtime(settings))
        return runtime.packages is not None, runtime.missing

    if not as_json:
        typer.echo(f"installing {', '.join(settings.sandbox_packages)} for tools ...", err=True)
    installed, missing = asyncio.run(build())
    if as_json:
        print_json({"packages": installed, "missing": missing})
    elif missing:
        typer.echo(f"tools have the standard library only; packages: {missing[-300:]}", err=True)
    else:
        typer.echo("the sandbox's runtime is complete")
