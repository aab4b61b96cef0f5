"""Installing what tools may import runs nobody's build script."""

from pathlib import Path

import pytest

from hammerstone.core.settings import load_settings
from hammerstone.sandbox.runtime import packages
from hammerstone.sandbox.runtime.packages import PackagesUnavailable, install_packages

RECORD = """#!/bin/sh
echo "$PWD $*" > {log}
exit 1
"""


@pytest.mark.parametrize(
    "package",
    [
        "{source}",
        "evil @ file://{source}",
        "./evil",
        "--editable={source}",
        "-r/etc/passwd",
        "git+https://example.com/evil",
        "",
    ],
)
def test_what_would_be_built_here_is_refused(package: str, tmp_path: Path) -> None:
    with pytest.raises(PackagesUnavailable, match="not the name of a package"):
        install_packages(tmp_path / "target", [package.format(source=tmp_path)])


def test_names_are_installed_from_wheels_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, installer = tmp_path / "log", tmp_path / "python"
    installer.write_text(RECORD.format(log=log))
    installer.chmod(0o755)
    monkeypatch.setattr(packages.sys, "executable", str(installer))
    monkeypatch.setattr(packages.shutil, "which", lambda _name: None)
    wanted = [*load_settings().sandbox_packages, "numpy>=2,<3", "qrcode[pil] ~= 8.0"]
    with pytest.raises(PackagesUnavailable):
        install_packages(tmp_path / "target", wanted)
    said = log.read_text()
    assert said.startswith("/ ") and "--only-binary :all:" in said and "-- numpy pandas" in said
