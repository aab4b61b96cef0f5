"""What cases with the same arguments say about a result: that it is right, or that it is not."""

from collections.abc import Iterator, Mapping

from hammerstone.core import wire
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Case, CaseKind, Effect, Tool
from hammerstone.judging.cases import accepted_labels
from hammerstone.judging.equality import alike
from hammerstone.judging.labels import Labels, leaves_order_open
from hammerstone.judging.named_inputs import arguments_of
from hammerstone.run.answer.respond import in_words, plain


def doubt_about(tool: Tool, arguments: Mapping[str, Json], value: Json) -> str:
    """Empty, or what an example or test with the same arguments says instead.

    Those were met when the tool was proven: another result now means that it depends on more
    than its arguments, or that its code came from elsewhere and does not keep its word. What
    reads files or the time may give another result rightly.
    """
    labels = Labels(loose=True, unordered=leaves_order_open(tool.version.spec))
    for case, whose in _same_calls(tool, arguments):
        if case.kind is CaseKind.RAISES:
            return f"{whose} of {tool.name} says that this call is an error"
        if labels.of_value(value) not in accepted_labels(case, labels):
            return f"{whose} of {tool.name} says {in_words(plain(case.expected))[:200]}"
    return ""


def confirmation_of(tool: Tool, arguments: Mapping[str, Json], value: Json) -> str:
    """Empty, or whose example or test with the same arguments says the same."""
    if doubt_about(tool, arguments, value):
        return ""
    whose = (whose for case, whose in _same_calls(tool, arguments) if case.kind is CaseKind.VALUE)
    return next((f"{each} says the same" for each in whose), "")


def _same_calls(tool: Tool, arguments: Mapping[str, Json]) -> Iterator[tuple[Case, str]]:
    """The cases of a pure tool with these arguments, and whose each is."""
    spec = tool.version.spec
    if spec.effect is not Effect.PURE:
        return
    given: JsonObject = {name: wire.encode(each) for name, each in arguments.items()}
    for case in (*spec.examples, *tool.version.suite):
        if case.kind is CaseKind.PROPERTY or case.call.source is not None:
            continue
        known = arguments_of(case, spec)
        if known is not None and alike(known, given):
            yield case, "your example" if case.origin == "user" else "a test"
