"""A look at generated code before it runs: what it has no business doing.

A courtesy, not a wall: it gives the author a clear reason early, and keeps plain mistakes out
of the library. Code that hides its intent gets past any such scan; the sandbox is what holds.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from hammerstone.core.syntax import SourceTooLarge, syntax_tree
from hammerstone.core.tools import Effect
from hammerstone.guard.code_names import full_name, imported_names
from hammerstone.guard.scan_places import WritePlace, WritePlaces
from hammerstone.guard.scan_rules import DEFAULT_RULES, ScanRules


class Severity(StrEnum):
    BLOCK = "block"
    WARN = "warn"


@dataclass(frozen=True, slots=True)
class CodeFinding:
    """One thing the code should not do, where it does it, and the rule that says so."""

    line: int
    rule: str
    severity: Severity
    what: str

    @property
    def blocks(self) -> bool:
        return self.severity is Severity.BLOCK

    def __str__(self) -> str:
        return f"line {self.line}: {self.what} ({self.rule})"


def scan(
    code: str,
    effect: Effect = Effect.PURE,
    rules: ScanRules = DEFAULT_RULES,
    *,
    makes_files: bool = False,
) -> list[CodeFinding]:
    """What speaks against running the code, by line; empty when nothing does.

    Any code may write to the places that each call has to itself. Code that declares to make
    files (`makes_files`) may also write where only the call knows, but not to a path that it
    states and that is elsewhere.
    """
    if len(code) > rules.max_chars:
        return [_block(1, "size", f"more than {rules.max_chars:,} characters of code")]
    try:
        tree = syntax_tree(code)
        names = imported_names(tree)
        places = WritePlaces(tree, names)
        findings = set(_Scan(names, effect, rules, places, makes_files).findings(tree))
    except (SourceTooLarge, RecursionError, MemoryError):
        return [_block(1, "size", "nested too deeply to be read")]
    except SyntaxError as error:
        return [_block(error.lineno or 1, "syntax", f"not Python: {error.msg}")]
    except ValueError as error:
        return [_block(1, "syntax", f"not Python: {error}")]
    return sorted(findings, key=lambda found: (found.line, found.rule, found.what))


def _block(line: int, rule: str, what: str) -> CodeFinding:
    return CodeFinding(line, rule, Severity.BLOCK, what)


class _Scan:
    def __init__(
        self,
        names: dict[str, str],
        effect: Effect,
        rules: ScanRules,
        places: WritePlaces,
        makes_files: bool,
    ) -> None:
        self._names = names
        self._effect = effect
        self._rules = rules
        self._places = places
        self._makes_files = makes_files
        self._harmless: set[int] = set()  # functions that only write where their call may

    def findings(self, tree: ast.Module) -> Iterator[CodeFinding]:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and self._writes_where_it_may(node):
                self._harmless.add(id(node.func))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield from self._module(alias.name, node.lineno)
            elif isinstance(node, ast.ImportFrom):
                yield from self._import_from(node)
            elif isinstance(node, ast.Call):
                yield from self._call(node)
            elif isinstance(node, ast.Attribute):
                yield from self._attribute(node)
            elif isinstance(node, ast.Name):
                yield from self._name(node)

    def _module(self, module: str, line: int) -> Iterator[CodeFinding]:
        """A module by its full name; its parts are forbidden with it."""
        for rule, modules in self._rules.modules.items():
            if any(module == name or module.startswith(f"{name}.") for name in modules):
                yield _block(line, rule, f"uses {module}")

    def _import_from(self, node: ast.ImportFrom) -> Iterator[CodeFinding]:
        if node.level:
            yield _block(node.lineno, "import", "imports from a package that it is not part of")
            return
        module = node.module or ""
        for alias in node.names:
            if alias.name == "*":
                yield from self._module(module, node.lineno)
                yield CodeFinding(node.lineno, "import", Severity.WARN, f"imports all of {module}")
            else:
                name = f"{module}.{alias.name}"
                if name not in self._rules.writers:  # those are judged where they are used
                    yield from self._reached(name, node.lineno)

    def _reached(self, dotted: str, line: int) -> Iterator[CodeFinding]:
        """A function or value by its full name, such as `os.system`."""
        yield from self._module(dotted, line)
        for rule, functions in self._rules.functions.items():
            if dotted in functions:
                yield _block(line, rule, f"uses {dotted}")
        if self._effect is not Effect.WRITES and dotted in self._rules.writers:
            yield _block(line, "writes", f"{dotted} changes files, but the tool is {self._effect}")

    def _attribute(self, node: ast.Attribute) -> Iterator[CodeFinding]:
        if node.attr in self._rules.escapes:
            yield _block(node.lineno, "escape", f"uses an inner part of Python: {node.attr}")
        dotted = full_name(node, self._names)
        if dotted is not None and id(node) not in self._harmless:
            yield from self._reached(dotted, node.lineno)

    def _name(self, node: ast.Name) -> Iterator[CodeFinding]:
        if node.id in ("eval", "exec") and node.id not in self._names:
            yield _block(node.lineno, "dynamic", f"calls {node.id}()")
        if node.id in self._rules.escapes:
            yield _block(node.lineno, "escape", f"uses an inner part of Python: {node.id}")
        writer = self._names.get(node.id)
        if writer in self._rules.writers and id(node) not in self._harmless:
            yield from self._reached(writer, node.lineno)

    def _writes_where_it_may(self, node: ast.Call) -> bool:
        """Whether a function that changes files is called for places that are the call's own."""
        places = self._rules.writes_at.get(full_name(node.func, self._names) or "")
        if places is None or len(node.args) <= max(places):
            return False
        return self._may_write(*(node.args[place] for place in places))

    def _may_write(self, *paths: ast.expr | None) -> bool:
        allowed = {WritePlace.OWN, WritePlace.UNKNOWN} if self._makes_files else {WritePlace.OWN}
        return self._effect is Effect.WRITES or all(self._places.of(p) in allowed for p in paths)

    def _call(self, node: ast.Call) -> Iterator[CodeFinding]:
        function, line = node.func, node.lineno
        if isinstance(function, ast.Name) and function.id not in self._names:
            if function.id in self._rules.builtins:
                yield _block(line, "dynamic", f"calls {function.id}()")
            elif function.id == "open":
                yield from self._open(node, 1)
            elif function.id in ("getattr", "setattr", "delattr"):
                yield from self._by_name(node)
        elif isinstance(function, ast.Attribute):
            if function.attr in self._rules.writing_methods:
                if not self._may_write(*_written(node, function)):
                    yield _block(line, "writes", f".{function.attr}() changes files")
            elif function.attr in self._rules.maybe_writing and self._effect is not Effect.WRITES:
                yield CodeFinding(
                    line, "writes", Severity.WARN, f".{function.attr}() may change files"
                )
            elif function.attr == "open" and full_name(function, self._names) is None:
                yield from self._open(node, 0)

    def _open(self, node: ast.Call, place: int) -> Iterator[CodeFinding]:
        """Opening for writing; a mode that cannot be read off is worth a warning."""
        if self._may_write(_opened(node, place)):
            return
        mode: ast.expr | None = node.args[place] if len(node.args) > place else None
        for keyword in node.keywords:
            if keyword.arg == "mode":
                mode = keyword.value
        if mode is None:
            return
        if not (isinstance(mode, ast.Constant) and isinstance(mode.value, str)):
            yield CodeFinding(
                node.lineno, "writes", Severity.WARN, "opens a file in an unknown mode"
            )
        elif set(mode.value) & set("wax+"):
            yield _block(node.lineno, "writes", f"opens a file with mode {mode.value!r}")

    def _by_name(self, node: ast.Call) -> Iterator[CodeFinding]:
        """`getattr(x, "__globals__")` and `getattr(os, "system")`."""
        if len(node.args) < 2:
            return
        holder, attribute = node.args[0], node.args[1]
        if not (isinstance(attribute, ast.Constant) and isinstance(attribute.value, str)):
            yield CodeFinding(
                node.lineno,
                "dynamic",
                Severity.WARN,
                "builds the name of an attribute while it runs",
            )
            return
        if attribute.value in self._rules.escapes:
            yield _block(node.lineno, "escape", f"uses an inner part of Python: {attribute.value}")
        owner = full_name(holder, self._names)
        if owner is not None:
            yield from self._reached(f"{owner}.{attribute.value}", node.lineno)


def _opened(node: ast.Call, place: int) -> ast.expr | None:
    """The path that is opened: `open(path, mode)`, or `path.open(mode)`."""
    if place == 0:
        return node.func.value if isinstance(node.func, ast.Attribute) else None
    named = [keyword.value for keyword in node.keywords if keyword.arg == "file"]
    return next(iter([*node.args[:1], *named]), None)


def _written(node: ast.Call, function: ast.Attribute) -> Sequence[ast.expr | None]:
    """The paths that a method changes: what it is a method of, or where it unpacks to."""
    if function.attr != "extractall":
        return [function.value]
    named = [keyword.value for keyword in node.keywords if keyword.arg == "path"]
    return [next(iter([*node.args[:1], *named]), None)]
