"""What a choice is worth where it was not made."""

import random

from evals.half_choice import choice_gain


def noise(seed: int, mean: float) -> list[float]:
    chance = random.Random(seed)
    return [float(chance.random() < mean) for _ in range(60)]


def test_the_start_alone_gains_nothing():
    found = choice_gain("gain", [noise(1, 0.5)])
    assert (found.value, found.low, found.high) == (0.0, 0.0, 0.0)


def test_a_text_that_is_better_everywhere_keeps_its_gain():
    start = [0.25] * 60
    found = choice_gain("gain", [start, [0.5] * 60, [0.4] * 60])
    assert found.value == 0.25 and found.low == found.high == 0.25
    over = choice_gain("gain", [start, [0.5] * 60], [start, [0.4] * 60])
    assert round(over.value or 0.0, 6) == 0.1


def test_the_best_of_texts_that_are_all_alike_gains_nothing_on_the_other_half():
    gains: list[float] = []
    for trial in range(12):
        texts = [noise(100 * trial + at, 0.5) for at in range(12)]
        best = max(sum(one) for one in texts) - sum(texts[0])
        found = choice_gain("gain", texts)
        assert found.low is not None and found.high is not None and found.low < found.high
        gains.append(found.value or 0.0)
        assert best / 60 >= gains[-1]
    assert abs(sum(gains) / len(gains)) < 0.06
