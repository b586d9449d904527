"""The embedded Lean: time of a check, of the first verdict, of coming back after an endless text, and memory.

The theorems are generated here from a seed: small ones, of several kinds, each with a proof. The same theorems are
checked by one Lean that stays and, as the baseline, each by a Lean of its own that has just been started.

    python scripts/bench_lean.py [--theorems 100] [--fresh 10] [--soak 1000] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from goedels_poetry.lean.runtime.driven import DrivenLean
from goedels_poetry.lean.runtime.embedded import command
from goedels_poetry.lean.runtime.install import LEAN_VERSION, install
from goedels_poetry.lean.runtime.protocol import CheckRequest

CHECK_MS = 40.0
FIRST_SECONDS = 4.0
PEAK_MB = 1024.0
GROWTH_MB = 32.0
BACK_SECONDS = 2.0
LIMIT_SECONDS = 1.0
SETTLED = 0.2
"""Part of the soak after which memory may not grow any more: by then every kind of request has been seen often."""
ENDLESS = "partial def forever (n : Nat) : Nat := forever (n + 1)\n#eval forever 0"
TREE = (
    "inductive Tree (α : Type) where\n  | leaf : Tree α\n  | node : Tree α → α → Tree α → Tree α\n"
    "def Tree.mirror : Tree α → Tree α\n  | .leaf => .leaf\n  | .node l x r => .node r.mirror x l.mirror\n"
)


@dataclass(frozen=True)
class Bar:
    what: str
    value: float
    unit: str
    limit: float

    @property
    def met(self) -> bool:
        return self.value < self.limit


# --- theorems -----------------------------------------------------------------------------------------------


def _linear(rng: random.Random, name: str) -> str:
    a, b = rng.randint(1, 9), rng.randint(1, 9)
    return f"theorem {name} (x y : Nat) (h : {a} * x + {b} ≤ y) : x < y + {rng.randint(1, 5)} := by omega"


def _lists(rng: random.Random, name: str) -> str:
    k = rng.randint(1, 50)
    return f"theorem {name} (xs ys : List Nat) : (xs ++ {k} :: ys).length = xs.length + ys.length + 1 := by simp +arith"


def _decided(rng: random.Random, name: str) -> str:
    n = rng.randint(5, 15)
    return f"theorem {name} : ∀ i : Fin {n}, i.val * i.val < {n * n} := by decide"


def _induction(rng: random.Random, name: str) -> str:
    k = rng.randint(2, 9)
    cases = "induction n with\n  | zero => rfl\n  | succ n ih => omega"
    return f"theorem {name} (n : Nat) : {k} * n = n * {k} := by\n  {cases}"


def _logic(rng: random.Random, name: str) -> str:
    p, q, r = rng.sample(["p", "q", "r"], 3)
    return f"theorem {name} (p q r : Prop) (h : {p} ∧ ({q} ∨ {r})) : {p} ∧ {q} ∨ {p} ∧ {r} := by grind"


def _term(rng: random.Random, name: str) -> str:
    k = rng.randint(10, 10**6)
    return f"theorem {name} (f : Nat → Nat) (h : f 0 = {k}) : f (0 + 0) = {k} := h"


def theorems(count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    kinds: tuple[Callable[[random.Random, str], str], ...] = (_linear, _lists, _decided, _induction, _logic, _term)
    return [kinds[i % len(kinds)](rng, f"t{i}") for i in range(count)]


def soak(count: int, seed: int) -> Iterator[CheckRequest]:
    """Requests of every kind that a run poses."""
    for i, theorem in enumerate(theorems(count, seed)):
        holes = f"theorem m{i} (t : Tree α) : t.mirror.mirror = t := by\n  induction t with\n  | leaf => sorry\n"
        holes += "  | node l x r hl hr => have : 1 + 1 = 2 := sorry; sorry"
        yield (
            CheckRequest(theorem),
            CheckRequest(holes, prefix=TREE, holes=True),
            CheckRequest(theorem, declarations=True, replay=True, commands=True),
            CheckRequest(theorem.partition(":= by")[0] + " := by skip"),
        )[i % 4]


# --- measuring ----------------------------------------------------------------------------------------------


def memory_mb(lean: DrivenLean, what: str) -> float:
    """A line of /proc/PID/status: VmRSS now, VmHWM at most so far."""
    for line in Path(f"/proc/{lean.pid}/status").read_text().splitlines():
        if line.startswith(f"{what}:"):
            return int(line.split()[1]) / 1024
    raise SystemExit(f"no {what} of the process")


def processor_seconds(lean: DrivenLean) -> float:
    """What the process has used, all its threads together."""
    fields = Path(f"/proc/{lean.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def checked(lean: DrivenLean, theorem: str) -> float:
    """Seconds of one check; ends the program when the theorem is not accepted."""
    began = time.perf_counter()
    result = lean.check(CheckRequest(theorem))
    if not result.ok:
        raise SystemExit(f"not accepted: {theorem}\n{result}")
    return time.perf_counter() - began


def started_anew(line: list[str], todo: list[str]) -> list[float]:
    """Seconds from no process to a verdict, for each theorem."""
    found = []
    for theorem in todo:
        lean = DrivenLean(line)
        found.append(checked(lean, theorem))
        lean.close()
    return found


def endless(lean: DrivenLean) -> tuple[float, float]:
    """Seconds beyond the limit until an endless text was given up, and until the next verdict."""
    began = time.perf_counter()
    stopped = lean.check(CheckRequest(ENDLESS, seconds=LIMIT_SECONDS))
    late = time.perf_counter() - began - LIMIT_SECONDS
    if stopped.status != "timeout":
        raise SystemExit(f"an endless text was not stopped: {stopped}")
    return late, checked(lean, "theorem after : 1 + 1 = 2 := rfl")


def measure(options: argparse.Namespace) -> tuple[list[Bar], dict[str, float]]:
    line, todo = command(install()), theorems(options.theorems, options.seed)
    started_anew(line, todo[:1])  # makes the snapshot, and fills the system's caches
    fresh = started_anew(line, todo[: options.fresh])
    lean = DrivenLean(line)
    checked(lean, "theorem first : True := trivial")
    used = processor_seconds(lean)
    times = [checked(lean, theorem) for theorem in todo]
    used = processor_seconds(lean) - used
    settled = 0.0
    for number, request in enumerate(soak(options.soak, options.seed)):
        if lean.check(request).status != "done":
            raise SystemExit(f"no answer to {request}")
        if number <= options.soak * SETTLED:
            settled = memory_mb(lean, "VmRSS")
    growth, peak = memory_mb(lean, "VmRSS") - settled, memory_mb(lean, "VmHWM")
    late, back = endless(lean)
    starts = lean.starts
    lean.close()
    median, baseline = statistics.median(times) * 1000, statistics.median(fresh)
    bars = [
        Bar("median check", median, "ms", CHECK_MS),
        Bar("first verdict after a cold start, median", baseline, "s", FIRST_SECONDS),
        Bar("most memory (RSS)", peak, "MB", PEAK_MB),
        Bar(f"growth over the last {1 - SETTLED:.0%} of {options.soak} checks", growth, "MB", GROWTH_MB),
        Bar("an endless #eval: stopped so much after its limit", late, "s", 1.0),
        Bar("an endless #eval: the next verdict after", back, "s", BACK_SECONDS),
    ]
    ordered = sorted(times)
    more = {
        "check_p95_ms": ordered[int(len(ordered) * 0.95)] * 1000,
        "check_processor_ms": used / len(times) * 1000,
        "check_max_ms": ordered[-1] * 1000,
        "fresh_worst_s": max(fresh),
        "times_faster_than_fresh": baseline * 1000 / median,
        "process_starts": float(starts),
    }
    return bars, more


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--theorems", type=int, default=100)
    parser.add_argument("--fresh", type=int, default=10, help="theorems of the baseline, 1 to 2 s each")
    parser.add_argument("--soak", type=int, default=1000, help="requests of all kinds, for memory")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()

    bars, more = measure(options)
    met = all(bar.met for bar in bars)
    if options.json:
        shown = {bar.what: {"value": bar.value, "unit": bar.unit, "limit": bar.limit, "met": bar.met} for bar in bars}
        print(json.dumps({"bars": shown, **more, "load": os.getloadavg()[0], "met": met}))
    else:
        print(f"Lean {LEAN_VERSION}, {options.theorems} theorems, {options.fresh} of them each by a Lean of its own")
        for bar in bars:
            said = "met" if bar.met else "MISSED"
            print(f"{bar.what:55}{bar.value:10.2f} {bar.unit:3}  bar {bar.limit:g} {bar.unit:3} {said}")
        print(
            f"checks: 95 % within {more['check_p95_ms']:.0f} ms, the longest {more['check_max_ms']:.0f} ms, "
            f"{more['check_processor_ms']:.0f} ms of processor each; "
            f"{more['times_faster_than_fresh']:.0f} times as fast as a Lean for each; load {os.getloadavg()[0]:.1f}"
        )
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
