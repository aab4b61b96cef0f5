"""Proof tasks as a solver leaves them, with the run and the session they belong to."""

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Answer, Proof
from hammerstone.core.json_types import Json
from hammerstone.core.solutions import ProofTask, Solution
from tests.integration.engine import Script, services_of

REQUEST = "What is the tip on a bill of 86.40 at 15 percent?"
TIP = '''def tip(bill: float, percent: float) -> float:
    """The tip on a bill, in the bill's currency, rounded to cents."""
    return round(bill * percent / 100, 2)

answer = tip(86.40, 15)
'''
# The same with another signature, twice; one that adds the bill; one that has the 15 inside.
OTHER_ORDER = """def tip_amount(rate: float, amount: float) -> float:
    part = amount * rate / 100
    return round(part, 2)
"""
IN_STEPS = """def tip(bill, percent):
    hundredfold = bill * percent
    return round(hundredfold / 100, 2)
"""
WITH_BILL = """def total(bill: float, percent: float) -> float:
    return round(bill * (1 + percent / 100), 2)
"""
FIXED = """def tip(bill: float) -> float:
    return round(bill * 0.15, 2)
"""
TESTS = """```python
assert tip(100, 10) == 10
assert tip(200, 20) == 40
assert tip(50, 10) == 5
assert tip(80, 25) == 20
assert tip(0, 15) == 0
```"""
CODE = (
    "```python\ndef tip(bill: float, percent: float) -> float:\n"
    "    product = percent * bill\n    return round(product / 100, 2)\n```"
)


def solution(code: str, call: str, value: Json) -> Solution:
    return Solution(code, call.partition("(")[0], call, value)


WINNER = solution(TIP, "tip(86.40, 15)", 12.96)
RIGHT = (
    solution(OTHER_ORDER, "tip_amount(15, 86.40)", 12.96),
    solution(IN_STEPS, "tip(86.40, 15)", 12.96),
)
WRONG = (
    solution(WITH_BILL, "total(86.40, 15)", 99.36),
    solution(FIXED, "tip(86.40)", 12.96),
)


def proof_script(**more: str) -> Script:
    """All that a model says in a proof of `tip`; nothing about specifications or arguments."""
    return Script(**({"tests": TESTS, "code": CODE, "foretell": "Answer: 12.96"} | more))


async def answered(
    hs: Hammerstone,
    run_id: str = "run",
    session: str = "s",
    value: Json = 12.96,
    request: str = REQUEST,
) -> Answer:
    """A finished run with this answer, as the solver records it."""
    db, user = services_of(hs).records.db, hs.settings.user
    now = services_of(hs).records.clock.now()
    answer = Answer(
        text=str(value), result=value, proof=Proof.PENDING, session_id=session, run_id=run_id
    )
    async with db.transaction() as stores:
        await stores.sessions.create(user, session)
        await stores.runs.start(run_id, session, user, request, "trace", now)
        await stores.messages.append(session, "user", request, None)
        await stores.messages.append(session, "assistant", answer.text, answer.to_json())
        await stores.runs.finish(run_id, "done", answer.to_json(), now)
    return answer


def task(
    hs: Hammerstone,
    winner: Solution = WINNER,
    rivals: tuple[Solution, ...] = (*RIGHT * 3, *WRONG),
    run_id: str = "run",
    session: str = "s",
    request: str = REQUEST,
) -> ProofTask:
    return ProofTask(
        request=request,
        session_id=session,
        run_id=run_id,
        user=hs.settings.user,
        winner=winner,
        rivals=rivals,
        value=winner.value,
    )
