"""What the Lean gate costs: seconds of its parts, beside Lean's own elaboration of the same text in a fresh process.

The texts are generated here: small theorems, proofs by tactics that write long terms, recursive definitions, a nested
type. Each is checked by fresh processes, as `check FILE.lean --against ORIGINAL.lean` does.

    python scripts/bench_gate.py [--repeat 3] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, replace

from goedels_poetry.checker.lean.gate import SecondKernel
from goedels_poetry.checker.lean.verify import Claim, fresh_lean, fresh_leans, verify_with
from goedels_poetry.lean.gate.second import Opinion
from goedels_poetry.lean.runtime.protocol import CheckRequest

SECONDS = 120.0
MIRROR = (
    "inductive Tree (α : Type) where\n  | leaf : Tree α\n  | node : Tree α → α → Tree α → Tree α\n"
    "def Tree.mirror : Tree α → Tree α\n  | .leaf => .leaf\n  | .node l x r => .node r.mirror x l.mirror\n"
)
TEXTS = {
    "rfl": ("theorem t : 2 + 2 = 4 := {}\n", "rfl"),
    "omega": ("theorem t (a b c : Int) (h : 2 * a < b) (g : b < 3 + c) : 2 * a ≤ c + 1 := {}\n", "by omega"),
    "decide": ("theorem t : ∀ x y : Fin 20, x + y = y + x := {}\n", "by decide"),
    "grind": ("theorem t (xs ys : List Nat) : (xs ++ ys).length = ys.length + xs.length := {}\n", "by grind"),
    "induction": (
        MIRROR + "theorem t (x : Tree α) : x.mirror.mirror = x := {}\n",
        "by\n  induction x with\n  | leaf => rfl\n  | node l x r hl hr => simp [Tree.mirror, hl, hr]",
    ),
    "nested": (
        "inductive Rose where\n  | node : List Rose → Rose\n"
        "mutual\ndef Rose.size : Rose → Nat\n  | .node xs => sizes xs + 1\n"
        "def sizes : List Rose → Nat\n  | [] => 0\n  | x :: xs => x.size + sizes xs\nend\n"
        "theorem t (x : Rose) : 0 < x.size := {}\n",
        "by\n  cases x\n  simp [Rose.size]",
    ),
}


@dataclass(frozen=True)
class Row:
    """Medians, in seconds. ``lean``: a fresh Lean that elaborates the text, which is the baseline."""

    name: str
    lean: float
    gate: float
    second: float
    level: str

    @property
    def times(self) -> float:
        """The gate beside Lean alone."""
        return self.gate / self.lean


async def timed(work: Callable[[], Awaitable[object]]) -> float:
    began = time.monotonic()
    await work()
    return time.monotonic() - began


async def alone(text: str) -> None:
    lean = await asyncio.to_thread(fresh_lean)
    try:
        seen = await lean.check(CheckRequest(text, seconds=SECONDS))
        assert seen.ok, seen.errors
    finally:
        await lean.aclose()


def listening(second: SecondKernel, heard: list[Opinion]) -> SecondKernel:
    async def ask(*given: object) -> Opinion:
        heard.append(await second(*given))  # type: ignore[arg-type]
        return heard[-1]

    return ask


async def measure(name: str, repeat: int) -> Row:
    statement, proof = TEXTS[name]
    original, text = statement.format("sorry"), statement.format(proof)
    lean, gate, levels, heard = [], [], [], list[Opinion]()
    for _ in range(repeat):
        lean.append(await timed(lambda: alone(text)))
        began = time.monotonic()
        async with fresh_leans(fresh_lean) as leans:
            watched = replace(leans, second=listening(leans.second, heard))
            report = await verify_with(watched, Claim(text, original), time.monotonic() + SECONDS)
        gate.append(time.monotonic() - began)
        levels.append(str(report.trust_level))
    second = statistics.median(opinion.seconds for opinion in heard)
    return Row(name, statistics.median(lean), statistics.median(gate), second, min(levels))


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rows = [await measure(name, given.repeat) for name in TEXTS]
    if given.json:
        print(json.dumps([asdict(row) for row in rows]))
        return
    print(f"{'text':<10} {'Lean alone':>10} {'gate':>8} {'times':>6} {'second kernel':>14} {'level':>6}")
    for row in rows:
        print(
            f"{row.name:<10} {row.lean:>9.2f}s {row.gate:>7.2f}s {row.times:>6.1f} {row.second:>13.2f}s {row.level:>6}"
        )


if __name__ == "__main__":
    asyncio.run(main())
