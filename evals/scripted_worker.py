"""A worker with a scripted model, for measurements that need processes of their own.

    python -m evals.scripted_worker DATA_FOLDER NAME [CONCURRENCY] [SECONDS_PER_PIECE]

Works until it is interrupted. The database is the one that DATABASE_URL names.
"""

import asyncio
import signal
import sys
from pathlib import Path

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.app.queue.worker_process import WorkerProcess
from hammerstone.core.settings import load_settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from tests.integration.engine import percent_script


async def work(data: str, name: str, concurrency: int, pause_s: float) -> None:
    settings = load_settings(data_dir=Path(data), embedder="off", starter_tools=False)
    model = ScriptedModel(percent_script(), seconds_per_piece=pause_s)
    async with Hammerstone.open(settings, models=OneModel(model)) as hs:
        process = WorkerProcess(hs, name=name, concurrency=concurrency, only=["run"])
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, process.end)
        await process.work()


if __name__ == "__main__":
    folder, called, *more = sys.argv[1:]
    asyncio.run(work(folder, called, int(more[0]) if more else 4, float((*more, 0, 0)[1])))
