"""The right that each route needs, in one table; what is not in it is refused."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from starlette.routing import BaseRoute, Match
from starlette.types import Scope

from hammerstone.core.people import Right

ANY = "*"  # a door that takes several methods
SOCKET = "WEBSOCKET"


@dataclass(frozen=True, slots=True)
class Operation:
    """What a route is for. `change` is what it does to things that are shared, as the audit
    list says it; empty where it changes nothing, or only what is one's own."""

    right: Right
    change: str = ""


_READ, _ASK, _BUILD = (Operation(right) for right in (Right.READ, Right.ASK, Right.BUILD))
_GOVERN, _PEOPLE = Operation(Right.GOVERN), Operation(Right.PEOPLE)

OPERATIONS: dict[tuple[str, str], Operation] = {
    # The page and what describes the server: nothing of anybody's.
    ("GET", "/"): _READ,
    ("GET", "/web/{path:path}"): _READ,
    ("GET", "/docs"): _READ,
    ("GET", "/openapi.json"): _READ,
    ("GET", "/health"): _READ,
    ("GET", "/live"): _READ,
    ("GET", "/ready"): _READ,
    ("GET", "/metrics"): _BUILD,
    ("GET", "/api/workers"): _BUILD,
    ("GET", "/api/settings"): _READ,
    # Asking: runs, sessions, files, memory and traces are each person's own.
    (SOCKET, "/ws"): _ASK,
    ("POST", "/api/ask"): _ASK,
    ("POST", "/api/runs"): _ASK,
    ("GET", "/api/runs"): _READ,
    ("GET", "/api/runs/{run_id}"): _READ,
    ("POST", "/api/runs/{run_id}/cancel"): _ASK,
    ("POST", "/api/runs/{run_id}/answer"): _ASK,
    ("POST", "/api/runs/{run_id}/feedback"): _BUILD,
    ("GET", "/api/proofs"): _READ,
    ("GET", "/api/questions"): _READ,  # a guest is asked nothing
    ("POST", "/api/questions"): _ASK,
    ("POST", "/api/questions/{tool}"): Operation(Right.BUILD, "said what a tool should give"),
    ("GET", "/api/sessions"): _READ,
    ("GET", "/api/sessions/{session_id}"): _READ,
    ("PATCH", "/api/sessions/{session_id}"): _ASK,
    ("DELETE", "/api/sessions/{session_id}"): _ASK,
    ("DELETE", "/api/sessions/{session_id}/memory"): _ASK,
    ("POST", "/api/sessions/{session_id}/wake"): _ASK,
    ("GET", "/api/artifacts"): _READ,
    ("GET", "/api/artifacts/{file_id}"): _READ,
    ("GET", "/api/files"): _READ,
    ("PUT", "/api/files/{name}"): _ASK,
    ("GET", "/api/memory"): _READ,
    ("POST", "/api/memory"): _ASK,
    ("PUT", "/api/memory/{layer}"): _ASK,
    ("DELETE", "/api/memory"): _ASK,
    ("GET", "/api/memory/search"): _READ,
    # Documents: everyone's are the owner's to choose; what one uploads is one's own.
    ("GET", "/api/documents"): _READ,
    ("POST", "/api/documents"): Operation(Right.GOVERN, "added documents"),
    ("POST", "/api/documents/refresh"): Operation(Right.GOVERN, "read documents again"),
    ("PUT", "/api/documents/files/{name}"): _ASK,
    ("GET", "/api/documents/search"): _READ,
    ("GET", "/api/documents/{document_id}"): _READ,
    ("DELETE", "/api/documents/{document_id}"): _ASK,  # everyone's: GOVERN, see the route
    ("GET", "/api/traces"): _READ,
    ("GET", "/api/traces/{trace_id}"): _READ,
    ("GET", "/api/traces/{trace_id}/tree"): _READ,
    ("GET", "/api/traces/{trace_id}/spans/{span_id}"): _READ,
    ("POST", "/api/traces/{trace_id}/replay"): _ASK,
    ("GET", "/api/traces/{trace_id}/compare/{other_id}"): _READ,
    ("GET", "/api/approvals"): _READ,
    ("POST", "/api/approvals/{approval_id}"): _ASK,  # a guest answers questions, allows nothing
    # The library: read and used by all.
    ("GET", "/api/tools"): _READ,
    ("GET", "/api/tools/{name}"): _READ,
    ("GET", "/api/tools/{name}/versions/{number}"): _READ,
    ("GET", "/api/tools/{name}/diff"): _READ,
    ("POST", "/api/tools/{name}/run"): _ASK,
    ("POST", "/api/tools/{name}/restore"): Operation(Right.GOVERN, "restored a version"),
    ("POST", "/api/tools/{name}/repair"): Operation(Right.BUILD, "had a tool mended"),
    ("GET", "/api/search"): _READ,
    ("GET", "/api/skills"): _READ,
    ("GET", "/api/skills/find"): _READ,
    ("GET", "/api/skills/{name}"): _READ,
    ("GET", "/api/graph"): _READ,
    ("GET", "/api/graph/paths"): _READ,
    ("GET", "/api/connectors"): _READ,
    ("GET", "/api/export/library"): _READ,
    ("POST", "/api/import/library"): Operation(Right.GOVERN, "imported tools"),
    # What use has taught.
    ("GET", "/api/analytics/relationships"): _READ,
    ("GET", "/api/analytics/patterns"): _READ,
    ("GET", "/api/analytics/sessions/{session_id}"): _READ,
    ("GET", "/api/analytics/stats"): _READ,
    ("GET", "/api/analytics/progress"): _READ,
    ("GET", "/api/analytics/learning"): _READ,  # other people's: GOVERN, see the route
    ("GET", "/api/calibration"): _READ,
    ("GET", "/api/scoreboard"): _GOVERN,
    ("GET", "/api/scoreboard/{run_id}"): _GOVERN,
    ("GET", "/api/scoreboard/{run_id}/page"): _GOVERN,
    ("GET", "/api/ledger"): _READ,
    ("POST", "/api/ledger/{lesson_id}/undo"): Operation(Right.GOVERN, "took a lesson back"),
    ("GET", "/api/proposals"): _READ,
    ("GET", "/api/proposals/{proposal_id}"): _READ,
    ("POST", "/api/proposals/{proposal_id}"): Operation(Right.GOVERN, "decided on a proposal"),
    ("GET", "/api/jobs"): _READ,
    ("GET", "/api/labels"): _READ,
    ("POST", "/api/labels/{decision_id}"): _BUILD,
    ("GET", "/api/tuning"): _READ,
    ("GET", "/api/tuning/{study_id}"): _READ,
    ("POST", "/api/tuning"): Operation(Right.GOVERN, "had it tune"),
    ("POST", "/api/learn"): Operation(Right.GOVERN, "had it learn"),
    # Evolution: about everybody's product; each judges their own requests.
    ("GET", "/api/evolution"): _GOVERN,
    ("GET", "/api/evolution/rounds"): _GOVERN,
    ("POST", "/api/evolution/rounds"): Operation(Right.GOVERN, "had it evolve"),
    ("POST", "/api/evolution/watch/{suite}"): Operation(Right.GOVERN, "had a suite watched"),
    ("GET", "/api/evolution/rounds/{round_id}"): _GOVERN,
    ("GET", "/api/evolution/attempts"): _GOVERN,
    ("GET", "/api/evolution/scores/{suite}"): _GOVERN,
    ("POST", "/api/evolution/judge"): _BUILD,
    ("GET", "/api/evolution/verdicts"): _GOVERN,
    ("GET", "/api/evolution/notes"): _GOVERN,
    ("GET", "/api/evolution/samples"): _GOVERN,
    ("POST", "/api/evolution/samples/{sample_id}"): Operation(Right.GOVERN, "judged a sample"),
    ("PUT", "/api/evolution/preset"): Operation(Right.GOVERN, "chose a preset of evolution"),
    # What holds for everybody.
    ("GET", "/api/prompts"): _READ,
    ("GET", "/api/prompts/{name}"): _READ,
    ("GET", "/api/prompts/{name}/text"): _READ,
    ("GET", "/api/prompts/{name}/diff"): _READ,
    ("POST", "/api/prompts/{name}/versions"): Operation(Right.GOVERN, "added a prompt's version"),
    ("DELETE", "/api/prompts/{name}/versions/{version}"): Operation(
        Right.GOVERN, "removed a prompt's version"
    ),
    ("POST", "/api/prompts/{name}/best"): Operation(Right.GOVERN, "used a prompt's best version"),
    ("POST", "/api/prompts/{name}/rollback"): Operation(Right.GOVERN, "took a prompt back"),
    ("GET", "/api/adapters"): _READ,
    ("GET", "/api/policies"): _READ,
    ("GET", "/api/policies/{name}"): _READ,
    ("GET", "/api/policies/{name}/diff"): _READ,
    ("GET", "/api/policies/{name}/history"): _READ,
    ("POST", "/api/policies/{name}/rollback"): Operation(Right.GOVERN, "rolled a policy back"),
    ("GET", "/api/experiments"): _READ,
    ("POST", "/api/experiments"): Operation(Right.GOVERN, "started an experiment"),
    ("GET", "/api/experiments/{experiment_id}"): _READ,
    ("POST", "/api/experiments/{experiment_id}/stop"): Operation(
        Right.GOVERN, "stopped an experiment"
    ),
    ("PUT", "/api/policies/{name}"): Operation(Right.GOVERN, "changed a policy"),
    ("POST", "/api/policies/{name}/restore"): Operation(Right.GOVERN, "restored a policy"),
    ("GET", "/api/export/policies"): _READ,
    ("POST", "/api/import/policies"): Operation(Right.GOVERN, "imported policies"),
    ("GET", "/api/stops"): _READ,
    ("POST", "/api/stops"): Operation(Right.ASK, "stopped"),  # everything: GOVERN, see the route
    ("DELETE", "/api/stops"): Operation(Right.ASK, "resumed"),
    ("GET", "/api/doctor"): _GOVERN,
    ("POST", "/api/sandbox/check"): _GOVERN,
    # Triggers: an owner sets them up; whoever they work for reads what they did.
    ("GET", "/api/triggers"): _READ,
    ("POST", "/api/triggers"): Operation(Right.GOVERN, "added a trigger"),
    ("GET", "/api/triggers/log"): _READ,
    ("GET", "/api/triggers/{name}"): _READ,
    ("DELETE", "/api/triggers/{name}"): Operation(Right.GOVERN, "removed a trigger"),
    ("GET", "/api/triggers/{name}/log"): _READ,
    ("GET", "/api/triggers/{name}/history"): _READ,
    ("POST", "/api/triggers/{name}/pause"): Operation(Right.GOVERN, "paused a trigger"),
    ("POST", "/api/triggers/{name}/resume"): Operation(Right.GOVERN, "resumed a trigger"),
    ("POST", "/api/triggers/{name}/run"): Operation(Right.GOVERN, "ran a trigger by hand"),
    ("POST", "/hooks/{name}"): _READ,  # by its signature: see the doors
    # People.
    ("GET", "/api/people"): _PEOPLE,
    ("POST", "/api/people"): Operation(Right.PEOPLE, "let somebody in"),
    ("DELETE", "/api/people/{name}"): Operation(Right.PEOPLE, "revoked a token"),
    ("GET", "/api/people/audit"): _PEOPLE,
    # Other protocols; what they may do inside goes by the same rights.
    (ANY, "/mcp"): _ASK,
    ("POST", "/a2a"): _ASK,
    ("GET", "/.well-known/agent-card.json"): _READ,
}


def all_routes(routes: Iterable[BaseRoute]) -> Iterator[BaseRoute]:
    """Every single route, also those of routers that were included."""
    for route in routes:
        inner = getattr(route, "original_router", None)
        if inner is None:
            yield route
        else:
            yield from all_routes(inner.routes)


def operation_of(routes: Iterable[BaseRoute], scope: Scope) -> Operation | None:
    """What the route that will take this is for; None where no route will.

    A route that is missing in the table needs what nobody has but an owner.
    """
    for route in all_routes(routes):
        match, _ = route.matches(scope)
        if match is Match.FULL:
            path = getattr(route, "path", "")
            return OPERATIONS.get((_method(scope), path)) or OPERATIONS.get((ANY, path), _PEOPLE)
    return None


def _method(scope: Scope) -> str:
    if scope["type"] == "websocket":
        return SOCKET
    return "GET" if scope["method"] == "HEAD" else scope["method"]
