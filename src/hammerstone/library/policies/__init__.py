"""The numbers that decide behaviour: defaults here, changes versioned in the database."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import Field, asdict, dataclass, field, fields, replace
from typing import Any, ClassVar, Protocol, TypeVar

from hammerstone.core.changes import ProposalKind
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.experiments import Experiment
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.library.change_notes import ChangeNote, keep_note
from hammerstone.library.policies.aliases import ALIASES, fields_named, policy_named
from hammerstone.library.policies.policy_changes import (
    ROLLED_BACK,
    SHARE,
    PolicyDiff,
    change_title,
    compare_versions,
    fits_type,
    in_range,
    range_of,
    type_words,
    version_before,
)
from hammerstone.library.policies.retention_policies import EvidencePolicy, TracePolicy
from hammerstone.library.policies.trials import (
    NO_TRIAL,
    PROMPT,
    TRIAL,
    SessionTrial,
    interrupt_experiments,
    trial_of,
)
from hammerstone.prompts import use_own
from hammerstone.storage import Database
from hammerstone.storage.rows import Policy


class PolicyKind(Protocol):
    """A dataclass of numbers with defaults, stored under its name."""

    name: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


@dataclass(frozen=True, slots=True)
class RequestBudgetPolicy:
    """What one request may spend."""

    name: ClassVar[str] = "request_budget"
    tokens: int = 10_000
    model_calls: int = 20
    steps: int = 10
    usd: float = 0.50


@dataclass(frozen=True, slots=True)
class BuildBudgetPolicy:
    """What building one tool may spend."""

    name: ClassVar[str] = "build_budget"
    attempts: int = 3
    tokens: int = 30_000
    model_calls: int = 40
    usd: float = 0.50


@dataclass(frozen=True, slots=True)
class FitPolicy:
    """When an existing tool is used: on the calibrated probability that it fits."""

    name: ClassVar[str] = "fit"
    ranges: ClassVar[Any] = dict.fromkeys(("high", "middle", "same_wording"), SHARE)
    high: float = 0.80
    middle: float = 0.50
    same_wording: float = 0.95  # of a tool that answered the same words with other values
    retrieval_similarity_threshold: float = 0.4
    refit_decisions: int = 60  # labelled ones that a gate of one's own needs at least


@dataclass(frozen=True, slots=True)
class SearchPolicy:
    """How tools are ordered and how much use may teach."""

    name: ClassVar[str] = "search"
    meaning_weight: float = 1.0
    words_weight: float = 0.7
    unfilled_weight: float = 0.1  # share of relevance lost for each number that is missing
    rerank: bool = True
    relevance_share: float = 0.7
    success_share: float = 0.2
    frequency_share: float = 0.1
    learn: bool = True
    past_requests: int = 20  # kept for each tool and tenant
    known_after: int = 3  # answers to the same words after which they are not searched; 0: never
    database_from: int = 50_000  # tools; from there on PostgreSQL finds candidates, not memory
    database_candidates: int = 150  # that it finds by meaning, and as many by words


@dataclass(frozen=True, slots=True)
class CachePolicy:
    """Execution cache and memo of whole requests."""

    name: ClassVar[str] = "cache"
    enabled: bool = True
    ttl_s: float = 3600.0
    memo_ttl_s: float = 3600.0
    solved_ttl_s: float = 30 * 86_400.0  # of an answer that solutions gave, while no tool fits
    max_rows: int = 100_000


@dataclass(frozen=True, slots=True)
class LifecyclePolicy:
    """When use changes a tool's standing."""

    name: ClassVar[str] = "lifecycle"
    trusted_uses: int = 20  # good ones, without a failure of the tool's own
    trusted_sessions: int = 5
    retired_uses: int = 3
    retired_success: float = 0.4
    look_every: int = 5  # good uses between two looks at a verified tool


@dataclass(frozen=True, slots=True)
class ProofPolicy:
    """What code that a person wrote has to show before it counts as verified."""

    name: ClassVar[str] = "proof"
    cases: int = 3
    mutation_score: float = 0.7  # share of small wrong changes that the cases notice


@dataclass(frozen=True, slots=True)
class DuplicatePolicy:
    """When a tool is taken for one that is already there."""

    name: ClassVar[str] = "duplicates"
    enabled: bool = True
    candidates: int = 8  # tools nearest by description that are tried
    similarity: float = 0.35  # raw cosine under which a tool is not tried; words alone always are
    inputs: int = 60  # made up, beside those of both suites
    agreeing: int = 5  # inputs that both have to answer alike, and none differently


@dataclass(frozen=True, slots=True)
class ExecutionPolicy:
    """How arguments are found and calls are tried."""

    name: ClassVar[str] = "execution"
    extraction_attempts: int = 2
    earlier_calls: int = 50  # of a tool whose requests are held against the words; 0: none
    repeat_limit: int = 3  # the same call without progress in one session


@dataclass(frozen=True, slots=True)
class QuestionPolicy:
    """When somebody is asked what an experimental tool should give."""

    name: ClassVar[str] = "questions"
    enabled: bool = True
    pause_hours: float = 24.0  # between two questions to one person
    put_off_days: float = 7.0  # before a question that was left open comes again


POLICIES: tuple[type[PolicyKind], ...] = (
    RequestBudgetPolicy,
    BuildBudgetPolicy,
    FitPolicy,
    SearchPolicy,
    CachePolicy,
    LifecyclePolicy,
    ProofPolicy,
    DuplicatePolicy,
    ExecutionPolicy,
    QuestionPolicy,
    TracePolicy,
    EvidencePolicy,
)

P = TypeVar("P", bound=PolicyKind)


@dataclass(frozen=True, slots=True)
class PolicyDecision:
    """Who puts a policy in force and why.

    `evidence` are the numbers it rests on, `against` is what speaks against it and was seen,
    `proposal` the entry in the ledger that the gate has made for it.
    """

    who: str
    why: str
    evidence: Mapping[str, Json] = field(default_factory=dict[str, Json])
    against: tuple[str, ...] = ()
    proposal: str = ""


class Policies:
    """The policies in force: `await policies.load()` once, then `policies.get(FitPolicy)`."""

    def __init__(self, db: Database, more: tuple[type[PolicyKind], ...] = ()) -> None:
        """`more` are the policies of upper layers: dataclasses with a `name` and defaults."""
        self._db = db
        self.kinds = (*POLICIES, *more)
        self._stored: dict[str, JsonObject] = {}
        self._made: dict[tuple[type[PolicyKind], str], Any] = {}
        self._experiments: Sequence[Experiment] = ()
        self._own_prompts: dict[str, str] = {}
        self.versions: dict[str, int] = {}  # of what was ever changed; a reset prompt is as shipped
        self.revision = -1

    async def load(self, revision: int | None = None) -> None:
        """Read what is in force now; cheap when nothing changed.

        `revision` is the policies' number where somebody has just read it.
        """
        if revision is None:
            revision = await self._db.policies.revision()
        if revision != self.revision:
            rows = await self._db.policies.all_active()
            self._experiments = await self._db.experiments.running()
            self._stored = {row.name: row.value for row in rows if isinstance(row.value, dict)}
            self._own_prompts = {
                name.removeprefix(PROMPT): str(value["text"])
                for name, value in self._stored.items()
                if name.startswith(PROMPT) and "text" in value
            }
            self.versions = {
                row.name: row.number
                for row in rows
                if not row.name.startswith(PROMPT) or self._stored.get(row.name)
            }
            self._made.clear()
            self.revision = revision
        use_own({**self._own_prompts, **TRIAL.get().prompts})

    @contextmanager
    def trying(self, session_id: str) -> Generator[SessionTrial]:
        """Within the block, and in tasks that it starts, the variants of the session's experiments
        are in force."""
        trial = trial_of(self._experiments, session_id) if self._experiments else NO_TRIAL
        before = TRIAL.set(trial)
        use_own({**self._own_prompts, **trial.prompts})
        try:
            yield trial
        finally:
            TRIAL.reset(before)
            use_own(self._own_prompts)

    @property
    def mark(self) -> str:
        """What tells the variants in force now from others; empty outside of experiments."""
        return TRIAL.get().mark if self._experiments else ""

    def mark_of(self, session_id: str) -> str:
        """What tells the variants of a session from those of others; empty without experiments."""
        return trial_of(self._experiments, session_id).mark if self._experiments else ""

    def get(self, kind: type[P]) -> P:
        """The defaults of the policy with what was changed on top, for all or for the session."""
        trial = TRIAL.get()
        tried = trial.values.get(kind.name) if trial.values else None
        made = self._made.get((kind, trial.mark if tried else ""))
        if made is None:
            stored = {**self._stored.get(kind.name, {}), **(tried or {})}
            known = {field.name for field in fields(kind)}
            # A number from before there were bounds counts as never set.
            changed = {
                key: value
                for key, value in stored.items()
                if key in known and in_range(kind, key, value)
            }
            made = replace(kind(), **changed)
            self._made[(kind, trial.mark if tried else "")] = made
        return made

    def stored(self, name: str) -> JsonObject | None:
        """What is in force under a name, without defaults; None when nothing was ever put."""
        return self._stored.get(name)

    async def change(
        self, name: str, values: JsonObject, *, who: str, why: str, proposal: str = ""
    ) -> None:
        """Put a new version of a policy in force; raises `BadRequest` as `check` does.

        `proposal` is the entry in the ledger that the gate has made for it, if it decided.
        """
        self.check(name, values)
        name, values = policy_named(name), fields_named(name, values)
        merged: JsonObject = {**self._stored.get(name, {}), **values}
        await self.put(name, merged, PolicyDecision(who, why, proposal=proposal))

    async def put(self, name: str, value: JsonObject, decision: PolicyDecision) -> None:
        """Put a whole document in force, and the change into the ledger."""
        who, why, evidence = decision.who, decision.why, dict(decision.evidence)
        prompt = name.startswith(PROMPT)
        async with self._db.transaction() as stores:
            before = await stores.policies.active(name)
            after = await stores.policies.put(name, value, who, why, evidence)
            known = before.value if before and isinstance(before.value, dict) else {}
            if known != value:
                note = ChangeNote(
                    kind=ProposalKind.PROMPT if prompt else ProposalKind.POLICY,
                    target=name.removeprefix(PROMPT) if prompt else name,
                    title=change_title(name, known, value),
                    who=who,
                    reason=why,
                    reverse={"before": before.number if before else 0, "after": after.number},
                    change={"values": value},
                    grounds=evidence,
                    against=decision.against,
                    proposal=decision.proposal,
                )
                await keep_note(stores, note, after.at)
                await interrupt_experiments(stores, name, known, value, f"{who} changed it ({why})")
        await self.load()

    def check(self, name: str, values: JsonObject) -> None:
        """Refuse unknown names, wrong types and numbers out of range: raises `BadRequest`."""
        kind, values = self.kind_named(name), fields_named(name, values)
        name = kind.name
        defaults = asdict(kind())
        for key, value in values.items():
            if key not in defaults:
                raise BadRequest(f"policy {name} has no {key!r}", hint=", ".join(defaults))
            if not fits_type(value, defaults[key]):
                raise BadRequest(f"policy {name}.{key} takes {type_words(defaults[key])}")
            if not in_range(kind, key, value):
                low, high = range_of(kind, key)
                raise BadRequest(f"policy {name}.{key} takes {low:,.10g} to {high:,.10g}")

    def kind_named(self, name: str) -> type[PolicyKind]:
        """The policy of a name or an alias; raises `BadRequest`."""
        wanted = policy_named(name)
        kind = next((kind for kind in self.kinds if kind.name == wanted), None)
        if kind is None:
            known = ", ".join(kind.name for kind in self.kinds)
            raise BadRequest(f"there is no policy {name!r}", hint=f"known: {known}")
        return kind

    def values_of(self, name: str) -> JsonObject:
        """The numbers in force under a name; of an alias those that it means."""
        values, alias = asdict(self.get(self.kind_named(name))), ALIASES.get(name)
        return values if alias is None else {key: values[key] for key in alias.fields.values()}

    async def history(self, name: str) -> list[Policy]:
        """Every version of a policy, oldest first."""
        return await self._db.policies.history(policy_named(name))

    async def diff(self, name: str, old: int, new: int | None = None) -> PolicyDiff:
        """What differs between two versions; 0 are the defaults, None is what is in force."""
        kind, rows = self.kind_named(name), await self.history(name)
        return compare_versions(kind, rows, old, rows[-1].number if new is None and rows else new)

    async def restore(self, name: str, number: int, *, who: str) -> None:
        """Put an earlier version in force again, as a new one.

        What is out of range in it counts as never set.
        """
        name = policy_named(name)
        old = next((each for each in await self.history(name) if each.number == number), None)
        if old is None:
            raise NotFound(f"policy {name} has no version {number}", policy=name, number=number)
        value = old.value if isinstance(old.value, dict) else {}
        why = f"version {number} restored"
        await self.put(name, value, PolicyDecision(who, why, {"restored": number}))

    async def rollback(self, name: str, *, who: str) -> int:
        """Put the version before the one in force again; its number, 0 for the defaults.

        Rolled back again, it goes on from there. Raises `NotFound` where nothing is before it.
        """
        name = self.kind_named(name).name
        before, value = version_before(name, await self.history(name))
        why = f"back to version {before}" if before else "back to the defaults"
        await self.put(name, value, PolicyDecision(who, why, {ROLLED_BACK: before}))
        return before

    async def put_back(self, name: str, before: int, after: int, *, who: str, why: str) -> bool:
        """Take a change back: what was in force before it is again, in its own words.

        False when something else than the change is in force, which stays.
        """
        known = {each.number: each.value for each in await self.history(name)}
        if not known or known[max(known)] != known.get(after):
            return False
        async with self._db.transaction() as stores:
            old, new = known[max(known)], known.get(before, {})
            await stores.policies.put(name, new, who, why, {"undone": after})
            if isinstance(old, dict) and isinstance(new, dict):
                await interrupt_experiments(
                    stores, name, old, new, f"{who} took a change back ({why})"
                )
        await self.load()
        return True
