"""What a peer is, and how it is asked: one process a theorem, ended with all that it started when its time is over."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.terms import Kind, Term

LARGE = 20_000
"""Nodes of a term beyond which it is not written out."""


class Untranslatable(Exception):
    """The language of the peer has no words for it, or none that its users would use."""


@dataclass(frozen=True)
class Peer:
    """A prover of others.

    program: what is started. suffix: of the file with the theorem. command: from that file and the seconds.
    translate: the text of a problem; raises Untranslatable. read: what it said, from its exit code and output:
        ``proved``, ``unknown`` or ``error``, which is a defect of the translation. version: from the program.
    """

    name: str
    program: str
    suffix: str
    command: Callable[[Path, float], list[str]]
    translate: Callable[[Problem], str]
    read: Callable[[int, str], str]
    version: Callable[[], str]

    @property
    def is_there(self) -> bool:
        """Whether it is installed."""
        return shutil.which(self.program) is not None

    def ask(self, problem: Problem, seconds: float) -> str:
        """``proved``, ``unknown``, ``error`` or ``not translated``."""
        try:
            text = self.translate(problem)
        except (Untranslatable, GoedelsPoetryError):
            return "not translated"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"theorem{self.suffix}")
            path.write_text(text, "utf-8")
            code, said = run(self.command(path, seconds), path, seconds)
        return self.read(code, said)


def run(command: list[str], given: Path, seconds: float) -> tuple[int, str]:
    """Exit code and output; the code is -1 when its time was over."""
    with given.open("rb") as text:
        process = subprocess.Popen(
            command,
            stdin=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=given.parent,
            start_new_session=True,
        )
    try:
        said = process.communicate(timeout=seconds)[0]
        return process.returncode, said.decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        return -1, ""
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def legal_names(names: Iterable[str], prefix: str) -> dict[str, str]:
    """Names of letters, digits and ``_`` behind a prefix that no word of the language has; no two alike in any case."""
    told: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        base = name_ = prefix + re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
        number = 1
        while name_.lower() in taken:
            number += 1
            name_ = f"{base}_{number}"
        taken.add(name_.lower())
        told[name] = name_
    return told


def all_names(problem: Problem) -> dict[str, str]:
    """Legal names of every symbol and sort; sorts stand under ``sort NAME``."""
    signature = problem.signature
    sorts = [f"sort {s.name}" for s in (*signature.sorts, *(d.sort for d in signature.datatypes))]
    symbols = [
        name for d in signature.datatypes for c in d.constructors for name in (c.name, *(f for f, _ in c.fields))
    ]
    return legal_names((*symbols, *signature.functions, *(d.name for d in signature.definitions), *sorts), "u_")


def opened(goal: Term) -> tuple[list[Term], list[Term], Term]:
    """Variables, hypotheses and conclusion of a goal; no two variables have one name.

    Raises:
        Untranslatable: two have, or it is too large to be written out.
    """
    if goal.size > LARGE:
        raise Untranslatable("a large goal")
    variables: list[Term] = []
    hypotheses: list[Term] = []
    while True:
        if goal.kind is Kind.FORALL:
            variables += goal.binders
            goal = goal.body
        elif goal.kind is Kind.APP and goal.name == "=>":
            hypotheses += goal.args[:-1]
            goal = goal.args[-1]
        else:
            break
    if len({v.name for v in variables}) != len(variables):
        raise Untranslatable("a name for two variables")
    return variables, hypotheses, goal


def pairs(args: tuple[Term, ...]) -> list[tuple[Term, Term]]:
    """Each two of them, as ``distinct`` wants it."""
    return [(a, b) for i, a in enumerate(args) for b in args[i + 1 :]]
