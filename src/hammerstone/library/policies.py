"""The numbers that decide behaviour: defaults here, changes versioned in the database."""

import math
from collections.abc import Mapping
from dataclasses import Field, asdict, dataclass, field, fields, replace
from typing import Any, ClassVar, Protocol, TypeVar

from hammerstone.core.changes import ProposalKind
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.library.change_notes import ChangeNote, keep_note
from hammerstone.library.policy_ranges import in_range, range_of
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


@dataclass(frozen=True, slots=True)
class CachePolicy:
    """Execution cache and memo of whole requests."""

    name: ClassVar[str] = "cache"
    enabled: bool = True
    ttl_s: float = 3600.0
    memo_ttl_s: float = 3600.0
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
    repeat_limit: int = 3  # the same call without progress in one session


@dataclass(frozen=True, slots=True)
class QuestionPolicy:
    """When somebody is asked what an experimental tool should give."""

    name: ClassVar[str] = "questions"
    enabled: bool = True
    pause_hours: float = 24.0  # between two questions to one person
    put_off_days: float = 7.0  # before a question that was left open comes again


@dataclass(frozen=True, slots=True)
class TracePolicy:
    """Which traces are kept, and how long."""

    name: ClassVar[str] = "traces"
    keep_success_share: float = 1.0
    keep_days: float = 7.0


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
)

P = TypeVar("P", bound=PolicyKind)
PROMPT = "prompt/"  # under which a person's own text for a prompt is stored


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
        self._made: dict[type[PolicyKind], Any] = {}
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
        use_own(self._own_prompts)

    def get(self, kind: type[P]) -> P:
        """The defaults of the policy with what was changed on top."""
        made = self._made.get(kind)
        if made is None:
            stored = self._stored.get(kind.name, {})
            known = {field.name for field in fields(kind)}
            # A number from before there were bounds counts as never set.
            changed = {
                key: value
                for key, value in stored.items()
                if key in known and in_range(kind, key, value)
            }
            made = self._made[kind] = replace(kind(), **changed)
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
                    title=_title(name, known, value),
                    who=who,
                    reason=why,
                    reverse={"before": before.number if before else 0, "after": after.number},
                    change={"values": value},
                    grounds=evidence,
                    against=decision.against,
                    proposal=decision.proposal,
                )
                await keep_note(stores, note, after.at)
        await self.load()

    def check(self, name: str, values: JsonObject) -> None:
        """Refuse unknown names, wrong types and numbers out of range: raises `BadRequest`."""
        kind = next((kind for kind in self.kinds if kind.name == name), None)
        if kind is None:
            known = ", ".join(kind.name for kind in self.kinds)
            raise BadRequest(f"there is no policy {name!r}", hint=f"known: {known}")
        defaults = asdict(kind())
        for key, value in values.items():
            if key not in defaults:
                raise BadRequest(f"policy {name} has no {key!r}", hint=", ".join(defaults))
            if not _fits(value, defaults[key]):
                raise BadRequest(f"policy {name}.{key} takes a {type(defaults[key]).__name__}")
            if not in_range(kind, key, value):
                low, high = range_of(kind, key)
                raise BadRequest(f"policy {name}.{key} takes {low:,.10g} to {high:,.10g}")

    async def history(self, name: str) -> list[Policy]:
        """Every version of a policy, oldest first."""
        return await self._db.policies.history(name)

    async def restore(self, name: str, number: int, *, who: str) -> None:
        """Put an earlier version in force again, as a new one.

        What is out of range in it counts as never set.
        """
        old = next((each for each in await self.history(name) if each.number == number), None)
        if old is None:
            raise NotFound(f"policy {name} has no version {number}", policy=name, number=number)
        value = old.value if isinstance(old.value, dict) else {}
        why = f"version {number} restored"
        await self.put(name, value, PolicyDecision(who, why, {"restored": number}))

    async def put_back(self, name: str, before: int, after: int, *, who: str, why: str) -> bool:
        """Take a change back: what was in force before it is again, in its own words.

        False when something else than the change is in force, which stays.
        """
        known = {each.number: each.value for each in await self.history(name)}
        if not known or known[max(known)] != known.get(after):
            return False
        await self._db.policies.put(name, known.get(before, {}), who, why, {"undone": after})
        await self.load()
        return True


def _title(name: str, before: JsonObject, after: JsonObject) -> str:
    if not name.startswith(PROMPT):
        return f"policy {name}: {_differences(before, after)}"
    text = "a text of your own" if after else "the original text again"
    return f"prompt {name.removeprefix(PROMPT)}: {text}"


def _differences(before: JsonObject, after: JsonObject) -> str:
    """What another value has: `high from 0.8 to 0.9`."""
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    told = [
        f"{name} from {_shown(before.get(name))} to {_shown(after.get(name))}" for name in names[:4]
    ]
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return ", ".join(told) + more


def _shown(value: Json) -> str:
    return "the default" if value is None else str(value)[:40]


def _fits(value: Json, default: object) -> bool:
    """Whether a value may take the default's place: whole numbers and switches stay such."""
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(default, bool) and isinstance(value, bool)
    if isinstance(default, int):
        return isinstance(value, int)
    return isinstance(value, int | float) and math.isfinite(value)
