"""What is configured, what is missing, and the command that fixes it."""

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass

from hammerstone.core.chat import Role
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.json_types import JsonObject
from hammerstone.core.settings import Settings
from hammerstone.models.embedding.embedder_opening import why_words_only
from hammerstone.models.opening import local_model_path
from hammerstone.storage import Database


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """One thing that was looked at. `needed` ones keep Hammerstone from working."""

    name: str
    ok: bool
    detail: str
    fix: str = ""
    needed: bool = True

    def to_json(self) -> JsonObject:
        return asdict(self)


async def examine(settings: Settings) -> list[HealthFinding]:
    """Every finding, in the order in which a newcomer would mend them."""
    findings = [_python(), _data_dir(settings)]
    findings.append(await _database(settings))
    findings += _models(settings)
    findings.append(_search(settings))
    findings += await _sandbox(settings)
    findings.append(_disk(settings))
    return findings


def _python() -> HealthFinding:
    version = ".".join(map(str, sys.version_info[:3]))
    ok = sys.version_info >= (3, 11)
    return HealthFinding("python", ok, version, "" if ok else "install Python 3.11 or newer")


def _data_dir(settings: Settings) -> HealthFinding:
    path = settings.data_dir
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        ok = os.access(path, os.W_OK | os.X_OK)
        detail = str(path) if ok else f"{path} cannot be written"
    except OSError as error:
        ok, detail = False, f"{path}: {error.strerror}"
    fix = "" if ok else "set HAMMERSTONE_DATA_DIR to a folder you may write to"
    return HealthFinding("data directory", ok, detail, fix)


async def _database(settings: Settings) -> HealthFinding:
    try:
        db = await Database.open(settings)
        try:
            tools = len(await db.tools.list())
            return HealthFinding("database", True, f"{db.url_for_display} ({tools} tools)")
        finally:
            await db.close()
    except HammerstoneError as error:
        return HealthFinding("database", False, error.message, error.hint)


def _models(settings: Settings) -> list[HealthFinding]:
    findings: list[HealthFinding] = []
    named = {role: _listed(settings.model_for(role)) for role in Role}
    for name in sorted({name for names in named.values() for name in names}):
        roles = [str(role) for role in Role if name in named[role]]
        who = "all roles" if len(roles) == len(Role) else ", ".join(roles)
        check = _CHECKS.get(name.partition(":")[0])
        ok, detail, fix = check(settings) if check else (False, "unknown provider", "see docs")
        findings.append(HealthFinding(f"model {name}", ok, f"{detail}, for {who}", fix))
    return findings


def _listed(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def _local(settings: Settings) -> tuple[bool, str, str]:
    path = local_model_path(settings)
    if not path.is_file():
        return False, f"{path} is not there", "hammerstone model pull"
    return True, f"{path.name}, {path.stat().st_size / 1e9:.1f} GB", ""


def _with_key(setting: str, variable: str) -> Callable[[Settings], tuple[bool, str, str]]:
    def check(settings: Settings) -> tuple[bool, str, str]:
        there = getattr(settings, setting) is not None
        fix = "" if there else f"set {variable}"
        return there, "key is set" if there else f"{variable} is not set", fix

    return check


def _endpoint(setting: str, variable: str) -> Callable[[Settings], tuple[bool, str, str]]:
    def check(settings: Settings) -> tuple[bool, str, str]:
        address = getattr(settings, setting)
        return bool(address), address or "no address", "" if address else f"set {variable}"

    return check


_CHECKS: dict[str, Callable[[Settings], tuple[bool, str, str]]] = {
    "local": _local,
    "openai": _with_key("openai_api_key", "OPENAI_API_KEY"),
    "compatible": _endpoint("openai_base_url", "OPENAI_BASE_URL"),
    "anthropic": _with_key("anthropic_api_key", "ANTHROPIC_API_KEY"),
    "google": _with_key("google_api_key", "GOOGLE_API_KEY"),
    "ollama": lambda settings: (True, settings.ollama_base_url or "the default address", ""),
}


def _search(settings: Settings) -> HealthFinding:
    why = why_words_only(settings)
    if not why:
        return HealthFinding("search", True, "by meaning and words", needed=False)
    return HealthFinding(
        "search", False, f"by words only: {why}", "hammerstone model pull", needed=False
    )


async def _sandbox(settings: Settings) -> list[HealthFinding]:
    from hammerstone.sandbox import sandbox_report

    rows = await sandbox_report(settings)
    return [HealthFinding(row.name, row.ok, row.detail, row.fix, row.needed) for row in rows]


def _disk(settings: Settings) -> HealthFinding:
    folder = settings.data_dir if settings.data_dir.is_dir() else settings.data_dir.parent
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return HealthFinding("disk", False, str(error), needed=False)
    ok = free > 3e9
    fix = "" if ok else "free some space: model and runtime need about 3 GB"
    return HealthFinding("disk", ok, f"{free / 1e9:.1f} GB free", fix, needed=False)
