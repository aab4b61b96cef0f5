"""`hammerstone`: the command line's front door."""

import io
import os
import sys
from typing import Annotated

import typer
from typer.main import get_command

from hammerstone.serve.cli import completion
from hammerstone.serve.cli.data import backups, db, metrics, stats, traces
from hammerstone.serve.cli.evals import (
    bench,
    eval_answers,
    eval_arguments,
    eval_calibration,
    eval_documents,
    eval_families,
    eval_repair,
    eval_retrieval,
    suites,
)
from hammerstone.serve.cli.evals import eval as evals
from hammerstone.serve.cli.help_text import SectionedGroup, help_width, readable
from hammerstone.serve.cli.learning import (
    experiments,
    labels,
    learn,
    policies,
    prompts,
    prove,
    repair,
    tune,
)
from hammerstone.serve.cli.learning.changes import ledger, proposals, undo
from hammerstone.serve.cli.learning.evolution import evolve_watch
from hammerstone.serve.cli.library import documents, graph, memory, search, skills, tools
from hammerstone.serve.cli.output import say, tell
from hammerstone.serve.cli.requests import approvals, feedback, files, questions, sessions, why
from hammerstone.serve.cli.requests import ask as ask_command
from hammerstone.serve.cli.requests.chat import chat
from hammerstone.serve.cli.system import (
    connectors,
    demo,
    doctor,
    mcp,
    people,
    sandbox,
    serve,
    stop,
    uninstall,
)
from hammerstone.serve.cli.system.models import model
from hammerstone.serve.cli.system.work import triggers, worker

app = typer.Typer(
    cls=SectionedGroup,
    name="hammerstone",
    help="An agent that builds, proves and reuses its own tools.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # boxes leave no room for words in a narrow window
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("ask")(ask_command.ask)
app.command("chat")(chat.chat)
app.command("why")(why.why)
app.command("wrong")(feedback.wrong)
app.command("right")(feedback.right)
app.command("prove")(prove.prove)
app.command("doctor")(doctor.doctor)
app.command("serve")(serve.serve)
app.command("worker")(worker.worker)
app.command("workers")(worker.workers)
app.command("repair")(repair.repair)
app.command("ledger")(ledger.ledger)
app.command("undo")(undo.undo)
app.command("stats")(stats.stats)
app.command("metrics")(metrics.metrics)
app.command("backup")(backups.backup)
app.command("restore")(backups.restore)
app.command("stop")(stop.stop)
app.command("resume")(stop.resume)
app.command("demo")(demo.demo)
app.command("uninstall")(uninstall.uninstall)
app.command("completion")(completion.completion)
app.add_typer(tools.app, name="tools")
app.add_typer(files.app, name="files")
app.add_typer(documents.app, name="documents")
app.add_typer(search.app, name="search")
app.add_typer(skills.app, name="skills")
app.add_typer(graph.app, name="graph")
app.add_typer(sessions.app, name="sessions")
app.add_typer(memory.app, name="memory")
app.add_typer(approvals.app, name="approvals")
app.add_typer(questions.app, name="questions")
app.add_typer(traces.app, name="traces")
app.add_typer(people.app, name="people")
app.add_typer(triggers.app, name="triggers")
app.add_typer(policies.app, name="policies")
app.add_typer(prompts.app, name="prompts")
app.add_typer(experiments.app, name="experiments")
app.add_typer(model.app, name="model")
app.add_typer(sandbox.app, name="sandbox")
app.add_typer(db.app, name="db")
app.add_typer(mcp.app, name="mcp")
app.add_typer(connectors.app, name="connectors")
app.add_typer(bench.app, name="bench")
eval_retrieval.register(evals.app)
eval_answers.register(evals.app)
eval_arguments.register(evals.app)
eval_calibration.register(evals.app)
eval_documents.register(evals.app)
eval_families.register(evals.app)
eval_repair.register(evals.app)
app.add_typer(learn.app, name="learn")
app.add_typer(labels.app, name="labels")
app.add_typer(tune.app, name="tune")
app.add_typer(evolve_watch.app, name="evolve")
app.add_typer(proposals.app, name="proposals")
app.add_typer(evals.app, name="eval")
app.add_typer(suites.app, name="suites")
_STOPPED = 130  # by Ctrl-C


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"hammerstone {version('hammerstone')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


def _reader_is_gone() -> None:
    """The reader went away (`| head`): nothing is wrong, and nothing more can be printed."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)  # what is still to be flushed goes there
    sys.exit(141)


def main() -> None:
    """Run a command; an expected error is one clear message and its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal without UTF-8 shows codes instead
            stream.reconfigure(errors="backslashreplace")
    from hammerstone.core.errors import HammerstoneError
    from hammerstone.serve.cli.output import report_error
    from hammerstone.serve.cli.system.changes import note_change

    try:
        readable(get_command(app))(terminal_width=help_width())
    except SystemExit as done:
        if not done.code:
            note_change(sys.argv[1:])
        elif done.code == _STOPPED:
            tell("Stopped.")
        raise
    except HammerstoneError as error:
        report_error(error, as_json="--json" in sys.argv)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        tell("\nStopped.")
        sys.exit(_STOPPED)
    except BrokenPipeError:
        _reader_is_gone()
