"""What the documents say exists: files, commands, and code that runs."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hammerstone.serve.cli.main import app

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "AGENTS.md",
    ROOT / "CHANGELOG.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
_LINK = re.compile(r"\]\((?!https?:)([^)#]+)")
_COMMAND = re.compile(r"\bhammerstone ((?:[a-z]+)(?: (?!NAME|ID)[a-z]+)?)")
_EVAL = re.compile(r"(?:evals/|evals\.)([a-z_]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    broken = [
        target
        for target in _LINK.findall(page.read_text("utf-8"))
        if not (page.parent / target).exists()
    ]
    assert not broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_evaluations_that_are_named_exist(page: Path) -> None:
    named = set(_EVAL.findall(page.read_text("utf-8")))
    assert not [name for name in named if not (ROOT / "evals" / f"{name}.py").exists()]


def test_commands_in_the_readme_exist() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    blocks = "\n".join(line for line in text.splitlines() if line.startswith("    hammerstone "))
    named = {match.strip() for match in _COMMAND.findall(blocks)}
    assert len(named) > 4
    for words in named:
        shown = CliRunner().invoke(app, [*words.split(), "--help"])
        assert shown.exit_code == 0, words


async def test_the_python_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first example of docs/python.md, with a scripted model in place of the embedded one."""
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.answers import Sureness
    from hammerstone.core.settings import Settings
    from hammerstone.models.fakes import ScriptedModel
    from hammerstone.models.one import OneModel
    from tests.integration.engine import percent_script

    text = (ROOT / "docs" / "python.md").read_text("utf-8")
    (example, *_) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    body = example.replace("asyncio.run(main())", "")
    names: dict[str, object] = {}
    exec(compile(body, "docs/python.md", "exec"), names)  # our own document, not generated code
    settings = Settings(data_dir=tmp_path, embedder="off")
    opened = Hammerstone.open(settings, models=OneModel(ScriptedModel(percent_script())))
    monkeypatch.setattr(Hammerstone, "open", lambda: opened)
    printed: list[tuple[object, ...]] = []
    names["print"] = lambda *values: printed.append(values)
    await names["main"]()  # type: ignore[operator]
    text, sureness, why = printed[0]
    assert text == "42" and sureness in list(Sureness) and "solutions agree" in str(why)
