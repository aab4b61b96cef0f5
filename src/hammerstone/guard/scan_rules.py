"""What generated code has no business doing, as data: a policy may replace it."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ScanRules:
    """`modules` and `functions` map a rule's name to what it forbids."""

    modules: Mapping[str, frozenset[str]]
    functions: Mapping[str, frozenset[str]]
    builtins: frozenset[str]
    escapes: frozenset[str]
    writers: frozenset[str]
    writes_at: Mapping[str, tuple[int, ...]]  # which arguments of a writer say where
    writing_methods: frozenset[str]
    maybe_writing: frozenset[str]  # methods and functions that write unless given a buffer
    max_chars: int = 200_000


def _of(module: str, names: str) -> frozenset[str]:
    return frozenset(f"{module}.{name}" for name in names.split())


DEFAULT_RULES = ScanRules(
    modules={
        "process": frozenset(
            {"subprocess", "multiprocessing", "pty", "signal", "concurrent.futures.process"}
        ),
        "network": frozenset(
            {
                "socket", "socketserver", "ssl", "http.client", "http.server",
                "urllib.request", "urllib3", "requests",
                "httpx", "aiohttp", "websockets", "websocket", "ftplib", "smtplib", "poplib",
                "imaplib", "telnetlib", "nntplib", "xmlrpc", "paramiko", "grpc",
            }
        ),
        "native": frozenset({"ctypes", "cffi", "_ctypes", "mmap", "resource", "fcntl"}),
        "dynamic": frozenset(
            {"importlib", "imp", "runpy", "code", "codeop", "builtins", "marshal", "pickle",
             "shelve", "dill", "cloudpickle", "joblib", "gc", "sysconfig", "site"}
        ),
    },
    functions={
        "process": _of(
            "os",
            "system popen execl execle execlp execv execve execvp execvpe spawnl spawnle spawnlp "
            "spawnv spawnve spawnvp fork forkpty kill killpg posix_spawn posix_spawnp abort _exit "
            "setuid setgid",
        )
        | {"asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell"},
        "network": frozenset({"asyncio.open_connection", "asyncio.start_server"}),
        "environment": frozenset({"os.environ", "os.getenv", "os.putenv"}),
        "escape": _of("sys", "modules _getframe settrace setprofile meta_path path_hooks"),
        "dynamic": frozenset({"numpy.load", "pandas.read_pickle", "pandas.eval"}),
    },
    builtins=frozenset({"eval", "exec", "compile", "__import__", "breakpoint", "input"}),
    escapes=frozenset(
        {
            "__subclasses__", "__bases__", "__base__", "__mro__", "__globals__", "__builtins__",
            "__code__", "__closure__", "__import__", "__loader__", "__spec__", "__reduce__",
            "__reduce_ex__", "__getattribute__", "f_globals", "f_locals", "f_back", "f_builtins",
            "gi_frame", "cr_frame", "ag_frame", "tb_frame",
        }
    ),
    writers=_of(
        "os",
        "remove unlink rmdir removedirs rename renames replace mkdir makedirs link symlink chmod "
        "chown truncate mkfifo mknod open write",
    )
    | _of("shutil", "rmtree copy copy2 copyfile copytree move make_archive unpack_archive chown"),
    writes_at={
        **dict.fromkeys(_of("os", "mkdir makedirs remove unlink rmdir removedirs"), (0,)),
        **dict.fromkeys(_of("os", "rename renames replace"), (0, 1)),
        **dict.fromkeys(_of("shutil", "copy copy2 copyfile copytree"), (1,)),
        "shutil.move": (0, 1),
        "shutil.rmtree": (0,),
    },
    writing_methods=frozenset(
        {"write_text", "write_bytes", "unlink", "rmdir", "touch", "symlink_to", "hardlink_to",
         "extractall"}
    ),
    maybe_writing=frozenset(
        {"savefig", "to_csv", "to_excel", "to_parquet", "NamedTemporaryFile", "TemporaryFile",
         "TemporaryDirectory", "mkstemp", "mkdtemp"}
    ),
)  # fmt: skip
