"""What keeps an untrusted program in, on this machine: found out by running programs that try to get out.

Nothing is assumed of a kernel's version or of a tool that is installed: what fails when it is tried is not used.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
import struct
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

from goedels_poetry.sandbox.child import libc as landlock
from goedels_poetry.sandbox.child.libc import IS_LINUX, MACHINE, NUMBERS, syscall

# The walls of bubblewrap, where it is installed

_AS_ROOT = (
    *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    *("--cap-add", "ALL"),
)
"""For a program that becomes nobody: there are no other users in a namespace of users, and root alone may become one.
The program loses every capability on the way; what watches it keeps them, to end it and to read what it leaves."""


def installed() -> str | None:
    """The path of bubblewrap."""
    return shutil.which("bwrap")


def walls(bwrap: str, config: Mapping[str, Any], more: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """The beginning of a command that runs the rest of it in a view of its own.

    Args:
        bwrap: its path.
        config: what ``child/launch.py`` gets: which files are seen, and how large the folder may be.
        more: files that the launcher needs besides.
        environment: all variables that there are.
    """
    apart = _AS_ROOT if config["user"] is not None else ("--unshare-all",)
    words = [bwrap, *apart, "--die-with-parent", "--as-pid-1", "--clearenv"]
    for name, value in environment.items():
        words += ["--setenv", name, value]
    mounts = {path: ["--ro-bind-try", path, path] for path in (*config["read"], *more)}
    mounts |= {path: ["--dev-bind-try", path, path] for path in config["devices"]}
    mounts |= {path: ["--tmpfs", path, "--remount-ro", path] for path in config["hidden"]}
    for path in config["scratch"]:
        mounts[path] = ["--perms", "1777", "--size", str(config["disk_bytes"]), "--tmpfs", path]
    mounts[config["folder"]] = ["--size", str(config["folder_bytes"]), "--tmpfs", config["folder"]]
    for place, target in config["links"]:
        words += ["--symlink", target, place]
    for path in _parents(mounts) if config["user"] is not None else ():
        words += ["--perms", "0755", "--dir", path]  # bubblewrap would make them for root alone
    for path in sorted(mounts, key=lambda each: each.split("/")):
        words += mounts[path]
    if config["tree"] is not None:
        words += ["--ro-bind", config["tree"], SOURCE]
    return [*words, "--remount-ro", "/", "--chdir", "/", "--"]


def _parents(mounts: Iterable[str]) -> list[str]:
    """The folders that places lie in and that are no such place, nor in one."""
    places = {path.rstrip("/") for path in mounts}
    found: dict[str, None] = {}
    for path in sorted(places):
        parts = path.split("/")
        above = ["/".join(parts[:count]) for count in range(2, len(parts))]
        for folder in above:
            if folder in places:
                break
            found.setdefault(folder)
    return list(found)


SOURCE = "/.source"
"""Where the folder that is copied is seen; the program may not read it, where there is Landlock."""


BUBBLEWRAP, NAMESPACES, LANDLOCK, SECCOMP, LIMITS = "bubblewrap", "namespaces", "landlock", "seccomp", "resource limits"
KERNEL, FILTERS = "kernel", "filters"
_WAYS: Final = (BUBBLEWRAP, KERNEL, FILTERS, LIMITS)
_ACTION_AVAILABLE, _ACTION_ERRNO = 2, 0x00050000
_FIRST_USER, _USERS = 1 << 30, 1 << 29


@dataclass(frozen=True, slots=True)
class Isolation:
    """What keeps a program in.

    Attributes:
        mechanisms: of ``bubblewrap``, ``namespaces``, ``landlock``, ``seccomp``, ``resource limits``: those in use.
        lacking: those that this machine does not give, each with the reason where one is known.
        text: both, and what follows from it, for people.
    """

    mechanisms: tuple[str, ...]
    lacking: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Setup:
    """How programs are run here.

    Attributes:
        features: of ``namespaces``, ``landlock``, ``seccomp``.
        bwrap: the path of bubblewrap, when it makes the view.
        nobody: as root: the program becomes a user that nobody is.
        failure: why nothing better is used, when known.
    """

    features: tuple[str, ...]
    bwrap: str | None
    nobody: bool
    failure: str = ""

    @property
    def own_view(self) -> bool:
        """Whether the program sees no files but its own and those it may read."""
        return self.bwrap is not None or NAMESPACES in self.features

    def user(self) -> int | None:
        """The user that the next program becomes, another each time; None: it stays ours."""
        return _FIRST_USER + secrets.randbelow(_USERS) if self.nobody else None


RETRIES = (0.1, 0.5, 0.0)
"""Seconds to wait before a kernel that could put up walls is tried again; after the last try it is done without."""

Loaded = tuple[Sequence[tuple[str, str]], Sequence[str]]
"""Packages with their folders, and the modules that a program finds loaded."""
Trial = Callable[[Setup, Loaded], str]
"""Runs a program that tries things, in this setup: "" when all was well, else why not."""

_found: dict[tuple[Trial, str | None, bool, int], Setup] = {}

_forced: ContextVar[str | None] = ContextVar("forced", default=None)


@contextmanager
def forced(way: str) -> Iterator[None]:
    """For tests: use ``bubblewrap``, ``kernel`` (namespaces, Landlock, seccomp), ``filters`` (the last two alone) or
    ``resource limits``, as far as they are to be had.
    """
    if way not in _WAYS:
        raise ValueError(f"no way {way!r}: one of {', '.join(_WAYS)}")
    token = _forced.set(way)
    try:
        yield
    finally:
        _forced.reset(token)


def setup(trial: Trial, several: bool = False, loaded: Loaded = ((), ())) -> Setup:
    """How programs are run here, found out once: the first setup in which `trial` goes well.

    Args:
        trial: what is tried. loaded: with this, as the program that is waiting.
        several: it is for commands, which may start processes. The kernel does not bound how many root has, so as
            root a command is nobody: in namespaces of our own, or else in bubblewrap.
    """
    key = (trial, _forced.get(), several and os.geteuid() == 0, os.geteuid())
    for pause in RETRIES if key not in _found else ():
        found = _find(*key, loaded)
        unwalled = not found.own_view and not found.features
        if not (unwalled and _forced.get() is None and (_has_landlock() or _has_seccomp())):
            _found[key] = found
            break
        if not pause:
            return found  # a bad moment, perhaps: not to be remembered
        time.sleep(pause)
    return _found[key]


def _find(trial: Trial, way: str | None, counted: bool, who: int, loaded: Loaded) -> Setup:
    """`who` is part of what is remembered: a process that changes its user looks again."""
    filters = tuple(name for name, there in ((LANDLOCK, _has_landlock()), (SECCOMP, _has_seccomp())) if there)
    users = (True, False) if os.geteuid() == 0 else (False,)
    bwrap = installed()
    candidates: list[Setup] = []
    if counted and way is None and IS_LINUX and MACHINE in NUMBERS:
        candidates.append(Setup((NAMESPACES, *filters), None, nobody=True))
    if way in (None, BUBBLEWRAP) and bwrap and IS_LINUX:
        # A program starts no process, so root may stay what it is there, who can read all packages.
        candidates += [Setup(filters, bwrap, user) for user in (users if counted else (False,))]
    if way in (None, KERNEL) and IS_LINUX and MACHINE in NUMBERS:
        candidates += [Setup((NAMESPACES, *filters), None, user) for user in users]
    if way in (None, KERNEL, FILTERS) and filters:
        candidates += [Setup(filters, None, user) for user in users]
    if way in (None, LIMITS):
        candidates += [Setup((), None, user) for user in users]
    failure = ""
    for candidate in candidates:
        failed = trial(candidate, loaded)
        if not failed:
            return Setup(candidate.features, candidate.bwrap, candidate.nobody, failure)
        failure = failure or failed
    return Setup((), None, nobody=False, failure=failure or f"{way} is not to be had here")


def describe(found: Setup) -> Isolation:
    """What a setup keeps from a program, and what it does not."""
    have = (*([BUBBLEWRAP] if found.bwrap else []), *found.features, LIMITS)
    lacking = []
    if not found.own_view:
        why = f" ({found.failure})" if found.failure else ""
        lacking.append(f"namespaces: not to be had by this user{why}; bubblewrap, once installed, may have them")
    if LANDLOCK not in have:
        lacking.append(f"landlock: {'it did not work' if _has_landlock() else 'this kernel has none, or it is off'}")
    if SECCOMP not in have:
        no_list = IS_LINUX and MACHINE not in NUMBERS
        there = "it did not work" if _has_seccomp() else "this system has none"
        lacking.append(f"seccomp: {f'there is no list of calls for {MACHINE}' if no_list else there}")
    stops, leaves = _effects(found)
    text = " ".join(part for part in (f"Untrusted programs run with {', '.join(have)}.", stops, leaves) if part)
    if lacking:
        text += f" Lacking: {'; '.join(lacking)}."
    return Isolation(have, tuple(lacking), text)


def _effects(found: Setup) -> tuple[str, str]:
    """What is stopped, and what is not, in whole sentences."""
    filtered, guarded = SECCOMP in found.features, LANDLOCK in found.features
    if found.own_view and filtered:
        return (
            "They see Python's and the system's libraries, to read, and an empty folder that is removed; no network, "
            "no process of yours, no variable of your environment. Programs start no process, commands a few.",
            "",
        )
    if found.own_view:
        return (
            "They see Python's library to read and an empty folder; no network and no process of yours.",
            "The kernel's system calls are all open to them.",
        )
    if guarded and filtered:
        return (
            "They read Python's library and write an empty folder that is removed; no network, no signals to others.",
            "They can see that other files and processes exist, by name and size, not what is in them.",
        )
    if guarded:
        return (
            "They read Python's library and write an empty folder that is removed.",
            "They can start processes, change permissions of your files, and reach the network where Landlock is old.",
        )
    if filtered:
        return (
            "They have no network and start no process.",
            "They read and write every file that you can" + (" as nobody." if found.nobody else "."),
        )
    who = "anybody" if found.nobody else "you"
    return (
        "Only time, memory, output and the size of files are bounded.",
        f"WARNING: they read and write files as {who} can, reach the network, and signal processes of the same user. "
        "Run only programs that you trust, or install bubblewrap.",
    )


def _has_landlock() -> bool:
    return IS_LINUX and landlock.version(MACHINE) > 0


def _has_seccomp() -> bool:
    if not IS_LINUX or MACHINE not in NUMBERS or sys.byteorder != "little":
        return False
    action = ctypes.create_string_buffer(struct.pack("=I", _ACTION_ERRNO), 4)
    try:
        return syscall(NUMBERS[MACHINE]["seccomp"], _ACTION_AVAILABLE, 0, action) == 0
    except OSError:
        return False
