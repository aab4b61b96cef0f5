"""Does code ask what only this moment can answer: the time, or chance?"""

import ast

from hammerstone.core.syntax import syntax_tree
from hammerstone.guard.code_names import full_name, imported_names

# By full name; a module or class stands for everything in it.
_MOMENT = (
    "datetime.datetime.now",
    "datetime.datetime.utcnow",
    "datetime.datetime.today",
    "datetime.date.today",
    "time",
    "random",
    "secrets",
    "uuid.uuid1",
    "uuid.uuid4",
    "os.urandom",
    "os.getpid",
    "numpy.random",
    "pandas.Timestamp.now",
    "pandas.Timestamp.today",
)


def depends_on_the_moment(code: str) -> bool:
    """Whether the same arguments may give another result later: such results are not cached.

    By the names the code uses; code that does not parse depends on nothing.
    """
    try:
        tree = syntax_tree(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    names = imported_names(tree)
    used = (
        full_name(node, names)
        for node in ast.walk(tree)
        if isinstance(node, ast.Name | ast.Attribute)
    )
    return any(
        name == moment or name.startswith(f"{moment}.")
        for name in used
        if name is not None
        for moment in _MOMENT
    )
