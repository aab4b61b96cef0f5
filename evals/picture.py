"""The picture of the layers and of a request's way, drawn from the code.

    python -m evals.picture [--write]

Layers come from the import contract in pyproject.toml, what each is for from its package's
docstring, the way of a request from `run/stages.py`. `--write` draws docs/images/map.svg; a test
fails while that is not what the code says.
"""

import ast
import re
import sys
import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "hammerstone"
PICTURE = ROOT / "docs" / "images" / "map.svg"

WIDTH, ROW, LEFT, GAP = 980, 34, 20, 8
_INK, _LINE, _FILL, _WAY = "#1f2430", "#c3c9d6", "#f4f6fa", "#e7f0ff"


def layers() -> list[list[str]]:
    """The packages, highest first; those in one row do not know each other."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    rows = contract["tool"]["importlinter"]["contracts"][0]["layers"]
    return [re.findall(r"\w+", row) for row in rows]


def purpose(package: Path) -> str:
    """The first sentence of a package's docstring."""
    told = ast.get_docstring(ast.parse((package / "__init__.py").read_text("utf-8"))) or ""
    return re.split(r"(?<=[.!?])\s", told.replace("\n", " ").replace("`", ""))[0].rstrip(".")


def stages() -> list[tuple[str, str]]:
    """A request's stages in their order, each with what it says of itself."""
    tree = ast.parse((SOURCE / "run" / "stages.py").read_text("utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    order = [
        ast.unparse(field.target)
        for field in classes["Stages"].body
        if isinstance(field, ast.AnnAssign)
    ]
    files = sorted((SOURCE / "run").rglob("*.py"))
    nodes = [node for file in files for node in ast.parse(file.read_text("utf-8")).body]
    found = [node for node in nodes if isinstance(node, ast.ClassDef)]
    told = {node.name: ast.get_docstring(node) or "" for node in found}
    sentences = [told[f"{name.title()}Stage"].split("\n")[0].rstrip(".") for name in order]
    return list(zip(order, sentences, strict=True))


def rooms() -> list[tuple[str, str]]:
    """The folders of `run/` with what each is for."""
    folders = sorted(path.parent for path in (SOURCE / "run").glob("*/__init__.py"))
    return [(folder.name, purpose(folder)) for folder in folders]


def drawn() -> str:
    """The picture as SVG text."""
    parts: list[str] = []
    at = _title(parts, 26, "Layers: each may import those below it")
    for row in layers():
        at = _boxes(parts, at, [(name, purpose(SOURCE / name)) for name in row], _FILL)
    at = _title(parts, at + 22, "A request's way: the first stage with an answer gives it")
    at = _boxes(
        parts, at, [(f"{n}. {name}", told) for n, (name, told) in enumerate(stages(), 1)], _WAY
    )
    at = _title(parts, at + 22, "The rooms of run/")
    at = _boxes(parts, at, rooms(), _FILL)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {at + 12}" '
        f'width="{WIDTH}" height="{at + 12}" font-family="system-ui, sans-serif" '
        f'fill="{_INK}" font-size="13" role="img"><title>Layers and a request\'s way</title>'
        f'<rect width="100%" height="100%" fill="#ffffff"/>'
    )
    return "\n".join([head, *parts, "</svg>"]) + "\n"


def _title(parts: list[str], at: int, text: str) -> int:
    parts.append(
        f'<text x="{LEFT}" y="{at}" font-size="15" font-weight="600">{escape(text)}</text>'
    )
    return at + 12


def _boxes(parts: list[str], at: int, boxes: list[tuple[str, str]], fill: str) -> int:
    for name, told in boxes:
        parts.append(
            f'<rect x="{LEFT}" y="{at}" width="{WIDTH - 2 * LEFT}" height="{ROW - 6}" rx="6" '
            f'fill="{fill}" stroke="{_LINE}"/>'
            f'<text x="{LEFT + 12}" y="{at + 19}" font-weight="600">{escape(name)}</text>'
            f'<text x="{LEFT + 130}" y="{at + 19}">{escape(told[:125])}</text>'
        )
        at += ROW - 6
    return at + GAP


if __name__ == "__main__":
    if "--write" in sys.argv:
        PICTURE.write_text(drawn(), "utf-8")
        print(PICTURE.relative_to(ROOT))
    else:
        print(drawn(), end="")
