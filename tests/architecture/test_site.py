"""The documentation as a site: it builds, every page is in it, and it asks nothing of others."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
_OUTSIDE = re.compile(r"""<(?:script|link|img|iframe)[^>]+(?:src|href)=["'](https?:[^"']+)""")


def pages_of(nav: Any) -> list[str]:
    """Every page that a navigation leads to."""
    if isinstance(nav, str):
        return [nav]
    parts = nav.values() if isinstance(nav, dict) else nav
    return [page for part in parts for page in pages_of(part)]


def test_the_navigation_covers_every_page_once() -> None:
    named = pages_of(yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"])
    there = sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))
    assert sorted(named) == there


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.stem)
def test_a_page_begins_with_what_it_is_for(page: Path) -> None:
    heading, blank, first = page.read_text("utf-8").split("\n")[:3]
    assert heading.startswith("# ") and blank == ""
    assert re.match(r"[A-Z`*\[]", first), f"{page.name} begins with {first[:60]!r}"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(built)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return built


def test_every_page_is_built(site: Path) -> None:
    for page in DOCS.rglob("*.md"):
        assert (site / page.relative_to(DOCS).with_suffix(".html")).exists()
    assert (site / "images" / "web-chat.png").exists()


def test_nothing_is_asked_of_another_site(site: Path) -> None:
    asked = {
        address
        for page in site.rglob("*.html")
        for address in _OUTSIDE.findall(page.read_text("utf-8"))
    }
    assert asked == set()
