"""Many sockets at once: everybody is answered, and nobody's steps are lost."""

import asyncio
import json
from pathlib import Path
from typing import Any

import websockets

from tests.integration.serving import serve

PEOPLE = 40
REQUESTS = 3


async def test_forty_people_at_once_all_get_all_of_their_answers(tmp_path: Path) -> None:
    served = serve(tmp_path, requests_per_minute=1_000_000)
    try:
        address = f"ws://127.0.0.1:{served.port}/ws"
        async with websockets.connect(address) as first:
            await asked(first, 240)  # its tool is proved while the others ask
        answers = await asyncio.gather(*[person(address, number) for number in range(PEOPLE)])
    finally:
        served.stop()
    assert [len(each) for each in answers] == [REQUESTS] * PEOPLE
    for messages in (message for each in answers for message in each):
        numbers = [message["number"] for message in messages if "number" in message]
        assert numbers == list(range(len(numbers))), "no step is missing or twice"
        assert messages[-1]["answer"]["status"] == "done", messages[-1]


async def person(address: str, number: int) -> list[list[dict[str, Any]]]:
    """Asks what was asked before, and something new now and then."""
    async with websockets.connect(address, open_timeout=60) as socket:
        return [
            await asked(socket, 240 if (number + each) % 10 else 1000 + number)
            for each in range(REQUESTS)
        ]


async def asked(socket: Any, of: int) -> list[dict[str, Any]]:
    await socket.send(json.dumps({"text": f"What is 17.5% of {of}?"}))
    messages = [json.loads(await socket.recv())]
    while messages[-1]["type"] != "query_complete":
        messages.append(json.loads(await socket.recv()))
    return messages
