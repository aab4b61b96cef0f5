"""A few made-up inputs for every decoder; `python -m evals.fuzz` tries thousands."""

import pytest

from evals.fuzz import fuzz
from evals.fuzz_decoders import DECODERS, Decoder


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("decoder", DECODERS, ids=lambda decoder: decoder.name)
def test_nothing_from_outside_breaks_what_reads_it(decoder: Decoder) -> None:
    found = fuzz(decoder, 40, 1)
    assert found.cases >= 40
    assert not found.uncaught, found.errors
