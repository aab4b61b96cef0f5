"""`hammerstone serve`: the HTTP and WebSocket door."""

from typing import Annotated

import typer


def serve(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; loopback by default.")
    ] = None,
    port: Annotated[int | None, typer.Option(help="Port; 0 takes a free one.")] = None,
    open_browser: Annotated[
        bool, typer.Option("--open", help="Open the web app in a browser.")
    ] = False,
) -> None:
    """Start the web app and the API on this machine; Ctrl-C ends it."""
    from hammerstone.core.settings import load_settings
    from hammerstone.serve.api.server import refuse_open_doors, run_server
    from hammerstone.serve.cli.system.models.pulling import ensure_files

    overrides = {"host": host, "port": port}
    settings = load_settings(**{k: v for k, v in overrides.items() if v is not None})
    refuse_open_doors(settings)  # before anything is fetched
    ensure_files(settings)
    run_server(settings, open_browser=open_browser)
