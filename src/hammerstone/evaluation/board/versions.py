"""What an evaluation measures, by name: code, model, policies, data."""

import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path

from hammerstone.core.chat import Role
from hammerstone.core.evaluations import EvaluationSet, EvaluationVersions
from hammerstone.core.hashing import canonical, digest
from hammerstone.core.json_types import JsonObject
from hammerstone.core.settings import Settings
from hammerstone.evaluation.board.measurement import Measurement, checkout
from hammerstone.models.opening import LOCAL, local_adapters, local_model_path

SHORT = 12
SHIPPED = "shipped"  # policies that nobody has changed
_CODE = (".py", ".md", ".json", ".js", ".css", ".html", ".toml", ".npz")


def versions_of(settings: Settings, policies: Mapping[str, JsonObject]) -> EvaluationVersions:
    """The versions in force. `policies` are those that were changed, by name."""
    return EvaluationVersions(
        code=code_hash(),
        revision=git_revision(),
        model=model_name(settings),
        policies=digest(canonical(dict(policies)))[:SHORT] if policies else SHIPPED,
    )


def code_hash() -> str:
    """The hash of the package's own files: what is not committed counts too."""
    root = Path(str(resources.files("hammerstone")))
    files = sorted(path for path in root.rglob("*") if path.suffix in _CODE and path.is_file())
    hasher = hashlib.sha256()
    for path in files:
        if "__pycache__" not in path.parts:
            hasher.update(str(path.relative_to(root)).encode() + b"\0")
            hasher.update(hashlib.sha256(path.read_bytes()).digest())
    return hasher.hexdigest()[:SHORT]


def git_revision() -> str:
    """The revision of the repository, with a `+` when something is not committed; or nothing."""
    root = checkout()
    if root is None:
        return ""
    head = _git(root, "rev-parse", "--short=12", "HEAD")
    changed = _git(root, "status", "--porcelain", "--untracked-files=no")
    return head + ("+" if head and changed else "")


def _git(root: Path, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *words], capture_output=True, text=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def model_name(settings: Settings) -> str:
    """The model that writes code, with the adapter on it; other roles where they differ."""
    names = {role: settings.model_for(role) for role in Role}
    main = _full_name(names[Role.CODER], settings)
    others = {str(role): name for role, name in names.items() if name != names[Role.CODER]}
    return main + (f" {json.dumps(others, sort_keys=True)}" if others else "")


def _full_name(name: str, settings: Settings) -> str:
    if name != LOCAL:
        return name
    adapters = " and ".join(one.name for one in local_adapters(settings))
    return local_model_path(settings).stem + (f" with {adapters}" if adapters else "")


def data_hash(files: Iterable[Path]) -> str:
    """One hash over the files' contents; a folder counts with all in it. Empty without files."""
    parts: list[str] = []
    for path in files:
        inside = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        for one in inside:
            with one.open("rb") as stream:
                parts.append(f"{one.name} {hashlib.file_digest(stream, 'sha256').hexdigest()}")
    return digest(*parts)[:SHORT] if parts else ""


def work_hash(
    measurement: Measurement,
    versions: EvaluationVersions,
    data: str,
    amounts: EvaluationSet,
    repeat: int = 1,
) -> str:
    """The name of a measurement's work: equal only where nothing that counts has changed."""
    model = versions.model if measurement.needs.model else ""
    own = (measurement.name, str(measurement.revision), str(repeat), measurement.subject,
           str(amounts))  # fmt: skip
    root = checkout() if measurement.needs.checkout else None
    scripts = data_hash(sorted((root / "evals").glob("*.py"))) if root else ""
    return digest(*own, versions.code, model, versions.policies, data, scripts)


def machine() -> str:
    """The machine in a few words, without its name."""
    system = f"{platform.system()} {platform.machine()}"
    cores = len(os.sched_getaffinity(0))
    return f"{system}, {cores} cores, Python {platform.python_version()}"
