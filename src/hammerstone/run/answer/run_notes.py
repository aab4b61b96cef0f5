"""A run's record: what is known when it begins, and with what it was answered."""

from dataclasses import replace
from functools import cache
from importlib.metadata import version

from hammerstone.core.answers import Answer
from hammerstone.core.run_record import RunRecord, SentPrompt, ToolVersion
from hammerstone.library.policies import Policies
from hammerstone.library.trials import PROMPT, current_trial
from hammerstone.prompts import fingerprint
from hammerstone.run.context import Run


def first_record(policies: Policies) -> RunRecord:
    """What is in force when a run begins, for all and for its session."""
    variants = current_trial().variants
    return RunRecord(release=_release(), policies=policies.versions, variants=variants)


def final_record(run: Run, answer: Answer | None) -> RunRecord:
    """What the run was done with, up to now; without an answer it was broken off."""
    ledger, known = run.ledger, run.record
    called = [ToolVersion(tool.name, tool.version.id) for tool, _ok in ledger.used]
    called += [ToolVersion(made.tool, made.version_id) for made in ledger.made]
    cost = answer.cost if answer else run.cost()
    return replace(
        known,
        kind=str(ledger.kind),
        strategy=answer.strategy if answer else "",
        models=tuple(ledger.models),
        prompts={
            name: SentPrompt(
                template.version, known.policies.get(PROMPT + name, 0), fingerprint(template)
            )
            for name, template in ledger.prompts.items()
        },
        tools=tuple(dict.fromkeys(called)),
        cached=answer.cached if answer else False,
        tokens=cost.tokens,
        model_calls=cost.model_calls,
        usd=cost.usd,
        seconds=round(cost.seconds, 6),
    )


@cache
def _release() -> str:
    return version("hammerstone")
