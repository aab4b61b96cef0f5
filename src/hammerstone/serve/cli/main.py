"""`hammerstone`: the command line's front door."""

import sys
from typing import Annotated

import typer

from hammerstone.serve.cli.data import db, stats, traces
from hammerstone.serve.cli.evals import (
    bench,
    eval_answers,
    eval_arguments,
    eval_calibration,
    eval_families,
    eval_repair,
    eval_retrieval,
)
from hammerstone.serve.cli.evals import eval as evals
from hammerstone.serve.cli.learning import (
    learn,
    ledger,
    policies,
    prompts,
    proposals,
    prove,
    repair,
    undo,
)
from hammerstone.serve.cli.library import graph, memory, search, skills, tools
from hammerstone.serve.cli.requests import approvals, chat, feedback, files, questions, sessions
from hammerstone.serve.cli.requests import ask as ask_command
from hammerstone.serve.cli.system import (
    connectors,
    doctor,
    mcp,
    model,
    people,
    sandbox,
    serve,
    stop,
)

app = typer.Typer(
    name="hammerstone",
    help="An agent that builds, proves and reuses its own tools.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("ask")(ask_command.ask)
app.command("chat")(chat.chat)
app.command("wrong")(feedback.wrong)
app.command("right")(feedback.right)
app.command("prove")(prove.prove)
app.command("doctor")(doctor.doctor)
app.command("serve")(serve.serve)
app.command("repair")(repair.repair)
app.command("ledger")(ledger.ledger)
app.command("undo")(undo.undo)
app.command("stats")(stats.stats)
app.command("stop")(stop.stop)
app.command("resume")(stop.resume)
app.add_typer(tools.app, name="tools")
app.add_typer(files.app, name="files")
app.add_typer(search.app, name="search")
app.add_typer(skills.app, name="skills")
app.add_typer(graph.app, name="graph")
app.add_typer(sessions.app, name="sessions")
app.add_typer(memory.app, name="memory")
app.add_typer(approvals.app, name="approvals")
app.add_typer(questions.app, name="questions")
app.add_typer(traces.app, name="traces")
app.add_typer(people.app, name="people")
app.add_typer(policies.app, name="policies")
app.add_typer(prompts.app, name="prompts")
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
eval_families.register(evals.app)
eval_repair.register(evals.app)
app.add_typer(learn.app, name="learn")
app.add_typer(proposals.app, name="proposals")
app.add_typer(evals.app, name="eval")


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"hammerstone {version('hammerstone')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run a command; an expected error is one clear message and its exit code."""
    from hammerstone.core.errors import HammerstoneError
    from hammerstone.serve.cli.output import report_error
    from hammerstone.serve.cli.system.changes import note_change

    try:
        app()
    except SystemExit as done:
        if not done.code:
            note_change(sys.argv[1:])
        raise
    except HammerstoneError as error:
        report_error(error, as_json="--json" in sys.argv)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        typer.echo("\nstopped", err=True)
        sys.exit(130)
    except BrokenPipeError:
        # The reader went away (`| head`): nothing is wrong, and nothing may be printed.
        sys.stderr.close()
        sys.exit(141)
