"""Every need, and the ones that are kept for testing."""

from training.needs.dates import DATES, TIMES
from training.needs.lists import LISTS, OBJECTS, TABLES
from training.needs.money import MONEY, UNITS
from training.needs.need import Need
from training.needs.numbers import GEOMETRY, LOGIC, STATISTICS
from training.needs.text import TEXT

FIELDS = (DATES, TIMES, MONEY, UNITS, TEXT, LISTS, TABLES, OBJECTS, STATISTICS, GEOMETRY, LOGIC)
NEEDS: tuple[Need, ...] = tuple(need for field in FIELDS for need in field.needs)
# Never trained on: about one need in eight, of every field.
KEPT_OUT = frozenset(need.name for at, need in enumerate(NEEDS) if at % 8 == 5)
