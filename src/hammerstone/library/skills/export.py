"""A tool of the library, or a skill, as a folder that other agents can use."""

import ast
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from hammerstone.core.errors import BadRequest, DataDirectoryError
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.syntax import syntax_tree
from hammerstone.core.tools import CaseKind, Parameters, Tool, Version
from hammerstone.judging.named_inputs import arguments_of
from hammerstone.library.skills.front_matter import write_document
from hammerstone.library.skills.rules import MAX_DESCRIPTION, MAX_NAME, SKILL_FILE, check
from hammerstone.library.skills.skill import shortened

MAX_EXAMPLES = 5
MAX_EXAMPLE_CHARS = 2_000
IMPLEMENTATION = "scripts/implementation.py"
COMMAND = "scripts/tool.py"

_COMMAND_SOURCE = '''\
"""Calls `{function}` from the command line.

    python scripts/tool.py --json '{example}'

Arguments are one JSON object, given with --json or on standard input. The result is printed as
JSON. A failure is printed to standard error as {{"error": ...}} and the exit code is 1.
"""

import argparse
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from implementation import {function}


def plain(value):
    """What JSON has no word for, as the nearest thing that it has."""
    if hasattr(value, "to_dict"):
        try:
            return value.to_dict(orient="records")
        except TypeError:
            return value.to_dict()
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    return str(value)


def main():
    parser = argparse.ArgumentParser(description="{summary}")
    parser.add_argument("--json", help="the arguments as a JSON object; else standard input")
    given = parser.parse_args().json
    try:
        arguments = json.loads(given if given is not None else sys.stdin.read() or "{{}}")
        if not isinstance(arguments, dict):
            raise ValueError("the arguments are not a JSON object")
        result = {function}(**arguments)
    except Exception as error:
        print(json.dumps({{"error": f"{{type(error).__name__}}: {{error}}"}}), file=sys.stderr)
        return 1
    print(json.dumps(result, ensure_ascii=False, default=plain))
    return 0


if __name__ == "__main__":
    sys.exit(main())
'''


def skill_name(tool: str) -> str:
    """The name that a tool has as a skill."""
    name = re.sub(r"[^a-z0-9]+", "-", tool.lower()).strip("-")[:MAX_NAME].strip("-")
    return name or "tool"


def tool_files(tool: Tool) -> dict[str, bytes]:
    """The files of the skill that a tool becomes; it needs nothing of Hammerstone to run."""
    spec, version = tool.version.spec, tool.version
    examples = _examples(version)
    first = examples[0][0] if examples else {}
    summary = shortened(spec.description, 200).replace("\\", "").replace('"', "'")
    shown = json.dumps(first, ensure_ascii=True)
    command = _COMMAND_SOURCE.format(
        function=spec.name,
        summary=summary.replace("%", "%%"),
        example=shown.replace("\\", "\\\\").replace('"""', "'''"),
    )
    files = {
        SKILL_FILE: write_document(_fields(tool), _body(tool, examples)),
        IMPLEMENTATION: version.code.rstrip() + "\n",
        COMMAND: command,
    }
    if len(examples) > 1:
        files["references/examples.md"] = _example_page(spec.name, examples)
    return {path: text.encode("utf-8") for path, text in files.items()}


def _fields(tool: Tool) -> JsonObject:
    spec = tool.version.spec
    metadata: JsonObject = {
        "author": "hammerstone",
        "tool": tool.name,
        "version": str(tool.version.number),
        "effect": str(spec.effect),
    }
    if tool.confidence is not None:
        metadata["confidence"] = f"{tool.confidence:.3f}"
    needed = _packages(tool.version.code)
    more = f" with {', '.join(needed)}" if needed else ""
    return {
        "name": skill_name(tool.name),
        "description": _description(tool),
        "compatibility": f"Requires Python 3.11 or later{more}"[:500],
        "metadata": metadata,
    }


def _description(tool: Tool) -> str:
    words = tool.name.replace("_", " ")
    use = f" Use when asked for {words}; runs a tested Python function, no network."
    what = shortened(tool.version.spec.description, MAX_DESCRIPTION - len(use))
    return what + ("" if what.endswith((".", "…")) else ".") + use


def _body(tool: Tool, examples: Sequence[tuple[JsonObject, Json]]) -> str:
    spec = tool.version.spec
    first = json.dumps(examples[0][0] if examples else {}, ensure_ascii=False)
    lines = [f"# {spec.name}", "", spec.description, "", "## Run it", ""]
    lines += ["From this folder:", "", "```sh", f"python {COMMAND} --json {_quoted(first)}"]
    lines += ["```", "", "The arguments may also come as JSON on standard input. The result is"]
    lines += ["printed as JSON; on failure the exit code is 1 and standard error says why.", ""]
    lines += ["## Arguments", "", "| name | type | required | meaning |", "|---|---|---|---|"]
    lines += _argument_rows(spec.takes)
    lines += ["", f"Returns: {_type(spec.returns)}. {_text(spec.returns, 'description')}".rstrip()]
    if examples:
        arguments, result = examples[0]
        lines += ["", "## Example", "", "```json", json.dumps(arguments, ensure_ascii=False)]
        lines += ["```", "", "gives", "", "```json", json.dumps(result, ensure_ascii=False), "```"]
        if len(examples) > 1:
            lines += ["", "More in [references/examples.md](references/examples.md)."]
    if spec.edge_cases:
        lines += ["", "## Edge cases", "", *(f"- {case}" for case in spec.edge_cases)]
    return "\n".join(lines)


def _argument_rows(takes: Parameters) -> list[str]:
    return [
        f"| {name} | {_type(about)} | {'yes' if name in takes.required else 'no'} | "
        f"{_text(about, 'description').replace('|', '/')} |"
        for name, about in takes.schemas.items()
    ]


def _example_page(name: str, examples: Sequence[tuple[JsonObject, Json]]) -> str:
    lines = [f"# Examples of {name}", ""]
    for arguments, result in examples:
        told = json.dumps(arguments, ensure_ascii=False)
        lines += [f"- `{told}` gives `{json.dumps(result, ensure_ascii=False)}`"]
    return "\n".join(lines) + "\n"


def _examples(version: Version) -> list[tuple[JsonObject, Json]]:
    """Calls with plain JSON arguments and results that the suite holds to be right."""
    found: list[tuple[JsonObject, Json]] = []
    for case in version.suite + version.spec.examples:
        arguments = arguments_of(case, version.spec)
        if case.kind is not CaseKind.VALUE or arguments is None:
            continue
        if _tagged(arguments) or _tagged(case.expected):
            continue
        pair = (arguments, case.expected)
        if len(json.dumps(pair)) <= MAX_EXAMPLE_CHARS and pair not in found:
            found.append(pair)
        if len(found) == MAX_EXAMPLES:
            break
    return found


def _tagged(value: Json) -> bool:
    """Whether something in a value is not plain JSON: it cannot be typed by another agent."""
    if isinstance(value, dict):
        tag = len(value) == 1 and next(iter(value)).startswith("$")
        return tag or any(_tagged(item) for item in value.values())
    return isinstance(value, list) and any(_tagged(item) for item in value)


def _packages(code: str) -> list[str]:
    try:
        tree = syntax_tree(code)
    except (SyntaxError, ValueError):
        return []
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return sorted(names - set(sys.stdlib_module_names))


def _type(schema: Json) -> str:
    kind = schema.get("type", "any") if isinstance(schema, dict) else "any"
    return " or ".join(map(str, kind)) if isinstance(kind, list) else str(kind)


def _text(schema: Json, key: str) -> str:
    return str(schema.get(key, "")) if isinstance(schema, dict) else ""


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def write_files(files: Mapping[str, bytes], target: Path) -> Path:
    """Write a skill's files to `target`, a folder that must not exist yet; checked first."""
    checked = check(files, target.name)
    if checked.errors:
        told = "; ".join(f"{each.field}: {each.text}" for each in checked.errors)
        raise BadRequest(f"this would not be a valid skill: {told}")
    if target.exists():
        raise BadRequest(f"{target} already exists", hint="give a folder that does not exist yet")
    try:
        for path, content in files.items():
            place = target / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
    except OSError as error:
        raise DataDirectoryError(f"{target} cannot be written: {error.strerror}") from None
    return target
