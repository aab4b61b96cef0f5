"""The shipped filters are what the list compiles to, and the list holds nothing dangerous."""

import struct
from pathlib import Path

import pytest
from scripts.system_call_filters import MACHINES, PROFILES, compile_filter

from hammerstone.sandbox import seccomp
from hammerstone.sandbox.seccomp.allow_list import ALLOWED

_NEVER = """
ptrace process_vm_readv process_vm_writev keyctl add_key request_key io_uring_enter
io_uring_register unshare setns mount umount2 pivot_root chroot move_mount open_tree fsopen
fsmount userfaultfd bpf perf_event_open kcmp name_to_handle_at open_by_handle_at shmget shmat
semget msgget mq_open setuid setgid setresuid setresgid setgroups capset sched_setscheduler
mlock mlockall pidfd_getfd pidfd_send_signal fanotify_init inotify_init1 vmsplice init_module
finit_module kexec_load reboot swapon sethostname settimeofday clock_settime acct quotactl
mknod mknodat sync seccomp landlock_create_ruleset memfd_secret personality socket ioctl clone
prlimit64 setxattr
"""


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("machine", MACHINES)
def test_shipped_filter_is_the_compiled_list(profile, machine):
    shipped = Path(seccomp.__file__).parent / f"{profile}-{machine}.bpf"
    assert shipped.read_bytes() == compile_filter(profile, machine)


@pytest.mark.parametrize("machine", MACHINES)
def test_default_is_to_refuse(machine):
    program = compile_filter("guest", machine)
    returned = {
        constant
        for code, _, _, constant in struct.iter_unpack("<HBBI", program)
        if code == 0x06  # return
    }
    allow, refuse, missing = 0x7FFF0000, 0x00050000 | 1, 0x00050000 | 38
    assert {allow, refuse, missing} <= returned
    assert returned - {allow, refuse, missing} == {0}  # a foreign architecture is killed


@pytest.mark.parametrize("name", _NEVER.split())
def test_not_allowed_without_a_condition(name):
    assert name not in ALLOWED


def test_unknown_processor_is_refused(monkeypatch):
    from hammerstone.core.errors import SandboxRefused

    with pytest.raises(SandboxRefused):
        seccomp.filter_path("no-such-profile")
