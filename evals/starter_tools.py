"""Proves every tool of the starter set in the sandbox, from its shipped folder.

    python -m evals.starter_tools [--set instant|quick|full] [--json]

`evals.starter_files` writes what is found into the package.
"""

import tempfile
from collections.abc import AsyncGenerator, Iterable
from pathlib import Path

from evals.measured import measured
from hammerstone.app.tools.proving import SandboxVerifier
from hammerstone.core.evaluations import CaseOutcome
from hammerstone.core.seams import Sandbox
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.board.numbers.metrics import mean_of, passed_share
from hammerstone.evaluation.chapters.findings import (
    case,
)
from hammerstone.library.policies import Policies
from hammerstone.library.tools.folder.files import ToolFiles
from hammerstone.library.tools.new_versions import VerificationResult
from hammerstone.library.tools.seeding import starter_tools
from hammerstone.storage import Database


async def proofs(
    sandbox: Sandbox, chosen: Iterable[ToolFiles]
) -> AsyncGenerator[tuple[ToolFiles, VerificationResult], None]:
    """The proof of each tool, in a database of its own."""

    async def opened() -> Sandbox:
        return sandbox

    with tempfile.TemporaryDirectory() as folder:
        db = await Database.open(load_settings(data_dir=Path(folder)))
        try:
            verifier = SandboxVerifier(opened, Policies(db))
            for files in chosen:
                yield files, await verifier.verify(files.spec, files.code, files.suite)
        finally:
            await db.close()


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Every starter tool as a case: is it verified?"""
    chosen = context.some(list(starter_tools()), instant=10, quick=15)
    outcomes: list[CaseOutcome] = []
    async for files, proof in proofs(await context.sandbox(), chosen):
        score = proof.evidence.get("mutation_score")
        numbers = {"mutation_score": score} if isinstance(score, float) else {}
        outcomes.append(
            case(
                files.name, proof.status == "verified", numbers, wanted="verified",
                given=proof.status or "refused", reason=", ".join(proof.problems),
            )
        )  # fmt: skip
        yield outcomes[-1]
        if context.time_is_up():
            break
    yield passed_share("starter tools verified", outcomes, target=1.0)
    yield mean_of("mutants that their tests notice", "mutation_score", outcomes)


if __name__ == "__main__":
    measured("starter_tools")
