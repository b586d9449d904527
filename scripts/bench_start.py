"""What the smallest case costs: ``prove`` and ``ask --program`` beside bare ``z3`` and ``cvc5`` on the same question.

    python scripts/bench_start.py [--runs 15] [--theorems 1000]

Each run is a new process and, for our program, a new data directory; solvers and program take turns, so that whatever
else the machine does is shared fairly. Shown are the least and the median of wall time and of processor time (children
included), and how many times the least of ``z3`` that is. The folder is proved by one process, one theorem at a time.
Where other work goes on, ``chrt -r 10`` before the command lets it come second, for all that is measured alike.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

GOAL = "(or p (not p))"
THEOREM = f"(declare-const p Bool)\n(prove {GOAL})\n"
SCRIPT = f"(declare-const p Bool)\n(assert (not {GOAL}))\n(check-sat)\n"
PROGRAM = {
    "sorts": [],
    "variables": [{"name": "p", "sort": "BoolSort"}],
    "verifications": [{"name": "tertium non datur", "constraint": "Or(p, Not(p))"}],
}
CVC5 = """
import sys, cvc5
terms = cvc5.TermManager()
solver, symbols = cvc5.Solver(terms), cvc5.SymbolManager(terms)
parser = cvc5.InputParser(solver, symbols)
parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, open(sys.argv[1]).read(), "query")
while not (command := parser.nextCommand()).isNull():
    print(command.invoke(solver, symbols), end="")
"""


def measured(command: list[str], home: Path) -> tuple[float, float, str]:
    """Wall seconds, processor seconds, output."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command, env={**os.environ, "GOEDELS_POETRY__HOME": str(home)}, capture_output=True, text=True, check=False
    )
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, used, done.stdout + done.stderr


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--runs", type=int, default=15)
    options.add_argument("--theorems", type=int, default=1000, help="in the folder; 0: no folder")
    chosen = options.parse_args()
    from goedels_poetry.solvers.z3_process import z3_binary

    program = [sys.executable, "-m", "goedels_poetry"]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name, text in (("t.smt2", THEOREM), ("s.smt2", SCRIPT), ("p.json", json.dumps(PROGRAM)), ("c.py", CVC5)):
            (place / name).write_text(text)
        commands: dict[str, tuple[list[str], Callable[[str], bool]]] = {
            "z3": ([str(z3_binary()), str(place / "s.smt2")], lambda said: said.strip() == "unsat"),
            "cvc5": ([sys.executable, str(place / "c.py"), str(place / "s.smt2")], lambda said: "unsat" in said),
            "prove": ([*program, "prove", str(place / "t.smt2"), "--quiet"], lambda said: "L3" in said),
            "ask --program": (
                [*program, "ask", "--program", str(place / "p.json")],
                lambda said: "True" in said or "proved" in said,
            ),
        }
        figures: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for run in range(chosen.runs + 1):
            for name, (command, is_right) in commands.items():
                wall, used, said = measured(command, place / f"home-{run}-{name.split()[0]}")
                if not is_right(said):
                    raise SystemExit(f"{name} said {said!r}")
                if run:  # the first one warms up the files
                    figures[name].append((wall, used))
        least = min(wall for wall, _ in figures["z3"])
        print(f"{'':>14} {'wall least':>11} {'median':>8} {'processor':>10} {'times z3':>9}   (seconds)")
        for name, pairs in figures.items():
            walls, uses = [wall for wall, _ in pairs], [used for _, used in pairs]
            ratio = min(walls) / least
            print(f"{name:>14} {min(walls):11.3f} {statistics.median(walls):8.3f} {min(uses):10.3f} {ratio:9.1f}")
        if chosen.theorems:
            _folder(place, program, chosen.theorems)


def _folder(place: Path, program: list[str], count: int) -> None:
    many = place / "many"
    many.mkdir()
    for number in range(count):
        text = (
            f"(declare-const p{number} Bool)\n(declare-const q Bool)\n(prove (=> (and p{number} q) (or q p{number})))\n"
        )
        (many / f"t{number:05}.smt2").write_text(text)
    wall, used, said = measured([*program, "prove", str(many), "--quiet"], place / "home-many")
    proved = said.count("trust level L3")
    print(
        f"\n{count} theorems in a folder, {proved} proved: {1000 * wall / count:.1f} ms each, {used:.1f} s of processor"
    )


if __name__ == "__main__":
    main()
