"""Whether a tool of the library already promises what a new spec promises."""

from hammerstone.core.tools import Spec, Status, Tool
from hammerstone.library.promises import parameters_of, same_promise, type_of
from hammerstone.run.context import Run

# Words in a name that say nothing about what is computed.
_EMPTY = {
    "a", "an", "and", "calc", "calculate", "compute", "convert", "determine", "for", "from",
    "function", "get", "give", "given", "in", "of", "on", "return", "tell", "the", "to", "tool",
    "value", "values", "with",
}  # fmt: skip
_LOOKED_AT = 5


async def find_same_promise(run: Run, spec: Spec) -> Tool | None:
    """A usable tool with the same promise: by its name, or found by what the spec says.

    Prose is too weak a proof: Celsius to Fahrenheit reads almost like the way back. So the
    telling words of both names have to be the same, in the same order, and so do the types.
    """
    tool = await run.parts.registry.find(spec.name)
    if tool is not None and _is_usable(tool) and _same_types(tool.version.spec, spec):
        return tool
    hits = await run.parts.search.find(
        f"{spec.name.replace('_', ' ')}. {spec.description}",
        limit=_LOOKED_AT,
        tenant=run.request.user,
    )
    for hit in hits:
        found = await run.parts.registry.find(hit.name)
        if found is None or not _is_usable(found) or not hit.considered:
            continue
        same_words = telling_words(found.name) == telling_words(spec.name)
        if same_words and _same_types(found.version.spec, spec):
            return found
    return None


def telling_words(name: str) -> list[str]:
    """The words of a name without fillers and plurals: ["tax", "rate"] for "get_tax_rates"."""
    words = [word for word in name.lower().split("_") if word and not word.isdigit()]
    told = [word for word in words if word not in _EMPTY] or words
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in told]


def _is_usable(tool: Tool) -> bool:
    return tool.status not in (Status.RETIRED, Status.DEPRECATED)


def _same_types(one: Spec, other: Spec) -> bool:
    """The same types in any order of parameters, and the same files left behind."""
    if same_promise(one, other):
        return one.produces == other.produces
    kinds = [
        sorted(type_of(schema) for schema in parameters_of(spec).values()) for spec in (one, other)
    ]
    alike = kinds[0] == kinds[1] and type_of(one.returns) == type_of(other.returns)
    return alike and one.effect is other.effect and one.produces == other.produces
