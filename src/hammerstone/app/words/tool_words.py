"""What is known of a tool in sentences: the evidence of its examination, and its earned trust."""

from collections.abc import Callable, Mapping
from typing import Any

from hammerstone.core.formatting import count, percent
from hammerstone.core.trust import EarnedTrust
from hammerstone.library.policies import LifecyclePolicy
from hammerstone.storage.stores.requests.feedback import UseTally

Evidence = Mapping[str, Any]

# What decided about uses, as people say it; what is not here says itself.
_SIGNS: dict[str, str] = {
    "corrected": "somebody gave another value",
    "refused": "somebody said wrong",
    "confirmed": "somebody said right",
    "chosen": "somebody chose this result",
    "passed over": "somebody chose the other result",
    "wrong tool": "another tool was meant",
    "undone": "somebody took the change back",
    "agreed": "a new solution gave the same",
    "built on": "a later request worked with it",
    "asked again": "asked again in other words",
    "unopposed": "nobody objected",
    "repeated": "the same was asked again later",
    "outvoted": "new solutions gave another value",
    "abandoned": "somebody stopped it",
    "failed": "a call failed",
    "labelled": "somebody labelled it",
    "own failure": "a call failed by its own fault",
    "earlier use": "judged before reasons were kept",
}


def evidence_sentences(evidence: Evidence) -> list[str]:
    """What the numbers of an examination say, one sentence each; the reason comes first."""
    reason = str(evidence.get("reason") or "")
    said = [f"{reason[:1].upper()}{reason[1:]}."] if reason else []
    return said + [words for each in _SENTENCES if (words := each(evidence))]


def _number(evidence: Evidence, name: str) -> float:
    value = evidence.get(name)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0


def _compared(evidence: Evidence) -> str:
    inputs = _number(evidence, "inputs")
    return f"All programs were compared on {count(inputs, 'input')}." if inputs else ""


def _examples(evidence: Evidence) -> str:
    told, unmet = _number(evidence, "truth"), _number(evidence, "unmet")
    if not told:
        return ""
    met = f"{count(unmet, 'of them is', 'of them are')} not met" if unmet else "all are met"
    return f"{count(told, 'example')} came from a person; {met}."


def _promised(evidence: Evidence) -> str:
    tried, silent = _number(evidence, "promised"), _number(evidence, "promised_without_result")
    if not tried:
        return ""
    ended = f"; {silent:,.0f} gave no result" if silent else ", and always gave a result"
    return f"It was run on {count(tried, 'input')} that it promises to accept{ended}."


def _mistakes(evidence: Evidence) -> str:
    mutants = _number(evidence, "mutants")
    if not mutants:
        return ""
    made = count(mutants, "small mistake was", "small mistakes were")
    noticed = percent(_number(evidence, "mutation_score"))
    return f"{made} put into its code on purpose; the tests noticed {noticed} of them."


_SENTENCES: tuple[Callable[[Evidence], str], ...] = (_compared, _examples, _promised, _mistakes)


def sign_words(kind: str) -> str:
    """What a sign is, for people."""
    return _SIGNS.get(kind, kind)


def trusted_sentence(tally: UseTally, policy: LifecyclePolicy) -> str:
    """How far a verified version is on its way to trusted."""
    wrong = f", and {tally.wrong} wrong" if tally.wrong else ""
    return (
        f"From verified to trusted it takes {count(policy.trusted_uses, 'good use')} in "
        f"{count(policy.trusted_sessions, 'session')}, with no wrong one and no failure of its "
        f"own; so far there are {tally.good} in {tally.sessions}{wrong}."
    )


def trust_sentences(trust: EarnedTrust) -> list[str]:
    """What is known now about a version, for people."""
    sure = f"{percent(trust.chance)} ({percent(trust.low)} to {percent(trust.high)})"
    found = [
        f"The chance that its next answer is right: {sure}.",
        f"Its proof said {percent(trust.proved)}, which counts as {trust.prior_uses:.3g} uses; "
        f"then came {trust.uses} judged uses of {trust.people} "
        f"{'person' if trust.people == 1 else 'people'}, "
        f"which weigh {trust.good:g} for it and {trust.wrong:g} against it.",
    ]
    signs = [f"{sign_words(kind)}: {uses}" for kind, uses in sorted(trust.signs.items())]
    return [*found, f"What decided about these uses: {', '.join(signs)}."] if signs else found
