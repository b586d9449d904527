"""What the command line asks of ``prove``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from goedels_poetry.cli.configure import Flags
from goedels_poetry.kernel.verdict import Verdict


@dataclass(frozen=True)
class Request(Flags):
    """What the command line asks for."""

    inputs: list[str]
    jobs: int = 1
    """At once; 0: as many as the cluster has room for."""
    cluster: str | None = None
    """Where theorems are worked on, when not here: see `goedels_poetry.cluster`."""
    resume: bool = False
    language: str | None = None
    theorem: str | None = None
    """Which theorem of the files is meant."""
    assume_definitions: bool = False
    use_memory: bool = True
    max_concurrency: int | None = None
    symbolic_queries: int | None = None
    model_first: bool = False
    informal: bool = False
    """Whether the inputs are claims in plain words."""
    context: Path | None = None
    confirm: bool = False
    round_trip: bool = True
    proof: bool | None = None
    """Whether proofs are printed; None: those that are short."""
    diff: bool = False
    """Whether to print what filling the holes of Lean files changes in them."""
    write: bool = False
    """Whether to write the filled files."""
    required: Verdict | None = None
    """The least that is asked for, see `exit_code_of`."""

    lean: bool = False
    """Whether proofs of SMT theorems are written for Lean, too."""
    lean_timeout: float | None = None
    """Seconds for that, for each theorem; None: 60."""

    @property
    def fills(self) -> bool:
        """Whether files are to be filled."""
        return self.diff or self.write
