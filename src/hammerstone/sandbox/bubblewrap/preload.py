"""Which modules a fork server loads once, so that no guest has to.

A module loaded here costs memory once a server; one loaded by a guest costs its import at each
call, at half a core.
"""

# What most generated code imports.
_COMMON = """
collections copy csv dataclasses datetime decimal enum fractions functools hashlib heapq itertools
json math operator random re statistics string textwrap typing unicodedata shutil tempfile
traceback io bisect calendar zoneinfo ast inspect
"""

# What a package loads later, on first use, but for each process anew.
_DEEPER = {
    "matplotlib": "matplotlib.pyplot matplotlib.backends.backend_agg",
    "openpyxl": "openpyxl.workbook openpyxl.writer.excel openpyxl.reader.excel gzip zipfile",
    "reportlab": "reportlab.pdfgen.canvas reportlab.platypus reportlab.lib.styles",
    "pytest": """
        _pytest.assertion _pytest.assertion.rewrite _pytest.assertion.util _pytest.cacheprovider
        _pytest.capture _pytest.config _pytest.debugging _pytest.doctest _pytest.faulthandler
        _pytest.fixtures _pytest.helpconfig _pytest.junitxml _pytest.legacypath _pytest.logging
        _pytest.main _pytest.mark _pytest.monkeypatch _pytest.nodes _pytest.pastebin
        _pytest.python _pytest.python_api _pytest.raises _pytest.recwarn _pytest.reports
        _pytest.runner _pytest.setuponly _pytest.setupplan _pytest.skipping _pytest.stepwise
        _pytest.subtests _pytest.terminal _pytest.threadexception _pytest.tmpdir _pytest.unittest
        _pytest.unraisableexception _pytest.warnings _pytest._argcomplete
        hypothesis hypothesis.statistics hypothesis.internal.detection _hypothesis_pytestplugin
        pdb faulthandler queue readline gzip contextvars
    """,
}


def modules_for(packages: frozenset[str]) -> tuple[str, ...]:
    """What a server for programs that import `packages` loads, in order."""
    deeper = " ".join(_DEEPER.get(package, "") for package in sorted(packages))
    return (*_COMMON.split(), *sorted(packages), *deeper.split())
