"""Whatever is sent, the API answers as its own description says, and never breaks."""

from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from hammerstone.core.people import RIGHTS, PersonRole
from hammerstone.serve.api.rights import OPERATIONS
from tests.integration.serving import serve

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
PATIENCE_S = 120.0  # a full check of the sandbox on a busy machine
# Each example may build a tool or attack a sandbox: a few are enough.
_SLOW = {"/api/ask", "/api/runs", "/api/sandbox/check", "/api/doctor"}
_SAYS_NO = {"/ready"}  # 503 is its answer while something is missing
_CLOSING = {"/api/people/{name}"}  # could revoke the token that is tried


def test_the_api_keeps_its_own_contract(tmp_path: Path) -> None:
    served = serve(tmp_path, requests_per_minute=1_000_000)
    try:
        schema = schemathesis.openapi.from_url(f"{served.address}openapi.json")
        operations = [found.ok() for found in schema.get_all_operations()]
        assert len(operations) > 35
        for operation in operations:
            # Letting a first person in would close the door that this test comes through.
            if operation.label != "POST /api/people":
                _try(operation)
    finally:
        served.stop()


@pytest.mark.parametrize("role", ["owner", "member", "guest"])
def test_the_contract_holds_for_every_role(tmp_path: Path, role: str) -> None:
    """Whoever asks: never a broken server, and nothing that the role has no right to."""
    served = serve(tmp_path, requests_per_minute=1_000_000, token="the owner's")
    owner = {"authorization": "Bearer the owner's"}
    try:
        added = httpx.post(
            f"{served.address}api/people", json={"name": "ada", "role": role}, headers=owner
        )
        headers = {"authorization": f"Bearer {added.json()['token']}"}
        url = f"{served.address}openapi.json"
        schema = schemathesis.openapi.from_url(url, headers=headers)
        allowed = RIGHTS[PersonRole(role)]
        for operation in (found.ok() for found in schema.get_all_operations()):
            needed = OPERATIONS[operation.method.upper(), operation.path]
            if operation.path not in _SLOW and operation.path not in _CLOSING:
                _try(operation, 2, headers, refused=needed.right not in allowed)
    finally:
        served.stop()


def _try(
    operation: Any, most: int = 10, headers: dict[str, str] | None = None, refused: bool = False
) -> None:
    says_no = operation.path in _SAYS_NO

    @given(case=operation.as_strategy())
    @settings(
        max_examples=min(most, 3) if operation.path in _SLOW else most,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def holds(case: Any) -> None:
        checks = [one for one in CHECKS if one is not not_a_server_error or not says_no]
        told = case.call_and_validate(checks=checks, timeout=PATIENCE_S, headers=headers)
        if refused:
            assert told.status_code == 403, (operation.label, told.status_code)

    holds()
