"""What a run of the probes says, and what it must not hide."""

import json
from dataclasses import replace

import pytest

from hammerstone.core.calls import Failure, Outcome
from hammerstone.core.errors import SandboxRefused
from hammerstone.sandbox.conformance import FAST, PROBES, ProbeKind, run_probes
from hammerstone.sandbox.conformance.run import ProbeResult, Report
from tests.conformance.sandbox_backends.weak_sandboxes import ForkedWeak


class Answering:
    """Gives every call the same outcome."""

    backend = "answering"

    def __init__(self, outcome):
        self.outcome = outcome

    async def call(self, program, call, **_):
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return replace(self.outcome, backend=self.backend)

    async def matrix(self, programs, calls, **_):
        return [[await self.call(p, c) for c in calls] for p in programs]

    async def close(self):
        pass


def test_there_are_enough_probes_and_each_theme_is_tried_at_every_start():
    themes = {probe.name.partition(".")[0] for probe in PROBES}
    assert len(PROBES) >= 45
    assert len({probe.name for probe in PROBES}) == len(PROBES)
    assert {name.partition(".")[0] for name in FAST} == themes - {"memory", "results"}
    assert all(probe.tries for probe in PROBES)


@pytest.mark.parametrize("failure", [Failure.LOST, Failure.LOAD])
async def test_a_sandbox_that_runs_nothing_is_not_called_safe(failure):
    report = await run_probes(Answering(Outcome(failure=failure, error="broken")))
    assert [result.name for result in report.probes if result.contained] == []


async def test_an_attack_that_answers_nonsense_proves_nothing():
    report = await run_probes(Answering(Outcome(value={"reached": [], "stopped": []})), only=FAST)
    assert not any(r.contained for r in report.probes if r.name.startswith("privileges."))


async def test_a_refusal_is_passed_on():
    with pytest.raises(SandboxRefused):
        await run_probes(Answering(SandboxRefused("no")), only={"files.read_shadow"})


async def test_a_weak_sandbox_gets_a_report_with_every_breach():
    seen = []
    only = {"files.read_shadow", "privileges.filters_are_on"}
    report = await run_probes(ForkedWeak(), only=only, on_result=seen.append)
    assert [result.name for result in seen] == [result.name for result in report.probes]
    assert {result.name for result in report.breaches} == only
    body = json.loads(json.dumps(report.to_json()))
    assert body["backend"] == "forked-weak"
    assert (body["total"], body["contained"], body["known_gaps"]) == (2, 0, [])
    assert set(body["probes"][0]) >= {"name", "contained", "detail"}


def test_a_named_gap_excuses_a_quota_and_never_an_escape():
    def result(name, kind):
        return ProbeResult(name, "tries", kind, False, "reached it")

    probes = (
        result("memory.tmp_inodes", ProbeKind.QUOTA),
        result("files.read_home", ProbeKind.CONTAINMENT),
    )
    gaps = {"memory.tmp_inodes": "cannot", "files.read_home": "will not"}
    report = Report("some", probes, gaps)
    assert [breach.name for breach in report.breaches] == ["files.read_home"]
    assert report.contained == 0
    assert report.known_gaps == ("memory.tmp_inodes: cannot", "files.read_home: will not")
    assert {breach.name for breach in Report("some", probes).breaches} == set(gaps)
