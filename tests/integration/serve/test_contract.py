"""Whatever is sent, the API answers as its own description says, and never breaks."""

from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

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


def test_the_api_keeps_its_own_contract(tmp_path: Path) -> None:
    served = serve(tmp_path, requests_per_minute=1_000_000)
    try:
        schema = schemathesis.openapi.from_url(f"{served.address}openapi.json")
        operations = [found.ok() for found in schema.get_all_operations()]
        assert len(operations) > 35
        for operation in operations:
            _try(operation)
    finally:
        served.stop()


def _try(operation: Any) -> None:
    @given(case=operation.as_strategy())
    @settings(
        max_examples=3 if operation.path in _SLOW else 10,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def holds(case: Any) -> None:
        case.call_and_validate(checks=CHECKS, timeout=PATIENCE_S)

    holds()
