"""What a proof came to, and the policy behind it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar

from hammerstone.core.answers import Proof
from hammerstone.core.json_types import JsonObject

KIND = "proof"  # of the jobs


@dataclass(frozen=True, slots=True)
class ProvingPolicy:
    """How proofs are done after their answers."""

    name: ClassVar[str] = "proving"
    enabled: bool = True
    attempts: int = 5  # begun and neither ended nor given back: then it is given up
    lease_s: float = 60.0  # a process that is silent for so long has lost its proof
    retry_s: float = 30.0  # pause after a failure, times the attempts so far


@dataclass(frozen=True, slots=True)
class ProofResult:
    """The tool that a proof ended with, or why there is none.

    `proof` is PROVED for a verified tool, UNPROVED where the evidence was not enough (the tool
    may be there all the same, as experimental), NONE where there was nothing to prove.
    `parameters` names the specification's in the words of a tool that was there before;
    `source` is the hash of the solution that gave the specification.
    """

    proof: Proof
    reason: str
    tool: str | None = None
    version: int | None = None
    confidence: float | None = None
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])
    source: str = ""
    left_out: tuple[str, ...] = ()
    user: str = ""  # whose solutions were examined; the reason may quote them

    def told_to(self, user: str) -> "ProofResult":
        """The result for one who asked: what another person's examination quotes is left out."""
        if self.user in ("", user):
            return replace(self, user="")
        reason = "" if self.proof is Proof.PROVED else "it was examined for another person"
        return replace(self, reason=reason, left_out=(), user="")

    def to_json(self) -> JsonObject:
        return {**asdict(self), "proof": str(self.proof), "left_out": [*self.left_out]}

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> "ProofResult":
        fields = {name: document[name] for name in ProofResult.__slots__ if name != "user"}
        fields["user"] = document.get("user", "")
        fields["proof"] = Proof(document["proof"])
        fields["left_out"] = tuple(document["left_out"])
        return ProofResult(**fields)
