"""The commands speak JSON with the promised keys."""

import json

from typer.testing import CliRunner

from hammerstone.core.settings import Settings, default_data_dir
from hammerstone.sandbox.bench import SandboxBench
from hammerstone.serve.cli.system.sandbox import app


def test_check_reports_each_attack():
    result = CliRunner().invoke(app, ["check", "--fast", "--json"])
    assert result.exit_code == 0, result.output
    report = json.loads(result.output)
    assert {"backend", "total", "contained", "probes", "known_gaps"} <= set(report)
    assert report["total"] == len(report["probes"]) >= 10
    open_ends = [probe["name"] for probe in report["probes"] if not probe["contained"]]
    named = " ".join(report["known_gaps"])
    assert [name for name in open_ends if name not in named] == []
    assert all({"name", "contained", "detail"} <= set(probe) for probe in report["probes"])


def test_an_unknown_backend_is_a_clear_error():
    from hammerstone.core.errors import BadRequest

    result = CliRunner().invoke(app, ["check", "--backend", "chroot"])
    assert isinstance(result.exception, BadRequest)


async def test_bench_measures_everything_it_promises():
    settings = Settings(data_dir=default_data_dir())
    result = await SandboxBench(settings, rounds=1, clients_s=0.2, scale=0.1).run()
    reasons = result["reasons"]
    promised = "python_startup bare_fork warm_call cold_call warm_pytest cold_pytest plain_pytest"
    for name in [*promised.split(), "container_call"]:
        measured = result[name]
        if measured is None:
            assert any(reasons.values()), f"{name} is missing without a reason"
        else:
            assert set(measured) == {"p50_ms", "p95_ms", "n"}
            assert 0 < measured["p50_ms"] <= measured["p95_ms"]
    assert set(result["calls_per_s"]) == {"1", "2", "8"}
    assert min(result["calls_per_s"].values()) > 0
