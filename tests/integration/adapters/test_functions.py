"""Functions that people wrote, in the library and in the sandbox."""

from pathlib import Path

import pytest

from hammerstone.core.errors import BadRequest
from hammerstone.serve.adapters.functions import add_function, tool
from tests.integration.engine import Script, scripted_engine

OUTSIDE = 3


@tool
def net_price(gross: float, rate: float = 0.25) -> float:
    """The price without tax.

    >>> net_price(125.0)
    100.0
    >>> net_price(110.0, 0.1)
    100.0
    >>> net_price(0.0)
    0.0
    >>> net_price(50.0, 1.0)
    25.0
    >>> net_price(100.0, 0.3)
    76.92
    >>> net_price(9.0, -0.5)
    18.0
    >>> net_price(1.0, -1.0)
    Traceback (most recent call last):
        ...
    ValueError: the rate must be above -1
    """
    if rate <= -1:
        raise ValueError("the rate must be above -1")
    return round(gross / (1 + rate), 2)


def wrong(n: int) -> int:
    """Twice the number.

    >>> wrong(2)
    5
    """
    return n * 2


def leaning(n: int) -> int:
    """Times a number from around it.

    >>> leaning(1)
    3
    """
    return n * OUTSIDE


async def test_a_function_is_proved_by_its_examples_and_runs_in_the_sandbox(tmp_path: Path) -> None:
    async with scripted_engine(Script(), tmp_path) as hs:
        added = await add_function(hs, net_price)
        assert (
            added.name == "net_price" and added.version.spec.description == "The price without tax."
        )
        assert added.status == "verified", added.version.provenance
        assert len(added.version.suite) >= 3 and "@tool" not in added.version.code
        answer = await hs.run_tool("net_price", {"gross": 250.0})
        assert answer.result == 200
        assert net_price(125.0) == 100.0, "the function itself works as before"
        for function, told in ((wrong, "wrong"), (leaning, "OUTSIDE")):
            with pytest.raises(BadRequest, match=told):
                await add_function(hs, function)
        assert [one.name for one in await hs.tools.list()] == ["net_price"]
