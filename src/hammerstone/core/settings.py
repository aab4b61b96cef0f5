"""Everything that can be configured, read in this one place.

Order, first wins: arguments, `HAMMERSTONE_*` variables, the names the field knows (such as
`OPENAI_API_KEY`), `hammerstone.toml` in the working directory, then the one in the data
directory, then the defaults here. Numbers that decide behaviour are policies, not settings.
"""

import ipaddress
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import (
    AliasChoices,
    BaseModel,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SecretsSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from hammerstone.core.chat import Role
from hammerstone.core.errors import SettingsError

SETTINGS_FILE = "hammerstone.toml"


def _known_as(*names: str) -> AliasChoices:
    """The own name first, then the names other programs use for the same thing."""
    own, *others = names
    return AliasChoices(f"hammerstone_{own}", own, *others)


def default_data_dir() -> Path:
    return Path(platformdirs.user_data_dir("hammerstone", appauthor=False))


class _ProjectFile(TomlConfigSettingsSource):
    """The file in the working directory, which may have come with somebody's repository.

    It may choose among what the person has set up, but neither say where keys and data are
    sent nor loosen what protects the machine.
    """

    def __call__(self) -> dict[str, Any]:
        values = super().__call__()
        for name in values:
            plain = name.lower().removeprefix("hammerstone_")
            if plain in _PERSONAL or plain.endswith(("_url", "_key", "_endpoint", "_password")):
                raise SettingsError(
                    f"{SETTINGS_FILE} in the working directory may not set {name}",
                    hint=f"set it in the environment, or in {SETTINGS_FILE} in the data directory",
                    name=name,
                )
        return values


_PERSONAL = frozenset(
    {
        "data_dir",
        "secrets_dir",
        "user",
        "model_path",
        "adapter",
        "trainer",
        "general_suite",
        "sandbox",
        "sandbox_slots",
        "sandbox_packages",
        "docker_image_name",
        "container_runtime",
        "ollama_host",
        "host",
        "token",
        "tokens",
        "max_body_bytes",
        "max_upload_bytes",
        "requests_per_minute",
        "runs_on",
        "model_limits",
        "mcp_clients",
        "mcp_servers",
        "http_services",
        "search_provider",
        "search_url",
        "search_api_key",
        "read_pages",
        "page_hosts",
    }
)


def _without_stray_host(env: PydanticBaseSettingsSource) -> PydanticBaseSettingsSource:
    """Shells and conda set HOST to the machine's name; it is an address only beside a PORT."""
    variables: Mapping[str, str | None] = getattr(env, "env_vars", {})
    if "host" in variables and "port" not in variables:
        env.env_vars = {k: v for k, v in variables.items() if k != "host"}  # type: ignore[attr-defined]
    return env


class McpServer(BaseModel):
    """An MCP server whose tools may be used: a command to start, or an address."""

    command: str = ""
    args: list[str] = Field(default_factory=list[str])
    env: dict[str, SecretStr] = Field(default_factory=dict[str, SecretStr])
    url: str = ""
    token: SecretStr | None = None

    @model_validator(mode="after")
    def _one_way(self) -> "McpServer":
        if bool(self.command) == bool(self.url):
            raise ValueError("give either a command or a url")
        return self


class HttpService(BaseModel):
    """A service that may be asked over HTTP, below one base address."""

    url: str
    description: str = ""
    methods: list[str] = Field(default_factory=lambda: ["GET"])
    headers: dict[str, SecretStr] = Field(default_factory=dict[str, SecretStr])


class ModelLimits(BaseModel):
    """How often a model may be asked by all processes together. 0: without a limit."""

    requests_per_minute: float = Field(0.0, ge=0)
    tokens_per_minute: float = Field(0.0, ge=0)
    longest_wait_s: float = Field(30.0, ge=0)  # whoever would wait longer is told so instead


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="HAMMERSTONE_",
        extra="ignore",
        populate_by_name=True,
        case_sensitive=False,
        env_ignore_empty=True,
    )

    data_dir: Path = Field(default_factory=default_data_dir)
    secrets_dir: Path | None = None  # one setting a file, as secrets are mounted; environment only
    user: str = "local"

    # Storage: a SQLite file in the data directory unless a URL is given.
    database_url: SecretStr | None = Field(
        None, validation_alias=_known_as("database_url", "DATABASE_URL")
    )
    database_pool_size: int = Field(10, ge=1)
    database_pool_timeout_s: float = Field(10.0, gt=0)
    supabase_url: str | None = Field(
        None, validation_alias=_known_as("supabase_url", "SUPABASE_URL")
    )
    supabase_db_password: SecretStr | None = Field(
        None,
        validation_alias=_known_as(
            "supabase_db_password", "SUPABASE_DB_PASSWORD", "SUPABASE_PASSWORD"
        ),
    )

    # Models: "local", or "provider:name" (openai, anthropic, google, ollama, compatible).
    model: str | None = None
    role_models: dict[Role, str] = Field(default_factory=dict[Role, str])
    fallback_models: list[str] = Field(default_factory=list[str])
    model_path: Path | None = None  # an own GGUF file instead of the pulled one
    adapter: str = ""  # on the embedded model: a path, "off", or empty for what is in use
    trainer: str = ""  # a command that makes an adapter of examples; empty: nothing is trained
    general_suite: str = ""  # the suite on which what was trained may not lose
    model_limits: dict[str, ModelLimits] = Field(default_factory=dict[str, ModelLimits])
    model_timeout_s: float = 120.0
    model_threads: int = 0  # 0: all cores this process may use
    model_idle_s: float = Field(600.0, gt=0)  # the shared model process leaves after this
    openai_api_key: SecretStr | None = Field(
        None, validation_alias=_known_as("openai_api_key", "OPENAI_API_KEY")
    )
    openai_base_url: str | None = Field(
        None, validation_alias=_known_as("openai_base_url", "OPENAI_BASE_URL")
    )
    openai_model: str | None = Field(
        None, validation_alias=_known_as("openai_model", "OPENAI_MODEL")
    )
    openai_embedding_model: str | None = Field(
        None, validation_alias=_known_as("openai_embedding_model", "OPENAI_EMBEDDING_MODEL")
    )
    anthropic_api_key: SecretStr | None = Field(
        None, validation_alias=_known_as("anthropic_api_key", "ANTHROPIC_API_KEY")
    )
    anthropic_base_url: str | None = Field(
        None, validation_alias=_known_as("anthropic_base_url", "ANTHROPIC_BASE_URL")
    )
    google_base_url: str | None = None
    google_api_key: SecretStr | None = Field(
        None, validation_alias=_known_as("google_api_key", "GOOGLE_API_KEY", "GEMINI_API_KEY")
    )
    ollama_base_url: str | None = Field(
        None, validation_alias=_known_as("ollama_base_url", "OLLAMA_BASE_URL", "OLLAMA_HOST")
    )
    embedder: Literal["local", "openai", "off"] = "local"

    # Sandbox.
    sandbox: Literal["auto", "bubblewrap", "landlock", "container"] = "auto"
    sandbox_slots: int = 0  # 0: two for each core
    sandbox_packages: list[str] = Field(
        default_factory=lambda: [
            "numpy",
            "pandas",
            "matplotlib",
            "openpyxl",
            "pypdf",
            "python-docx",
            "reportlab",
            "pytest",
            "hypothesis",
        ]
    )
    docker_image_name: str = Field(
        "hammerstone-sandbox", validation_alias=_known_as("docker_image_name", "DOCKER_IMAGE_NAME")
    )
    docker_timeout: float = Field(
        30.0, validation_alias=_known_as("docker_timeout", "DOCKER_TIMEOUT")
    )
    container_runtime: str | None = None

    # The tools that come with the package are in the library without being asked for.
    starter_tools: bool = True

    # Finding tools: a raw similarity under this is not considered at all.
    similarity_threshold: float | None = Field(
        None, validation_alias=_known_as("similarity_threshold", "SIMILARITY_THRESHOLD")
    )

    # Serving.
    host: str = Field("127.0.0.1", validation_alias=_known_as("host", "HOST"))
    port: int = Field(8321, validation_alias=_known_as("port", "PORT"), ge=0, le=65535)
    token: SecretStr | None = None
    tokens: dict[str, SecretStr] = Field(default_factory=dict[str, SecretStr])  # one a person
    max_body_bytes: int = 2_000_000
    max_upload_bytes: int = 32_000_000
    requests_per_minute: int = Field(600, ge=1)  # of one person
    hooks_per_minute: int = Field(1_200, ge=1)  # calls to triggers from one address
    runs_on: Literal["server", "workers"] = "server"  # who answers what the server is asked
    mcp_clients: dict[str, str] = Field(default_factory=dict[str, str])  # off, tools, ask, write

    # The outside: only what is named here can be reached, and the credentials stay on the host.
    mcp_servers: dict[str, McpServer] = Field(default_factory=dict[str, McpServer])
    http_services: dict[str, HttpService] = Field(default_factory=dict[str, HttpService])
    search_provider: str | None = None  # searxng, brave, tavily
    search_url: str | None = None
    search_api_key: SecretStr | None = None
    read_pages: bool = False
    page_hosts: list[str] = Field(default_factory=list[str])  # inner hosts that may be read

    # Telemetry: spans also go to this OTLP endpoint when it is set.
    otlp_endpoint: str | None = Field(
        None, validation_alias=_known_as("otlp_endpoint", "OTEL_EXPORTER_OTLP_ENDPOINT")
    )

    @field_validator("token")
    @classmethod
    def _not_empty(cls, value: SecretStr | None) -> SecretStr | None:
        """An empty token would let everybody in who sends none."""
        if value is not None and not value.get_secret_value().strip():
            raise ValueError("a token must not be empty: leave it out, or set one")
        return value

    @field_validator("tokens")
    @classmethod
    def _none_empty(cls, value: dict[str, SecretStr]) -> dict[str, SecretStr]:
        for token in value.values():
            cls._not_empty(token)
        return value

    @field_validator("data_dir")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        data_dir = Path(os.environ.get("HAMMERSTONE_DATA_DIR") or default_data_dir()).expanduser()
        here, own = Path.cwd() / SETTINGS_FILE, data_dir / SETTINGS_FILE
        sources: list[PydanticBaseSettingsSource] = [
            init_settings,
            _without_stray_host(env_settings),
        ]
        # One secret a file, as Docker and Kubernetes mount them: /run/secrets/hammerstone_token.
        if secrets := os.environ.get("HAMMERSTONE_SECRETS_DIR"):
            sources.append(SecretsSettingsSource(settings_cls, secrets, case_sensitive=False))
        # A folder that may not be entered holds no settings; using it is told elsewhere.
        if os.access(here, os.R_OK) and here != own:
            sources.append(_ProjectFile(settings_cls, here))
        if os.access(own, os.R_OK):
            sources.append(TomlConfigSettingsSource(settings_cls, own))
        return tuple(sources)

    @property
    def models_dir(self) -> Path:
        return self.data_dir / "models"

    @property
    def runtime_dir(self) -> Path:
        return self.data_dir / "runtime"

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine reaches the server's address."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def model_for(self, role: Role) -> str:
        """The model a role uses: its own, the general one, one that a key implies, or local."""
        return self.role_models.get(role) or self.general_model

    @property
    def configured_models(self) -> list[str]:
        """The models that a request may be answered with, each once, the general one first."""
        named = [self.general_model, *self.role_models.values(), *self.fallback_models]
        listed = (name.strip() for names in named for name in names.split(","))
        return list(dict.fromkeys(name for name in listed if name))

    @property
    def general_model(self) -> str:
        if self.model:
            return self.model
        if self.openai_base_url and self.openai_model:
            return f"compatible:{self.openai_model}"
        if self.openai_api_key:
            return f"openai:{self.openai_model or 'gpt-4.1-mini'}"
        if self.anthropic_api_key:
            return "anthropic:claude-haiku-4-5"
        if self.google_api_key:
            return "google:gemini-2.5-flash"
        return "local"


def load_settings(**overrides: Any) -> Settings:
    """The settings in force; raises `SettingsError` with the name of what is wrong."""
    try:
        return Settings(**overrides)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise SettingsError(
            f"setting {name}: {first['msg']}",
            hint=f"correct {name} in the environment or in {SETTINGS_FILE}",
            name=name,
        ) from None
    except (ValueError, OSError) as error:
        raise SettingsError(f"{SETTINGS_FILE} cannot be read: {error}") from None
