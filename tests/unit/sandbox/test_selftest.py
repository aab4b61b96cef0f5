"""Where an earlier proof still counts, and how a new one stands in a trace."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hammerstone.core.settings import Settings
from hammerstone.sandbox import conformance, selftest
from hammerstone.sandbox.sandbox import GuestSandbox
from hammerstone.tracing import FinishedTrace, Tracer, span


def test_a_proof_counts_for_one_backend_in_one_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = selftest._circumstances("bubblewrap")
    assert here == selftest._circumstances("bubblewrap") != selftest._circumstances("landlock")
    (tmp_path / "user").symlink_to("user:[1]")
    monkeypatch.setattr(selftest, "_NAMESPACES", tmp_path)
    assert selftest._circumstances("bubblewrap") != here


async def test_its_attacks_are_one_step_of_the_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def attacks(_sandbox: GuestSandbox, **_only: Any) -> SimpleNamespace:
        with span("attack", kind="sandbox"):
            return SimpleNamespace(breaches=())

    traces: list[FinishedTrace] = []
    tracer = Tracer([], lambda value: value)
    tracer.observe(traces.append)
    monkeypatch.setattr(conformance, "run_probes", attacks)
    tested = cast("GuestSandbox", SimpleNamespace(backend="bubblewrap"))
    async with tracer.trace("ask"):
        await selftest.self_test(tested, Settings(data_dir=tmp_path))
    names = {one.span_id: one.name for one in traces[0].spans}
    parents = {one.name: names.get(one.parent_id or "") for one in traces[0].spans}
    assert parents == {"ask": None, "self-test of the sandbox": "ask",
                       "attack": "self-test of the sandbox"}  # fmt: skip
