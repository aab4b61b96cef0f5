"""What is configured, what is missing, and the command that fixes it."""

import asyncio
import difflib
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.util import find_spec

from hammerstone.core.chat import Role
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.json_types import JsonObject
from hammerstone.core.settings import Settings
from hammerstone.models.embedding.embedder_opening import why_words_only
from hammerstone.models.opening import listed_models, local_model_path
from hammerstone.models.providers.endpoints import EndpointReply, ask_endpoint, endpoint_of
from hammerstone.storage import Database

_PREFIX = "HAMMERSTONE_"
_ALIKE = 0.6  # how alike two names are, from 0 to 1, before one is taken for the other misspelt


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
    findings = [_python(), *_variables(os.environ), _data_dir(settings)]
    findings.append(await _database(settings))
    findings += await _models(settings)
    findings.append(_search(settings))
    findings += await _sandbox(settings)
    findings.append(_disk(settings))
    return findings


def _python() -> HealthFinding:
    version = ".".join(map(str, sys.version_info[:3]))
    ok = sys.version_info >= (3, 11)
    return HealthFinding("python", ok, version, "" if ok else "install Python 3.11 or newer")


def _variables(environ: Mapping[str, str]) -> list[HealthFinding]:
    """Variables that look like settings and are none: nobody reads them."""
    known = {name.upper() for name in Settings.model_fields}
    findings: list[HealthFinding] = []
    for variable in sorted(environ):
        name = variable.upper().removeprefix(_PREFIX)
        if name == variable.upper() or name in known:
            continue
        near = difflib.get_close_matches(name, sorted(known), 1, _ALIKE)
        fix = f"unset {variable}" + (f", and set {_PREFIX}{near[0]} instead" if near else "")
        detail = f"{variable} is not a setting, so it does nothing"
        findings.append(HealthFinding("variable", False, detail, fix, needed=False))
    return findings


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
            tools = len(await db.tools.list())  # all are read: that is how damage shows
            return HealthFinding("database", True, f"{db.url_for_display} ({tools} tools)")
        finally:
            await db.close()
    except HammerstoneError as error:
        return HealthFinding("database", False, error.message, error.hint)


async def _models(settings: Settings) -> list[HealthFinding]:
    named = {role: listed_models(settings.model_for(role)) for role in Role}
    names = sorted({name for names in named.values() for name in names})
    replies = await asyncio.gather(*(model_answers(name, settings) for name in names))
    findings: list[HealthFinding] = []
    for name, reply in zip(names, replies, strict=True):
        roles = [str(role) for role in Role if name in named[role]]
        who = "all roles" if len(roles) == len(Role) else ", ".join(roles)
        detail = f"{reply.detail}, for {who}"
        findings.append(HealthFinding(f"model {name}", reply.ok, detail, reply.fix))
    return findings


async def model_answers(name: str, settings: Settings) -> EndpointReply:
    """Whether a model is there: its file, its key, and where it has an address, an answer."""
    provider = name.partition(":")[0]
    if provider == "local":
        return _local(settings)
    from hammerstone.models.providers.provider_catalog import PROVIDERS

    if provider not in PROVIDERS:
        return EndpointReply(False, "unknown provider", f"use local, or {', '.join(PROVIDERS)}")
    if provider in _KEYS and getattr(settings, _KEYS[provider].lower()) is None:
        return EndpointReply(False, f"{_KEYS[provider]} is not set", f"set {_KEYS[provider]}")
    address = endpoint_of(provider, settings)
    if address is not None:
        key = settings.openai_api_key if provider in ("openai", "compatible") else None
        return await ask_endpoint(address, key)
    if provider == "compatible":
        return EndpointReply(False, "no address", "set OPENAI_BASE_URL")
    return EndpointReply(True, "key is set (the provider was not called, which may cost money)")


def _local(settings: Settings) -> EndpointReply:
    path = local_model_path(settings)
    if not path.is_file():
        return EndpointReply(False, f"{path} is not there", "hammerstone model pull")
    if find_spec("xllamacpp") is None:
        missing = "the package xllamacpp is missing, without which the model does not run"
        return EndpointReply(False, missing, "pip install xllamacpp")
    return EndpointReply(True, f"{path.name}, {path.stat().st_size / 1e9:.1f} GB")


_KEYS = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "google": "GOOGLE_API_KEY",
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
