"""The numbers that decide, as they are shipped: none of them changes by accident.

Whoever changes one on purpose changes it in `policy_defaults.json`, too. A new field need not stand
there at once.
"""

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from hammerstone.learn.evolution.evolution_policy import (
    EvolutionPolicy,
    JudgePolicy,
    MonitorPolicy,
    SignalPolicy,
)
from hammerstone.learn.policies import (
    ExperimentPolicy,
    FineTuningPolicy,
    GatePolicy,
    HarnessPolicy,
    LabelPolicy,
    MiningPolicy,
    PromptTrackPolicy,
    RepairPolicy,
    SkillTrackPolicy,
    TuningPolicy,
)
from hammerstone.library.documents.document_policy import DocumentPolicy
from hammerstone.library.graph.path import GraphPolicy
from hammerstone.library.memory.context import MemoryPolicy
from hammerstone.library.policies import (
    BuildBudgetPolicy,
    CachePolicy,
    DuplicatePolicy,
    ExecutionPolicy,
    FitPolicy,
    LifecyclePolicy,
    Policy,
    ProofPolicy,
    QuestionPolicy,
    RequestBudgetPolicy,
    SearchPolicy,
)
from hammerstone.library.policies.feedback_policy import FeedbackPolicy
from hammerstone.library.policies.retention_policies import TracePolicy
from hammerstone.library.skills.skill import SkillPolicy
from hammerstone.library.tools.upkeep.trust import TrustPolicy
from hammerstone.run.plan_policy import PlanPolicy, SessionPolicy
from hammerstone.run.solve.answer_policy import AnswerPolicy

KINDS: list[type[Policy]] = [
    AnswerPolicy, BuildBudgetPolicy, CachePolicy, DocumentPolicy, DuplicatePolicy, EvolutionPolicy,
    ExecutionPolicy, ExperimentPolicy, FeedbackPolicy, FineTuningPolicy, FitPolicy, GatePolicy,
    GraphPolicy, HarnessPolicy, JudgePolicy, LabelPolicy, LifecyclePolicy, MemoryPolicy,
    MiningPolicy, MonitorPolicy, PlanPolicy, PromptTrackPolicy, ProofPolicy, QuestionPolicy,
    RepairPolicy, RequestBudgetPolicy, SearchPolicy, SessionPolicy, SignalPolicy, SkillPolicy,
    SkillTrackPolicy, TracePolicy, TrustPolicy, TuningPolicy,
]  # fmt: skip
SHIPPED: dict[str, Any] = json.loads(Path(__file__).with_name("policy_defaults.json").read_text())


def plain(value: Any) -> Any:
    """The value as JSON has it."""
    return json.loads(json.dumps(value, default=repr))


def test_policies_are_shipped_with_these_numbers() -> None:
    for kind in KINDS:
        now, known = plain(asdict(kind())), SHIPPED[kind.name]["values"]
        assert {name: now.get(name) for name in known} == known, kind.name


def test_policies_have_these_bounds() -> None:
    for kind in KINDS:
        now, known = plain(getattr(kind, "ranges", {})), SHIPPED[kind.name]["ranges"]
        assert {name: now.get(name) for name in known} == known, kind.name
        assert set(now) <= {field.name for field in fields(kind)}


def test_every_policy_of_the_list_is_one_of_these() -> None:
    assert sorted(SHIPPED) == sorted(kind.name for kind in KINDS)
