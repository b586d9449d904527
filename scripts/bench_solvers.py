"""Full verdicts a second: persistent solver processes against one z3 process per program and per query.

A full verdict on a program is three queries: are the premises satisfiable, do they exclude the goal, do they
exclude its negation. The programs are generated here from a seed, small, and of mixed theories; all ways answer
the same programs in the same run, and must agree.

    python scripts/bench_solvers.py [--programs 50] [--rounds 3] [--bar 3] [--json]
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.versions import solver_versions
from goedels_poetry.solvers.z3_process import Z3Process, z3_binary

LIMITS = Limits(rlimit=200_000, seconds=10)
BASELINE = "one z3 process a program"
PERSISTENT = "persistent, a context a program"


@dataclass(frozen=True)
class Program:
    premises: str
    goal: str

    @property
    def queries(self) -> tuple[str, str, str]:
        """What is asserted beside the premises, one query each."""
        return "", f"(assert (not {self.goal}))", f"(assert {self.goal})"


def verdict(statuses: list[str]) -> str:
    consistent, negated, affirmed = statuses
    if consistent == "unsat":
        return "inconsistent"
    if negated == "unsat":
        return "proved"
    if affirmed == "unsat":
        return "refuted"
    return "unknown"


# --- programs -----------------------------------------------------------------------------------------------


def _chain(rng: random.Random) -> Program:
    """A chain of inequalities, sometimes closed to a contradiction."""
    length = rng.randint(3, 8)
    names = [f"x{i}" for i in range(length)]
    lines = [f"(declare-const {name} Int)" for name in names]
    steps = [rng.randint(0, 3) for _ in names[1:]]
    lines += [f"(assert (<= (+ {a} {step}) {b}))" for a, b, step in zip(names, names[1:], steps, strict=False)]
    if rng.random() < 0.2:
        lines.append(f"(assert (< (+ {names[-1]} 1) {names[0]}))")
    distance = sum(steps) + rng.choice((-1, 0, 1))
    return Program("\n".join(lines), f"(<= (+ {names[0]} {distance}) {names[-1]})")


def _rules(rng: random.Random) -> Program:
    """Facts and Horn rules about people."""
    people = [f"p{i}" for i in range(rng.randint(2, 5))]
    kinds = [f"kind{i}" for i in range(rng.randint(3, 6))]
    lines = ["(declare-sort Person 0)"]
    lines += [f"(declare-const {person} Person)" for person in people]
    lines += [f"(declare-fun {kind} (Person) Bool)" for kind in kinds]
    for a, b in itertools.pairwise(kinds):
        conclusion = f"({b} x)" if rng.random() < 0.9 else f"(not ({b} x))"
        lines.append(f"(assert (forall ((x Person)) (=> ({a} x) {conclusion})))")
    lines += [f"(assert ({rng.choice(kinds)} {person}))" for person in people]
    return Program("\n".join(lines), f"({rng.choice(kinds)} {rng.choice(people)})")


def _bits(rng: random.Random) -> Program:
    """An identity, or nearly one, of 8 or 16 bits."""
    width = rng.choice((8, 16))
    left, right = rng.choice(
        (
            ("(bvand x (bvor x y))", "x"),
            ("(bvadd x y)", "(bvor x y)"),
            ("(bvxor x y)", "(bvsub (bvor x y) (bvand x y))"),
            ("(bvsub x y)", "(bvsub y x)"),
        )
    )
    lines = [f"(declare-const {name} (_ BitVec {width}))" for name in ("x", "y")]
    lines.append(f"(assert (bvult x (_ bv{rng.randint(1, 200)} {width})))")
    return Program("\n".join(lines), f"(= {left} {right})")


def _array(rng: random.Random) -> Program:
    """Stores and a read."""
    lines = ["(declare-const a0 (Array Int Int))", "(declare-const i Int)", "(declare-const j Int)"]
    writes = rng.randint(2, 5)
    for n in range(writes):
        lines.append(f"(define-fun a{n + 1} () (Array Int Int) (store a{n} {rng.choice(('i', 'j', str(n)))} {n}))")
    lines.append(rng.choice(("(assert (= i j))", "(assert (distinct i j))")))
    return Program("\n".join(lines), f"(= (select a{writes} i) {rng.randint(0, writes - 1)})")


def _peano(rng: random.Random) -> Program:
    """One step of an induction over the natural numbers."""
    lines = [
        "(declare-datatypes ((Nat 0)) (((Z) (S (pred Nat)))))",
        "(define-fun-rec plus ((x Nat) (y Nat)) Nat (ite ((_ is Z) x) y (S (plus (pred x) y))))",
        "(declare-const n Nat)",
        f"(assert (= (plus n {'Z' if rng.random() < 0.8 else '(S Z)'}) n))",
        f"(assert (or (= n Z) (= n (S Z)) (= n (S (S {rng.choice(('Z', '(S Z)'))})))))",
    ]
    return Program("\n".join(lines), "(= (plus (S n) Z) (S n))")


def programs(count: int, seed: int) -> list[Program]:
    rng = random.Random(seed)
    kinds = (_chain, _rules, _bits, _array, _peano)
    return [kinds[i % len(kinds)](rng) for i in range(count)]


# --- ways to answer -----------------------------------------------------------------------------------------


def _one_process(text: str) -> list[str]:
    binary = z3_binary()
    if binary is None:
        raise SystemExit("the baseline needs the z3 program")
    text = f"(set-option :rlimit {LIMITS.rlimit})\n{text}"  # the same steps for all
    done = subprocess.run([binary, "-smt2", "-in"], input=text, capture_output=True, text=True, check=True)
    return done.stdout.split()


def process_per_query(todo: list[Program]) -> list[str]:
    return [verdict([_one_process(f"{p.premises}\n{query}\n(check-sat)\n")[0] for query in p.queries]) for p in todo]


def process_per_program(todo: list[Program]) -> list[str]:
    found = []
    for program in todo:
        checks = "\n".join(f"(push)\n{query}\n(check-sat)\n(pop)" for query in program.queries)
        found.append(verdict(_one_process(f"{program.premises}\n{checks}\n")))
    return found


def fresh_contexts(todo: list[Program], z3: Z3Process) -> list[str]:
    return [verdict([z3.ask(f"{p.premises}\n{query}", LIMITS).status for query in p.queries]) for p in todo]


def one_context(todo: list[Program], z3: Z3Process) -> list[str]:
    sessions = [(z3.session(program.premises), program.queries) for program in todo]
    return [verdict([session.check(query, LIMITS).status for query in queries]) for session, queries in sessions]


# --- the table ----------------------------------------------------------------------------------------------


def measure(todo: list[Program], rounds: int) -> tuple[dict[str, float], dict[str, list[str]]]:
    """Median verdicts a second and the verdicts themselves, by way. The ways take turns, so that load is shared."""
    z3 = Z3Process()
    ways: dict[str, Callable[[], list[str]]] = {
        BASELINE: lambda: process_per_program(todo),
        "one z3 process a query": lambda: process_per_query(todo),
        PERSISTENT: lambda: one_context(todo, z3),
        "persistent, a context a query": lambda: fresh_contexts(todo, z3),
    }
    rates: dict[str, list[float]] = {name: [] for name in ways}
    verdicts = {}
    for _ in range(rounds):
        for name, run in ways.items():
            began = time.perf_counter()
            verdicts[name] = run()
            rates[name].append(len(todo) / (time.perf_counter() - began))
    z3.close()
    return {name: statistics.median(rate) for name, rate in rates.items()}, verdicts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--programs", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bar", type=float, default=3.0, help="fail below so many times the baseline")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()

    rates, verdicts = measure(programs(options.programs, options.seed), options.rounds)
    agree = len({tuple(found) for found in verdicts.values()}) == 1
    ratio = {name: rate / rates[BASELINE] for name, rate in rates.items()}
    best = ratio[PERSISTENT]
    if options.json:
        print(json.dumps({"verdicts_per_second": rates, "ratio": ratio, "agree": agree, "bar": options.bar}))
    else:
        kinds = ", ".join(f"{count} {kind}" for kind, count in Counter(verdicts[BASELINE]).most_common())
        print(f"{options.programs} programs ({kinds}); median of {options.rounds}; {solver_versions()}")
        print(f"{'':36}{'verdicts/s':>12}{'ms each':>10}{'times':>8}")
        for name, rate in rates.items():
            print(f"{name:36}{rate:12.1f}{1000 / rate:10.2f}{ratio[name]:8.2f}")
        print(f"all ways agree: {agree}; bar {options.bar:g} times the baseline: {best:.2f}")
    return 0 if agree and best >= options.bar else 1


if __name__ == "__main__":
    sys.exit(main())
