"""Tasks by seeded script: the same each time, and their answers are what they should be."""

import re
from itertools import pairwise

import pytest

from hammerstone.evaluation.chapters.made_tasks import TASKS, MadeTask

BY_NAME = {task.name: task for task in TASKS}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_questions_are_different_and_always_the_same(task: MadeTask) -> None:
    questions = task.questions(53)
    assert len({one.text for one in questions}) == 53
    assert questions == task.questions(53) != task.questions(53, seed=23)


def test_words_are_in_order() -> None:
    for one in BY_NAME["word_sorting"].questions(20):
        listed = one.text.rpartition("List: ")[2].split()
        assert sorted(listed) == one.want
        assert all(first <= second for first, second in pairwise(one.want))


def test_the_number_of_durians_is_the_only_one() -> None:
    for one in BY_NAME["chinese_remainder"].questions(20):
        most = int(re.findall(r"at most (\d+)", one.text)[0])
        left = [tuple(map(int, pair)) for pair in re.findall(r"(\d+) left .*?by (\d+)", one.text)]
        fits = [n for n in range(1, most + 1) if all(n % size == rest for rest, size in left)]
        assert len(left) == 3 and fits == [one.want]


def test_the_meeting_is_the_earliest_in_which_both_are_free() -> None:
    for one in BY_NAME["schedule_meeting"].questions(20):
        hours = float(re.findall(r"a ([\d.]+)-hour", one.text)[0])
        free = [_minutes(part) for part in one.text.partition("A is free at ")[2].split(";")]
        begin, end = (_minute(time) for time in re.findall(r"\d\d:\d\d", one.want))
        assert end - begin == hours * 60
        assert set(range(begin, end)) <= free[0] & free[1]
        earlier = range(9 * 60, begin)
        wide = int(hours * 60)
        assert not [at for at in earlier if set(range(at, at + wide)) <= free[0] & free[1]]


def _minutes(text: str) -> set[int]:
    text = text.partition("What")[0]
    spans = re.findall(r"(\d\d:\d\d) - (\d\d:\d\d)", text)
    return {at for begin, end in spans for at in range(_minute(begin), _minute(end))}


def _minute(time: str) -> int:
    hour, minute = map(int, time.split(":"))
    return hour * 60 + minute
