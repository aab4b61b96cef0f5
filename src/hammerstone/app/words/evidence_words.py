"""The evidence for a tool in sentences: what was tried, and how it ended."""

from collections.abc import Callable, Mapping
from typing import Any

from hammerstone.core.formatting import count, percent

Evidence = Mapping[str, Any]


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
