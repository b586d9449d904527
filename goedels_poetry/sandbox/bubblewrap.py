"""The walls of bubblewrap, where it is installed: the view of ``child/namespaces.py``, made by a program of others."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

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
