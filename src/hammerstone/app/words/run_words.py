"""What a run was done with, in lines that a person reads."""

from hammerstone.core.run_record import RunRecord, SentPrompt
from hammerstone.library.policies import PROMPT


def record_words(record: RunRecord) -> list[str]:
    """The lines below a trace: how it was answered, by whom, with which versions."""
    how = record.strategy or record.kind or "not known"
    lines = [f"answered as: {how}{', from the cache' if record.cached else ''}"]
    if record.tools:
        lines.append("tools: " + ", ".join(dict.fromkeys(tool.name for tool in record.tools)))
    if record.models:
        lines.append("models: " + ", ".join(record.models))
    if record.prompts:
        told = [_prompt(name, one) for name, one in sorted(record.prompts.items())]
        lines.append("prompts: " + ", ".join(told))
    changed = {
        name: number for name, number in record.policies.items() if not name.startswith(PROMPT)
    }
    if changed:
        told = [f"{name} {number}" for name, number in sorted(changed.items())]
        lines.append("policies that were changed, with their version: " + ", ".join(told))
    lines += [
        f"experiment {experiment}: variant {variant}"
        for experiment, variant in sorted(record.variants.items())
    ]
    return lines


def _prompt(name: str, one: SentPrompt) -> str:
    own = f", your own text {one.round}" if one.round else ""
    return f"{name} (version {one.version}{own})"
