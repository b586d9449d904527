"""Many threads on one backend of each language for a long time: every answer is checked, and what it costs is watched.

Programs with known answers are posed in random order: proofs, refutations, open goals, contradictions, optima, names
that mean other things in other programs, texts that are no programs, searches that time out, formulas that eat memory.
Now and then a solver is killed under them, at least a few times. A program that got no answer for want of time, on a
machine with much else to do, or because its solver was killed, is posed once more with a hundred times as much. At the
end, and every few seconds, it says how many programs were answered, how many answers were wrong, and the memory,
threads, files and children of this process. It fails when an answer was wrong, when something was raised, or when after
the first tenth of the time memory or files grew beyond a margin.

    python scripts/soak_questions.py [--threads 8] [--seconds 60] [--seed 1] [--kill]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goedels_poetry.reasoning.backends import JSONBackend, SMT2Backend

MARGIN_MB = 60
MARGIN_FILES = 30
SECONDS = {"smt2": 1, "json": 10}
"""For a program of each language."""
PATIENCE = 100
"""So many times as long for one that had too little."""
CUT_SHORT = ("timeout", "killed")
"""Reasons that speak of the machine, not of the program."""
KILLS = 3
"""So many solvers are killed at least, however short the time is."""
PAGE = os.sysconf("SC_PAGE_SIZE")
CUBES = (
    "(declare-const a Int)(declare-const b Int)(declare-const c Int)(assert (= (+ (* a a a)(* b b b)(* c c c)) 114))"
)
BITS = "(declare-const x (_ BitVec 8192))(declare-const y (_ BitVec 8192))(assert (bvugt (bvmul x y) (bvmul y y x)))"


@dataclass(frozen=True)
class Case:
    kind: str
    backend: str
    text: str
    answer: Any
    verdicts: tuple[str, ...]


def _smt(kind: str, text: str, answer: Any, *verdicts: str) -> Case:
    return Case(kind, "smt2", text, answer, verdicts)


def _people(rng: random.Random) -> str:
    names = rng.sample(["ann", "bob", "cid", "dot", "eve"], 3)
    sort = rng.choice(["P", "Person", "Thing"])
    lines = [f"(declare-sort {sort} 0)", *[f"(declare-const {n} {sort})" for n in names]]
    lines += [f"(declare-fun {f} ({sort}) Bool)" for f in ("p", "q", "r")]
    lines += [f"(assert (forall ((x {sort})) (=> ({a} x) ({b} x))))" for a, b in (("p", "q"), ("q", "r"))]
    return "\n".join([*lines, f"(assert (p {names[0]}))", f"(declare-fun of () {sort})", f"(assert (= of {names[0]}))"])


def case(rng: random.Random) -> Case:
    """A program and what must come of it."""
    n = rng.randint(1, 999)
    goal = "(define-fun goal () Bool {})".format
    values = rng.sample(["red", "green", "blue", "sat", "unsat", "unknown"], 3)
    colors = f"(declare-datatypes () ((Color {' '.join(values)})))(declare-const c Color)"
    colors += f"(assert (distinct c {values[0]} {values[1]}))"
    nat = f"(declare-datatypes ((Color 0)) (((z{n % 7}) (s (pred Color)))))(declare-const c Color)"
    nat += f"(assert (= c (s z{n % 7})))"
    world = {
        "sorts": [{"name": "Color", "type": "EnumSort", "values": values}],
        "functions": [{"name": "likes", "domain": ["Color"], "range": "Bool"}],
        "constants": {"c": {"sort": "Color", "members": ["mine"]}},
        "knowledge_base": [f"mine == {values[0]}", f"likes({values[0]})"],
    }

    def asked(constraint: str) -> str:
        return json.dumps(world | {"verifications": [{"name": f"v{n}", "constraint": constraint}]})

    kinds = [
        (30, lambda: _smt("proved", _people(rng) + goal("(r of)"), True, "proved")),
        (10, lambda: _smt("refuted", _people(rng) + goal("(not (r of))"), False, "refuted")),
        (15, lambda: _smt("open", _people(rng) + "(declare-const s Bool)" + goal("(and s (p of))"), None, "unknown")),
        (
            10,
            lambda: _smt("inconsistent", _people(rng) + "(assert (not (q of)))" + goal("(p of)"), None, "inconsistent"),
        ),
        (15, lambda: _smt("enumeration", colors + goal(f"(= c {values[2]})"), True, "proved")),
        (8, lambda: _smt("datatype", nat + goal(f"(= (pred c) z{n % 7})"), True, "proved")),
        (
            8,
            lambda: _smt(
                "number", f"(declare-const c Int)(assert (> c {n}))" + goal(f"(> c {n + 1})"), None, "unknown"
            ),
        ),
        (
            8,
            lambda: _smt("optimum", f"(declare-const c Int)(assert (<= (* 2 c) {2 * n + 1}))(maximize c)", n, "proved"),
        ),
        (8, lambda: _smt("invalid", _people(rng) + goal("(t of)"), None, "invalid")),
        (2, lambda: _smt("timeout", CUBES, None, "unknown")),
        (1, lambda: _smt("memory", BITS, None, "unknown")),
        (10, lambda: Case("json proved", "json", asked("likes(mine)"), True, ("proved",))),
        (10, lambda: Case("json open", "json", asked(f"likes({values[1]})"), None, ("unknown",))),
        (5, lambda: Case("json invalid", "json", asked("likes(mine")[:-1], None, ("invalid",))),
    ]
    made: Case = rng.choices([make for _, make in kinds], [weight for weight, _ in kinds])[0]()
    return made


@dataclass
class Tally:
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    again: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, posed: Case, result: Any, again: bool) -> None:
        with self.lock:
            self.again += again
            self.counts[posed.kind] += 1
            if result.answer != posed.answer or str(result.verdict) not in posed.verdicts:
                said = f"{result.answer} {result.verdict} ({result.reason})"
                self.wrong.append(f"{posed.kind}: {said} instead of {posed.answer} {posed.verdicts}\n{posed.text}")


def is_cut_short(posed: Case, result: Any) -> bool:
    """Whether there is an answer that could not be found, for want of time or of a solver: that is not wrong yet."""
    without = str(result.verdict) == "unknown" and result.answer is None
    return without and any(why in result.reason for why in CUT_SHORT) and "unknown" not in posed.verdicts


def footprint() -> dict[str, int]:
    """MiB, threads, open files and children of this process, and the MiB of the children."""
    children: list[str] = []
    for task in os.listdir("/proc/self/task"):
        with contextlib.suppress(OSError):  # a thread that has just ended
            children += Path("/proc/self/task", task, "children").read_text("ascii").split()
    files = len(os.listdir("/proc/self/fd"))
    return {
        "mb": _resident("self"),
        "threads": threading.active_count(),
        "files": files,
        "children": len(children),
        "their mb": sum(map(_resident, children)),
    }


def _resident(process: str) -> int:
    """Its resident memory in MiB; 0 when it has just ended."""
    try:
        with open(f"/proc/{process}/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * PAGE >> 20
    except OSError:
        return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kill", action="store_true", help="kill a solver every second, or more often")
    options = parser.parse_args()

    tally, raised, killed, least = Tally(), [], 0, KILLS if options.kill else 0
    kinds: dict[str, Any] = {"smt2": SMT2Backend, "json": JSONBackend}
    backends, patient = (
        {name: kind(verify_timeout=1000 * SECONDS[name] * times, memory_mb=256) for name, kind in kinds.items()}
        for times in (1, PATIENCE)
    )
    began = time.monotonic()
    until = began + options.seconds

    def work(number: int) -> None:
        rng = random.Random(options.seed * 1000 + number)
        try:
            while (time.monotonic() < until or killed < least) and not raised:
                posed = case(rng)
                result = backends[posed.backend].execute(posed.text)
                again = is_cut_short(posed, result)
                tally.add(posed, patient[posed.backend].execute(posed.text) if again else result, again)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is what we look for
            raised.append(repr(error))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(options.threads)]
    for thread in threads:
        thread.start()
    rng, early, seen = random.Random(options.seed), footprint(), footprint()
    last, pause = 0.0, min(1.0, options.seconds / (2 * KILLS))
    while any(thread.is_alive() for thread in threads):
        time.sleep(pause)
        now = time.monotonic() - began
        seen = footprint()
        if now < max(10.0, options.seconds / 10):
            early = seen
        if options.kill:
            pairs = [p for b in backends.values() for p in b._solvers._pairs]
            if pairs:
                rng.choice(pairs).z3.kill()
                killed += 1
        if now - last >= 10:
            last = now
            print(f"{now:6.0f} s  {sum(tally.counts.values())} programs, {len(tally.wrong)} wrong, {seen}", flush=True)
    for backend in (*backends.values(), *patient.values()):
        backend.close()
    seconds, after = time.monotonic() - began, footprint()
    total = sum(tally.counts.values())
    print(f"{options.threads} threads, {seconds:.0f} s: {total} programs, {total / seconds:.0f} a second")
    print(", ".join(f"{count} {kind}" for kind, count in tally.counts.most_common()))
    print(f"after the start {early}, at the end {seen}, closed {after}")
    for text in [*raised, *tally.wrong[:5]]:
        print(f"WRONG: {text}")
    grown = seen["mb"] - early["mb"] > MARGIN_MB or seen["files"] - early["files"] > MARGIN_FILES
    left = after["children"] > 0
    print(f"posed again: {tally.again}; killed: {killed}")
    print(f"wrong: {len(tally.wrong)}; raised: {len(raised)}; grown: {grown}; processes left: {after['children']}")
    return 1 if tally.wrong or raised or grown or left else 0


if __name__ == "__main__":
    sys.exit(main())
