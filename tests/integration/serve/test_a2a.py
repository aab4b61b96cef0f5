"""Another agent finds the card, gives a task, and gets the answer."""

import asyncio
from pathlib import Path

import httpx
import pytest
from a2a.client import ClientConfig, ClientFactory
from a2a.helpers import get_artifact_text, new_text_message
from a2a.server.context import ServerCallContext
from a2a.types import (
    GetTaskRequest,
    ListTasksRequest,
    Role,
    SendMessageRequest,
    Task,
    TaskState,
)
from a2a.utils.errors import TaskNotFoundError

from hammerstone.serve.a2a.tasks import OWNER, RecentTasks
from tests.integration.serving import serve


async def test_a_task_is_answered_with_a_tool(tmp_path: Path) -> None:
    served = serve(tmp_path)
    try:
        async with httpx.AsyncClient(timeout=60) as http:
            card = (await http.get(f"{served.address}.well-known/agent-card.json")).json()
            assert card["name"] == "Hammerstone" and card["skills"][0]["id"] == "ask"
            config = ClientConfig(httpx_client=http, streaming=True)
            client = await ClientFactory(config).create_from_url(served.address.rstrip("/"))
            message = new_text_message("What is 17.5% of 240?", role=Role.ROLE_USER)
            states, said = [], ""
            async for update in client.send_message(SendMessageRequest(message=message)):
                if update.HasField("status_update"):
                    states.append(update.status_update.status.state)
                if update.HasField("artifact_update"):
                    said = get_artifact_text(update.artifact_update.artifact)
            assert said.startswith("42")
            assert states[-1] == TaskState.TASK_STATE_COMPLETED
            assert TaskState.TASK_STATE_WORKING in states
            async with asyncio.timeout(90):  # the tool is proved behind the answer
                while len(card["skills"]) < 2:
                    await asyncio.sleep(0.2)
                    card = (await http.get(f"{served.address}.well-known/agent-card.json")).json()
            assert [skill["id"] for skill in card["skills"]] == ["ask", "percentage_of"]
    finally:
        served.stop()


async def test_nobody_sees_the_tasks_of_another(tmp_path: Path) -> None:
    served = serve(tmp_path, tokens={"ann": "a-token", "bob": "b-token"})
    try:
        seen = {}
        for name, token in (("ann", "a-token"), ("bob", "b-token")):
            headers = {"authorization": f"Bearer {token}"}
            async with httpx.AsyncClient(timeout=60, headers=headers) as http:
                config = ClientConfig(httpx_client=http, streaming=False)
                client = await ClientFactory(config).create_from_url(served.address.rstrip("/"))
                if name == "ann":
                    message = new_text_message("What is 17.5% of 240?", role=Role.ROLE_USER)
                    async for _ in client.send_message(SendMessageRequest(message=message)):
                        pass
                seen[name] = list((await client.list_tasks(ListTasksRequest())).tasks)
                if name == "bob":
                    with pytest.raises(TaskNotFoundError):
                        await client.get_task(GetTaskRequest(id=seen["ann"][0].id))
        assert len(seen["ann"]) == 1 and seen["bob"] == []
    finally:
        served.stop()


async def test_the_oldest_tasks_are_forgotten() -> None:
    store = RecentTasks(most=3)
    context = ServerCallContext(state={OWNER: "ann"})
    for number in range(5):
        await store.save(Task(id=f"t{number}", context_id="c"), context)
    kept = [number for number in range(5) if await store.get(f"t{number}", context)]
    assert kept == [2, 3, 4]
