"""Rules of files by Landlock: what may be read, what may be written, and no network and no signals to others.

Reference: Linux, Documentation/userspace-api/landlock.rst. It guards what is done with files by name, not their
permissions and times, which the filter of system calls keeps.
"""

from __future__ import annotations

import os
import struct

from goedels_poetry.sandbox.child.libc import NUMBERS, syscall

TYPE_CHECKING = False  # the module typing takes longer to load than all of ours
if TYPE_CHECKING:
    from collections.abc import Iterable

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
