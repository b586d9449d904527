"""Calls of the Linux kernel that Python has no names for."""

from __future__ import annotations

import ctypes
import os
import sys

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
