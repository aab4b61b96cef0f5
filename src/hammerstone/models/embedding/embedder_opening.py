"""Which embedder the settings ask for, and why there is none when there is none."""

from hammerstone.core.seams import Embedder
from hammerstone.core.settings import Settings
from hammerstone.models.embedding.local import LocalEmbedder
from hammerstone.models.pull.model_files import EMBEDDER_FILES

OPENAI_BASE_URL = "https://api.openai.com/v1"
DEFAULT_REMOTE_MODEL = "text-embedding-3-small"


def open_embedder(settings: Settings) -> Embedder | None:
    """The embedder in force, unloaded; None when search has to do with words alone."""
    if why_words_only(settings):
        return None
    if settings.embedder == "openai":
        from hammerstone.models.embedding.remote import RemoteEmbedder

        key = settings.openai_api_key
        return RemoteEmbedder(
            settings.openai_embedding_model or DEFAULT_REMOTE_MODEL,
            base_url=settings.openai_base_url or OPENAI_BASE_URL,
            api_key=key.get_secret_value() if key else "",
        )
    return LocalEmbedder(settings.models_dir)


def why_words_only(settings: Settings) -> str:
    """The reason for searching by words alone and what to do about it; empty when there is none.

    Looks whether files exist, not whether they are right: their hashes are checked on loading.
    """
    if settings.embedder == "off":
        return "the embedder is switched off (setting `embedder`)"
    if settings.embedder == "openai":
        if settings.openai_api_key is None and settings.openai_base_url is None:
            return "no embedding endpoint is configured: set OPENAI_API_KEY or OPENAI_BASE_URL"
        return ""
    missing = [
        file.name for file in EMBEDDER_FILES if not (settings.models_dir / file.name).is_file()
    ]
    if missing:
        return f"{' and '.join(missing)} missing: fetch with `hammerstone model pull`"
    return ""
