"""Calls of the Linux kernel that Python has no names for, and the system calls that an untrusted program may make."""

from __future__ import annotations

import ctypes
import os
import struct
import sys

TYPE_CHECKING = False  # the module typing takes longer to load than all of ours
if TYPE_CHECKING:
    from collections.abc import Iterable


PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
_CAPABILITY_VERSION_3 = 0x20080522
_LAST_CAPABILITY = 63

MACHINE = os.uname().machine
"""``x86_64`` and ``aarch64`` have the numbers of calls below."""
IS_LINUX = sys.platform == "linux"
_LIBC = ctypes.CDLL(None, use_errno=True) if IS_LINUX else None


def syscall(number: int, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """The result of a system call; raises OSError."""
    if _LIBC is None:
        raise OSError(38, "not Linux")
    words = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    result = int(_LIBC.syscall(ctypes.c_long(number), *words))
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def prctl(option: int, argument: int = 0, second: int = 0) -> None:
    """Raises OSError."""
    if _LIBC is None or _LIBC.prctl(option, ctypes.c_ulong(argument), ctypes.c_ulong(second), 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def mount(source: str | None, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """Raises OSError that names the target."""
    words = [None if each is None else os.fsencode(each) for each in (source, target, kind)]
    if _LIBC is None or _LIBC.mount(*words, ctypes.c_ulong(flags), options.encode() or None) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), target)


def unmount(target: str, flags: int) -> None:
    """Raises OSError."""
    if _LIBC is None or _LIBC.umount2(os.fsencode(target), flags) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), target)


def drop_capabilities(numbers: dict[str, int]) -> None:
    """Give up every privilege of root, for good; raises OSError."""
    for capability in range(_LAST_CAPABILITY + 1):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:  # past the kernel's last one, or none to drop
            break
    header = _CAPABILITY_VERSION_3.to_bytes(4, sys.byteorder) + bytes(4)
    syscall(numbers["capset"], header, bytes(24))
    prctl(PR_SET_NO_NEW_PRIVS, 1)


# Which system calls an untrusted program may make, and their numbers


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ALWAYS = _words("""
    read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek close close_range dup dup2 dup3
    pipe pipe2 open openat creat stat fstat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat
    getdents getdents64 getcwd chdir fchdir mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link
    linkat symlink symlinkat truncate ftruncate fallocate fsync fdatasync fadvise64 copy_file_range sendfile flock
    statfs fstatfs umask getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr mmap mprotect munmap mremap
    madvise brk msync mincore rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend
    sigaltstack restart_syscall pause select pselect6 poll ppoll epoll_create epoll_create1 epoll_ctl epoll_wait
    epoll_pwait eventfd eventfd2 timerfd_create timerfd_settime timerfd_gettime timer_create timer_settime
    timer_gettime timer_getoverrun timer_delete alarm getitimer setitimer nanosleep clock_nanosleep clock_gettime
    clock_getres gettimeofday time times sched_yield sched_getaffinity sched_getparam sched_getscheduler
    sched_get_priority_max sched_get_priority_min getpriority getcpu getpid gettid getppid getpgrp getpgid getsid
    getuid geteuid getgid getegid getresuid getresgid getgroups uname sysinfo getrlimit setrlimit getrusage
    getrandom capget futex set_robust_list get_robust_list set_tid_address rseq membarrier arch_prctl exit
    exit_group wait4 waitid sendto recvfrom sendmsg recvmsg shutdown getsockname getpeername getsockopt setsockopt
""")
"""Whatever their arguments: they touch the process itself, its open files, and files by name (where Landlock or a view
of its own decides which). ``sendto`` and the like serve the pairs of sockets that asyncio makes."""

OF_OWN_FILES = _words("chmod fchmod fchmodat fchmodat2 utime utimes utimensat futimesat")
"""Landlock does not guard permissions and times: only for who sees no files but its own to change."""

OF_OWN_NETWORK = _words("bind listen accept accept4 connect")
"""With ``socket``, where there is no network but a loopback of its own: for commands whose tests talk to a server of
theirs."""

UNKNOWN = _words("clone3 pidfd_open openat2 epoll_pwait2")
"""Answered as by a kernel without them, so that libraries take the older way, whose arguments can be read."""

# fmt: off
_X86_64 = {
    "socket": 41, "bind": 49, "listen": 50, "accept": 43, "accept4": 288, "connect": 42,
    "read": 0, "write": 1, "readv": 19, "writev": 20, "pread64": 17, "pwrite64": 18, "preadv": 295, "pwritev": 296,
    "preadv2": 327, "pwritev2": 328, "lseek": 8, "close": 3, "close_range": 436, "dup": 32, "dup2": 33, "dup3": 292,
    "pipe": 22, "pipe2": 293, "open": 2, "openat": 257, "creat": 85, "stat": 4, "fstat": 5, "lstat": 6,
    "newfstatat": 262, "statx": 332, "access": 21, "faccessat": 269, "faccessat2": 439, "readlink": 89,
    "readlinkat": 267, "getdents": 78, "getdents64": 217, "getcwd": 79, "chdir": 80, "fchdir": 81, "mkdir": 83,
    "mkdirat": 258, "rmdir": 84, "unlink": 87, "unlinkat": 263, "rename": 82, "renameat": 264, "renameat2": 316,
    "link": 86, "linkat": 265, "symlink": 88, "symlinkat": 266, "truncate": 76, "ftruncate": 77, "fallocate": 285,
    "fsync": 74, "fdatasync": 75, "fadvise64": 221, "copy_file_range": 326, "sendfile": 40, "flock": 73, "statfs":
    137, "fstatfs": 138, "umask": 95, "getxattr": 191, "lgetxattr": 192, "fgetxattr": 193, "listxattr": 194,
    "llistxattr": 195, "flistxattr": 196, "mmap": 9, "mprotect": 10, "munmap": 11, "mremap": 25, "madvise": 28,
    "brk": 12, "msync": 26, "mincore": 27, "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15,
    "rt_sigpending": 127, "rt_sigtimedwait": 128, "rt_sigsuspend": 130, "sigaltstack": 131, "restart_syscall": 219,
    "pause": 34, "select": 23, "pselect6": 270, "poll": 7, "ppoll": 271, "epoll_create": 213, "epoll_create1": 291,
    "epoll_ctl": 233, "epoll_wait": 232, "epoll_pwait": 281, "eventfd": 284, "eventfd2": 290, "timerfd_create": 283,
    "timerfd_settime": 286, "timerfd_gettime": 287, "timer_create": 222, "timer_settime": 223, "timer_gettime": 224,
    "timer_getoverrun": 225, "timer_delete": 226, "alarm": 37, "getitimer": 36, "setitimer": 38, "nanosleep": 35,
    "clock_nanosleep": 230, "clock_gettime": 228, "clock_getres": 229, "gettimeofday": 96, "time": 201, "times":
    100, "sched_yield": 24, "sched_getaffinity": 204, "sched_getparam": 143, "sched_getscheduler": 145,
    "sched_get_priority_max": 146, "sched_get_priority_min": 147, "getpriority": 140, "getcpu": 309, "getpid": 39,
    "gettid": 186, "getppid": 110, "getpgrp": 111, "getpgid": 121, "getsid": 124, "setsid": 112, "getuid": 102,
    "geteuid": 107, "getgid": 104, "getegid": 108, "getresuid": 118, "getresgid": 120, "getgroups": 115, "uname":
    63, "sysinfo": 99, "getrlimit": 97, "setrlimit": 160, "getrusage": 98, "getrandom": 318, "capget": 125, "futex":
    202, "set_robust_list": 273, "get_robust_list": 274, "set_tid_address": 218, "rseq": 334, "membarrier": 324,
    "arch_prctl": 158, "exit": 60, "exit_group": 231, "wait4": 61, "waitid": 247, "sendto": 44, "recvfrom": 45,
    "sendmsg": 46, "recvmsg": 47, "shutdown": 48, "getsockname": 51, "getpeername": 52, "getsockopt": 55,
    "setsockopt": 54, "clone": 56, "clone3": 435, "fork": 57, "vfork": 58, "execve": 59, "execveat": 322, "setpgid":
    109, "kill": 62, "tkill": 200, "tgkill": 234, "rt_sigqueueinfo": 129, "ioctl": 16, "fcntl": 72, "prctl": 157,
    "prlimit64": 302, "socketpair": 53, "chmod": 90, "fchmod": 91, "fchmodat": 268, "fchmodat2": 452, "utime": 132,
    "utimes": 235, "utimensat": 280, "futimesat": 261, "pidfd_open": 434, "openat2": 437, "epoll_pwait2": 441,
    "seccomp": 317, "landlock_create_ruleset": 444, "landlock_add_rule": 445, "landlock_restrict_self": 446,
    "mount_setattr": 442, "pivot_root": 155, "capset": 126,
}
_AARCH64 = {
    "socket": 198, "bind": 200, "listen": 201, "accept": 202, "accept4": 242, "connect": 203,
    "read": 63, "write": 64, "readv": 65, "writev": 66, "pread64": 67, "pwrite64": 68, "preadv": 69, "pwritev": 70,
    "preadv2": 286, "pwritev2": 287, "lseek": 62, "close": 57, "close_range": 436, "dup": 23, "dup3": 24, "pipe2":
    59, "openat": 56, "fstat": 80, "newfstatat": 79, "statx": 291, "faccessat": 48, "faccessat2": 439, "readlinkat":
    78, "getdents64": 61, "getcwd": 17, "chdir": 49, "fchdir": 50, "mkdirat": 34, "unlinkat": 35, "renameat": 38,
    "renameat2": 276, "linkat": 37, "symlinkat": 36, "truncate": 45, "ftruncate": 46, "fallocate": 47, "fsync": 82,
    "fdatasync": 83, "fadvise64": 223, "copy_file_range": 285, "sendfile": 71, "flock": 32, "statfs": 43, "fstatfs":
    44, "umask": 166, "getxattr": 8, "lgetxattr": 9, "fgetxattr": 10, "listxattr": 11, "llistxattr": 12,
    "flistxattr": 13, "mmap": 222, "mprotect": 226, "munmap": 215, "mremap": 216, "madvise": 233, "brk": 214,
    "msync": 227, "mincore": 232, "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139, "rt_sigpending":
    136, "rt_sigtimedwait": 137, "rt_sigsuspend": 133, "sigaltstack": 132, "restart_syscall": 128, "pselect6": 72,
    "ppoll": 73, "epoll_create1": 20, "epoll_ctl": 21, "epoll_pwait": 22, "eventfd2": 19, "timerfd_create": 85,
    "timerfd_settime": 86, "timerfd_gettime": 87, "timer_create": 107, "timer_settime": 110, "timer_gettime": 108,
    "timer_getoverrun": 109, "timer_delete": 111, "getitimer": 102, "setitimer": 103, "nanosleep": 101,
    "clock_nanosleep": 115, "clock_gettime": 113, "clock_getres": 114, "gettimeofday": 169, "times": 153,
    "sched_yield": 124, "sched_getaffinity": 123, "sched_getparam": 121, "sched_getscheduler": 120,
    "sched_get_priority_max": 125, "sched_get_priority_min": 126, "getpriority": 141, "getcpu": 168, "getpid": 172,
    "gettid": 178, "getppid": 173, "getpgid": 155, "getsid": 156, "setsid": 157, "getuid": 174, "geteuid": 175,
    "getgid": 176, "getegid": 177, "getresuid": 148, "getresgid": 150, "getgroups": 158, "uname": 160, "sysinfo":
    179, "getrlimit": 163, "setrlimit": 164, "getrusage": 165, "getrandom": 278, "capget": 90, "futex": 98,
    "set_robust_list": 99, "get_robust_list": 100, "set_tid_address": 96, "rseq": 293, "membarrier": 283, "exit":
    93, "exit_group": 94, "wait4": 260, "waitid": 95, "sendto": 206, "recvfrom": 207, "sendmsg": 211, "recvmsg":
    212, "shutdown": 210, "getsockname": 204, "getpeername": 205, "getsockopt": 209, "setsockopt": 208, "clone":
    220, "clone3": 435, "execve": 221, "execveat": 281, "setpgid": 154, "kill": 129, "tkill": 130, "tgkill": 131,
    "rt_sigqueueinfo": 138, "ioctl": 29, "fcntl": 25, "prctl": 167, "prlimit64": 261, "socketpair": 199, "fchmod":
    52, "fchmodat": 53, "fchmodat2": 452, "utimensat": 88, "pidfd_open": 434, "openat2": 437, "epoll_pwait2": 441,
    "seccomp": 277, "landlock_create_ruleset": 444, "landlock_add_rule": 445, "landlock_restrict_self": 446,
    "mount_setattr": 442, "pivot_root": 41, "capset": 91,
}
# fmt: on

NUMBERS: dict[str, dict[str, int]] = {"x86_64": _X86_64, "aarch64": _AARCH64}
"""Machine -> name of a call -> number; a machine without a call lacks the name."""
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""What the kernel calls the machine whose numbers a call is made by."""


# Rules of files by Landlock


_VERSION = 1
_PATH_BENEATH = 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_MAKE_DEVICES = (1 << 6) | (1 << 11)
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_RIGHTS_BY_VERSION = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # how many rights of files there are; later ones: 16
_BIND_AND_CONNECT = 3
_ABSTRACT_SOCKETS_AND_SIGNALS = 3
_SIGNALS_SINCE = 6


def version(machine: str) -> int:
    """The version of Landlock that this kernel has; 0: none, or switched off."""
    try:
        return syscall(NUMBERS[machine]["landlock_create_ruleset"], None, 0, _VERSION)
    except (OSError, KeyError):
        return 0


def guards_signals(machine: str) -> bool:
    """Whether it keeps signals from processes outside."""
    return version(machine) >= _SIGNALS_SINCE


def restrict(
    machine: str,
    *,
    read: Iterable[str],
    listed: Iterable[str],
    write: Iterable[str],
    devices: Iterable[str],
    execute: bool,
    network: bool,
) -> None:
    """Bind this process and its children to these files, for good; raises OSError. Needs no-new-privileges.

    Args:
        machine: as ``uname -m`` says.
        read: folders and files to read; one that does not exist is passed over.
        listed: folders whose names may be seen, not what is in the files.
        write: folders to do anything in, but make devices.
        devices: to read and write.
        execute: whether what may be read may be run.
        network: whether TCP is left alone.
    """
    known = version(machine)
    if not known:
        raise OSError(38, "no Landlock")
    numbers = NUMBERS[machine]
    every = (1 << _RIGHTS_BY_VERSION.get(known, 16)) - 1
    attributes = struct.pack("=Q", every)
    if known >= 4:
        attributes += struct.pack("=Q", 0 if network else _BIND_AND_CONNECT)
    if known >= _SIGNALS_SINCE:
        attributes += struct.pack("=Q", _ABSTRACT_SOCKETS_AND_SIGNALS)
    rules = syscall(numbers["landlock_create_ruleset"], attributes, len(attributes), 0)
    reading = _READ_FILE | _READ_DIR | (_EXECUTE if execute else 0)
    writing = every & ~_MAKE_DEVICES & ~(0 if execute else _EXECUTE)
    for paths, rights in (
        (read, reading),
        (listed, _READ_DIR),
        (write, writing),
        (devices, _READ_FILE | _WRITE_FILE),
    ):
        for path in paths:
            _allow(numbers, rules, path, rights & every)
    syscall(numbers["landlock_restrict_self"], rules, 0)
    os.close(rules)


def _allow(numbers: dict[str, int], rules: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not os.path.isdir(path):
            rights &= _FILE_RIGHTS
        if rights:
            rule = struct.pack("=Qi", rights, place)
            syscall(numbers["landlock_add_rule"], rules, _PATH_BENEATH, rule, 0)
    finally:
        os.close(place)
