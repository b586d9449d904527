"""The first thing in the process of its own: read what is wanted, go into namespaces where that was asked for.

Started by ``process.py`` with three file descriptors: what is wanted (``marshal`` of a dict), the report, the lifeline.
"""

from __future__ import annotations

import marshal
import os

from goedels_poetry.sandbox.child import folder as folders
from goedels_poetry.sandbox.child import keeper, namespaces
from goedels_poetry.sandbox.child.libc import IS_LINUX, MACHINE, PR_SET_PDEATHSIG, prctl

TYPE_CHECKING = False  # the module typing takes longer to load than all of ours
if TYPE_CHECKING:
    from typing import Any

_SIGKILL = 9


def main(wanted: int, report: int, lifeline: int, modules: frozenset[str]) -> None:
    """Run what is wanted; returns in the program itself alone.

    Args:
        wanted: file descriptor of what is wanted.
        report: file descriptor of the report.
        lifeline: file descriptor that ends when we are to.
        modules: those that a program finds loaded.
    """
    with open(wanted, "rb") as file:
        config: dict[str, Any] = marshal.load(file)
    if IS_LINUX and config["own_view"]:  # otherwise the keeper has a folder to remove: it looks who its parent is
        prctl(PR_SET_PDEATHSIG, _SIGKILL)
    os.environ.pop("PWD", None)  # bubblewrap sets it
    config |= {"modules": modules, "parent": os.getppid()}
    try:
        if "namespaces" in config["features"]:
            _in_namespaces(config, report, lifeline)
        _fill(config, config["folder"])
    except OSError as failure:
        _refuse(report, failure)
    keeper.keep(config, report, lifeline)


def _in_namespaces(config: dict[str, Any], report: int, lifeline: int) -> None:
    """Returns in the first process of the namespaces; the one outside waits for it and ends with it."""
    child = namespaces.enter(MACHINE)
    if child:
        for number in (0, 1, 2, report, lifeline):
            os.close(number)
        os.waitpid(child, 0)
        os._exit(0)
    root = namespaces.prepare(config)
    _fill(config, root + config["folder"])
    config["tree"], config["files"] = None, {}
    if config["argv"]:
        namespaces.open_loopback()
    namespaces.go_in(root)


def _fill(config: dict[str, Any], folder: str) -> None:
    user = config["user"]
    if user is not None:
        os.chown(folder, user, user)
    if config["tree"] is not None:
        folders.copy_tree(
            config["tree"],
            folder,
            skip=config["skip"],
            link=not config["own_view"],
            user=user,
            named=(config["tree_name"], config["folder"]),
        )
    folders.write_files(folder, config["files"], user)


def _refuse(report: int, failure: OSError) -> None:
    text = str(failure).encode().hex()
    with open(report, "w") as out:
        out.write(f"unavailable 0 0 0\n-{text}\n\n")
    os._exit(1)
