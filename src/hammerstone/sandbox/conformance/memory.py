"""Attacks on what is scarce: memory, temporary space, time and the host's patience for output."""

from dataclasses import replace

from hammerstone.core.calls import Failure
from hammerstone.sandbox.conformance.canaries import leftover_processes
from hammerstone.sandbox.conformance.probe import (
    SMALL,
    Attack,
    ProbeFinding,
    ProbeKind,
    ProbeStage,
    contained,
    describe,
    escaped,
    own_memory_bytes,
    probe,
)

_SLACK = 1.1  # a kernel counts in pages and batches


def _at_most(attack: Attack, limit: int, what: str) -> ProbeFinding:
    if attack.inconclusive:
        return escaped(attack.inconclusive)
    amount = int(attack.facts.get("amount", 0))
    if amount > limit * _SLACK:
        return escaped(f"{amount} {what} where {limit} are allowed")
    stop = "; ".join(attack.stopped) or attack.ended_by
    return contained(f"{amount} {what} of {limit}; {stop}") if stop else escaped("tried nothing")


_FILL = """
def attack(most, how):
    import mmap
    amount, step, hold = 0, 1 << 20, []
    block = b"x" * step
    def allocate():
        hold.append(bytearray(block))
    def memfd():
        if not hold:
            hold.append(syscall("memfd_create", b"fill", 0))
        os.write(hold[0], block)
    def shm_file():
        if not hold:
            hold.append(os.open("/dev/shm/fill", os.O_CREAT | os.O_RDWR, 0o600))
        os.write(hold[0], block)
    def shared_map():
        area = mmap.mmap(-1, step)
        area.write(block)
        hold.append(area)
    def sysv():
        key = syscall("shmget", 0, step, 0o1600)
        libc.shmat.restype = ctypes.c_void_p
        address = libc.shmat(key, None, 0)
        syscall("shmctl", key, 0, 0)
        if address in (None, 2 ** 64 - 1):
            raise OSError(ctypes.get_errno(), "shmat")
        ctypes.memset(address, 120, step)
        hold.append(key)
    ways = (allocate, memfd, shm_file, shared_map, sysv)
    one = {way.__name__: way for way in ways}[how]
    try:
        while amount < most:
            one()
            amount += step
    except (OSError, MemoryError, ValueError) as error:
        for item in hold:
            if isinstance(item, int) and how in ("memfd", "shm_file"):
                os.close(item)
        hold.clear()
        stopped.append(f"{type(error).__name__} {error}")
    if how == "shm_file" and os.path.exists("/dev/shm/fill"):
        os.unlink("/dev/shm/fill")
    return report(amount=amount)
"""


async def _fill(stage: ProbeStage, how: str) -> ProbeFinding:
    attack = await stage.attack(_FILL, most=SMALL.memory_bytes * 2, how=how)
    return _at_most(attack, SMALL.memory_bytes, "bytes")


@probe("allocate more memory than allowed")
async def allocation(stage: ProbeStage) -> ProbeFinding:
    return await _fill(stage, "allocate")


@probe("keep data in anonymous files of the kernel")
async def memfd(stage: ProbeStage) -> ProbeFinding:
    return await _fill(stage, "memfd")


@probe("fill /dev/shm")
async def shm_file(stage: ProbeStage) -> ProbeFinding:
    return await _fill(stage, "shm_file")


@probe("fill shared anonymous mappings")
async def shared_mapping(stage: ProbeStage) -> ProbeFinding:
    return await _fill(stage, "shared_map")


@probe("fill System V shared memory")
async def sysv_segments(stage: ProbeStage) -> ProbeFinding:
    return await _fill(stage, "sysv")


@probe("spread the memory over many processes, each within the limit")
async def memory_by_forks(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(token, each, count):
    import time
    reader, writer = os.pipe()
    started = 0
    for _ in range(count):
        try:
            pid = os.fork()
        except OSError as error:
            stopped.append(f"fork: {error}")
            break
        if pid == 0:
            libc.prctl(15, token[:15].encode(), 0, 0, 0)
            os.close(reader)
            hold = bytearray(b"x") * each
            os.write(writer, b"1")
            time.sleep(1.0)
            os.write(writer, b"2")
            os._exit(0)
        started += 1
    os.close(writer)
    held = 0
    while chunk := os.read(reader, 64):
        held += chunk.count(b"2")
    if held < count:
        stopped.append(f"{held} of {count} kept their share")
    return report(amount=held * each)
"""
    each = SMALL.memory_bytes * 3 // 8
    attack = await stage.attack(code, token=stage.token, each=each, count=6)
    await leftover_processes(stage.token)
    return _at_most(attack, SMALL.memory_bytes, "bytes in all processes")


_FILES = """
def attack(most, size, step, hide=False):
    import time
    amount, number, fd, held = 0, 0, None, []
    block = b"x" * step
    try:
        while amount < most:
            if fd is None or (size and os.lseek(fd, 0, 1) + step > size):
                if fd is not None:
                    os.close(fd)
                fd = os.open(temporary("f%d" % number), os.O_CREAT | os.O_WRONLY)
                number += 1
                if hide:
                    held.append(os.dup(fd))
                    os.unlink(temporary("f%d" % (number - 1)))
            if step:
                amount += os.write(fd, block)
            else:
                os.close(fd)
                fd, amount = None, amount + 1
    except OSError as error:
        stopped.append(str(error))
    time.sleep(0.15)  # a watcher may take a moment; what matters is that it cannot stay
    for index in range(number):
        try:
            os.unlink(temporary("f%d" % index))
        except OSError:
            pass
    return report(amount=amount)
"""


@probe("fill the temporary folder with many files", kind=ProbeKind.QUOTA)
async def tmp_bytes(stage: ProbeStage) -> ProbeFinding:
    size = SMALL.file_bytes // 2
    attack = await stage.attack(_FILES, most=SMALL.tmp_bytes * 3, size=size, step=256 << 10)
    return _at_most(attack, SMALL.tmp_bytes, "bytes in the temporary folder")


@probe("fill the temporary folder with files that are open and have no name", kind=ProbeKind.QUOTA)
async def tmp_hidden(stage: ProbeStage) -> ProbeFinding:
    attack = await stage.attack(
        _FILES, most=SMALL.tmp_bytes * 3, size=SMALL.file_bytes // 2, step=256 << 10, hide=True
    )
    return _at_most(attack, SMALL.tmp_bytes, "bytes in files without a name")


@probe("keep files that are neither named nor open, by mapping a page", kind=ProbeKind.QUOTA)
async def tmp_mapped(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(most, size, step):
    import time
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    amount, number, block = 0, 0, b"x" * step
    try:
        while amount < most:
            path = temporary("m%d" % number)
            number += 1
            fd = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
            written = 0
            while written < size:
                written += os.write(fd, block)
            address = libc.mmap(None, 4096, 1, 1, fd, 0)
            if address in (None, 2 ** 64 - 1):
                raise OSError(ctypes.get_errno(), "mmap")
            os.unlink(path)
            os.close(fd)
            amount += written
    except OSError as error:
        stopped.append(str(error))
    time.sleep(0.15)  # a watcher may take a moment; what matters is that it cannot stay
    return report(amount=amount)
"""
    size = SMALL.file_bytes // 2
    attack = await stage.attack(code, most=SMALL.tmp_bytes * 3, size=size, step=256 << 10)
    return _at_most(attack, SMALL.tmp_bytes, "bytes in files that are only mapped")


@probe("make more files than allowed, all empty", kind=ProbeKind.QUOTA)
async def tmp_inodes(stage: ProbeStage) -> ProbeFinding:
    attack = await stage.attack(_FILES, most=SMALL.tmp_inodes * 4, size=0, step=0)
    return _at_most(attack, SMALL.tmp_inodes, "files")


@probe("write one file that is larger than allowed")
async def file_size(stage: ProbeStage) -> ProbeFinding:
    limits = replace(SMALL, tmp_bytes=SMALL.file_bytes * 8, memory_bytes=SMALL.memory_bytes * 2)
    attack = await stage.attack(
        _FILES, limits=limits, most=SMALL.file_bytes * 2, size=1 << 40, step=1 << 20
    )
    return _at_most(attack, SMALL.file_bytes, "bytes in one file")


@probe("compute forever with every signal ignored")
async def endless_loop(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack():
    import signal
    for number in range(1, 32):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    return sum(range(10 ** 12))
"""
    return await _past_the_wall(stage, code)


@probe("sleep past the time limit")
async def sleep(stage: ProbeStage) -> ProbeFinding:
    return await _past_the_wall(stage, "def attack():\n    import time\n    time.sleep(4)\n")


@probe("keep the interpreter busy inside C code that never gives way")
async def hang_in_c(stage: ProbeStage) -> ProbeFinding:
    code = "def attack():\n    import re\n    return re.match('(a+)+$', 'a' * 60 + 'b') is None\n"
    return await _past_the_wall(stage, code)


async def _past_the_wall(stage: ProbeStage, code: str) -> ProbeFinding:
    limits = replace(SMALL, wall_s=0.4)
    attack = await stage.attack(code, limits=limits)
    if attack.outcome.failure is not Failure.TIMEOUT:
        return escaped(f"not ended as a timeout: {describe(attack.outcome)}")
    if attack.wall_s > limits.wall_s + 1.5:
        return escaped(f"ended only after {attack.wall_s:.1f} s of {limits.wall_s}")
    return contained(f"ended after {attack.wall_s:.2f} s of {limits.wall_s}")


@probe("use a whole core where a part of one is allowed", kind=ProbeKind.QUOTA)
async def cpu_share(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(seconds):
    import time
    began, used = time.monotonic(), time.process_time()
    while time.monotonic() - began < seconds:
        pass
    return report(share=(time.process_time() - used) / (time.monotonic() - began))
"""
    limits = replace(
        SMALL, cpu_share=0.15, wall_s=15.0
    )  # little, so that it shows on a busy machine
    attack = await stage.attack(code, limits=limits, seconds=1.0)
    if not attack.told:
        return escaped(f"inconclusive, {attack.ended_by}")
    share = float(attack.facts["share"])
    verdict = escaped if share > limits.cpu_share + 0.1 else contained
    return verdict(f"used {share:.2f} of a core where {limits.cpu_share} is allowed")


@probe("print a gigabyte")
async def flood_stdout(stage: ProbeStage) -> ProbeFinding:
    return await _flood(stage, 1)


@probe("write a gigabyte of error messages")
async def flood_stderr(stage: ProbeStage) -> ProbeFinding:
    return await _flood(stage, 2)


async def _flood(stage: ProbeStage, descriptor: int) -> ProbeFinding:
    code = """
def attack(descriptor):
    block = b"x" * (1 << 20)
    for _ in range(1024):
        os.write(descriptor, block)
    return "printed all"
"""
    before = own_memory_bytes()
    attack = await stage.attack(code, descriptor=descriptor)
    grown = own_memory_bytes() - before
    outcome = attack.outcome
    if outcome.failure in (Failure.LOAD, Failure.LOST):
        return escaped(attack.inconclusive)
    if grown > 64 << 20:
        return escaped(f"the host grew by {grown >> 20} MB")
    kept = max(len(outcome.stdout), len(outcome.stderr))
    if kept > SMALL.output_bytes:
        return escaped(f"{kept} characters were kept where {SMALL.output_bytes} are allowed")
    if outcome.failure is None:
        return escaped("the flood was not noticed")
    return contained(f"{describe(outcome)}; {kept} characters kept")


PROBES = (
    allocation,
    memfd,
    shm_file,
    shared_mapping,
    sysv_segments,
    memory_by_forks,
    tmp_bytes,
    tmp_hidden,
    tmp_mapped,
    tmp_inodes,
    file_size,
    endless_loop,
    sleep,
    hang_in_c,
    cpu_share,
    flood_stdout,
    flood_stderr,
)
