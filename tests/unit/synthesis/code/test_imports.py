"""Imports that code forgot are added where there is one reading."""

import ast

import pytest

from hammerstone.synthesis.code.imports import missing_imports
from hammerstone.synthesis.code.tidy import tidy


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("datetime.strptime(x, '%H:%M') + timedelta(hours=1)",
         ["from datetime import datetime", "from datetime import timedelta"]),
        ("datetime.datetime.now() - datetime.timedelta(1)", ["import datetime"]),
        ("math.sqrt(x) + sqrt(x)", ["import math", "from math import sqrt"]),
        ("Counter(re.findall('a', x))", ["from collections import Counter", "import re"]),
        ("np.mean(pd.Series(x))", ["import numpy as np", "import pandas as pd"]),
        ("len(x) + helper(x)", []),  # nobody knows what it is
        ("[date for date in x]", []),
    ],
)  # fmt: skip
def test_what_is_missing(body: str, lines: list[str]):
    assert missing_imports(ast.parse(f"def f(x):\n    return {body}").body) == lines


@pytest.mark.parametrize(
    "code",
    [
        "import math\ndef f(x): return math.pi",
        "def f(math): return math",
        "def count(x): return 1\ndef f(x): return count(x)",
        "def f(x):\n    import re\n    return re.escape(x)",
        "def f(x):\n    match x:\n        case [date, *mean]: return date, mean\n"
        "        case {'a': 1, **mode}: return mode",
        "def f(x):\n    try: return 1\n    except ValueError as pi: return pi",
    ],
)
def test_what_is_bound_is_not_imported(code: str):
    assert missing_imports(ast.parse(code).body) == []


def test_tidy_code_has_its_imports_at_the_top():
    code = "def f(x):\n    return datetime.strptime(x, '%Y') + timedelta(days=1)"
    assert tidy(code, "f").startswith(
        "from datetime import datetime\nfrom datetime import timedelta\n\n\ndef f(x):"
    )


def test_a_helper_that_is_thrown_away_needs_no_import():
    assert "import" not in tidy("def g(x):\n    return math.pi\n\ndef f(x):\n    return x", "f")


def test_an_import_in_code_that_is_thrown_away_does_not_count():
    code = "def f(x):\n    return math.pi\n\nif __name__ == '__main__':\n    import math\n"
    assert tidy(code, "f").startswith("import math\n\n\ndef f(x):")


def test_code_that_looks_to_the_future_gets_its_imports_too():
    code = "from __future__ import annotations\n\ndef f(x):\n    return sqrt(x)"
    assert "from math import sqrt" in tidy(code, "f")
    compile(tidy(code, "f"), "f", "exec")
