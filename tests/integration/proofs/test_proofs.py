"""The proof of the tool behind an answer, with a scripted model and the real sandbox."""

from pathlib import Path

from hammerstone.core.answers import Proof
from hammerstone.core.tools import Status
from tests.integration.engine import scripted_engine
from tests.integration.proofs.tasks import (
    answered,
    proof_script,
    task,
)


async def test_an_answers_tool_is_proved_after_it(tmp_path: Path) -> None:
    script = proof_script()
    async with scripted_engine(script, tmp_path) as hs:
        answer = await answered(hs)
        assert await hs.proofs.put(task(hs))
        assert await hs.proofs.state("run") is Proof.PENDING

        after = await hs.proofs.wait(answer)

        tool = await hs.tools.get("tip")
        events = await hs._wiring.parts.db.events.of_run("run")
    assert after.proof is Proof.PROVED and after.result == 12.96
    assert (after.tool, after.version, after.tool_confidence) == ("tip", 1, tool.confidence)
    assert tool.status is Status.VERIFIED
    assert tool.version.provenance["run"] == "run" and tool.version.provenance["trace"]
    assert [str(event.kind) for event in events] == ["proof"]
    assert "spec" not in script.asked and "arguments" not in script.asked
    print(tool.version.spec, events[0].text, events[0].data)
