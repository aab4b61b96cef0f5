"""Proves every tool of the starter set in the sandbox, from its shipped folder.

    python -m evals.starter_tools [--write] [NAME ...]

Prints status, cases, mutants and mutation score of each. `--write` stores what was found in
library/starter/evidence.json, by the hash of each version, so that seeding need not prove again,
and the tools' vectors in library/starter/vectors.npz, so that nobody need compute them.
`--vectors` writes only the latter.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from pathlib import Path

from hammerstone.app.proving import SandboxVerifier
from hammerstone.core.settings import load_settings
from hammerstone.library.policies import Policies
from hammerstone.library.search.facets import Facets
from hammerstone.library.search.vectors.reembed import tool_vector
from hammerstone.library.search.vectors.shipped_vectors import write_shipped
from hammerstone.library.seeding import EVIDENCE, starter_id, starter_tools
from hammerstone.models.embedding.embedder_opening import why_words_only
from hammerstone.models.embedding.local import LocalEmbedder
from hammerstone.sandbox import open_sandbox
from hammerstone.storage import Database


async def main(names: list[str], write: bool) -> int:
    settings = load_settings()
    sandbox = await open_sandbox(settings)
    found: dict[str, object] = {}
    scores: list[float] = []
    failed = 0

    async def opened():
        return sandbox

    with tempfile.TemporaryDirectory() as folder:
        db = await Database.open(load_settings(data_dir=Path(folder)))
        verifier = SandboxVerifier(opened, Policies(db))
        for files in starter_tools():
            if names and files.name not in names:
                continue
            proof = await verifier.verify(files.spec, files.code, files.suite)
            score = proof.evidence.get("mutation_score")
            print(f"{files.name:28} {proof.status or 'refused':12} ", end="")
            print(
                f"cases {len(proof.suite):2}  mutants {proof.evidence.get('mutants', 0):2}", end=""
            )
            print(f"  score {score}", *proof.problems, sep="  ", flush=True)
            failed += proof.status != "verified"
            found[starter_id(files)] = {"tool": files.name, **proof.evidence}
            if isinstance(score, float):
                scores.append(score)
        await db.close()
    await sandbox.close()
    mean = sum(scores) / len(scores) if scores else 0.0
    print(f"{len(found)} tools, {failed} not verified, mean mutation score {mean:.3f}")
    if write and not names and not failed:
        EVIDENCE.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", "utf-8")
    return 1 if failed else 0


async def write_vectors() -> None:
    settings = load_settings()
    if why := why_words_only(settings):
        sys.exit(why)
    embedder = LocalEmbedder(settings.models_dir)
    facets = [Facets.of_spec(files.spec) for files in starter_tools()]
    # One at a time: int8 sums depend a little on what else is in the batch.
    write_shipped(embedder.space, {each.text: await tool_vector(embedder, each) for each in facets})
    await embedder.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--vectors", action="store_true")
    arguments = parser.parse_args()
    if arguments.vectors or (arguments.write and not arguments.names):
        asyncio.run(write_vectors())
    if arguments.vectors:
        sys.exit()
    sys.exit(asyncio.run(main(arguments.names, arguments.write)))
