"""The inside of `PersistentWeak`: every task in one interpreter, answers printed."""

import importlib.util
import json
import sys

sys.setrecursionlimit(1_000_000)  # so that deep structures bring the interpreter down
spec = importlib.util.spec_from_file_location("wire", sys.argv[1])
wire = importlib.util.module_from_spec(spec)
spec.loader.exec_module(wire)
tasks = []

for line in sys.stdin:
    tasks.append(json.loads(line))
    task = tasks[-1]
    try:
        names = {}
        exec(task["code"], names)
        value = names[task["function"]](*task["args"], **task["kwargs"])
        text = json.dumps({"value": value}, default=repr, check_circular=False)
    except Exception as error:
        text = json.dumps({"type": type(error).__name__, "error": str(error)})
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
