"""The API's description as a page that loads nothing from elsewhere.

The usual viewer comes from a content network, which neither our security policy nor a machine
without the internet allows.
"""

import json
from html import escape
from typing import Any

_HEAD = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}: API</title>
<link rel="icon" href="data:,">
<style>
  :root {{ color-scheme: light dark; }}
  body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: auto; padding: 1.5rem; }}
  section {{ border-top: 1px solid; padding: .5rem 0; }} h2 {{ font: 600 1rem monospace; }}
  pre {{ overflow-x: auto; font-size: .8125rem; }}
</style>
<h1>{title} {version}</h1>
<p>{summary} Live steps are on the WebSocket <code>/ws</code>. For programs:
<a href="/openapi.json">openapi.json</a>.</p>
"""


def docs_page(document: dict[str, Any]) -> str:
    """An OpenAPI document for people."""
    info = {key: escape(str(document["info"].get(key, ""))) for key in ("title", "version")}
    parts = [_HEAD.format(**info, summary=escape(document["info"].get("summary", "")))]
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            parts.append(f"<section><h2>{method.upper()} {escape(path)}</h2>")
            parts.append(f"<p>{escape(operation.get('description', ''))}</p>")
            parts += [_parameter(each) for each in operation.get("parameters", [])]
            parts += _schema("body", operation.get("requestBody", {}), document)
            parts += _schema("answer", operation["responses"].get("200", {}), document)
            parts.append("</section>")
    return "\n".join(parts)


def _parameter(parameter: dict[str, Any]) -> str:
    need = "required" if parameter.get("required") else "optional"
    return f"<p><code>{escape(parameter['name'])}</code> in {parameter['in']}, {need}</p>"


def _schema(label: str, holder: dict[str, Any], document: dict[str, Any]) -> list[str]:
    """What a body holds, for bodies that have a named shape."""
    schema = holder.get("content", {}).get("application/json", {}).get("schema", {})
    name = schema.get("$ref", "").rpartition("/")[2]
    if not name:
        return []
    fields = document["components"]["schemas"][name].get("properties", {})
    shown = json.dumps({key: _type(value) for key, value in fields.items()}, indent=2)
    return [f"<p>{label}</p><pre>{escape(shown)}</pre>"]


def _type(schema: dict[str, Any]) -> str:
    choices = schema.get("anyOf", [schema])
    types = [each.get("type") or each.get("$ref", "").rpartition("/")[2] for each in choices]
    text = " or ".join(kind or "anything" for kind in types)
    return f"{text}: {schema['description']}" if schema.get("description") else text
