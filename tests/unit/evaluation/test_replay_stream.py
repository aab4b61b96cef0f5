"""The requests of the replay: always the same, in the shares that were asked for, with truth."""

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from evals.replaying.bench import ReplayOutcome
from evals.replaying.chain_needs import CHAIN_NEEDS
from evals.replaying.family_needs import FAMILY_NEEDS
from evals.replaying.need import ReplayNeed
from evals.replaying.report import ReplayTargets, curve, plot, table
from evals.replaying.starter_needs import STARTER_NEEDS
from evals.replaying.stream import NEW_TO_MODEL, AskedFor, Stream, of_models


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rows = [{"id": f"{need.name}-0", "family": need.name, **_first(need)} for need in FAMILY_NEEDS]
    (tmp_path / "families.jsonl").write_text("\n".join(map(json.dumps, rows)))
    dev = [{"id": f"d{n}", "q": f"what is {n}?", "check": "number", "want": n} for n in range(60)]
    (tmp_path / "dev.jsonl").write_text("\n".join(map(json.dumps, dev)))
    return tmp_path


def _first(need: ReplayNeed) -> dict[str, object]:
    values = need.draw(random.Random(need.name))
    return {"q": need.text(values, 0), **need.row(values)}


def test_a_thousand_requests_in_forty_sessions_with_the_shares_that_were_asked_for(
    data: Path,
) -> None:
    requests = Stream(data).draw()
    assert Counter(one.kind for one in requests) == {
        AskedFor.REPEAT: 250, AskedFor.PARAPHRASE: 250, AskedFor.NEW_VALUES: 250,
        AskedFor.CHAIN: 150, AskedFor.NEW_NEED: 50, AskedFor.FAILURE: 50,
    }  # fmt: skip
    assert len({one.session for one in requests}) == 40
    assert len(of_models(requests)) <= NEW_TO_MODEL
    assert requests == Stream(data).draw()
    seen: set[str] = set()
    for one in requests:
        assert (one.text in seen) is (one.kind in (AskedFor.REPEAT, AskedFor.FAILURE))
        seen.add(one.text)


@pytest.mark.parametrize(
    "need", [*FAMILY_NEEDS, *STARTER_NEEDS, *CHAIN_NEEDS], ids=lambda need: need.name
)
def test_every_need_has_words_for_its_values_and_a_truth(need: ReplayNeed) -> None:
    for seed in range(5):
        values = need.draw(random.Random(seed))
        texts = {need.text(values, at) for at in range(len(need.wordings))}
        assert len(texts) == len(need.wordings) and not any("{" in one for one in texts)
        row = need.row(values)
        assert isinstance(row["want"], float if need.check == "number" else list)


def _outcome(number: int, calls: int, seconds: float, later: int = 0) -> ReplayOutcome:
    return ReplayOutcome(
        number,
        "new values",
        "n",
        True,
        True,
        calls,
        calls * 100,
        seconds,
        later,
        0,
        0.0,
        "",
        "",
        "",
    )


def test_the_targets_compare_the_last_requests_and_count_what_learning_asks() -> None:
    off = [_outcome(n, 8, 20.0) for n in range(400)]
    on = [_outcome(n, 8 if n < 100 else 1, 2.0, later=1) for n in range(400)]
    found = ReplayTargets.of(off, on)
    assert (found.fewer_calls, found.fewer_with_learning) == (0.875, 0.75)
    assert (found.faster, found.success, found.success_off) == (10.0, 1.0, 1.0)
    assert [point.calls for point in curve(on)] == [8, 1, 1, 1]
    assert "301-400" in table({"on": on}) and plot({"on": on}, "calls", "a < b").startswith("<svg")
