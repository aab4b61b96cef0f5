"""One size of `search_million` by hand, and the other worker that it needs.

    python -m evals.many_search --tools 1000000 --folder FOLDER [--data shared/data/retrieval]

The filled database stays in the folder (8 GB for a million tools), which PostgreSQL's user must be
able to reach; a second run takes its index as it is.
"""

import argparse
import asyncio
import json
import sys
import time
from pathlib import Path

from evals.search_million import measure, warm_embedder
from hammerstone.library.policies import Policies
from hammerstone.library.search import ToolSearch
from hammerstone.storage import Database


async def watch(url: str) -> None:
    """Another worker: for each name on a line, print the time when it is found."""
    embedder = await warm_embedder()
    db = await Database.open_url(url)
    policies = Policies(db)
    await policies.load()
    search = ToolSearch(db, embedder, policies)
    await search.find("count zebras")
    print("ready", flush=True)
    while name := (await asyncio.to_thread(sys.stdin.readline)).strip():
        while True:
            hits = await search.find("count the zebras of a herd", 20)
            if name in {hit.name for hit in hits}:
                break
        print(time.time(), flush=True)
    await search.close()
    await db.close()
    await embedder.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", type=int, default=100_000)
    parser.add_argument("--folder")
    parser.add_argument("--data", default="shared/data/retrieval")
    parser.add_argument("--watch")
    told = parser.parse_args()
    if told.watch:
        asyncio.run(watch(told.watch))
        return
    Path(told.folder).mkdir(parents=True, exist_ok=True)
    print(json.dumps(asyncio.run(measure(told.tools, told.folder, told.data)), indent=2))


if __name__ == "__main__":
    main()
