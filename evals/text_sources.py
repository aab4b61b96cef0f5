"""Where the texts stand that a person reads: Python source, the web app's scripts, documents.

Strings of the source are taken by their syntax: what is raised, printed, shown as help or given
on as an answer, an event or a reason. Docstrings count only where a person sees them: as the help
of a command, as the description of a policy.
Patterns, word lists, SQL, program text and messages to models are left out.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evals.page_texts import page_texts

ROOT = Path(__file__).parent.parent
SOURCE = "src/hammerstone/"
# Not for people: data, what runs in the sandbox, what a model is told, evaluations of ours.
_APART = {"starter", "versions", "migrations", "guest", "prompts", "evaluation", "vendor", "schema"}
_SENTENCE = re.compile(r"[A-Za-z]{2,}[,:;.]? +[a-z{\d(]")
_PROGRAM = re.compile(
    r"\\[bswdn]|\(\?|[a-z]\(\)\s*\{|^\s*(?:def|import|from|class|return|assert|<\w+|SELECT|PRAGMA"
    r"|CREATE|INSERT|UPDATE|DELETE|ALTER|DROP)\b|==|::|\]\[|\blambda\b|\w\(\"|: \w+;",
    re.MULTILINE,
)
# A list of words has none of these; a sentence of that length has.
_SMALL_WORDS = re.compile(
    r"\b(?:a|an|the|is|are|was|it|of|to|in|on|for|with|not|no|and|or|by|as|that)\b"
)
_LONGEST_LABEL = 6
_UNSEEN_CALLS = {"compile", "span", "text", "debug", "load", "split", "frozenset", "start_span"}
_HELP_WORDS = {"help", "short_help", "epilog"}


@dataclass(frozen=True, slots=True)
class ShownText:
    """One text that a person reads. `kind`: error, hint, help, message, page or document."""

    group: str
    kind: str
    place: str
    text: str


def files_now() -> dict[str, str]:
    """The files of the working tree that hold texts."""
    found = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / SOURCE).rglob("*.*")]
    paths = {str(path.relative_to(ROOT)): path for path in found if path.is_file()}
    return {name: path.read_text("utf-8") for name, path in sorted(paths.items()) if _holds(name)}


def _holds(name: str) -> bool:
    path = Path(name)
    if set(path.parts) & _APART:
        return False
    return path.suffix in (".py", ".js", ".html") or name == "README.md" or _is_document(path)


def _is_document(path: Path) -> bool:
    return path.suffix == ".md" and path.parts[0] == "docs"


def shown_texts(files: dict[str, str]) -> list[ShownText]:
    """Every text that a person reads, by the place it stands in."""
    found: list[ShownText] = []
    for name, content in files.items():
        if name.endswith(".py"):
            found += _of_python(name, content)
        elif name.endswith(".md"):
            group = "design notes" if "docs/design/" in name else "documents"
            found += [
                ShownText(group, "document", f"{name}:{line}", text)
                for line, text in paragraphs(content)
            ]
        else:
            found += [
                ShownText("web app", "page", f"{name.removeprefix(SOURCE)}:{line}", text)
                for line, text in page_texts(content, markup=name.endswith(".html"))
            ]
    return found


def _of_python(name: str, content: str) -> Iterator[ShownText]:
    inside = name.removeprefix(SOURCE)
    parts = Path(inside).parts
    group = "/".join(parts[:2]) if parts[0] == "serve" and len(parts) > 2 else parts[0]
    for line, kind, text in python_texts(content, command_line=inside.startswith("serve/cli")):
        yield ShownText(group, kind, f"{inside}:{line}", text)


def python_texts(content: str, *, command_line: bool = False) -> list[tuple[int, str, str]]:
    """Line, kind and text of the strings in one module that a person may read."""
    found = _Texts(command_line)
    found.visit(ast.parse(content))
    return found.texts


def reads_like_words(text: str) -> bool:
    """Whether a string is words for a person, as far as its form tells."""
    if not _SENTENCE.search(text) or _PROGRAM.search(text):
        return False
    return len(text.split()) <= _LONGEST_LABEL or bool(_SMALL_WORDS.search(text))


class _Texts(ast.NodeVisitor):
    """Walks a module and keeps what reads like a sentence, with what it is for."""

    def __init__(self, command_line: bool) -> None:
        self.texts: list[tuple[int, str, str]] = []
        self._command_line = command_line
        self._kinds = ["message"]

    def _within(self, kind: str, node: ast.AST) -> None:
        self._kinds.append(kind)
        self.visit(node)
        self._kinds.pop()

    def _keep(self, node: ast.expr, text: str) -> None:
        if reads_like_words(text):
            self.texts.append((node.lineno, self._kinds[-1], text.strip()))

    def visit_Raise(self, node: ast.Raise) -> None:
        if node.exc is not None:
            self._within("error", node.exc)

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if called in _UNSEEN_CALLS:
            return
        self.visit(node.func)
        for argument in node.args:
            self.visit(argument)
        for keyword in node.keywords:
            kind = "help" if keyword.arg in _HELP_WORDS else self._kinds[-1]
            self._within("hint" if keyword.arg == "hint" else kind, keyword.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring, or a note below a name
            self.visit(node.value)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        told = ast.get_docstring(node)
        if told and self._command_line and any("command" in ast.dump(d) or "callback" in ast.dump(d)
                                               for d in node.decorator_list):  # fmt: skip
            self.texts.append((node.lineno, "help", told))
        self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        told = ast.get_docstring(node)
        if told and node.name.endswith("Policy"):  # the page of settings shows it
            self.texts.append((node.lineno, "help", told.partition("\n\n")[0]))
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._function(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        parts: list[str] = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                parts.append(str(part.value))
            elif isinstance(part, ast.FormattedValue):
                parts.append("{}")
                self.visit(part.value)
        self._keep(node, "".join(parts))

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self._keep(node, node.value)


_FENCE = re.compile(r"^\s*```")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


def paragraphs(content: str) -> Iterator[tuple[int, str]]:
    """Line and text of each paragraph, list item and table cell of a document, without code."""
    fenced = False
    for number, line in enumerate(content.splitlines(), 1):
        if _FENCE.match(line):
            fenced = not fenced
            continue
        if fenced or line.startswith("    "):
            continue
        plain = _LINK.sub(r"\1", line).replace("**", "").lstrip("#-*> ")
        cells = plain.strip("|").split("|") if plain.startswith("|") else [plain]
        for cell in cells:
            if _SENTENCE.search(cell):
                yield number, cell.strip()
