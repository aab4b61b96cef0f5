"""What a person waits and what is spent when the model's endpoint misbehaves.

Every fault is played by a real HTTP endpoint on loopback, against the bare adapter and against
the wrapped models of `open_models` with a healthy fallback.

    python -m evals.outage_drill [--set instant|quick|full] [--json]
"""

import json
import statistics
import tempfile
import time
from collections.abc import AsyncGenerator
from dataclasses import asdict, dataclass
from pathlib import Path

from evals.faulty_endpoint import FaultyEndpoint
from evals.measured import measured
from hammerstone.core.chat import Prompt, Role
from hammerstone.core.errors import ModelError
from hammerstone.core.evaluations import CaseOutcome
from hammerstone.core.seams import Model
from hammerstone.core.settings import Settings
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    amount,
    case,
    flat,
    higher,
    lower,
    share,
)
from hammerstone.models.opening import ModelHandling, Models, bare_model
from hammerstone.models.wrappers.retry import RetryRule

TIMEOUT_S = 2.0  # the setting's default is 120; scaled down, so that the drill takes minutes
RULE = RetryRule(attempts=3, wait_initial_s=0.1, wait_max_s=1.0, jitter_s=0.1)
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}

# What is played: name, the faults before the endpoint is well again (None: it never is).
SCENARIOS: tuple[tuple[str, str, int | None], ...] = (
    ("healthy", "", 0),
    ("one 500, then well", "500", 1),
    ("down (503)", "503", None),
    ("connection refused", "refuse connection", None),
    ("hangs", "hang", None),
    ("429, then well", "429", 1),
    ("429 retry-after 1 s, then well", "429 after 1", 1),
    ("429 retry-after 600 s", "429 after 600", None),
    ("cut off, then well", "truncate", 1),
    ("always cut off", "truncate", None),
    ("HTML", "html", None),
    ("half a JSON", "half json", None),
    ("another schema", "other schema", None),
    ("endless stream", "endless", None),
    ("lies: not the asked schema", "lie", None),
)


@dataclass(frozen=True, slots=True)
class Line:
    scenario: str
    wrapped: bool
    answered: int
    requests: int
    wait_p50_s: float
    wait_max_s: float
    wait_total_s: float
    endpoint_calls: int
    words_sent: int
    tokens_charged: int


async def _play(name: str, fault: str, times: int | None, wrapped: bool, requests: int) -> Line:
    def truth(asked: object) -> str:
        return '{"n": 42}'

    sick = FaultyEndpoint(answer=(lambda _: "the answer is 42") if fault == "lie" else truth)
    well = FaultyEndpoint(answer=truth)
    if fault and fault != "lie":
        if times is None:
            sick.always = fault
        else:
            sick.faults.extend([fault] * times)
    with tempfile.TemporaryDirectory() as folder:
        async with sick.running(), well.running():
            settings = Settings(
                data_dir=Path(folder),
                openai_base_url=f"{sick.url}/v1",
                openai_model="gpt-4.1-mini",
                ollama_base_url=well.url,
                model_timeout_s=TIMEOUT_S,
                model="compatible:gpt-4.1-mini, ollama:spare" if wrapped else None,
            )
            models = Models(settings, handling=ModelHandling(retry=RULE))
            model: Model = (
                models.for_role(Role.CODER)
                if wrapped
                else bare_model(settings.general_model, settings)
            )
            line = await _ask(name, wrapped, model, requests, (sick, well))
            await models.close()
            if not wrapped:
                await model.close()
    return line


async def _ask(
    name: str,
    wrapped: bool,
    model: Model,
    requests: int,
    endpoints: tuple[FaultyEndpoint, FaultyEndpoint],
) -> Line:
    waits: list[float] = []
    answered = tokens = 0
    for number in range(requests):
        began = time.perf_counter()
        try:
            prompt = Prompt.of("You count.", f"How many, {number}?", schema=SCHEMA, max_tokens=50)
            reply = await model.complete(prompt)
        except ModelError as error:
            usage = error.data.get("usage")
            tokens += usage.tokens if usage else 0
        else:
            answered += json.loads(reply.text)["n"] == 42
            tokens += reply.usage.tokens
        waits.append(time.perf_counter() - began)
    return Line(
        scenario=name,
        wrapped=wrapped,
        answered=answered,
        requests=requests,
        wait_p50_s=round(statistics.median(waits), 3),
        wait_max_s=round(max(waits), 3),
        wait_total_s=round(sum(waits), 2),
        endpoint_calls=sum(len(endpoint.asked) for endpoint in endpoints),
        words_sent=sum(endpoint.words_sent for endpoint in endpoints),
        tokens_charged=tokens,
    )


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Every fault as a case: does the person get an answer from the wrapped models?"""
    requests = amount(context, instant=2, quick=3, full=10)
    outcomes: list[CaseOutcome] = []

    async def play(scenario: tuple[str, str, int | None]) -> CaseOutcome:
        bare, wrapped = [await _play(*scenario, way, requests) for way in (False, True)]
        given = f"{wrapped.answered} of {requests} answered, longest wait {wrapped.wait_max_s} s"
        numbers = {f"wrapped {key}": value for key, value in flat(asdict(wrapped))}
        numbers |= {f"bare {key}": value for key, value in flat(asdict(bare))}
        return case(
            scenario[0], wrapped.answered == requests, numbers, given=given,
            wanted=f"all answered; the bare model answers {bare.answered}",
        )  # fmt: skip

    async for outcome in context.each(SCENARIOS, lambda scenario: scenario[0], play):
        outcomes.append(outcome)
        yield outcome
    asked = requests * len(outcomes)
    answered = {
        way: sum(one.numbers[f"{way} answered"] for one in outcomes) for way in ("bare", "wrapped")
    }
    yield higher(
        "answered while the endpoint misbehaves", share(answered["wrapped"], asked),
        baseline=share(answered["bare"], asked), baseline_name="the bare model",
    )  # fmt: skip
    for way, name in (("wrapped", "longest wait"), ("bare", "longest wait, bare")):
        waits = [one.numbers[f"{way} wait_max_s"] for one in outcomes]
        yield lower(name, max(waits, default=None), "s")


if __name__ == "__main__":
    measured("outage_drill")
