"""Commands as a stranger runs them: real processes, clear messages, no tracebacks."""

import json
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hammerstone.core.tools import Spec, Status
from hammerstone.library.tools.registry import ActivationReason, NewVersion
from hammerstone.serve.cli.main import app
from tests.forked_commands import run_command
from tests.integration.engine import Script, percent_script, scripted_engine

pytestmark = pytest.mark.usefixtures("proved_folder")

DOCS = Path(__file__).parents[3] / "docs" / "cli.md"


def run(*words: str, data: Path, **env: str) -> subprocess.CompletedProcess[str]:
    surroundings = {**os.environ, "HAMMERSTONE_DATA_DIR": str(data), **env}
    done = run_command(*words, env=surroundings)
    assert "Traceback" not in done.stderr + done.stdout
    return done


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("ask", ""), 2),
        (("ask", "a\x01b"), 2),
        (("ask", "--file", "/nowhere/x.csv", "sum it"), 2),
        (("tools", "show", "nothing"), 4),
        (("traces", "show", "abc"), 4),
        (("traces", "list", "--status", "odd"), 2),
        (("policies", "set", "odd", "a=1", "--why", "x"), 2),
        (("policies", "set", "build_budget", "attempts=2.5", "--why", "x"), 2),
        (("policies", "set", "fit", "high=NaN", "--why", "x"), 2),
        (("policies", "set", "fit", "high=much", "--why", "x"), 2),
        (("policies", "set", "fit", "high", "--why", "x"), 2),
        (("tools", "run", "nothing"), 4),
    ],
)
def test_a_mistake_is_one_clear_message(words: tuple[str, ...], code: int, tmp_path: Path) -> None:
    done = run(
        *words, data=tmp_path, HAMMERSTONE_MODEL="compatible:none", HAMMERSTONE_EMBEDDER="off"
    )
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith("error: ")
    assert done.stdout == ""


def test_errors_are_json_when_the_command_speaks_json(tmp_path: Path) -> None:
    done = run("tools", "show", "nothing", "--json", data=tmp_path)
    assert json.loads(done.stdout)["error"]["code"] == "not_found"


def test_a_model_that_cannot_be_fetched_is_told_with_what_to_do(tmp_path: Path) -> None:
    done = run(
        "ask",
        "What is 2 + 2?",
        data=tmp_path,
        HAMMERSTONE_MODEL_PATH=str(tmp_path / "missing.gguf"),
        HAMMERSTONE_EMBEDDER="off",
    )
    assert done.returncode == 6
    assert "missing.gguf" in done.stderr and "try:" in done.stderr


def test_a_dead_endpoint_is_told(tmp_path: Path) -> None:
    done = run(
        "ask",
        "What is 2 + 2?",
        data=tmp_path,
        OPENAI_BASE_URL="http://127.0.0.1:9/v1",
        OPENAI_MODEL="m",
        HAMMERSTONE_EMBEDDER="off",
    )
    assert done.returncode == 6 and "error: " in done.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="cannot run here: needs root to become another user")
def test_a_data_directory_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    from tests.integration.cli.as_nobody import run_as_nobody

    closed = tmp_path / "closed"
    closed.mkdir(mode=0o755)
    code, errors = run_as_nobody(["tools", "list"], {"HAMMERSTONE_DATA_DIR": str(closed / "data")})
    assert code == 5, errors
    assert "error: " in errors and "Traceback" not in errors


async def test_the_library_on_the_command_line(tmp_path: Path) -> None:
    async with scripted_engine(percent_script(), tmp_path) as hs:
        answer = await hs.ask("What is 17.5% of 240?")
        await hs.proofs.wait(answer)
    listed = run("tools", "list", data=tmp_path)
    assert "percentage_of" in listed.stdout and "verified" in listed.stdout
    shown = json.loads(run("tools", "show", "percentage_of", "--json", data=tmp_path).stdout)
    assert "def percentage_of" in shown["code"] and shown["suite"]
    called = run("tools", "run", "percentage_of", "percent=10", "number=50", data=tmp_path)
    assert called.stdout == "5\n"
    traces = json.loads(run("traces", "list", "--json", data=tmp_path).stdout)
    assert answer.trace_id in [trace["id"] for trace in traces]
    spans = run("traces", "show", answer.trace_id[:12], data=tmp_path)
    assert "the request" in spans.stdout and "solutions, 2 calls" in spans.stdout
    stats = json.loads(run("stats", "--json", data=tmp_path).stdout)
    assert stats["hammerstone_model_calls_total"]
    again = run("ask", "What is 17.5% of 240?", "--json", data=tmp_path, HAMMERSTONE_EMBEDDER="off",
                HAMMERSTONE_MODEL="compatible:none")  # fmt: skip
    assert json.loads(again.stdout)["cached"] is True


async def test_square_brackets_are_shown_as_they_are(tmp_path: Path) -> None:
    script = Script(solution="```python\n# conversation\n```", response="Hello.")
    async with scripted_engine(script, tmp_path) as hs:
        await hs.ask("Hello, close [/b] for me")
        spec = Spec("spread", "Return the list [low, high], not [/b].", {"type": "object"}, {})
        new = NewVersion(spec, "def spread(): ...", (), (), Status.VERIFIED, 0.9, {}, {})
        await hs.tools.register(new, ActivationReason("registered", "test", "shown"))
    assert "[/b]" in run("traces", "list", data=tmp_path).stdout
    for words in (("tools", "list"), ("tools", "show", "spread")):
        assert "Return the list [low, high], not [/b]." in run(*words, data=tmp_path).stdout


async def test_policies_are_versioned_on_the_command_line(tmp_path: Path) -> None:
    assert (
        run("policies", "set", "fit", "high=0.7", "--why", "trial", data=tmp_path).returncode == 0
    )
    assert json.loads(run("policies", "show", "fit", "--json", data=tmp_path).stdout)["high"] == 0.7
    assert (
        json.loads(run("policies", "history", "fit", "--json", data=tmp_path).stdout)[0]["why"]
        == "trial"
    )
    assert run("policies", "set", "fit", "high=true", "--why", "x", data=tmp_path).returncode == 2


def test_doctor_names_what_is_missing_and_the_fix(tmp_path: Path) -> None:
    done = run("doctor", "--json", data=tmp_path)
    report = json.loads(done.stdout)
    findings = {finding["name"]: finding for finding in report["findings"]}
    assert done.returncode == 1 and not report["ok"]
    assert findings["model local"]["fix"] == "hammerstone model pull"
    assert findings["database"]["ok"] and findings["sandbox"]["ok"]


def _commands() -> list[str]:
    found: list[str] = []
    for command in app.registered_commands:
        found.append(str(command.name))
    for group in app.registered_groups:
        assert group.typer_instance is not None
        for command in group.typer_instance.registered_commands:
            name = command.name or getattr(command.callback, "__name__", "")
            found.append(f"{group.name} {name.replace('_', '-')}")
    return found


def test_every_command_is_documented_and_explains_itself() -> None:
    text = DOCS.read_text("utf-8")
    missing = []
    for command in _commands():
        group, _, name = command.partition(" ")
        row = next((line for line in text.splitlines() if f"hammerstone {group}" in line), "")
        rows = [line for line in text.splitlines() if f"hammerstone {group}" in line]
        known = any(re.search(rf"\b{re.escape(name or group)}\b", line) for line in [row, *rows])
        if not known:
            missing.append(command)
        shown = CliRunner().invoke(app, [*command.split(), "--help"])
        assert shown.exit_code == 0
    assert not missing


def test_experiments_policies_and_metrics_on_the_command_line(tmp_path: Path) -> None:
    variant = ("--variant", "careful:fit.high=0.9")
    made = run("experiments", "start", "surer", *variant, "--json", data=tmp_path)
    id = json.loads(made.stdout)["id"]
    twice = run("experiments", "start", "again", *variant, data=tmp_path)
    assert twice.returncode == 2 and f"running already: {id}" in twice.stderr
    shown = run("experiments", "show", id, data=tmp_path)
    assert "careful: fit.high=0.9" in shown.stdout and "not known yet" in shown.stdout
    change = ("policies", "set", "fit", "high=0.7", "--why", "I know better")
    told = run(*change, data=tmp_path)
    assert "fit.high is 0.7, it was 0.8" in told.stdout
    assert f"That ended experiment {id} (surer)" in told.stdout + told.stderr
    listed = run("experiments", "list", data=tmp_path)
    assert "stopped" in listed.stdout
    differs = run("policies", "diff", "fit", "0", data=tmp_path)
    assert "high: 0.8 -> 0.7" in differs.stdout
    back = run("policies", "rollback", "fit", data=tmp_path)
    assert "fit has its defaults." in back.stdout
    ttl = ("policies", "set", "cache_ttl", "60", "--why", "short")
    assert run(*ttl, data=tmp_path).returncode == 0
    numbers = run("metrics", "--json", data=tmp_path)
    assert json.loads(numbers.stdout)["total"]["requests"] == 0


def test_of_two_processes_that_start_the_same_experiment_one_succeeds(tmp_path: Path) -> None:
    words = ("experiments", "start", "surer", "--variant", "careful:fit.high=0.9")
    assert run("experiments", "list", data=tmp_path).returncode == 0
    with ThreadPoolExecutor(2) as both:
        one, other = both.map(lambda _: run(*words, data=tmp_path), range(2))
    started, refused = (one, other) if one.returncode == 0 else (other, one)
    assert (started.returncode, refused.returncode) == (0, 2), one.stderr + other.stderr
    (made,) = json.loads(run("experiments", "list", "--json", data=tmp_path).stdout)
    assert made["id"] in started.stdout and f"running already: {made['id']}" in refused.stderr
