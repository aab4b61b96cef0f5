"""What the scan of generated code finds, and what it leaves alone."""

import pytest

from hammerstone.core.tools import Effect
from hammerstone.guard.scan import Severity, scan

REFUSED = {
    "import subprocess": "process",
    "import subprocess as sp\nsp.run(['ls'])": "process",
    "from os import system": "process",
    "import os as o\no.system('ls')": "process",
    "import os\ngetattr(os, 'system')('ls')": "process",
    "import socket": "network",
    "import urllib\nurllib.request.urlopen('x')": "network",
    "from urllib import request": "network",
    "import urllib.request as r": "network",
    "from http.client import HTTPConnection": "network",
    "import requests.sessions": "network",
    "import ctypes": "native",
    "from importlib import import_module": "dynamic",
    "import pickle": "dynamic",
    "eval('1')": "dynamic",
    "f = exec": "dynamic",
    "__import__('os')": "dynamic",
    "().__class__.__bases__[0].__subclasses__()": "escape",
    "getattr(f, '__globals__')": "escape",
    "print(__builtins__)": "escape",
    "def g():\n    yield\ng().gi_frame.f_back": "escape",
    "import sys\nsys.modules['os']": "escape",
    "import os\nos.environ['KEY']": "environment",
    "open('x', 'w')": "writes",
    "open('x', mode='a')": "writes",
    "open('x', 'r+')": "writes",
    "from pathlib import Path\nPath('x').write_text('y')": "writes",
    "from pathlib import Path\nPath('x').open('w')": "writes",
    "import os\nos.remove('x')": "writes",
    "import shutil\nshutil.rmtree('x')": "writes",
    "from . import secrets": "import",
    "def f(:": "syntax",
    "x = '\x00'": "syntax",
    "x" * 300_000: "size",
    "-" * 100_000 + "1": "size",
}


@pytest.mark.parametrize(("code", "rule"), REFUSED.items(), ids=range(len(REFUSED)))
def test_refused(code: str, rule: str) -> None:
    findings = scan(code)
    assert rule in {found.rule for found in findings if found.blocks}, findings


ORDINARY = """
import re
import os.path
import math
import http
from collections import Counter
from datetime import date
from urllib.parse import urlparse
from pathlib import Path
import pandas as pd

PATTERN = re.compile("a+")


class Thing:
    def __init__(self, input):
        self.input = input

    def __repr__(self):
        return f"{type(self).__name__}({self.__class__.__name__})"


def iso_week(text: str, compile: bool = False) -> int:
    with open(text) as file, Path(text).open("rb") as other:
        rows = file.read()
    frame = pd.read_csv(text)
    return date.fromisoformat(rows).isocalendar().week + getattr(frame, "size", 0)
"""


def test_ordinary_code_has_no_findings() -> None:
    assert scan(ORDINARY) == []


def test_a_tool_that_may_write_may_write_and_nothing_more() -> None:
    code = "import os\nopen('x', 'w').write('y')\nos.remove('x')\nos.system('ls')"
    assert [str(found) for found in scan(code, Effect.WRITES)] == [
        "line 4: uses os.system (process)"
    ]
    assert {found.line for found in scan(code, Effect.READS)} == {2, 3, 4}


def test_a_doubt_is_a_warning_not_a_refusal() -> None:
    code = "def f(df, mode, name):\n    df.to_csv()\n    open('x', mode)\n    getattr(df, name)"
    findings = scan(code)
    assert [(found.line, found.severity) for found in findings] == [
        (2, Severity.WARN),
        (3, Severity.WARN),
        (4, Severity.WARN),
    ]
    assert not any(found.blocks for found in findings)
