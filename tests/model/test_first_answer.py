"""The product's promise, with the embedded model and the real sandbox."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Proof, Sureness
from hammerstone.core.settings import Settings, load_settings
from hammerstone.models.local.process import ModelProcess
from hammerstone.models.opening import local_model_path
from tests.integration.engine import Watched

pytestmark = [pytest.mark.model, pytest.mark.timeout(600)]

# Read before the tests' own surroundings hide this machine's settings.
MODEL = local_model_path(load_settings())


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[Settings]:
    if not MODEL.is_file():
        pytest.skip(f"cannot run here: no embedded model at {MODEL}; hammerstone model pull")
    own = Settings(data_dir=tmp_path, model_path=MODEL, embedder="off")
    yield own
    ModelProcess(own.runtime_dir, MODEL).stop()


async def test_a_request_is_solved_and_the_proof_of_its_tool_is_stored(settings: Settings) -> None:
    seen = Watched()
    async with Hammerstone.open(settings) as hs:
        answer = await hs.ask("What is 17.5% of 240?", on_event=seen)
        assert await hs.tools.list() == []
        again = await hs.ask("What is 17.5% of 240?")
        owed = await hs.proofs.pending()
    assert answer.result == 42, (answer, seen.events)
    assert answer.sureness is not Sureness.UNSURE and answer.proof is Proof.PENDING
    assert again.result == 42 and again.cached
    assert {"searching", "solution", "answer", "done"} <= set(seen.kinds)
    assert len(owed) == 1 and owed[0].function


@pytest.mark.parametrize(
    ("request_text", "words"),
    [("hello", ""), ("What is the current price of Bitcoin?", "current data from outside")],
)
async def test_what_is_no_calculation_builds_nothing(
    request_text: str, words: str, settings: Settings
) -> None:
    async with Hammerstone.open(settings) as hs:
        answer = await hs.ask(request_text)
        assert await hs.tools.list() == []
    assert answer.text and words in answer.text
