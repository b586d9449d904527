#!/usr/bin/env python3
"""Honest certificates of theorems whose text was changed afterwards, to see that no checker accepts what is not so.

    python scripts/fuzz_definitions.py FOLDER --count 200 --seed 1

FOLDER holds certificates (any ``--out`` of ``prove``). A definition, a premise or the goal of the theorem is changed at
random: other literals, operators, variables, arguments, branches. The proof stays, with the evidence of termination and
everything else; all hashes are right. Mostly the theorem is false then, or its definitions do not end. What is accepted
all the same is looked at: the goal is evaluated and refuted, and defined functions are run at small values. What is
accepted though it is refuted, functions that do not end, tracebacks, and checkers that disagree are printed (exit
code 1).
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

import verify_certificate as second
from forge import forge

from goedels_poetry.checker import check_certificate
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.reading.certificate import derivation_from_json, with_auxiliaries
from goedels_poetry.kernel.reading.reader import Atom, Group, SExpr, Source, read
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.refutation.operations import Undecided
from goedels_poetry.kernel.refutation.values import random_value
from goedels_poetry.kernel.sequent import sequent_of
from goedels_poetry.smt.notation.text import parse_problem
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.z3_process import z3_binary

LONGEST = 30.0
SECONDS = 0.3
"""For each question to a solver."""
TRIES = 400
OTHERS = (
    ("+", "-", "*"),
    ("<", "<=", ">", ">=", "=", "distinct"),
    ("and", "or", "=>"),
    ("div", "mod"),
    ("bvadd", "bvsub", "bvand", "bvor"),
    ("bvult", "bvule", "bvslt"),
    ("0", "1", "2", "(- 1)"),
    ("true", "false"),
    ("forall", "exists"),
)
STATING = ("define-fun", "define-fun-rec", "define-funs-rec", "assert", "prove", "assert-not")
Place: TypeAlias = tuple[list[SExpr], int]
"""Where a term stands: among these, at this place."""


# ----------------------------------------------------------------------------------------------------- changing


def shown(expr: SExpr) -> str:
    """The expression as text again."""
    if isinstance(expr, Group):
        return f"({' '.join(map(shown, expr.items))})"
    if expr.kind.name == "STRING":
        return '"' + expr.text.replace('"', '""') + '"'
    return f"|{expr.text}|" if expr.quoted else expr.text


def places(items: list[SExpr], first: int) -> Iterator[Place]:
    """All places below, from the item number ``first`` on."""
    for number in range(first, len(items)):
        yield items, number
        item = items[number]
        if isinstance(item, Group):
            yield from places(item.items, 0)


def changed(source: random.Random, text: str) -> str:
    """The text with one thing in a definition, a premise or the goal changed; "" where that is not to be."""
    for _ in range(40):
        found = _changed(source, text)
        try:
            if parse_problem(found).goal and shown_all(found) != shown_all(text):
                return found
        except (GoedelsPoetryError, ValueError, RecursionError):
            continue
    return ""


def shown_all(text: str) -> str:
    """The text without its comments and blanks."""
    return "\n".join(map(shown, read(Source(text)))) + "\n"


def _changed(source: random.Random, text: str) -> str:
    commands = read(Source(text))
    chosen = [c for c in commands if isinstance(c, Group) and c.items and _is_stated(c.items[0])]
    defined = [c for c in chosen if shown(c.items[0]).startswith("define")]
    command = source.choice(defined if defined and source.random() < 0.8 else chosen)
    found = list(places(command.items, len(command.items) - 1))
    items, number = source.choice(found)
    old = items[number]
    kind = source.random()
    for alike in OTHERS:
        if isinstance(old, Atom) and old.text in alike:
            items[number] = read(Source(source.choice(alike)))[0]
            break
    else:
        other_items, other = source.choice(found)
        if kind < 0.35 and isinstance(old, Group) and len(old.items) > 1:
            items[number] = source.choice(old.items[1:])  # one of the arguments
        elif kind < 0.5 and isinstance(old, Group) and len(old.items) > 2:
            old.items[1:] = source.sample(old.items[1:], len(old.items) - 1)
        elif kind < 0.6:
            items[number] = Group(0)
            items[number].items = [*read(Source("+")), old, *read(Source("1"))]
        else:
            items[number] = read(Source(shown(other_items[other])))[0]
    return "\n".join(map(shown, commands)) + "\n"


def _is_stated(head: SExpr) -> bool:
    return isinstance(head, Atom) and head.text in STATING


# ----------------------------------------------------------------------------------------------------- judging


def counterexample(source: random.Random, problem: Problem) -> str:
    """Values at which the goal is false, as far as random ones show some; "" otherwise."""
    goal = sequent_of(problem.goal, problem.signature.names)
    evaluator = Evaluator(problem.signature, problem.premises, fuel=5_000)
    if {p.name for p in problem.premises} - evaluator.defining:
        return ""
    for number in range(TRIES):
        try:
            values = {v: random_value(problem.signature, v.sort, number % 7, source) for v in goal.vars}
            if all(evaluator.value(h, values) is True for h in goal.hyps) and not evaluator.value(goal.concl, values):
                return repr(values)
        except (Undecided, RecursionError):
            continue
    return ""


def endless(source: random.Random, problem: Problem, evidence: Any) -> str:
    """A defined function with small arguments at which it seems not to end; "" when there is none."""
    try:
        derivation = derivation_from_json({k: v for k, v in evidence.items() if k != "premises"}, problem.signature)
        problem = with_auxiliaries(problem, derivation.auxiliary)
        measured = set(derivation.measures)
    except (GoedelsPoetryError, ValueError):
        return ""
    evaluator = Evaluator(problem.signature, (), fuel=3_000)
    for definition in problem.signature.definitions:
        for _ in range(10) if definition.recursive and definition.name not in measured else ():
            args = tuple(random_value(problem.signature, p.sort, 3, source) for p in definition.params)
            try:
                evaluator.call(definition.name, args)
            except Undecided as reason:
                if str(reason) in ("out of fuel", "too deep"):
                    return f"{definition.name}{args!r}"
    return ""


def judged(source: random.Random, folder: Path, text: str, evidence: Any) -> tuple[str, list[str]]:
    """What became of a changed theorem, in a word, and the faults."""
    theorem = text.encode()
    try:
        problem = parse_problem(text)
        forged = forge(folder / "x.cert", theorem, evidence, honest_ends=False)
    except (GoedelsPoetryError, ValueError, RecursionError):
        return "no theorem", []
    (folder / "theorem.smt2").write_bytes(theorem)
    faults: list[str] = []
    began = time.monotonic()
    report = check_certificate(forged, theorem, limits=Limits(seconds=SECONDS), second_solver=False)
    ours = time.monotonic() - began
    began = time.monotonic()
    answer = second.judged(forged, folder / "theorem.smt2", [second.find_solver(str(z3_binary()))], SECONDS, LONGEST)
    faults += ["no end"] if max(ours, time.monotonic() - began) > LONGEST else []
    accepted = answer.verdict == second.HOLDS
    if accepted != report.accepted:
        why = f"{'; '.join(report.reasons)[:200]} | {answer}"[:500]
        faults += [f"package {report.verdict}, script {answer.verdict}: {why}"]
    if accepted or str(report.verdict) == "proved":
        wrong = counterexample(source, problem)
        faults += [f"accepted, and false at {wrong}"] if wrong else []
        without_end = endless(source, problem, evidence)
        faults += [f"accepted, and does not seem to end: {without_end}"] if without_end else []
    return ("accepted" if report.accepted else "refused" if report.refused else "not shown"), faults


def main() -> int:
    """Run; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    for option, default in (("count", 200), ("seed", 1), ("seconds", 10_000)):
        parser.add_argument(f"--{option}", type=int, default=default)
    options = parser.parse_args()
    certificates = sorted(p.parent for p in options.folder.rglob("derivation.json"))
    seen: Counter[str] = Counter()
    total, began = 0, time.monotonic()
    for number in range(options.count):
        if time.monotonic() - began > options.seconds:
            break
        source = random.Random(f"{options.seed} {number}")
        chosen = source.choice(certificates)
        if json.loads((chosen / "manifest.json").read_bytes()).get("claim") != "proved":
            continue
        honest = (chosen / "theorem.smt2").read_text(encoding="utf-8")
        text = changed(source, honest)
        if not text:
            continue
        evidence = json.loads((chosen / "derivation.json").read_bytes())
        with tempfile.TemporaryDirectory() as folder:
            try:
                word, faults = judged(source, Path(folder), text, evidence)
            except Exception as error:  # noqa: BLE001  what the user would see as a traceback
                word, faults = "traceback", [repr(error)[:300]]
        seen[word] += 1
        total += len(faults)
        for fault in faults:
            print(f"seed {options.seed}, number {number}, {chosen}: {fault}\n{text}", flush=True)
    print(f"{dict(seen)}, {total} faults, {time.monotonic() - began:.0f} s")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
