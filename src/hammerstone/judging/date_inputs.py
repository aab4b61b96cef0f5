"""Dates and times written as text, and others in the same form: valid, and at the edges.

A text changed letter by letter is hardly ever a date again. Programs that work with dates would
be compared by how they refuse nonsense, and not by what they compute.
"""

import random
from datetime import datetime, timedelta

_FORMS = (
    "%H:%M",
    "%H:%M:%S",
    "%Y-%m-%d",
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%m-%d-%Y",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d %H:%M:%S",
)
_LONGEST = 19


def another_moment(text: str, rng: random.Random) -> str | None:
    """Another moment in the form of `text`; None where it is no date and no time."""
    if len(text) > _LONGEST or not text[:1].isdigit():
        return None
    for form in _FORMS:
        try:
            moment = datetime.strptime(text, form)
        except ValueError:
            continue
        if moment.strftime(form) == text:  # "8:05" is read like "08:05", and is another form
            return _moved(moment, rng).strftime(form)
    return None


def _moved(moment: datetime, rng: random.Random) -> datetime:
    year = min(max(moment.year, 1004), 8996)  # leap years, both
    moment = moment.replace(year=year)
    choices = [
        moment + timedelta(days=1),
        moment - timedelta(days=1),
        moment + timedelta(minutes=rng.randrange(1, 1440)),
        moment + timedelta(days=rng.randrange(2, 400)),
        moment.replace(month=12, day=31),
        moment.replace(month=1, day=1),
        moment.replace(year=year - year % 4, month=2, day=28) + timedelta(days=1),
        moment.replace(hour=0, minute=0, second=0),
        moment.replace(hour=23, minute=59, second=59),
        moment.replace(hour=12, minute=0, second=0),
    ]
    return rng.choice(choices)
