"""A whole solution that a model wrote for a request, and the proof that is owed for it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from hammerstone.core.json_types import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Solution:
    """One solution: a module with a general function, the request's own call of it, and the value.

    `call` is the source of an expression over the module's names, such as `tip(86.4, 15, 4)`.
    `value` is in wire form; it means nothing where `error` says why there is none.
    """

    code: str
    function: str
    call: str
    value: Json = None
    error: str = ""

    @property
    def ran(self) -> bool:
        return not self.error

    def to_json(self) -> JsonObject:
        return asdict(self)

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> "Solution":
        return Solution(**{name: document[name] for name in Solution.__slots__})


@dataclass(frozen=True, slots=True)
class ProofTask:
    """A tool to be proved after its answer was given: the winning solution and its rivals.

    `value` is the answer that the person has, in wire form. `files` are the names of the
    session's files that the call reads. `forced`: the person asked for the tool itself.
    `settled` are examples that the person chose where the request's contradict each other.
    """

    request: str
    session_id: str
    run_id: str
    user: str
    winner: Solution
    rivals: tuple[Solution, ...] = ()
    value: Json = None
    files: tuple[str, ...] = ()
    forced: bool = False
    settled: tuple[str, ...] = ()

    def to_json(self) -> JsonObject:
        return asdict(self)

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> "ProofTask":
        fields = {name: document[name] for name in ProofTask.__slots__}
        fields["winner"] = Solution.from_json(document["winner"])
        fields["rivals"] = tuple(Solution.from_json(one) for one in document["rivals"])
        fields["files"] = tuple(document["files"])
        fields["settled"] = tuple(document["settled"])
        return ProofTask(**fields)
