"""Compare our evaluator with Lean on random theorems of SMT-LIB: names that mean something in Lean, operators at their
edges, functions by recursion. ``python scripts/fuzz_bridge.py --count 100 --seed 0``

Each theorem is a conjunction of facts that our evaluator has computed; Lean has to find each of them true. With
``--wrong`` one fact of each is denied, and Lean must not accept it. Exit code 1 when the two differ; the text is left
in ``--keep``.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from translation_cases import case

from goedels_poetry.lean.runtime.embedded import embedded_pool
from goedels_poetry.lean.runtime.protocol import CheckRequest

SECONDS = 120.0


async def compare(first: int, count: int, facts: int, depth: int, wrong: bool, keep: Path | None) -> int:
    """The number of theorems on which the two differ."""
    lean, differing, compared, began = embedded_pool(1), 0, 0, time.monotonic()
    try:
        for seed in range(first, first + count):
            made = case(seed, facts, depth, wrong)
            seen = await lean.check(CheckRequest(made.lean, seconds=SECONDS))
            if seen.status != "done":
                print(f"{seed}: no answer ({seen.status})")
                continue
            compared += made.facts
            if bool(seen.errors) != wrong:
                differing += 1
                first_error = seen.errors[0] if seen.errors else None
                print(f"{seed}: {first_error.line}: {first_error.text[:400]}" if first_error else f"{seed}: accepted")
                if keep is not None:
                    leave(keep / f"{seed}.lean", made.lean)
    finally:
        await lean.aclose()
    print(f"{count} theorems, {compared} facts, {differing} differ, {time.monotonic() - began:.0f} s")
    return differing


def leave(file: Path, text: str) -> None:
    """Write what differs down, for a person."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def main() -> int:
    """Read the arguments and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--count", type=int, default=20, help="theorems")
    parser.add_argument("--seed", type=int, default=0, help="of the first one")
    parser.add_argument("--facts", type=int, default=12, help="of each theorem")
    parser.add_argument("--depth", type=int, default=3, help="of terms")
    parser.add_argument("--wrong", action="store_true", help="one fact of each theorem is denied")
    parser.add_argument("--keep", type=Path, help="folder for what differs")
    given = parser.parse_args()
    found = asyncio.run(compare(given.seed, given.count, given.facts, given.depth, given.wrong, given.keep))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
