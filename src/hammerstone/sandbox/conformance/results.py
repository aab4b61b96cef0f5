"""Attacks on the host's reading of results: too large, too deep, not data, lying files."""

import json
import math

from hammerstone.core import wire
from hammerstone.core.calls import Failure
from hammerstone.sandbox.conformance.canaries import secret_file
from hammerstone.sandbox.conformance.probe import (
    SMALL,
    ProbeFinding,
    ProbeStage,
    contained,
    describe,
    escaped,
    own_memory_bytes,
    probe,
)


@probe("return a value larger than allowed")
async def huge_value(stage: ProbeStage) -> ProbeFinding:
    before = own_memory_bytes()
    outcome = await stage.value(f"def attack():\n    return 'x' * {SMALL.output_bytes * 16}\n")
    grown = own_memory_bytes() - before
    if outcome.ok:
        return escaped(f"{len(str(outcome.value))} characters came back")
    if outcome.failure is not Failure.OUTPUT:
        return escaped(f"not named as too large: {describe(outcome)}")
    if grown > 64 << 20:
        return escaped(f"the host grew by {grown >> 20} MB")
    return contained(describe(outcome))


@probe("return a structure nested a hundred thousand deep")
async def deep_value(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack():
    value = []
    for _ in range(100000):
        value = [value]
    return value
"""
    return await _harmless(stage, code)


@probe("return a structure that contains itself")
async def endless_value(stage: ProbeStage) -> ProbeFinding:
    return await _harmless(stage, "def attack():\n    a = []\n    a.append(a)\n    return a\n")


async def _harmless(stage: ProbeStage, code: str) -> ProbeFinding:
    """A failure or a small value, and a sandbox that goes on working."""
    outcome = await stage.value(code)
    if outcome.failure in (Failure.LOAD, Failure.LOST):
        return escaped(f"inconclusive, {describe(outcome)}")
    if outcome.ok and len(json.dumps(outcome.value)) > SMALL.output_bytes * 2:
        return escaped("more than the allowed size came back")
    if trouble := await stage.still_works():
        return escaped(f"the next call suffers: {trouble}")
    return contained(describe(outcome))


# Wire form that the guest's own code made up: what encodes results runs in its process.
_AS_IT_IS = """
def as_it_is(value):
    try:
        from hammerstone.core import wire
        wire.encode = lambda value, depth=0: value
    except ImportError:
        pass
    return value
"""


@probe("return a set whose members were chosen to have one hash, which takes minutes to build")
async def same_hash(stage: ProbeStage) -> ProbeFinding:
    code = f"""{_AS_IT_IS}
def attack():
    numbers = [{{"$int": hex((2 ** 61 - 1) * n)}} for n in range(1, 6000)]
    return as_it_is({{"$set": numbers}})
"""
    return await _refused(stage, code, Failure.FORGED)


@probe("return so many small values that reading them stops everything else")
async def many_values(stage: ProbeStage) -> ProbeFinding:
    return await _refused(stage, "def attack():\n    return [[]] * 60000\n", Failure.OUTPUT)


async def _refused(stage: ProbeStage, code: str, failure: Failure) -> ProbeFinding:
    outcome = await stage.value(code)
    if outcome.ok:
        return escaped(f"{len(json.dumps(outcome.value))} characters came through unread")
    if outcome.failure is not failure:
        return escaped(f"inconclusive, {describe(outcome)}")
    if trouble := await stage.still_works():
        return escaped(f"the next call suffers: {trouble}")
    return contained(describe(outcome))


@probe("return numbers that are not JSON: NaN, infinities, very large integers")
async def not_a_number(stage: ProbeStage) -> ProbeFinding:
    code = "def attack():\n    return [float('nan'), float('inf'), -float('inf'), 10 ** 40]\n"
    outcome = await stage.value(code)
    if not outcome.ok:
        return escaped(f"inconclusive, {describe(outcome)}")
    try:
        json.dumps(outcome.value, allow_nan=False)
    except ValueError:
        return escaped("a number that JSON does not have came through bare")
    nan, inf, minus, large = wire.decode(outcome.value)
    if not (math.isnan(nan) and inf == math.inf and minus == -math.inf and large == 10**40):
        return escaped(f"the value changed on the way: {outcome.value}")
    return contained("in wire form, none lost")


@probe("return things that are not data: functions, modules, open files, broken objects")
async def not_data(stage: ProbeStage) -> ProbeFinding:
    code = """
import sys
class Liar(dict):
    def items(self): raise RuntimeError("no")
    def __iter__(self): raise RuntimeError("no")
class Loud:
    def __repr__(self): raise RuntimeError("no")
class Agreeing(str):
    def __eq__(self, other): return True
    def __hash__(self): return 1
def attack():
    return {"f": attack, "m": sys, "o": sys.stdout, "l": Loud(), "t": Agreeing("plain"), "c": Loud,
            "s": "\\ud800", "b": b"\\xff"}
"""
    outcome = await stage.value(code)
    if not outcome.ok:
        return await _harmless(stage, code)
    value = wire.decode(outcome.value)
    kinds = {key: type(item).__name__ for key, item in value.items()}
    wrong = [key for key in ("f", "m", "o", "l", "c") if kinds[key] != "Opaque"]
    if wrong or kinds["t"] != "str":
        return escaped(f"came through as objects: {kinds}")
    return contained("names and representations only")


@probe("return a value whose own methods run while it is encoded")
async def hostile_methods(stage: ProbeStage) -> ProbeFinding:
    code = """
import os, time
class Bomb:
    def __repr__(self):
        os._exit(0)
class Slow(list):
    def __iter__(self):
        while True:
            yield 1
    def __len__(self):
        return 10 ** 9
def attack():
    return [Bomb()]
"""
    outcome = await stage.value(code)
    if outcome.ok:
        return escaped(f"taken as success: {describe(outcome)}")
    return await _harmless(stage, code)


@probe("fill the host's memory with an error message")
async def huge_error(stage: ProbeStage) -> ProbeFinding:
    before = own_memory_bytes()
    code = f"def attack():\n    raise ValueError('x' * {SMALL.output_bytes * 64})\n"
    outcome = await stage.value(code)
    grown = own_memory_bytes() - before
    if grown > 64 << 20 or len(outcome.error) > SMALL.output_bytes:
        return escaped(f"{len(outcome.error)} characters of error, host grew {grown >> 20} MB")
    if outcome.ok or outcome.failure in (Failure.LOAD, Failure.LOST):
        return escaped(f"inconclusive, {outcome.failure}")
    return contained(f"{outcome.failure}, {len(outcome.error)} characters kept")


@probe("pretend with a class named like a trusted one, and with control characters")
async def hostile_names(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack():
    raise type("Fine\\x1b[2J\\nok: true" + "x" * 100000, (Exception,), {})("\\x1b[31mred\\x00")
"""
    outcome = await stage.value(code)
    if outcome.ok or outcome.failure in (Failure.LOAD, Failure.LOST):
        return escaped(f"inconclusive, {describe(outcome)}")
    if len(outcome.error_type) > 1000:
        return escaped(f"a type name of {len(outcome.error_type)} characters came through")
    return contained(f"{outcome.failure}, a type name of {len(outcome.error_type)} characters")


@probe("hand out files that point elsewhere, block the reader, or carry hostile names")
async def hostile_artifacts(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(token, path):
    made = []
    places = {tempfile.gettempdir(), os.getcwd()}
    for base in list(places):
        for name in ("out", "output", "outputs", "artifacts"):
            if os.path.isdir(os.path.join(base, name)):
                places.add(os.path.join(base, name))
    for place in places | {"/out", "/output", "/artifacts"}:
        for name, make in (
            ("link.txt", lambda p: os.symlink(path, p)),
            ("folder", lambda p: os.symlink(os.path.dirname(path), p)),
            ("hard.txt", lambda p: os.link(path, p)),
            ("pipe.txt", lambda p: os.mkfifo(p)),
            ("..\\\\..\\\\evil.txt", lambda p: open(p, "w").write("x")),
            ("new\\nline\\x1b[2J.txt", lambda p: open(p, "w").write("x")),
            ("-rf.txt", lambda p: open(p, "w").write("x")),
            ("plain.txt", lambda p: open(p, "w").write("x")),
        ):
            try:
                make(os.path.join(place, name))
                made.append(name)
            except OSError as error:
                stopped.append(str(error)[:80])
        for number in range(60):
            try:
                with open(os.path.join(place, "many%d.txt" % number), "w") as file:
                    file.write("x")
            except OSError:
                break
    return report(made=len(made))
"""
    with secret_file(stage.token) as path:
        attack = await stage.attack(code, token=stage.token, path=str(path))
    outcome = attack.outcome
    if attack.inconclusive:
        return escaped(attack.inconclusive)
    for artifact in outcome.artifacts:
        if stage.token.encode() in artifact.content:
            return escaped(f"artifact {artifact.name!r} holds a file of the host")
        if not artifact.name.isprintable() or "/" in artifact.name or "\\" in artifact.name:
            return escaped(f"artifact has the name {artifact.name!r}")
        if artifact.name.startswith((".", "-")):
            return escaped(f"artifact has the name {artifact.name!r}")
    size = sum(len(artifact.content) for artifact in outcome.artifacts)
    if len(outcome.artifacts) > SMALL.artifact_count or size > SMALL.artifact_bytes:
        return escaped(f"{len(outcome.artifacts)} artifacts of {size} bytes")
    return contained(
        f"{len(outcome.artifacts)} plain files came out; {attack.ended_by}".strip("; ")
    )


PROBES = (
    huge_value,
    deep_value,
    endless_value,
    same_hash,
    many_values,
    not_a_number,
    not_data,
    hostile_methods,
    huge_error,
    hostile_names,
    hostile_artifacts,
)
