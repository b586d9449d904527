"""The walls of bubblewrap, where it is installed: the view of ``child/namespaces.py``, made by a program of others."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from typing import Any


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
    words = [bwrap, "--unshare-all", "--die-with-parent", "--as-pid-1", "--clearenv"]
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
    for path in sorted(mounts, key=lambda each: each.split("/")):
        words += mounts[path]
    if config["tree"] is not None:
        words += ["--ro-bind", config["tree"], SOURCE]
    return [*words, "--remount-ro", "/", "--chdir", "/", "--"]


SOURCE = "/.source"
"""Where the folder that is copied is seen; the program may not read it, where there is Landlock."""

__all__ = ["SOURCE", "installed", "walls"]
