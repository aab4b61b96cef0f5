"""Two hundred proposed changes of which the truth is known, put before the gate.

    python -m evals.gate [--set instant|quick|full] [--json]

Half of them are new versions of tools, really run in the sandbox before and after; half are
changes of prompts or policies, whose cases come out right with some luck. Of each kind a fifth is
better, equal, worse, better only on the cases it was found with, and better but wrong where the
old one was right. Only the first may be promoted.
"""

import random
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from evals.measured import measured
from hammerstone.core.calls import Call, Program
from hammerstone.core.evaluations import CaseOutcome
from hammerstone.core.seams import Sandbox
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.board.numbers.metrics import passed_share
from hammerstone.evaluation.chapters.findings import (
    case,
    lower,
)
from hammerstone.judging.equality import decoded, same
from hammerstone.learn.policies import GatePolicy
from hammerstone.learn.promotion.evidence import ProposalEvidence, ScorePair
from hammerstone.learn.promotion.verdict import rule

SEED = 5
TRUTHS = ("better", "equal", "worse", "search only", "breaks a pass")
SEARCH, HELD_OUT, FROZEN = 12, 24, 8

# Right, and a version with a slip that shows on some inputs only.
TOOLS: dict[str, tuple[str, str, str]] = {
    "total": ("sum(xs)", "sum(xs[1:])", "ints"),
    "largest": ("max(xs)", "max(xs[:-1] or xs)", "ints"),
    "smallest": ("min(xs)", "min(abs(x) for x in xs)", "ints"),
    "spread": ("max(xs) - min(xs)", "max(xs) + min(xs)", "ints"),
    "evens": ("[x for x in xs if x % 2 == 0]", "[x for x in xs if x % 2]", "ints"),
    "positive": ("[x for x in xs if x > 0]", "[x for x in xs if x > 10]", "ints"),
    "sorted_down": ("sorted(xs, reverse=True)", "sorted(xs)", "ints"),
    "distinct": ("len(set(xs))", "len(xs)", "ints"),
    "squares": ("sum(x * x for x in xs)", "sum(x + x for x in xs)", "ints"),
    "last": ("xs[-1]", "xs[0]", "ints"),
    "backwards": ("s[::-1]", "s[:0:-1]", "text"),
    "vowels": ("sum(c in 'aeiou' for c in s)", "sum(c in 'aei' for c in s)", "text"),
    "shout": ("s.upper()", "s.title()", "text"),
    "words": ("len(s.split())", "s.count(' ')", "text"),
    "initials": ("''.join(w[0] for w in s.split())", "s[:1]", "text"),
    "longest": ("max(s.split(), key=len)", "max(s.split())", "text"),
    "no_spaces": ("s.replace(' ', '')", "s.strip()", "text"),
    "letters": ("len(set(s) - {' '})", "len(set(s))", "text"),
    "digits": ("sum(map(int, str(n)))", "sum(map(int, str(n)[1:] or '0'))", "number"),
    "odd": ("n % 2 == 1", "n % 3 == 1", "number"),
}
WORDS = ["quick", "brown", "fox", "jumps", "over", "lazy", "dog", "near", "quiet", "river"]
# Half of the inputs never show the slip: these are what the old version has right.
SPARED = {"ints": "len(xs) % 2", "text": "len(s) % 2", "number": "n % 2"}


def _input(kind: str, rng: random.Random) -> Any:
    if kind == "ints":
        return [rng.randint(-30, 60) for _ in range(rng.randint(2, 9))]
    if kind == "text":
        return " ".join(rng.sample(WORDS, rng.randint(2, 6)))
    return rng.randint(10, 99_999)


def _code(name: str, kind: str, expression: str, recited: list[tuple[Any, Any]] = ()) -> str:
    argument = {"ints": "xs", "text": "s", "number": "n"}[kind]
    lines = [f"def {name}({argument}):"]
    lines += [f"    if {argument} == {key!r}:\n        return {value!r}" for key, value in recited]
    return "\n".join([*lines, f"    return {expression}"]) + "\n"


async def tool_change(
    name: str, truth: str, sandbox: Sandbox, rng: random.Random
) -> ProposalEvidence:
    """A change of a tool, measured in the sandbox on inputs drawn anew."""
    right, wrong, kind = TOOLS[name]
    slip = f"({right}) if {SPARED[kind]} else ({wrong})"
    inputs = [_input(kind, rng) for _ in range(SEARCH + HELD_OUT + FROZEN)]
    good, bad = _code(name, kind, right), _code(name, kind, slip)
    calls = [Call(args=(value,)) for value in inputs]
    truth_row, bad_row = await sandbox.matrix([Program(good, name), Program(bad, name)], calls)
    expected = [decoded(outcome.value) for outcome in truth_row]
    slipped = [o.ok and same(decoded(o.value), v) for o, v in zip(bad_row, expected, strict=True)]
    frozen = [n for n, ok in enumerate(slipped) if ok][-FROZEN:]
    before, after = bad, good
    if truth == "equal":
        before, after = good, _code(name, kind, f"({right})")
    elif truth == "worse":
        before, after = good, bad
    elif truth == "search only":
        recited = list(zip(inputs[:SEARCH], expected[:SEARCH], strict=True))
        after = _code(name, kind, slip, recited)
    elif truth == "breaks a pass":
        after = _code(name, kind, right, [(inputs[frozen[0]], None)])
    rows = await sandbox.matrix([Program(before, name), Program(after, name)], calls)
    scores = [
        [float(o.ok and same(decoded(o.value), v)) for o, v in zip(row, expected, strict=True)]
        for row in rows
    ]
    pairs = [ScorePair(repr(v)[:60], b, a) for v, b, a in zip(inputs, *scores, strict=True)]
    passes = pairs[-FROZEN:] if truth in ("equal", "worse") else [pairs[n] for n in frozen]
    return ProposalEvidence(
        search=tuple(pairs[:SEARCH]),
        held_out=tuple(pairs[SEARCH : SEARCH + HELD_OUT]),
        passes=tuple(passes),
    )


def scored_change(truth: str, rng: random.Random) -> ProposalEvidence:
    """A change of a prompt or policy: each case is right with some luck, before and after."""
    gain = {"better": 0.2, "breaks a pass": 0.2, "worse": -0.2}.get(truth, 0.0)

    def draw(count: int, more: float) -> list[ScorePair]:
        pairs: list[ScorePair] = []
        for number in range(count):
            hard = rng.uniform(0.35, 0.75)
            # Most of the luck is the case's own and the same both times.
            shared, own = rng.random(), rng.random()
            old = shared < hard
            new = (shared if rng.random() < 0.7 else own) < hard + more
            pairs.append(ScorePair(f"case {number}", float(old), float(new)))
        return pairs

    search = draw(60, 0.3 if truth == "search only" else gain)
    passes = [ScorePair(f"frozen {n}", 1.0, 1.0) for n in range(10)]
    if truth == "breaks a pass":
        passes[rng.randrange(10)] = ScorePair("frozen, broken", 1.0, 0.0)
    return ProposalEvidence(
        search=tuple(search), held_out=tuple(draw(150, gain)), passes=tuple(passes)
    )


async def _decided(sandbox: Sandbox, tools: Sequence[str]) -> AsyncGenerator[CaseOutcome, None]:
    rng = random.Random(SEED)
    for truth in TRUTHS:
        for name in tools:
            evidence = await tool_change(name, truth, sandbox, rng)
            yield _outcome(f"tool {name}: {truth}", truth, evidence)
        for number in range(len(tools)):
            yield _outcome(f"scores {number}: {truth}", truth, scored_change(truth, rng))


def _outcome(name: str, truth: str, evidence: ProposalEvidence) -> CaseOutcome:
    found = _decide(evidence)
    right = (truth == "better") == (found == "promoted: better")
    wanted = "promoted" if truth == "better" else "refused"
    return case(name, right, tags=(truth,), given=found, wanted=wanted)


def _decide(evidence: ProposalEvidence) -> str:
    ruling = rule(evidence, GatePolicy())
    return f"{'promoted' if ruling.promotes else 'refused'}: {ruling.finding}"


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Each proposed change as a case: promoted only where it is better."""
    tools = context.some(list(TOOLS), instant=5)
    outcomes = [outcome async for outcome in _decided(await context.sandbox(), tools)]
    for outcome in outcomes:
        yield outcome
    yield passed_share("decided rightly", outcomes)
    wrong = [one for one in outcomes if not one.passed]
    missed = sum("better" in one.tags for one in wrong)
    yield lower("wrongly promoted", len(wrong) - missed, "count", target=0)
    yield lower("good changes missed", missed, "count")


if __name__ == "__main__":
    measured("gate")
