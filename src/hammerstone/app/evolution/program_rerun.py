"""The programs of a failed run made again: does any of them give what was answered?"""

from collections.abc import Awaitable, Callable

from hammerstone.core.calls import Call, Limits, Program
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.seams import Sandbox
from hammerstone.judging.equality import decoded, same_answer
from hammerstone.learn.evolution.judges.run_facts import RunFacts
from hammerstone.run.solve.program import read_reply

_LIMITS = Limits(wall_s=5.0)
_MOST = 4  # programs that are run again


async def programs_again(facts: RunFacts, sandbox: Callable[[], Awaitable[Sandbox]]) -> bool | None:
    """Whether a program of the run, run again, gives its answer; None where that says nothing:
    no programs, no answer, a tool's answer, or programs that give nothing now."""
    if not facts.programs or not facts.answered or facts.calls or facts.tool:
        return None
    values = 0
    for source in facts.programs[:_MOST]:
        solution = read_reply(f"```python\n{source}\n```").solution
        if solution is None or solution.error:
            continue
        try:
            outcome = await (await sandbox()).call(
                Program(solution.code, solution.function),
                Call(source=solution.call),
                limits=_LIMITS,
            )
        except HammerstoneError:
            return None
        if outcome.ok:
            values += 1
            given = decoded(outcome.value)
            if same_answer(given, facts.given) or str(given) == facts.given:
                return True
    # Of many programs only the first are run: the answer may be another one's.
    return False if values and len(facts.programs) <= values else None
