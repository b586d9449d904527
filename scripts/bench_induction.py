"""Theorems that need induction: ours beside Z3 alone, cvc5 with its own induction, Dafny and ACL2, on .smt2 files.

    python scripts/bench_induction.py FOLDER [--seconds 10] [--every N] [--no-peers] [--ablation]

Each file gets the same wall time in each system, one after another, on one core. No file name, ``:status`` or comment
is read. Every proof and refutation of ours is re-checked from its certificate; the others are taken at their word.
Dafny and ACL2 (Debian's packages ``dafny``, ``acl2`` and ``acl2-books-certs``) are asked where they are installed, in
the words of their own users (``scripts/peers``); what their languages cannot say is counted as not translated.
``--ablation`` runs ours again without some of its ideas: no lemmas, no exploration, no observations, no invariants
of containers and no arithmetic of datatypes.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from peers import PEERS, Peer

from goedels_poetry.checker import check_certificate
from goedels_poetry.checker.certificate.report import CheckReport
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.refutation.theory import named_premises, with_definitions
from goedels_poetry.kernel.terms import not_
from goedels_poetry.settings.declared import Budgets, Settings
from goedels_poetry.smt.notation.text import parse_problem
from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.process import SolverProcess
from goedels_poetry.solvers.versions import solver_versions
from goedels_poetry.solvers.z3_process import Z3Process

INDUCTION = {"quant-ind": "true", "conjecture-gen": "true", "full-saturate-quant": "true"}


ABLATION: Mapping[str, tuple[str, ...]] = {
    "ours": (),
    "no observations": ("observations",),
    "no exploration": ("exploration",),
    "no invariants, no arithmetic": ("invariants", "interpretation"),
    "no lemmas": ("lemmas", "invariants", "interpretation"),
}


def ours(framework: GoedelsPoetryFramework, path: Path, without: tuple[str, ...]) -> tuple[str, CheckReport | None]:
    """The verdict, and what the checker says of it; a verdict that its certificate does not bear out is an alarm."""
    text = path.read_text(encoding="utf-8")
    result = framework.run(text, name="theorem.smt2", language="smt", fresh=True, options={"without": list(without)})
    if result.certificate is None:
        return str(result.verdict), None
    report = check_certificate(result.certificate, text.encode())
    return (str(result.verdict) if report.verdict is result.verdict else "ALARM"), report


def peer(solver: SolverProcess, path: Path, seconds: float, options: Mapping[str, str]) -> str:
    """What a solver says to definitions, premises and the negated goal."""
    try:
        context = Context(parse_problem(path.read_bytes()))
    except GoedelsPoetryError:
        return "invalid"
    denied = f"(assert {context.encoding.text(not_(context.problem.goal))})"
    script = "\n".join((*with_definitions(context), *named_premises(context), denied))
    answer = solver.ask(script, Limits(seconds=seconds), options=options)
    return {"unsat": "proved", "sat": "refuted"}.get(answer.status, "unknown")


def foreign(peer: Peer, path: Path, seconds: float) -> str:
    """What a prover of others says to the same problem in its own language."""
    try:
        return peer.ask(parse_problem(path.read_bytes()), seconds)
    except GoedelsPoetryError:
        return "invalid"


def main() -> None:
    """Print one line a file and a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--every", type=int, default=1, help="take each N-th file only")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--ablation", action="store_true")
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # processes that we start have the same core
    files = sorted(arguments.folder.rglob("*.smt2"))[:: arguments.every]
    systems = ABLATION if arguments.ablation else {"ours": ()}
    others = [] if arguments.no_peers else [peer for peer in PEERS if peer.is_there]
    counts: dict[str, Counter[str]] = {name: Counter() for name in (*systems, "z3", "cvc5", *(p.name for p in others))}
    levels: Counter[str] = Counter()
    obligations = confirmed = 0
    with (
        tempfile.TemporaryDirectory() as home,
        GoedelsPoetryFramework(
            Settings(home=Path(home), use_memory=False, budgets=Budgets(wall_seconds=arguments.seconds))
        ) as framework,
        Z3Process() as z3,
        Cvc5Process() as cvc5,
    ):
        for path in files:
            line = f"{path.stem:45}"
            for name, without in systems.items():
                began = time.monotonic()
                verdict, report = ours(framework, path, without)
                counts[name][verdict] += 1
                if report is not None and name == "ours":
                    levels[str(report.trust_level)] += 1
                    obligations += report.obligations.total
                    confirmed += report.obligations.second
                level = str(report.trust_level) if report is not None else ""
                line += f" {name} {verdict:13} {level:2} {time.monotonic() - began:6.2f} s"
            if not arguments.no_peers:
                for name, solver, options in (("z3", z3, {}), ("cvc5", cvc5, INDUCTION)):
                    said = peer(solver, path, arguments.seconds, options)
                    counts[name][said] += 1
                    line += f"   {name} {said}"
            for other in others:
                began = time.monotonic()
                said = foreign(other, path, arguments.seconds)
                counts[other.name][said] += 1
                line += f"   {other.name} {said} {time.monotonic() - began:.2f} s"
            print(line, flush=True)
    print(f"\n{len(files)} files, {arguments.seconds:g} s each; {solver_versions()}")
    print("; ".join(f"{other.version()}" for other in others))
    print("| system | proved | refuted | not translated | other |")
    print("|---|---|---|---|---|")
    for name, found in counts.items():
        if found:
            told = [found[what] for what in ("proved", "refuted", "not translated")]
            print(f"| {name} | {' | '.join(map(str, told))} | {found.total() - sum(told)} |")
    print("trust levels of ours:", ", ".join(f"{level} {n}" for level, n in sorted(levels.items())))
    print(f"obligations: {obligations}, of which cvc5 confirmed {confirmed}")


if __name__ == "__main__":
    main()
