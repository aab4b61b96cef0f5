"""One word for a thing: public classes and files have one home, and `docs/words.md` says where."""

import ast
import re
from pathlib import Path

from evals.house import SOURCE, crowded_folders, files_of_one_name, modules, names_twice

WORDS = Path(__file__).parents[2] / "docs" / "words.md"
_ROW = re.compile(r"^\| ([^|]+) \| [^|]+ \| (?:`(\w+)`)? ?\| `([^`]+)` \|$", re.MULTILINE)


def test_no_public_class_name_is_defined_twice() -> None:
    assert names_twice() == {}


def test_no_file_name_is_used_twice_in_a_layer() -> None:
    assert files_of_one_name() == {}


def test_a_folder_of_these_layers_has_a_dozen_names() -> None:
    assert crowded_folders() == {}


def test_a_class_is_a_noun_and_no_bare_participle() -> None:
    """`RequestExamples`, not `Told`; errors say what happened, and are called so."""
    found: list[str] = []
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef) and re.fullmatch(r"_?[A-Z][a-z]+ed", node.name):
                bases = [ast.unparse(base) for base in node.bases]
                if not any(base.endswith(("Error", "Exception")) for base in bases):
                    found.append(f"{path.relative_to(SOURCE)}: {node.name}")
    assert found == []


def test_every_word_stands_where_its_page_says() -> None:
    rows = _ROW.findall(WORDS.read_text("utf-8"))
    assert len(rows) > 40
    for word, name, where in rows:
        path = SOURCE / where
        assert path.exists(), word
        if name:
            assert re.search(rf"^class {name}\b", path.read_text("utf-8"), re.MULTILINE), word
