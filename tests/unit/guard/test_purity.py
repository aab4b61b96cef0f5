"""Whose results may be remembered."""

import pytest

from hammerstone.guard.purity import depends_on_the_moment


@pytest.mark.parametrize(
    "code",
    [
        "from datetime import date\ndef f(d): return (d - date.today()).days",
        "import datetime as dt\ndef f(): return dt.datetime.now().year",
        "import datetime\ndef f(): return datetime.date.today()",
        "from random import randint\ndef f(n): return randint(1, n)",
        "import numpy as np\ndef f(n): return np.random.default_rng().random(n)",
        "import time\ndef f(): return time.time()",
        "from uuid import uuid4\ndef f(): return str(uuid4())",
        "def f():\n    import secrets\n    return secrets.token_hex()",
    ],
)
def test_the_time_and_chance_are_noticed(code: str) -> None:
    assert depends_on_the_moment(code)


@pytest.mark.parametrize(
    "code",
    [
        "from datetime import date\ndef f(a, b): return (date(*a) - date(*b)).days",
        "from datetime import datetime, timedelta\ndef f(t): return datetime.fromisoformat(t)",
        "def f(time, random): return time + random",
        "import numpy as np\ndef f(x): return np.mean(x)",
        "not python at all (",
    ],
)
def test_what_only_looks_like_it_is_not(code: str) -> None:
    assert not depends_on_the_moment(code)
