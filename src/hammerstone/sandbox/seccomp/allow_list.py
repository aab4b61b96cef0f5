"""Which system calls generated Python needs, by purpose; everything else is refused.

Left out on purpose, though common allow-lists have them: namespaces and mounts, ptrace and
reading another process's memory, keyrings, io_uring, bpf, perf, userfaultfd, System V and POSIX
message queues and shared memory (outside the /tmp quota), memfd (likewise), inotify and fanotify
(limits shared by all sandboxes of a uid), changing ids, capabilities, priorities and affinity,
locking memory, device nodes, whole-machine sync, pidfd tricks, and stacking more filters.
"""

FILES = """
access chdir chmod close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2
fadvise64 fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat chown lchown fcntl fdatasync
fgetxattr flistxattr flock fstat fstatfs fsync ftruncate futimesat getcwd getdents getdents64
getxattr lgetxattr link linkat listxattr llistxattr lseek lstat mkdir mkdirat newfstatat open
openat openat2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink readlinkat
readv rename renameat renameat2 rmdir sendfile splice stat statfs statx symlink symlinkat
sync_file_range tee truncate umask unlink unlinkat utime utimensat utimes write writev
"""

MEMORY = """
brk get_mempolicy madvise mincore mmap mprotect mremap msync munmap
"""

PROCESSES = """
arch_prctl capget execve exit exit_group fork getcpu getegid geteuid getgid getgroups getpgid
getpgrp getpid getppid getpriority getresgid getresuid getrlimit getrusage getsid gettid getuid
kill prctl restart_syscall rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo
rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sched_get_priority_max
sched_get_priority_min sched_getaffinity sched_getparam sched_getscheduler sched_yield
set_robust_list get_robust_list set_tid_address setpgid setrlimit setsid sigaltstack sysinfo tgkill
tkill times uname vfork wait4 waitid membarrier futex futex_waitv
"""

TIME = """
alarm clock_getres clock_gettime clock_nanosleep getitimer gettimeofday nanosleep pause setitimer
time timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create
timerfd_gettime timerfd_settime
"""

WAITING = """
epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 getrandom
pipe pipe2 poll ppoll pselect6 select signalfd signalfd4
"""

# Of a socket that exists already; which kinds may be made is a condition of the filters.
SOCKETS = """
accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg
sendmmsg sendmsg sendto setsockopt shutdown
"""

ALLOWED = frozenset(" ".join((FILES, MEMORY, PROCESSES, TIME, WAITING, SOCKETS)).split())

# The C library takes an older way when it hears that these do not exist.
PRETEND_MISSING = frozenset({"clone3", "memfd_create", "io_uring_setup", "pidfd_open"})

AF_UNIX = 1
NEW_NAMESPACES = 0x7E020000  # every CLONE_NEW* flag that clone takes
# Exact numbers, never "all but": a 64-bit number whose upper half is set slips past the latter.
IOCTLS = {
    "TCGETS": 0x5401,
    "FIONREAD": 0x541B,
    "FIONBIO": 0x5421,
    "FIONCLEX": 0x5450,
    "FIOCLEX": 0x5451,
    "TIOCGWINSZ": 0x5413,
}
PERSONALITY_QUERY = 0xFFFFFFFF
