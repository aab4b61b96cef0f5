"""What is happening now, in words that need no explanation."""

from collections.abc import Mapping

from hammerstone.core.answers import Event, EventKind, Proof
from hammerstone.core.formatting import count, percent, shortened
from hammerstone.core.json_types import Json
from hammerstone.serve.cli.terminal import one_line

_PHRASES = {
    EventKind.SEARCHING: "looking for a tool that fits",
    EventKind.PLANNING: "planning the steps",
    EventKind.SYNTHESIZING: "no tool fits: writing solutions",
    EventKind.SYNTHESIZING_RESPONSE: "writing the answer",
    EventKind.REPAIRING: "a step failed: trying another way",
    EventKind.APPROVAL_NEEDED: "waiting for your permission",
    EventKind.CACHE_HIT: "answered before: looking it up",
    EventKind.VERIFYING: "checking the result",
}
_SHOWN = 60


def happening(event: Event) -> str:
    """What a run does after this event; empty for one that only reports."""
    data = event.data
    if event.kind is EventKind.TOOL_FOUND:
        return f"found {one_line(str(data.get('tool') or data.get('skill') or 'a tool'))}"
    if event.kind is EventKind.EXECUTING:
        name = data.get("tool") or data.get("skill") or data.get("connector") or "it"
        return f"running {one_line(str(name))}"
    if event.kind is EventKind.SOLUTION:
        if data.get("again"):
            return f"solution {data.get('number')} failed and was written again"
        return f"writing solutions, {data.get('number')} of at most {data.get('most')}"
    if event.kind is EventKind.ANSWER:
        value = shortened(one_line(event.text), _SHOWN)
        more = "" if data.get("settled") else ", checking further"
        return f"{value} ({data.get('sureness')} so far{more})"
    return _PHRASES.get(event.kind, "")


_PROOF_STEPS = {
    "claimed": "starting",
    "specified": "writing tests, and other programs for the same task",
    "examined": "putting it into the library",
}


def proof_words(data: Mapping[str, Json]) -> str:
    """How a proof ended, by its result; empty for an event that is none."""
    proof, tool = data.get("proof"), one_line(str(data.get("tool") or ""))
    sure = data.get("confidence")
    share = f", {percent(sure)} likely right" if isinstance(sure, float) else ""
    if proof == Proof.PROVED:
        return f"Proved: {tool} is in the library now{share}."
    if proof == Proof.UNPROVED and tool:
        more = f"hammerstone tools show {tool}"
        return f"Not proved: {tool} is kept as experimental{share}. More: {more}"
    reason = shortened(one_line(str(data.get("reason") or "")), 300)
    return f"No tool was kept: {reason}" if proof else ""


class ProofLine:
    """How far a proof is: programs written for the same task, and the tests they are held to."""

    def __init__(self, name: str, most: int) -> None:
        self._name = one_line(name)
        self._most = most
        self._programs = 0
        self._tests = 0

    def words(self, kind: str, data: Mapping[str, Json]) -> str:
        """What to show after an event of the proof."""
        number = data.get("candidates" if kind == EventKind.VERIFYING else "count")
        if kind == EventKind.VERIFYING and isinstance(number, int):
            self._programs = max(self._programs, number)
        elif kind == EventKind.CANDIDATE and isinstance(number, int):
            self._programs += number
        elif kind == EventKind.TEST_WRITTEN and isinstance(data.get("tests"), int):
            self._tests += int(str(data["tests"]))
        told = []
        if self._programs:
            told.append(f"{self._programs} of at most {self._most} programs compared")
        if self._tests:
            told.append(f"{count(self._tests, 'test')} written")
        sure = data.get("confidence")
        if kind == EventKind.VERIFYING and isinstance(sure, float):
            told.append(f"{percent(sure)} likely right")
        step = _PROOF_STEPS.get(str(data.get("step") or ""), "")
        if step and not told:
            told.append(step)
        return f"proving {self._name}" + (f": {', '.join(told)}" if told else "")
