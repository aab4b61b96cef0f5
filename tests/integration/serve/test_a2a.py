"""Another agent finds the card, gives a task, and gets the answer."""

from pathlib import Path

import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.helpers import get_artifact_text, new_text_message
from a2a.types import Role, SendMessageRequest, TaskState

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
            card = (await http.get(f"{served.address}.well-known/agent-card.json")).json()
            assert [skill["id"] for skill in card["skills"]] == ["ask", "percentage_of"]
    finally:
        served.stop()
