"""Earned trust in words: the number, how far it may be off, and what it comes from."""

from hammerstone.core.formatting import count, percent
from hammerstone.core.trust import EarnedTrust
from hammerstone.library.policies import LifecyclePolicy
from hammerstone.storage.stores.requests.feedback import UseTally

TRUST_FIELDS = {
    "prior_uses": "How many judged uses the proof of a tool counts as at most.",
    "person_uses": "How much one person's uses count at most in a shared library.",
    "fall_weight": "How much must speak against a tool before it can lose its mark.",
    "rise_weight": "How much must speak for a tool before use can give it the mark.",
}
"""What the fields of the policy `trust` mean."""

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
