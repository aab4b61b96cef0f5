"""The second judge: what all failed runs together say, as a few numbers with thresholds."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from hammerstone.core.json_types import JsonObject
from hammerstone.learn.evolution.evolution_policy import SignalPolicy
from hammerstone.learn.evolution.judges.causes import FailureClass, FailureFinding, RootCause
from hammerstone.learn.evolution.judges.run_facts import RunFacts


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A run with its score; `finding` where it failed."""

    facts: RunFacts
    score: float
    finding: FailureFinding | None = None


@dataclass(frozen=True, slots=True)
class FailureSignals:
    """Shares are of the failures that say something: an outage is no lesson.

    `corpus` says whether there are documents that could hold what is missing, `examples` how
    many runs of the base model were good enough to learn from.
    """

    runs: int = 0
    average: float = 0.0
    failures: int = 0
    outages: int = 0
    persisting: float = 0.0
    right_tool: float = 0.0
    knowledge_gap: float = 0.0
    prompt_gap: float = 0.0
    skill_gap: float = 0.0
    harness_gap: float = 0.0
    one_domain: float = 0.0
    domain: str = ""
    sureness: float = 0.0
    corpus: bool = False
    examples: int = 0

    def to_json(self) -> JsonObject:
        return asdict(self)


def extract_signals(
    runs: Sequence[JudgedRun], policy: SignalPolicy, *, corpus: bool = False, examples: int = 0
) -> FailureSignals:
    """The signals of runs that were scored; a run that only asked back counts nowhere."""
    counted = [run for run in runs if not run.facts.asked_back]
    failed = [run for run in counted if run.finding is not None]
    telling = [run for run in failed if _cause(run) is not RootCause.OUTAGE]
    scored = [run for run in counted if run not in failed or run in telling]
    whole = len(telling)
    domains = Counter(run.facts.domain for run in telling if run.facts.domain)
    domain, most = domains.most_common(1)[0] if domains else ("", 0)

    def share(count: int) -> float:
        return count / whole if whole else 0.0

    classes = Counter(run.finding.kind for run in telling if run.finding)
    both = classes[FailureClass.BOTH]
    causes = Counter(_cause(run) for run in telling)
    return FailureSignals(
        runs=len(counted),
        average=sum(run.score for run in scored) / len(scored) if scored else 0.0,
        failures=whole,
        outages=len(failed) - whole,
        persisting=share(sum(run.facts.round >= policy.prompt_rounds for run in telling)),
        right_tool=share(sum(run.facts.right_tool is True for run in telling)),
        knowledge_gap=share(causes[RootCause.MISSING_KNOWLEDGE]),
        prompt_gap=share(classes[FailureClass.PROMPT] + both),
        skill_gap=share(classes[FailureClass.SKILL] + both),
        harness_gap=share(causes[RootCause.HARNESS]),
        one_domain=share(most),
        domain=domain,
        sureness=sum(run.finding.confidence for run in telling if run.finding) / max(1, whole),
        corpus=corpus,
        examples=examples,
    )


def _cause(run: JudgedRun) -> RootCause:
    return run.finding.cause if run.finding else RootCause.UNKNOWN
