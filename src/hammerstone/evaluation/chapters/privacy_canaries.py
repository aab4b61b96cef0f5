"""Robustness: secrets that pass through the product, looked for in what it keeps."""

import json
import random
import string
from collections.abc import AsyncGenerator
from dataclasses import asdict, dataclass

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.evaluations import CaseMark, CaseOutcome, Chapter
from hammerstone.evaluation.board.context import SEED, MeasurementContext
from hammerstone.evaluation.board.measurement import Finding, Measurement, Needs
from hammerstone.evaluation.board.numbers.metrics import passed_share

TOOL, LENGTH = "truncate_text", 500


@dataclass(frozen=True, slots=True)
class Canary:
    """A made-up secret, and a text that holds it."""

    kind: str
    secret: str
    text: str


def canaries() -> list[Canary]:
    """Secrets in the forms that people and providers use; made by a seed, none is real."""
    draw = random.Random(SEED)

    def letters(count: int, of: str = string.ascii_letters + string.digits) -> str:
        return "".join(draw.choices(of, k=count))

    made = {
        "e-mail address": (f"{letters(8).lower()}@example.com", "Please write to {}."),
        "key of a provider": ("sk-" + letters(48), "My key is {} today."),
        "access key": ("AKIA" + letters(16, string.ascii_uppercase + "234567"), "Use {} now."),
        "personal token": ("ghp_" + letters(36), "The token is {} for the build."),
        "password": (letters(14), "password = {}"),
        "card number": ("4111 1111 1111 1111", "Pay with card {} please."),
        "bank account": ("DE89 3704 0044 0532 0130 00", "Transfer it to IBAN {}."),
        "phone number": ("+49 30 901820", "Call me at {} after six."),
        "password in a link": (letters(12), "It is at https://ada:{}@example.com/x."),
        "token in a header": (letters(40), "Authorization: Bearer {}"),
    }
    return [Canary(kind, secret, text.format(secret)) for kind, (secret, text) in made.items()]


async def privacy_canaries(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """A tool gives a text back with a secret in it; the kept trace must not hold the secret."""
    outcomes: list[CaseOutcome] = []
    async with context.product(embedder="off", starter_tools=True) as product:

        async def one(canary: Canary) -> CaseOutcome:
            return await _outcome(product, canary)

        async for outcome in context.each(canaries(), lambda canary: canary.kind, one):
            outcomes.append(outcome)
            yield outcome
    yield passed_share("secrets that are not kept", outcomes, target=1.0)


async def _outcome(product: Hammerstone, canary: Canary) -> CaseOutcome:
    answer = await product.run_tool(TOOL, {"text": canary.text, "length": LENGTH})
    row, spans = await product.traces.get(answer.trace_id)
    kept = json.dumps([asdict(row), *map(asdict, spans)], default=str, ensure_ascii=False)
    leaked = canary.secret in kept
    held = answer.result == canary.text  # the person gets the text as it is
    reason = "it was kept" if leaked else "" if held else "the person did not get the text back"
    return CaseOutcome(
        canary.kind,
        CaseMark.FAILED if reason else CaseMark.PASSED,
        float(not reason),
        trace_id=answer.trace_id,
        asked=f"a text with a {canary.kind}",
        given="the secret is in the kept trace" if leaked else "it is not kept",
        wanted="nothing that is kept holds the secret",
        reason=reason,
    )


MEASUREMENTS = (
    Measurement(
        "privacy_canaries",
        "Secrets that pass through are not kept",
        Chapter.ROBUSTNESS,
        privacy_canaries,
        needs=Needs(sandbox=True),
    ),
)
