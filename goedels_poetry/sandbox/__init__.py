"""Untrusted programs in a process of their own: no network, no files but theirs, no more than their share.

A program or a command is run in the best way that the machine gives (`isolation`), and whatever it does, there is a
`SandboxResult`. Who calls whom:

- ``run`` (what is wanted, also from threads, which files of the machine may be read, the folder that is copied, what
  became of it) > ``process`` (start, feed, read, end)
- ``isolation``: which way is best, by trying, and the command of bubblewrap
- ``limits``: what may be used, what is, and results
- ``child``: all that happens in the process itself
"""

from goedels_poetry.sandbox.isolation import Isolation
from goedels_poetry.sandbox.limits import SandboxLimits, SandboxResult
from goedels_poetry.sandbox.run import find_isolation as isolation
from goedels_poetry.sandbox.run import run_command, run_command_async, run_python, run_python_async

__all__ = [
    "Isolation",
    "SandboxLimits",
    "SandboxResult",
    "isolation",
    "run_command",
    "run_command_async",
    "run_python",
    "run_python_async",
]
