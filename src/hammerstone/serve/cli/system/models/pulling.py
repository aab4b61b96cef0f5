"""Fetches the embedded model before a command that needs it."""

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hammerstone.core.settings import Settings


def ensure_files(settings: "Settings") -> None:
    """Pull what these settings need and is not here yet, with a progress bar.

    Without the embedder search goes on by words, so only the model's absence is an error.
    """
    from hammerstone.core.chat import Role
    from hammerstone.core.errors import PullError
    from hammerstone.models.opening import local_model_path
    from hammerstone.models.pull.bar import ProgressBar
    from hammerstone.models.pull.model_files import EMBEDDED_MODEL, MINILM_ONNX, MINILM_TOKENIZER
    from hammerstone.models.pull.pulling import pull
    from hammerstone.serve.cli.output import console, tell

    wanted = []
    names = {name.strip() for role in Role for name in settings.model_for(role).split(",")}
    local = "local" in names or "local" in settings.fallback_models
    if local and settings.model_path is None and not local_model_path(settings).is_file():
        wanted.append(EMBEDDED_MODEL)
    if settings.embedder == "local":
        files = (MINILM_ONNX, MINILM_TOKENIZER)
        wanted += [file for file in files if not (settings.models_dir / file.name).is_file()]
    if not wanted:
        return
    err = console(stderr=True)
    tell("Downloading the embedded model, once:", style="dim")
    with ProgressBar(err) as bar:
        for file in wanted:
            try:
                asyncio.run(pull(file, settings.models_dir, bar.show))
            except PullError as error:
                if file is EMBEDDED_MODEL:
                    raise
                tell(f"Going on without {file.name}: {error.message}", style="yellow")
