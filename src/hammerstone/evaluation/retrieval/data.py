"""Labelled requests from files: tools, requests with their right tools, requests without one."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hammerstone.core.errors import BadRequest
from hammerstone.library.search.facets import Facets, normal_schema
from hammerstone.library.search.fit.fits import LabelledRequest


@dataclass(frozen=True, slots=True)
class Unanswerable:
    """A request and functions of which none answers it."""

    request: str
    offered: tuple[Facets, ...]


def read_tools(path: Path) -> list[Facets]:
    """One tool a line: `{name, description, parameters?}`; `dict` and `float` are understood."""
    found = {tool.name: tool for tool in (_facets(row, path) for row in _rows(path))}
    return list(found.values())


def read_requests(path: Path, tools: list[Facets]) -> list[LabelledRequest]:
    """One request a line: `{query, tools}`; labels that are not in the library are dropped."""
    names = {tool.name for tool in tools}
    requests: list[LabelledRequest] = []
    for row in _rows(path):
        labels = row.get("tools")
        if not isinstance(labels, list) or not isinstance(row.get("query"), str):
            raise BadRequest(f"{path}: a request needs `query` and a list `tools`")
        right = frozenset(" ".join(str(label).split()) for label in labels) & names
        if right:
            requests.append(LabelledRequest(row["query"], right))
    if not requests:
        raise BadRequest(f"{path}: no request has a right tool in the library")
    return requests


def read_unanswerable(path: Path) -> list[Unanswerable]:
    """One request a line: `{query, offered}` with the functions that do not answer it."""
    found: list[Unanswerable] = []
    for row in _rows(path):
        offered = row.get("offered")
        if not isinstance(offered, list) or not isinstance(row.get("query"), str):
            raise BadRequest(f"{path}: a line needs `query` and a list `offered`")
        found.append(Unanswerable(row["query"], tuple(_facets(each, path) for each in offered)))
    return found


def _facets(row: Any, path: Path) -> Facets:
    if not isinstance(row, dict) or not isinstance(row.get("name"), str):
        raise BadRequest(f"{path}: a tool needs a `name`")
    schema = row.get("parameters")
    schema = normal_schema(schema) if isinstance(schema, dict) else {}
    return Facets.of(row["name"], str(row.get("description") or ""), schema)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(f"{path} cannot be read: {error}") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise BadRequest(f"{path}:{number} is not JSON: {error}") from error
        if not isinstance(row, dict):
            raise BadRequest(f"{path}:{number} is not an object")
        yield row
