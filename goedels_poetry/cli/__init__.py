"""The command ``goedels-poetry``: prove, check, runs, show, trace, graph, doctor.

Everything heavy is imported inside the commands, so that ``--help`` answers at once.
"""

from goedels_poetry.cli.main import main

__all__ = ["main"]
