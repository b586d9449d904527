#!/usr/bin/env python3
"""How time and memory grow: with definitions, goals, cases, lemmas in the bank, runs there, files in a folder.

    python scripts/bench_scale.py [--only definitions,goals,cases,lemmas,runs,files] [--most 1.0]

Each size is measured in a process of its own, three times; the fastest counts, and the most memory. ``exponent``: the
slope of a line through the larger half of the sizes with logarithms on both axes: 1 is linear, 0 constant. Exit code 1
when a curve is steeper than ``--most-exponent`` (1.35: what n log n looks like over these sizes, with room for noise).
``--most`` scales the sizes, e.g. 0.2 for a short look.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

TIMES = 3


@dataclass(frozen=True)
class Case:
    """Something that grows."""

    what: str
    unit: str
    sizes: tuple[int, ...]
    measure: Callable[[int, Path], float]
    """Seconds; in a folder of its own."""


# -- definitions -----------------------------------------------------------------------------------------------
def definitions(size: int, folder: Path) -> float:
    """A theorem about one of so many functions, each of which calls the one before it; read, searched, checked."""
    from goedels_poetry.framework import GoedelsPoetryFramework
    from goedels_poetry.settings.declared import Settings

    lines = ["(define-fun f0 ((n Int)) Int n)"]
    lines += [f"(define-fun f{i} ((n Int)) Int (+ 1 (f{i - 1} n)))" for i in range(1, size)]
    text = "\n".join([*lines, "(prove (forall ((n Int)) (= (f3 n) (+ n 3))))\n"])
    with GoedelsPoetryFramework(Settings(home=folder, use_memory=False)) as framework:
        framework.run("(prove true)", name="warm.smt2")
        began = time.perf_counter()
        result = framework.run(text, name="t.smt2")
        assert str(result.verdict) == "proved", result.reason
        return time.perf_counter() - began


# -- goals -----------------------------------------------------------------------------------------------------
def goals_step(size: int, folder: Path) -> float:
    """One commit on a tree of so many goals; a hundred of them."""
    from many_goals import many_goals

    from goedels_poetry.store.proof_store import ProofStore

    path = many_goals(folder / "proof.db", size)
    with ProofStore(path) as store:
        (*_, last) = store.nodes()
        began = time.perf_counter()
        for number in range(100):
            store.commit(f"step:{number}", "verifier", last.id, lambda txn: txn.put(txn.get(last.id)) and "looked")
        return time.perf_counter() - began


def goals_page(size: int, folder: Path) -> float:
    """The page of a run of so many goals."""
    from many_goals import many_goals

    from goedels_poetry.store.proof_store import ProofStore
    from goedels_poetry.trace.page.data import render, run_data

    path = many_goals(folder / "proof.db", size)
    with ProofStore(path, read_only=True) as store:
        began = time.perf_counter()
        render(run_data(store), title="t")
        return time.perf_counter() - began


# -- cases -----------------------------------------------------------------------------------------------------
def cases(size: int, folder: Path) -> float:
    """The proof of a theorem with so many cases, read from its certificate; solvers are not asked."""
    from goedels_poetry.kernel.reading.certificate import derivation_from_json
    from goedels_poetry.kernel.reading.parser import parse_problem

    constructors = " ".join(f"(c{n})" for n in range(size))
    text = f"(declare-datatypes ((D 0)) (({constructors})))\n(declare-fun Q (D) Bool)\n(prove (forall ((d D)) (Q d)))\n"
    signature = parse_problem(text).signature
    query = {"cites": [], "instances": [], "equations": True, "quantified": True}
    steps = [{"id": str(n), "sequent": f"(sequent () () (Q c{n}))", "query": query} for n in range(size)]
    began = time.perf_counter()
    assert len(derivation_from_json({"steps": steps}, signature).steps) == size
    return time.perf_counter() - began


# -- lemmas ----------------------------------------------------------------------------------------------------
def lemmas(size: int, folder: Path) -> float:
    """What the bank offers to a goal of a theory, with so many lemmas of a hundred theories in it."""
    from goedels_poetry.search.memory import Lemma, LemmaBank

    bank = LemmaBank(folder / "lemmas.db")
    body = [{"id": "0", "origin": "", "statement": "s", "row": {}}]
    bank.add([Lemma(f"theory{n % 100}:goal{n}", "smt", f"s{n}", "induction", body) for n in range(size)])
    began = time.perf_counter()
    for _ in range(20):
        bank.offers("smt", "theory7", bank.snapshot())
    seconds = time.perf_counter() - began
    bank.close()
    return seconds


# -- runs ------------------------------------------------------------------------------------------------------
def _with_runs(size: int, folder: Path) -> None:
    now = time.time()
    for number in range(size):
        run = folder / "runs" / f"{number:012x}"
        run.mkdir(parents=True)
        moment = now - number
        (run / "run.json").write_text(json.dumps({"name": "t", "language": "smt", "started": moment}), "utf-8")
        (run / "proof.db").write_bytes(b"")
        os.utime(run / "run.json", (moment, moment))


def runs_listed(size: int, folder: Path) -> float:
    """The command `runs`, which shows the latest twenty."""
    _with_runs(size, folder)
    return _called(folder, "runs")


def runs_beside(size: int, folder: Path) -> float:
    """A small proof where so many runs lie beside it."""
    _with_runs(size, folder)
    (folder / "t.smt2").write_text("(declare-const p Bool)\n(prove (or p (not p)))\n", "utf-8")
    return _called(folder, "prove", str(folder / "t.smt2"), "--quiet")


# -- files -----------------------------------------------------------------------------------------------------
def files(size: int, folder: Path) -> float:
    """A folder of so many small theorems in one `prove`."""
    place = folder / "theorems"
    place.mkdir()
    for number in range(size):
        text = f"(declare-const p{number} Bool)\n(prove (or p{number} (not p{number})))\n"
        (place / f"t{number}.smt2").write_text(text, "utf-8")
    return _called(folder, "prove", str(place), "--quiet", "--json")


def _called(home: Path, *arguments: str) -> float:
    environment = {**os.environ, "GOEDELS_POETRY__HOME": str(home), "PYTHONPATH": str(ROOT)}
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "goedels_poetry", *arguments], env=environment, check=True, stdout=subprocess.DEVNULL
    )
    return time.perf_counter() - began


CASES = (
    Case("definitions", "a theorem with n definitions", (25, 50, 100, 200, 400), definitions),
    Case("goals", "100 commits, tree of n goals", (500, 1000, 2000, 4000, 8000), goals_step),
    Case("goals", "page of n goals", (500, 1000, 2000, 4000, 8000), goals_page),
    Case("cases", "the proof of n cases, read", (125, 250, 500, 1000, 2000), cases),
    Case("lemmas", "20 look-ups, bank of n lemmas", (1000, 2000, 4000, 8000, 16000), lemmas),
    Case("runs", "`runs`, n runs there", (625, 1250, 2500, 5000, 10000), runs_listed),
    Case("runs", "a small proof, n runs there", (625, 1250, 2500, 5000, 10000), runs_beside),
    Case("files", "a folder of n theorems", (50, 100, 200, 400, 800), files),
)


@dataclass(frozen=True)
class Point:
    """A measurement."""

    size: int
    seconds: float
    megabytes: float
    """Most memory of the process that measured, or of the largest that it started."""


def measured(case: Case, size: int) -> Point:
    """The fastest of a few times, each in a process of its own."""
    points = []
    for _ in range(TIMES):
        with tempfile.TemporaryDirectory() as folder:
            reading, writing = os.pipe()
            child = os.fork()
            if not child:
                try:
                    seconds = case.measure(size, Path(folder))
                    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
                    memory = max(resource.getrusage(kind).ru_maxrss for kind in kinds) / 1000
                    os.write(writing, json.dumps([seconds, memory]).encode())
                    os._exit(0)
                except Exception:  # noqa: BLE001  whatever it is: it is shown, and this size has no figure
                    traceback.print_exc()
                finally:
                    os._exit(1)
            os.close(writing)
            with os.fdopen(reading, "rb") as said:
                answer = said.read()
            os.waitpid(child, 0)
            if not answer:
                raise SystemExit(f"{case.unit}, n = {size}: the measurement failed")
            points.append(json.loads(answer))
    return Point(size, min(seconds for seconds, _ in points), max(memory for _, memory in points))


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """Slope of the line of least squares through the logarithms of the larger half."""
    half = points[len(points) // 2 - (len(points) > 3) :]
    xs, ys = [math.log(x) for x, _ in half], [math.log(max(y, 1e-9)) for _, y in half]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True)) / sum((x - mx) ** 2 for x in xs)


def main() -> int:
    """Measure and print; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="names with commas between them")
    parser.add_argument("--most", type=float, default=1.0, help="scales the sizes")
    parser.add_argument("--most-exponent", type=float, default=1.35)
    given = parser.parse_args()
    chosen = [name for name in given.only.split(",") if name] or [case.what for case in CASES]
    steep = False
    print("| what | n | seconds | MB | exponent |")
    print("|---|--:|--:|--:|--:|", flush=True)
    for case in (case for case in CASES if case.what in chosen):
        points = [measured(case, size) for size in sorted({max(10, int(n * given.most)) for n in case.sizes})]
        slope = exponent([(point.size, point.seconds) for point in points])
        steep |= slope > given.most_exponent
        sizes, times = (
            ", ".join(cells) for cells in ([f"{p.size}" for p in points], [f"{p.seconds:.2f}" for p in points])
        )
        print(
            f"| {case.unit} | {sizes} | {times} | {points[0].megabytes:.0f}–{points[-1].megabytes:.0f} | {slope:.2f} |",
            flush=True,
        )
    return 1 if steep else 0


if __name__ == "__main__":
    sys.exit(main())
