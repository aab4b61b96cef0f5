"""The steps of a trace on the screen: what each was for, equal ones in one line."""

from collections.abc import Iterator
from typing import Any

from hammerstone.core.formatting import count, duration, money, shortened
from hammerstone.serve.cli.output import say
from hammerstone.serve.cli.terminal import one_line

_DEEPEST = 6  # deeper steps are not moved further to the right
_LONGEST = 160
_NAMES = {"prove": "Proof of ", "examine": "Examination of ", "skill": "Skill: "}
_STATES = {"success": "went well", "error": "failed", "timeout": "took too long"}


def asked_words(row: dict[str, Any], request: str) -> str:
    """What a trace is of: the request, or the tool that was proved."""
    return f"{_NAMES.get(str(row['name']), '')}{request}"


def state_words(status: str) -> str:
    return _STATES.get(status, status)


def show_steps(steps: list[dict[str, Any]], *, every: bool) -> None:
    """Each step with its time and cost; with `every`, also the members of a group."""
    for depth, step in _lines(steps, 0, every):
        pad = "  " * min(depth, _DEEPEST)
        many = f", {count(step['count'], 'call')}" if step["count"] > 1 else ""
        facts = [duration(step["seconds"]), *_cost(step["cost"])]
        say(f"{pad}{one_line(step['title'])}{many}  {' · '.join(facts)}", style="bold")
        if step["about"] and step["count"] == 1:
            say(f"{pad}  {shortened(one_line(step['about']), _LONGEST)}", style="dim")
        if step["error"]:
            say(f"{pad}  {one_line(step['error'])}", style="yellow")
        if step["left_out"] and every:
            say(f"{pad}  {count(step['left_out'], 'more call')} not listed", style="dim")


def _lines(
    steps: list[dict[str, Any]], depth: int, every: bool
) -> Iterator[tuple[int, dict[str, Any]]]:
    for step in steps:
        yield depth, step
        if every or step["count"] == 1:
            yield from _lines(step["steps"], depth + 1, every)


def _cost(cost: dict[str, Any] | None) -> list[str]:
    if not cost:
        return []
    told = [count(cost["tokens"], "token")]
    return [*told, money(cost["usd"])] if cost["usd"] else told


def total_words(shown: dict[str, Any]) -> str:
    """How a trace ended and what all of it took."""
    cost = shown["cost"]
    told = [state_words(shown["status"]), duration(shown["seconds"])]
    if cost["model_calls"]:
        known = (
            f" ({cost['tokens_cached']:,} of them known already)" if cost["tokens_cached"] else ""
        )
        told.append(count(cost["model_calls"], "model call"))
        told.append(
            f"{count(cost['tokens_in'], 'token')} read{known}, {cost['tokens_out']:,} written"
        )
        told.append(money(cost["usd"]))
    return " · ".join(told)
