"""A filter of system calls as a program of the classic packet filter: what is not allowed is refused with EPERM.

References: Linux, Documentation/userspace-api/seccomp_filter.rst; McCanne and Jacobson, The BSD Packet Filter, 1993.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from goedels_poetry.sandbox.child.libc import syscall
from goedels_poetry.sandbox.child.syscalls import ALWAYS, AUDIT, NUMBERS, OF_OWN_FILES, OF_OWN_NETWORK, UNKNOWN

TYPE_CHECKING = False  # the module typing takes longer to load than all of ours
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ALLOW, KILL = 0x7FFF0000, 0x80000000
_ERRNO = 0x00050000
_DENY, _NO_SUCH_CALL = _ERRNO | errno.EPERM, _ERRNO | errno.ENOSYS
_LOAD, _RETURN, _EQUAL, _AT_LEAST, _ANY_BIT = 0x20, 0x06, 0x15, 0x35, 0x45  # BPF_LD|W|ABS, BPF_RET|K, BPF_JMP|J..|K
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_X32 = 0x40000000  # the bit of the third table of calls on x86_64, which nothing here uses
_SET_MODE_FILTER, _ALL_THREADS = 1, 1
_CLONE_THREAD = 0x00010000
_NEW_NAMESPACES = 0x7E020000
_SOCK_STREAM, _AF_UNIX, _TYPE = 1, 1, 0xF
_OWN_FAMILIES = (_AF_UNIX, 2, 10)
_FCNTL = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032)  # duplicate, flags, locks, size; not who is signalled
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # is it a terminal, its size, bytes to read, blocking, close
_PRCTL = (1, 3, 15, 16, 23, 0x53564D41)  # signal at the parent's death, dumpable?, name, capability?, name of memory
Instruction = tuple[int, int, int, int]
"""Code, jump if true, jump if false, constant."""


def program(
    machine: str, *, pid: int, processes: bool, own_files: bool, own_network: bool, signals: bool, groups: bool
) -> list[Instruction]:
    """The filter for the process `pid`; raises KeyError for a machine whose numbers are not known.

    Args:
        machine: as ``uname -m`` says.
        pid: whom the process may send signals, itself.
        processes: it may start other processes.
        own_files: it sees no files but its own to change, so it may change permissions and times.
        own_network: it sees no network but its own, so it may have sockets.
        groups: it may leave its group of processes, all of which can be ended at once.
        signals: something else keeps its signals from other processes, so it may send them to any.
    """
    numbers = NUMBERS[machine]
    free = [*ALWAYS, *(OF_OWN_FILES if own_files else ()), *(("execve",) if processes else ())]
    rules: dict[str, list[Instruction]] = {
        "ioctl": _one_of(1, _IOCTL),
        "fcntl": _one_of(1, _FCNTL),
        "prctl": _one_of(0, _PRCTL),
        "prlimit64": _one_of(0, (0, pid)),
        "socketpair": _stream_of_unix(),
        "clone": _fork() if processes else _thread(),
        "kill": [_return(ALLOW)] if signals else _one_of(0, (pid,)),
        "tgkill": [_return(ALLOW)] if signals else _one_of(0, (pid,)),
        **{name: [_return(_NO_SUCH_CALL)] for name in UNKNOWN},
    }
    if processes:
        free += ["fork", "vfork"]
    if groups:
        free += ["setsid", "setpgid"]
    if own_network:
        free += OF_OWN_NETWORK
        rules |= {"socket": _one_of(0, _OWN_FAMILIES), "socketpair": _one_of(0, (_AF_UNIX,))}
    code = [(_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, AUDIT[machine]), _return(KILL), (_LOAD, 0, 0, _NUMBER)]
    code += [(_AT_LEAST, 0, 1, _X32), _return(_DENY)]
    for name in free:
        if name in numbers:
            code += [(_EQUAL, 0, 1, numbers[name]), _return(ALLOW)]
    for name, rule in rules.items():
        if name in numbers:
            code += [(_EQUAL, 0, len(rule), numbers[name]), *rule]
    return [*code, _return(_DENY)]


def install(code: Sequence[Instruction], machine: str) -> None:
    """Bind this process and its children to the filter, for good; raises OSError. Needs no-new-privileges."""
    text = b"".join(struct.pack("=HBBI", *instruction) for instruction in code)
    buffer = ctypes.create_string_buffer(text, len(text))
    head = struct.pack("@HP", len(code), ctypes.addressof(buffer))
    syscall(NUMBERS[machine]["seccomp"], _SET_MODE_FILTER, _ALL_THREADS, head)


def _return(value: int) -> Instruction:
    return (_RETURN, 0, 0, value)


def _argument(index: int) -> Instruction:
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * index)  # its low half: these arguments are ints, the kernel looks at no more


def _one_of(index: int, values: Iterable[int]) -> list[Instruction]:
    tests = [each for value in values for each in ((_EQUAL, 0, 1, value), _return(ALLOW))]
    return [_argument(index), *tests, _return(_DENY)]


def _thread() -> list[Instruction]:
    return [_argument(0), (_ANY_BIT, 0, 1, _CLONE_THREAD), _return(ALLOW), _return(_DENY)]


def _fork() -> list[Instruction]:
    return [_argument(0), (_ANY_BIT, 0, 1, _NEW_NAMESPACES), _return(_DENY), _return(ALLOW)]


def _stream_of_unix() -> list[Instruction]:
    """Datagram sockets could send to the name of any socket in the file system; connected streams cannot."""
    masked = 0x54  # BPF_ALU|AND|K
    return [
        _argument(0), (_EQUAL, 1, 0, _AF_UNIX), _return(_DENY),
        _argument(1), (masked, 0, 0, _TYPE), (_EQUAL, 0, 1, _SOCK_STREAM), _return(ALLOW), _return(_DENY),
    ]  # fmt: skip
