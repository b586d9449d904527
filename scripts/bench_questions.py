"""Logic programs answered a second: the SMT-LIB backend with its full verdict against one z3 process and one check.

Ours reads a program, puts premises, premises with the goal and premises with its negation to a solver, and gives the
verdict with its unsat core or its worlds. The baseline writes the program to a file, runs ``z3 -T:10 FILE`` and looks
for ``sat`` or ``unsat`` in what it prints: the answer of a system that knows satisfiability only. Both answer the same
programs in turn, in the same run. The programs are generated here from a seed, small and of mixed theories; every
verdict is compared with one from three z3 processes that share nothing with our code.

    python scripts/bench_questions.py [--programs 60] [--rounds 3] [--threads 8] [--bar 3] [--folder FOLDER] [--json]
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench_solvers import Program, process_per_query
from bench_solvers import programs as mixed

from goedels_poetry.reasoning.backends import SMT2Backend
from goedels_poetry.solvers.versions import solver_versions
from goedels_poetry.solvers.z3_process import z3_binary

_STATUS = re.compile(r"(?<!un)\bsat\b|\bunsat\b")
SEQUENTIAL = "ours"
BASELINE = "z3 processes"


def theory(rng: random.Random) -> Program:
    """A text of the kind that question data sets have: kinds of things in a hierarchy, exceptions, some individuals."""
    kinds = [f"kind{i}" for i in range(rng.randint(8, 14))]
    rng.shuffle(kinds)
    things = [f"thing{i}" for i in range(rng.randint(1, 3))]
    lines = ["(declare-sort Thing 0)", *[f"(declare-fun {kind} (Thing) Bool)" for kind in kinds]]
    lines += [f"(declare-const {thing} Thing)" for thing in things]
    for a, b in itertools.pairwise(kinds):
        head = f"({b} x)" if rng.random() < 0.85 else f"(not ({b} x))"
        lines.append(f"(assert (forall ((x Thing)) (=> ({a} x) {head})))")
    lines += [f"(assert ({rng.choice(kinds[:3])} {thing}))" for thing in things]
    goal = f"({rng.choice(kinds)} {rng.choice(things)})"
    return Program("\n".join(lines), goal if rng.random() < 0.7 else f"(not {goal})")


def generated(count: int, seed: int) -> list[Program]:
    """Half of them texts of questions, the others of the mixed theories that solvers are measured on."""
    rng = random.Random(seed)
    rest = iter(mixed(count, seed))
    return [theory(rng) if i % 2 else next(rest) for i in range(count)]


def ours(program: Program) -> str:
    """The program as our users write it."""
    return f"{program.premises}\n(define-fun goal () Bool {program.goal})\n"


def seed_style(program: Program) -> str:
    """The program as one satisfiability check."""
    return f"{program.premises}\n(assert {program.goal})\n(check-sat)\n"


def one_process(file: Path) -> bool | None:
    """What the baseline makes of a file: its only status."""
    binary = z3_binary()
    if binary is None:
        raise SystemExit("the baseline needs the z3 program")
    done = subprocess.run([binary, "-T:10", str(file)], capture_output=True, text=True, check=False)
    found = set(_STATUS.findall(done.stdout + done.stderr))
    return None if len(found) != 1 else found == {"sat"}


def measure(
    texts: list[str], files: list[Path], rounds: int, threads: int
) -> tuple[dict[str, float], list[str], set[str]]:
    """Programs a second by way (median of the rounds), our verdicts, and whether those with threads were the same."""
    with SMT2Backend() as backend, ThreadPoolExecutor(threads) as crew:
        ways: dict[str, Callable[[], list[object]]] = {
            BASELINE: lambda: [one_process(file) for file in files],
            SEQUENTIAL: lambda: [str(backend.execute(text).verdict) for text in texts],
            f"{BASELINE}, {threads} threads": lambda: list(crew.map(one_process, files)),
            f"{SEQUENTIAL}, {threads} threads": lambda: [str(r.verdict) for r in crew.map(backend.execute, texts)],
        }
        backend.execute(texts[0])
        rates: dict[str, list[float]] = {name: [] for name in ways}
        verdicts: dict[str, list[str]] = {}
        for _ in range(rounds):
            for name, way in ways.items():
                began = time.perf_counter()
                found = way()
                rates[name].append(len(texts) / (time.perf_counter() - began))
                if name.startswith(SEQUENTIAL):
                    verdicts[name] = [str(v) for v in found]
    different = {f"{a} or {b}" for a, b in zip(*verdicts.values(), strict=True) if a != b}
    return {name: statistics.median(rate) for name, rate in rates.items()}, verdicts[SEQUENTIAL], different


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--programs", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bar", type=float, default=3.0, help="fail below so many times the baseline")
    parser.add_argument("--folder", type=Path, help="measure these .smt2 files instead (verdicts are not compared)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()

    todo = [] if options.folder else generated(options.programs, options.seed)
    with tempfile.TemporaryDirectory() as place:
        files = sorted(options.folder.rglob("*.smt2")) if options.folder else []
        for number, program in enumerate(todo):
            files.append(Path(place) / f"{number}.smt2")
            files[-1].write_text(seed_style(program), encoding="utf-8")
        texts = [ours(p) for p in todo] or [file.read_text("utf-8") for file in files]
        rates, verdicts, different = measure(texts, files, options.rounds, options.threads)
    expected = process_per_query(todo) if todo else verdicts
    wrong = [
        f"{text}\n; {got} instead of {right}"
        for text, got, right in zip(texts, verdicts, expected, strict=True)
        if got != right
    ]
    threaded = f", {options.threads} threads"
    ratios = {name: rates[SEQUENTIAL + name] / rates[BASELINE + name] for name in ("", threaded)}
    good = not wrong and not different and min(ratios.values()) >= options.bar
    if options.json:
        found = {"programs_per_second": rates, "ratio": list(ratios.values()), "wrong": wrong, "bar": options.bar}
        print(json.dumps(found))
    else:
        kinds = ", ".join(f"{count} {kind}" for kind, count in Counter(verdicts).most_common())
        size = statistics.median(map(len, texts))
        print(f"{len(texts)} programs of {size:.0f} bytes in the median ({kinds}); median of {options.rounds} rounds")
        print(f"{os.cpu_count()} processors; {solver_versions()}")
        for name, rate in rates.items():
            print(f"{name:28}{rate:10.1f} programs/s{1000 / rate:10.2f} ms each")
        for name, ratio in ratios.items():
            print(f"{ratio:.2f} times the baseline{name} (bar {options.bar:g})")
        for text in wrong:
            print(f"WRONG:\n{text}")
        print(f"wrong verdicts: {len(wrong)}; different with threads: {len(different)}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
