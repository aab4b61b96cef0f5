"""A settings file that was written for an earlier version is read as it was meant."""

from pathlib import Path

import pytest

from hammerstone.core.chat import Role
from hammerstone.core.settings import load_settings

EARLIER = """
user = "ada"
database_url = "postgresql://db.example/hammerstone"
database_pool_size = 7
database_pool_timeout_s = 4.0
model = "openai:gpt-x"
role_models = { coder = "anthropic:claude-x" }
fallback_models = ["embedded"]
model_path = "/models/own.gguf"
model_timeout_s = 60.0
model_threads = 2
model_idle_s = 30.0
openai_api_key = "sk-1"
openai_base_url = "https://models.example/v1"
openai_embedding_model = "embed-x"
embedder = "off"
sandbox = "bubblewrap"
sandbox_slots = 3
sandbox_packages = ["numpy"]
docker_image_name = "own-sandbox"
docker_timeout = 20.0
container_runtime = "runsc"
similarity_threshold = 0.5
host = "127.0.0.1"
port = 4000
token = "a-long-enough-token-for-one-owner"
max_body_bytes = 1000000
max_upload_bytes = 2000000
requests_per_minute = 60
search_provider = "searxng"
search_url = "https://search.example"
read_pages = true
page_hosts = ["example.org"]
otlp_endpoint = "http://127.0.0.1:4318"

[tokens]
bob = "another-long-enough-token-for-bob"

[mcp_servers.files]
command = "files-server"
args = ["--read-only"]
env = { ROOT = "/srv" }

[http_services.weather]
url = "https://weather.example"
description = "The weather of a place."
methods = ["GET"]
"""


def test_a_settings_file_of_an_earlier_version_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HAMMERSTONE_DATA_DIR", str(tmp_path))
    (tmp_path / "hammerstone.toml").write_text(EARLIER, "utf-8")
    read = load_settings()
    assert (read.user, read.model, read.port, read.sandbox_slots) == (
        "ada",
        "openai:gpt-x",
        4000,
        3,
    )
    assert read.role_models == {Role.CODER: "anthropic:claude-x"}
    assert read.fallback_models == ["embedded"] and read.sandbox_packages == ["numpy"]
    assert (read.database_pool_size, read.database_pool_timeout_s) == (7, 4.0)
    assert read.mcp_servers["files"].args == ["--read-only"]
    assert read.http_services["weather"].methods == ["GET"]
    assert read.tokens["bob"].get_secret_value().endswith("bob")
    assert (read.read_pages, read.page_hosts) == (True, ["example.org"])
    assert (read.search_provider, read.similarity_threshold) == ("searxng", 0.5)
