"""A view of its own: namespaces of processes, network, mounts and messages, as bubblewrap makes them.

The root of the files is an empty file system in memory in which only what may be read is mounted, read-only, and the
program's folder, whose size is bounded. A child of the first process in the namespace dies with it, whatever it did.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

from goedels_poetry.sandbox.child.libc import (
    ALWAYS,
    AUDIT,
    NUMBERS,
    OF_OWN_FILES,
    OF_OWN_NETWORK,
    PR_SET_PDEATHSIG,
    UNKNOWN,
    mount,
    prctl,
    syscall,
    unmount,
)

TYPE_CHECKING = False  # the module typing takes longer to load than all of ours
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any


_NEW_NS, _NEW_UTS, _NEW_IPC, _NEW_USER, _NEW_PID, _NEW_NET = (1 << 17, 1 << 26, 1 << 27, 1 << 28, 1 << 29, 1 << 30)
_OURS = _NEW_NS | _NEW_UTS | _NEW_IPC | _NEW_PID | _NEW_NET
_NOSUID, _NODEV, _NOEXEC, _BIND, _REC, _PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
_DETACH = 2
_SIGKILL, _SIGCHLD = 9, 17
_AT_RECURSIVE, _AT_FDCWD = 0x8000, -100
_READ_ONLY, _ATTR_NOSUID, _ATTR_NODEV = 1, 2, 4
_SET_FLAGS, _UP = 0x8914, 1
_SKELETON = "size=4m,nr_inodes=8192,mode=755"
_STAGES = ("/proc", "/sys", "/mnt", "/media", "/srv")  # some folder that nothing which we mount lies in


def enter(machine: str) -> int:
    """Fork a child that is the first process of new namespaces: its process id, and 0 in the child. Raises OSError.

    With the privileges of root the user stays the same; otherwise there is a namespace of users too, with one.
    """
    if os.geteuid() == 0:
        try:
            return _clone(machine, 0)
        except OSError:
            pass  # root without the right to mount: like anybody
    return _clone(machine, _NEW_USER)


def _clone(machine: str, more: int) -> int:
    ready, go = os.pipe()
    user, group = os.geteuid(), os.getegid()
    child = syscall(NUMBERS[machine]["clone"], _OURS | more | _SIGCHLD, 0, 0, 0, 0)
    if child == 0:
        prctl(PR_SET_PDEATHSIG, _SIGKILL)
        os.close(go)
        if os.read(ready, 1) != b"1":  # the parent died, or could not give us our user
            os._exit(1)
        os.close(ready)
        return 0
    os.close(ready)
    try:
        if more:
            maps = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
            for name, text in maps.items():
                with open(f"/proc/{child}/{name}", "w") as file:
                    file.write(text)
        os.write(go, b"1")
    except OSError:
        os.kill(child, _SIGKILL)
        os.waitpid(child, 0)
        raise
    finally:
        os.close(go)
    return child


def prepare(view: Mapping[str, Any]) -> str:
    """Mount what a program is to see beside the machine's files, in this process's namespace alone: its root to be.

    Args:
        view: ``read`` (folders and files, in their own places; those that do not exist are passed over), ``hidden``
            (folders below them that stay empty), ``links`` (symbolic links, place and target), ``devices``, its own
            ``folder`` with ``folder_bytes`` and ``folder_files``, what fits in it, and ``scratch``, more folders to
            write in, with ``disk_bytes`` each.

    Between this and `go_in` the machine's files can be read, to fill the folder from. Raises OSError.
    """
    mount(None, "/", None, _REC | _PRIVATE)
    root = next(place for place in _STAGES if os.path.isdir(place))
    mount("tmpfs", root, "tmpfs", _NOSUID | _NODEV, _SKELETON)
    for place, target in view["links"]:
        os.makedirs(root + os.path.dirname(place), exist_ok=True)
        os.symlink(target, root + place)
    inner = f"size={view['folder_bytes']},nr_inodes={view['folder_files']},mode=700"
    scratch = f"size={view['disk_bytes']},nr_inodes={view['folder_files']},mode=1777"
    mounts = [(path, "read") for path in view["read"] if os.path.exists(path)]
    mounts += [(path, "hidden") for path in view["hidden"] if os.path.isdir(path)]
    mounts += [(path, "device") for path in view["devices"] if os.path.exists(path)]
    mounts += [(path, "scratch") for path in view["scratch"]]
    for path, kind in sorted([*mounts, (view["folder"], "folder")], key=lambda each: each[0].split("/")):
        target = root + path
        _make_place(target, kind in ("folder", "hidden", "scratch") or os.path.isdir(path))
        if kind == "folder":
            mount("tmpfs", target, "tmpfs", _NOSUID | _NODEV, inner)
        elif kind == "scratch":
            mount("tmpfs", target, "tmpfs", _NOSUID | _NODEV, scratch)
        elif kind == "hidden":
            mount("tmpfs", target, "tmpfs", _NOSUID | _NODEV | 1, "size=4k,nr_inodes=2,mode=755")
        else:
            mount(path, target, None, _BIND | _REC)
            _read_only(target, 0 if kind == "device" else _ATTR_NODEV, recursive=True)
    return root


def go_in(root: str) -> None:
    """Leave the machine's files for those of `prepare`, for good. Raises OSError."""
    old = root + "/.old"
    os.mkdir(old)
    syscall(_PIVOT_ROOT, os.fsencode(root), os.fsencode(old))
    os.chdir("/")
    unmount("/.old", _DETACH)
    os.rmdir("/.old")
    _read_only("/", 0, recursive=False)


def open_loopback() -> None:
    """Make 127.0.0.1 reach this namespace's own programs; never raises."""
    import fcntl  # few need it
    import socket

    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", _UP))
    except OSError:
        pass


def _make_place(path: str, folder: bool) -> None:
    if os.path.lexists(path):
        return
    os.makedirs(path if folder else os.path.dirname(path), exist_ok=True)
    if not folder:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))


def _read_only(path: str, more: int, *, recursive: bool) -> None:
    """Whatever is mounted below as well, which an ordinary remount would leave writable. Needs Linux 5.12."""
    attributes = struct.pack("=QQQQ", _READ_ONLY | _ATTR_NOSUID | more, 0, 0, 0)
    flags = _AT_RECURSIVE if recursive else 0
    syscall(_MOUNT_SETATTR, _AT_FDCWD, os.fsencode(path), flags, attributes, len(attributes))


def paths_without(path: str, hidden: Iterable[str]) -> tuple[list[str], list[str]]:
    """What may be read for all below `path` but `hidden` to be: whole paths, and folders to list."""
    inside = [each for each in hidden if each.startswith(path.rstrip("/") + "/")]
    if not inside:
        return ([] if path in hidden else [path]), []
    whole: list[str] = []
    listed = [path]
    try:
        names = os.listdir(path)
    except OSError:
        names = []
    for name in names:
        more, lists = paths_without(f"{path.rstrip('/')}/{name}", hidden)
        whole += more
        listed += lists
    return whole, listed


_NUMBERS = NUMBERS.get(os.uname().machine, {}) if sys.platform == "linux" else {}
_PIVOT_ROOT = _NUMBERS.get("pivot_root", -1)
_MOUNT_SETATTR = _NUMBERS.get("mount_setattr", -1)


# A filter of system calls as a program of the classic packet filter

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
