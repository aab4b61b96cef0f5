"""One tool as a folder of plain files: tool.py, test_NAME.py, tool.toml.

Reading trusts nothing: a link is not followed, a name cannot climb out, sizes are capped, and
what is wrong comes back as a list of problems with file and line.
"""

import ast
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from hammerstone.core.json_types import Json, JsonObject, is_dict, is_list
from hammerstone.core.syntax import syntax_tree
from hammerstone.core.tools import Case, Effect, Spec, Tool
from hammerstone.library.tools.folder.pytest_text import read_suite, render_suite

CODE = "tool.py"
ABOUT = "tool.toml"
MAX_BYTES = 1 << 20  # of one file
NAME = re.compile(r"[a-z][a-z0-9_]{0,79}")
NOT_READ_BACK = "# Written by export; what is changed below has no effect."
"""The line after which a description only says how the tool stands."""


def suite_file(name: str) -> str:
    return f"test_{name}.py"


@dataclass(frozen=True, slots=True)
class ToolFiles:
    """What a tool's folder says. `base` is the version it was written from, if it says so."""

    name: str
    spec: Spec
    code: str
    suite: tuple[Case, ...]
    base: str | None = None
    provenance: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class BadToolFolder:
    """A folder that is not a tool, and everything that is wrong with it."""

    name: str
    problems: tuple[str, ...]


def render(tool: Tool) -> dict[str, str]:
    """A tool's files by name."""
    version, spec = tool.version, tool.version.spec
    return {
        CODE: version.code.rstrip() + "\n",
        suite_file(tool.name): render_suite(tool.name, version.suite),
        ABOUT: _about(tool, spec),
    }


def _about(tool: Tool, spec: Spec) -> str:
    head: JsonObject = {
        "name": spec.name,
        "description": spec.description,
        "effect": str(spec.effect),
        "limits": spec.limits,
        "edge_cases": list(spec.edge_cases),
    }
    if spec.constants:
        head["constants"] = list(spec.constants)
    if spec.produces:
        head["produces"] = list(spec.produces)
    if spec.requests:
        head["requests"] = list(spec.requests)
    parts = ["".join(f"{key} = {toml_value(value)}\n" for key, value in head.items())]
    takes = spec.takes
    for name, one in takes.schemas.items():
        more: JsonObject = {} if name in takes.required_or_all else {"optional": True}
        parts.append(toml_table(f"parameters.{toml_key(name)}", {**one, **more}))
    rest = {k: v for k, v in takes.schema.items() if k not in ("type", "properties", "required")}
    if takes.schema.get("type", "object") != "object" or rest:
        parts.append(toml_table("schema", rest))
    parts.append(toml_table("returns", spec.returns))
    version = tool.version
    stand: JsonObject = {
        "version": version.id,
        "number": version.number,
        "status": str(tool.status),
        "uses": tool.uses,
    }
    if tool.confidence is not None:
        stand["confidence"] = round(tool.confidence, 4)
    parts.append(f"{NOT_READ_BACK}\n")
    parts.append(toml_table("standing", stand))
    parts.append(toml_table("provenance", version.provenance))
    return "\n".join(parts)


def read_folder(folder: Path) -> ToolFiles | BadToolFolder:
    """The tool in a folder, or what is wrong with it."""
    name = folder.name
    if folder.is_symlink():
        return BadToolFolder(name, ("it is a link, and links are not followed",))
    if not NAME.fullmatch(name):
        return BadToolFolder(name, ("the folder's name is not a tool's: lower case, digits, _",))
    texts: dict[str, str] = {}
    problems: list[str] = []
    for file in (ABOUT, CODE, suite_file(name)):
        text = _text(folder / file)
        if isinstance(text, str):
            texts[file] = text
        else:
            problems.append(f"{file}: {text[0]}")
    if problems:
        return BadToolFolder(name, tuple(problems))
    try:
        about = as_object(without_nulls_spelled(tomllib.loads(texts[ABOUT])))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return BadToolFolder(name, (f"{ABOUT}: {error}",))
    spec = _spec(about, name, problems)
    _check_code(texts[CODE], name, problems)
    read = read_suite(texts[suite_file(name)], name)
    problems += [f"{suite_file(name)}: {problem}" for problem in read.problems]
    if problems or spec is None:
        return BadToolFolder(name, tuple(problems))
    standing = as_object(about.get("standing"))
    base = standing.get("version")
    return ToolFiles(
        name=name,
        spec=spec,
        code=texts[CODE],
        suite=read.cases,
        base=base if isinstance(base, str) else None,
        provenance=as_object(about.get("provenance")),
    )


def _text(path: Path) -> str | tuple[str]:
    """The file's text, or in a tuple why there is none."""
    if path.is_symlink():
        return ("it is a link, and links are not followed",)
    if not path.is_file():
        return ("it is missing",)
    try:
        if path.stat().st_size > MAX_BYTES:
            return (f"it is larger than {MAX_BYTES} bytes",)
        return path.read_text("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return ("it is not UTF-8 text",)
    except OSError as error:
        return (f"it cannot be read: {error.strerror}",)


def _check_code(code: str, name: str, problems: list[str]) -> None:
    try:
        tree = syntax_tree(code)
    except (SyntaxError, ValueError) as error:
        problems.append(f"{CODE}: {error}")
        return
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            defined |= {each.id for each in node.targets if isinstance(each, ast.Name)}
    if name not in defined:
        problems.append(f"{CODE}: it has no function {name}")


def _spec(about: JsonObject, name: str, problems: list[str]) -> Spec | None:
    for key in ("name", "description", "effect"):
        if not isinstance(about.get(key), str) or not str(about[key]).strip():
            problems.append(f"{ABOUT}: {key} is missing")
    if about.get("name") != name:
        problems.append(f"{ABOUT}: the name is {about.get('name')!r}, the folder's is {name!r}")
    effects = {str(effect) for effect in Effect}
    if about.get("effect") not in effects:
        problems.append(f"{ABOUT}: effect is one of {', '.join(sorted(effects))}")
    limits = about.get("limits", "standard")
    if limits not in ("standard", "heavy"):
        problems.append(f"{ABOUT}: limits is standard or heavy")
    numbers = _constants(about.get("constants", []), problems)
    returns = about.get("returns")
    if not isinstance(returns, dict):
        problems.append(f"{ABOUT}: [returns] is missing")
    parameters = about.get("parameters", {})
    if not isinstance(parameters, dict) or not all(
        isinstance(one, dict) for one in parameters.values()
    ):
        problems.append(f"{ABOUT}: [parameters.NAME] are tables")
    if problems:
        return None
    edges, requests = about.get("edge_cases", []), about.get("requests", [])
    produces = about.get("produces", [])
    return Spec(
        name=name,
        description=str(about["description"]),
        parameters=_parameters(as_object(parameters), as_object(about.get("schema"))),
        returns=as_object(returns),
        effect=Effect(str(about["effect"])),
        edge_cases=tuple(map(str, edges)) if isinstance(edges, list) else (),
        limits=str(limits),
        produces=tuple(map(str, produces)) if isinstance(produces, list) else (),
        constants=tuple(numbers),
        requests=tuple(map(str, requests)) if isinstance(requests, list) else (),
    )


def _constants(given: Json, problems: list[str]) -> list[float]:
    """The numbers that are part of a tool's meaning."""
    if not isinstance(given, list):
        problems.append(f"{ABOUT}: constants are a list")
        return []
    numbers = [one for one in given if isinstance(one, int | float)]
    if len(numbers) < len(given):
        problems.append(f"{ABOUT}: constants are numbers")
    return [*numbers]


def _parameters(tables: JsonObject, more: JsonObject) -> JsonObject:
    """The JSON Schema of the tables `[parameters.NAME]`; `optional` is the folder's own word."""
    properties = {key: as_object(one) for key, one in tables.items()}
    needed: list[Json] = [key for key, one in properties.items() if not one.get("optional")]
    return {
        "type": "object",
        "properties": {
            key: {k: v for k, v in one.items() if k != "optional"}
            for key, one in properties.items()
        },
        "required": needed,
        **more,
    }


def same_content(one: ToolFiles, other: ToolFiles) -> bool:
    """Whether two folders say the same, however they are laid out."""
    plain = [
        replace(each, base=None, provenance=None, code=each.code.strip()) for each in (one, other)
    ]
    return plain[0] == plain[1]


_BARE = re.compile(r"[A-Za-z0-9_-]+")
_NULL = "$null"  # TOML has no word for it


def toml_value(value: Json) -> str:
    """A value on one line."""
    if value is None:
        return "{ " + f'"{_NULL}" = true' + " }"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, int):
        # TOML's whole numbers have 64 bits.
        return str(value) if abs(value) < 2**63 else toml_value(str(value))
    if isinstance(value, str):
        # JSON escapes everything that TOML does, and DEL is all that it leaves.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    pairs = [f"{toml_key(key)} = {toml_value(item)}" for key, item in value.items()]
    return "{ " + ", ".join(pairs) + " }" if pairs else "{}"


def toml_key(key: str) -> str:
    return key if _BARE.fullmatch(key) else toml_value(key)


def toml_table(path: str, document: Mapping[str, Json]) -> str:
    """`[path]` and its values, one a line; nested ones stay on theirs."""
    lines = [f"{toml_key(key)} = {toml_value(value)}" for key, value in document.items()]
    return "\n".join([f"[{path}]", *lines]) + "\n"


def without_nulls_spelled(value: object) -> Json:
    """What `tomllib` read, with our word for null turned back; dates become text."""
    if is_dict(value):
        if value == {_NULL: True}:
            return None
        return {str(key): without_nulls_spelled(item) for key, item in value.items()}
    if is_list(value):
        return [without_nulls_spelled(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def as_object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}
