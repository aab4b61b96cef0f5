"""A JSON Schema in the form llama.cpp can turn into a grammar."""

from typing import Any

from hammerstone.core.json_types import JsonSchema

# llama.cpp closes the connection over some of these and ignores others; the reply is
# validated against the full schema afterwards, so leaving one out only loosens the grammar.
UNKNOWN = frozenset(
    {"$schema", "$id", "$comment", "title", "default", "examples", "not", "if", "then", "else"}
    | {"dependentRequired", "dependentSchemas", "unevaluatedProperties", "propertyNames"}
    | {"uniqueItems", "contains", "patternProperties", "multipleOf", "format"}
)
NAMED = frozenset({"properties", "$defs", "definitions"})


def grammar_schema(schema: JsonSchema) -> dict[str, Any]:
    """The schema without what the grammar cannot express."""
    return _plain(dict(schema))


def _plain(node: Any) -> Any:
    if isinstance(node, list):
        return [_plain(item) for item in node]
    if not isinstance(node, dict):
        return node
    plain: dict[str, Any] = {}
    for key, value in node.items():
        if key in UNKNOWN or (key == "pattern" and not _simple(value)):
            continue
        if key in NAMED and isinstance(value, dict):
            plain[key] = {name: _plain(item) for name, item in value.items()}
        elif key in ("enum", "const", "required"):
            plain[key] = value
        else:
            plain[key] = _plain(value)
    return plain


def _simple(pattern: Any) -> bool:
    """Anchored, and without escapes and look-around, which the grammar gets wrong."""
    text = str(pattern)
    return text.startswith("^") and text.endswith("$") and "\\" not in text and "(?" not in text
