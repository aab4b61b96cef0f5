"""Settings from every source, in order, with errors that name what is wrong."""

from pathlib import Path
from typing import Any

import pytest

from hammerstone.core.chat import Role
from hammerstone.core.errors import SettingsError
from hammerstone.core.settings import Settings, load_settings


def test_the_data_directory_can_be_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAMMERSTONE_DATA_DIR", str(tmp_path / "elsewhere"))
    assert load_settings().data_dir == tmp_path / "elsewhere"


def test_names_the_field_knows_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "OPENAI_API_KEY": "sk-abc",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "OPENAI_MODEL": "m",
        "OPENAI_EMBEDDING_MODEL": "e",
        "ANTHROPIC_API_KEY": "a",
        "DATABASE_URL": "postgresql://u:p@h/d",
        "SUPABASE_URL": "https://x.supabase.co",
        "SIMILARITY_THRESHOLD": "0.3",
        "DOCKER_IMAGE_NAME": "img",
        "DOCKER_TIMEOUT": "12",
        "HOST": "127.0.0.9",
        "PORT": "1234",
    }.items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    assert settings.openai_api_key is not None
    assert settings.openai_api_key.get_secret_value() == "sk-abc"
    assert settings.general_model == "compatible:m"
    assert settings.openai_embedding_model == "e"
    assert settings.database_url is not None
    assert settings.supabase_url == "https://x.supabase.co"
    assert settings.similarity_threshold == 0.3
    assert (settings.docker_image_name, settings.docker_timeout) == ("img", 12.0)
    assert (settings.host, settings.port) == ("127.0.0.9", 1234)


def test_secrets_do_not_show_in_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-verysecret")
    assert "verysecret" not in repr(load_settings())


def test_the_file_counts_and_the_environment_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hammerstone.toml").write_text('port = 4000\nmodel = "openai:x"\n', "utf-8")
    monkeypatch.setenv("HAMMERSTONE_PORT", "5000")
    settings = load_settings()
    assert (settings.port, settings.model) == (5000, "openai:x")


def test_a_role_may_have_its_own_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hammerstone.toml").write_text(
        'model = "local"\n[role_models]\njudge = "anthropic:claude-haiku-4-5"\n', "utf-8"
    )
    settings = load_settings()
    assert settings.model_for(Role.JUDGE) == "anthropic:claude-haiku-4-5"
    assert settings.model_for(Role.CODER) == "local"


def test_without_anything_configured_the_embedded_model_is_used() -> None:
    assert load_settings().general_model == "local"


@pytest.mark.parametrize(
    "line",
    [
        'openai_base_url = "http://evil.example"',
        'OPENAI_BASE_URL = "http://evil.example"',
        'sandbox = "landlock"',
        'database_url = "postgresql://evil"',
        'data_dir = "/tmp/x"',
        'token = "x"',
        'sandbox_packages = ["x"]',
        'user = "somebody"',
        'HAMMERSTONE_USER = "somebody"',
        "sandbox_slots = 999",
        'otlp_endpoint = "http://evil.example"',
    ],
)
def test_a_repository_cannot_send_keys_away_or_loosen_protection(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hammerstone.toml").write_text(line, "utf-8")
    with pytest.raises(SettingsError, match="may not set"):
        load_settings()
    own = tmp_path / "data"
    own.mkdir()
    (tmp_path / "hammerstone.toml").rename(own / "hammerstone.toml")
    load_settings()


def test_a_machine_name_in_host_is_not_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOST", "x86_64-conda-linux-gnu")
    assert load_settings().host == "127.0.0.1"
    monkeypatch.setenv("PORT", "8000")
    assert load_settings().host == "x86_64-conda-linux-gnu"


@pytest.mark.parametrize("content", ["port = 'x'", "port = ", "port = 99999"])
def test_a_wrong_file_is_a_clear_error(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hammerstone.toml").write_text(content, "utf-8")
    with pytest.raises(SettingsError, match=r"port|hammerstone\.toml"):
        load_settings()


@pytest.mark.parametrize("given", [{"token": ""}, {"token": "  "}, {"tokens": {"bob": ""}}])
def test_an_empty_token_is_refused(tmp_path: Path, given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must not be empty"):
        Settings(data_dir=tmp_path, **given)


def test_secrets_are_read_from_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Docker and Kubernetes mount them; the environment goes before them."""
    (tmp_path / "hammerstone_token").write_text("from a file\n")
    (tmp_path / "hammerstone_database_url").write_text("postgresql://ada:pw@db/tools")
    (tmp_path / "openai_api_key").write_text("k")
    monkeypatch.setenv("HAMMERSTONE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("HAMMERSTONE_SECRETS_DIR", str(tmp_path))
    found = load_settings()
    assert found.token and found.token.get_secret_value() == "from a file"
    assert found.database_url and "ada:pw" in found.database_url.get_secret_value()
    assert found.openai_api_key and found.openai_api_key.get_secret_value() == "k"
    monkeypatch.setenv("HAMMERSTONE_TOKEN", "from the environment")
    again = load_settings().token
    assert again and again.get_secret_value() == "from the environment"
