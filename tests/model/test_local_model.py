"""The embedded model keeps the same contract, and what only it promises."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import httpx
import pytest

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelRefused
from hammerstone.core.seams import Model
from hammerstone.core.settings import load_settings
from hammerstone.models.local.client import LocalModel
from hammerstone.models.local.process import ModelProcess
from hammerstone.models.local.rendezvous import Endpoint, Rendezvous
from hammerstone.models.local.scheduling import RAISED
from hammerstone.models.opening import local_model_path
from tests.conformance.models.contract import (
    CHECKS,
    SYSTEM,
    Subject,
    check_cancel_stops_writing,
)

pytestmark = [pytest.mark.model, pytest.mark.timeout(300)]

# Read before the tests' own surroundings hide this machine's settings.
MODEL = local_model_path(load_settings())
LONG = "Rules: be short, be precise, be kind. " * 40


@pytest.fixture(scope="session")
def shared_runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One model process for all tests of this run; it leaves on its own."""
    base = tmp_path_factory.getbasetemp()
    parallel = "PYTEST_XDIST_WORKER" in os.environ
    return (base.parent if parallel else base) / "model-runtime"


@pytest.fixture
async def local(shared_runtime: Path) -> AsyncIterator[LocalModel]:
    _need_model()
    model = LocalModel(MODEL, shared_runtime, idle_s=60)
    yield model
    await model.close()


def _need_model() -> None:
    if not MODEL.is_file():
        pytest.skip(f"cannot run here: no embedded model at {MODEL}; hammerstone model pull")


def endpoint_of(runtime: Path) -> Endpoint:
    endpoint = Rendezvous(runtime, MODEL).find()
    assert endpoint is not None
    return endpoint


def busy_slots(endpoint: Endpoint) -> int:
    key = {"Authorization": f"Bearer {endpoint.key}"}
    slots = httpx.get(f"{endpoint.url}/slots", headers=key, timeout=60).json()
    return sum(slot["is_processing"] for slot in slots)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_contract(local: LocalModel, check: Callable[[Model], Awaitable[None]]) -> None:
    await check(local)


async def test_cancel_stops_the_slots(local: LocalModel, shared_runtime: Path) -> None:
    async def is_writing() -> bool:
        return await asyncio.to_thread(busy_slots, endpoint_of(shared_runtime)) > 0

    await check_cancel_stops_writing(Subject(local, is_writing))


async def test_cancel_while_the_prompt_is_read(local: LocalModel, shared_runtime: Path) -> None:
    await local.complete(Prompt.of(SYSTEM, "Hi.", max_tokens=1))
    salt = os.urandom(8).hex()
    prompt = Prompt.of(f"{salt} {LONG * 8}", "Summarise.", max_tokens=400)
    task = asyncio.create_task(local.complete(prompt))
    await asyncio.sleep(1.0)
    endpoint = endpoint_of(shared_runtime)
    assert busy_slots(endpoint)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    for _ in range(300):  # reading all of it takes minutes; one batch a few seconds
        if not await asyncio.to_thread(busy_slots, endpoint):
            break
        await asyncio.sleep(0.1)
    assert not busy_slots(endpoint)


async def test_shared_beginning_is_not_read_again(local: LocalModel) -> None:
    salt = os.urandom(8).hex()
    first = await local.complete(Prompt.of(f"{salt} {LONG}", "Say one.", max_tokens=4))
    second = await local.complete(Prompt.of(f"{salt} {LONG}", "Say two.", max_tokens=4))
    assert first.usage.cached_tokens < 50
    assert second.usage.cached_tokens > 0.9 * second.usage.prompt_tokens
    assert second.usage.tokens < 40


async def test_samples_share_the_prompt_and_more_than_the_slots_are_possible(
    local: LocalModel,
) -> None:
    prompt = Prompt.of(SYSTEM, "Invent a name.", samples=6, temperature=1.2, seed=1, max_tokens=8)
    reply = await local.complete(prompt)
    assert len(reply.samples) == reply.usage.calls == 6
    assert len({sample.text for sample in reply.samples}) > 1
    once = reply.usage.prompt_tokens // 6
    assert reply.usage.prompt_tokens - reply.usage.cached_tokens <= 2 * once


async def test_its_threads_do_not_spin_and_it_goes_before_others_where_it_may(
    local: LocalModel, shared_runtime: Path
) -> None:
    await local.complete(Prompt.of(SYSTEM, "Hi.", max_tokens=1))
    pid = endpoint_of(shared_runtime).pid
    environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    assert b"GOMP_SPINCOUNT=10000" in environment
    threads = [int(each.name) for each in Path(f"/proc/{pid}/task").iterdir()]
    (niceness,) = {os.getpriority(os.PRIO_PROCESS, thread) for thread in threads}
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert niceness == (own or (RAISED if os.geteuid() == 0 else 0))


async def test_nobody_else_is_answered(local: LocalModel, shared_runtime: Path) -> None:
    await local.complete(Prompt.of(SYSTEM, "Hi.", max_tokens=1))
    endpoint = endpoint_of(shared_runtime)
    body = {"messages": [{"role": "user", "content": "hi"}]}
    url = f"{endpoint.url}/v1/chat/completions"
    assert httpx.post(url, json=body).status_code == 401
    origin = {"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "POST"}
    allowed = httpx.options(url, headers=origin).headers
    assert not allowed.get("access-control-allow-origin")
    assert not allowed.get("access-control-allow-headers")


async def test_too_long_a_prompt_is_refused(local: LocalModel) -> None:
    with pytest.raises(ModelRefused):
        await local.complete(Prompt.of(SYSTEM, "word " * 40_000, max_tokens=1))


async def test_killed_process_is_replaced_within_the_call(tmp_path: Path) -> None:
    _need_model()
    model = LocalModel(MODEL, tmp_path, idle_s=60)
    await model.complete(Prompt.of(SYSTEM, "Hi.", max_tokens=1))
    before = endpoint_of(tmp_path)
    os.kill(before.pid, signal.SIGKILL)
    reply = await model.complete(Prompt.of(SYSTEM, "Hi again.", max_tokens=2))
    assert reply.text
    assert endpoint_of(tmp_path).pid != before.pid
    await model.close()
    assert ModelProcess(tmp_path, MODEL).stop()
