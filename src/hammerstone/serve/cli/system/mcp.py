"""`hammerstone mcp`: the library as tools of an editor or an assistant."""

import json
import shutil
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.serve.cli.output import say
from hammerstone.serve.cli.requests.engine import with_engine

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone

app = typer.Typer(help="Use the library from editors and assistants (MCP).", no_args_is_help=True)

_FILES = {
    "claude-desktop": "claude_desktop_config.json (Settings, Developer, Edit Config)",
    "cursor": "~/.cursor/mcp.json",
    "vscode": ".vscode/mcp.json",
    "windsurf": "~/.codeium/windsurf/mcp_config.json",
    "zed": "~/.config/zed/settings.json",
    "codex": "~/.codex/config.toml",
    "gemini": "~/.gemini/settings.json",
}


@app.command()
def serve() -> None:
    """Serve the library over stdin and stdout, for a client that starts this command itself.

    Over HTTP it is at /mcp of `hammerstone serve`.
    """
    with_engine(_serve)


async def _serve(hs: "Hammerstone") -> None:
    from mcp.server.stdio import stdio_server

    from hammerstone.serve.mcp.mcp_server import LibraryServer

    hs.proofs.worker.start()
    library = LibraryServer(hs)
    async with library.watching(), stdio_server() as (read, write):
        await library.server.run(read, write, library.server.create_initialization_options())


@app.command()
def install(
    client: Annotated[
        str | None, typer.Argument(help=f"One of {', '.join(['claude-code', *_FILES])}.")
    ] = None,
) -> None:
    """Print what to put into a client's configuration; nothing is changed."""
    from hammerstone.core.errors import BadRequest

    known = ["claude-code", *_FILES]
    if client is not None and client not in known:
        raise BadRequest(f"{client!r} is not known", hint=f"one of {', '.join(known)}")
    for name in known if client is None else [client]:
        say(_instructions(name), fold=False)


def _instructions(client: str) -> str:
    command = shutil.which("hammerstone") or f"{sys.prefix}/bin/hammerstone"
    server: dict[str, Any] = {"command": command, "args": ["mcp", "serve"]}
    if client == "claude-code":
        return f"claude-code: run\n  claude mcp add hammerstone -- {command} mcp serve\n"
    if client == "codex":
        text = f'[mcp_servers.hammerstone]\ncommand = "{command}"\nargs = ["mcp", "serve"]'
    elif client == "vscode":
        text = json.dumps({"servers": {"hammerstone": {"type": "stdio", **server}}}, indent=2)
    elif client == "zed":
        text = json.dumps({"context_servers": {"hammerstone": server}}, indent=2)
    else:
        text = json.dumps({"mcpServers": {"hammerstone": server}}, indent=2)
    indented = "\n".join(f"  {line}" for line in text.splitlines())
    return f"{client}: {_FILES[client]}\n{indented}\n"
