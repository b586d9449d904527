"""What a warm process saves: the median of calls over MCP against that of the same as a command.

    python scripts/bench_warm.py [--calls 15] [--cold 3] [--kind smt lean python] [--json]

Every call is about another text, so that nothing is remembered. A real client speaks to a real server on standard input
and output; the first call of each kind, in which processes start, is reported by itself. The baseline is the command
`goedels-poetry prove FILE` (of Lean text: `check FILE`), loading included.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

SMT = "(declare-const x Int)\n(declare-const y Int)\n(assert (> x y))\n(assert (> y {n}))\n(assert (not (> x {n})))\n"
LEAN = "theorem t{n} (a b : Nat) (h : a < b) : a + {n} < b + {n} := by omega\n"
PYTHON = """from goedels_poetry import ensures, requires


@requires(lambda low, high: low <= high)
@ensures(lambda low, high, result: low <= result and result <= high + {n})
def middle_{n}(low: int, high: int) -> int:
    whole = low + high
    return whole // 2
"""


@dataclass(frozen=True)
class Kind:
    """A task of which many are made."""

    text: str
    suffix: str
    tool: str
    command: str
    most: float
    """Seconds that the median may take on a quiet machine."""


KINDS = {
    "smt": Kind(SMT, ".smt2", "prove", "prove", 0.05),
    "lean": Kind(LEAN, ".lean", "lean_run_code", "check", 0.05),
    "python": Kind(PYTHON, ".py", "prove", "prove", 0.3),
}


async def warm(kind: Kind, calls: int, home: str) -> tuple[float, list[float]]:
    """Seconds of the first call, and of each of the others."""
    environment = {**os.environ, "GOEDELS_POETRY__HOME": home}
    server = StdioServerParameters(command=sys.executable, args=["-m", "goedels_poetry", "mcp"], env=environment)
    seconds = []
    async with Client(stdio_client(server)) as client:
        await client.list_tools()
        for number in range(1, calls + 2):
            arguments = {"text": kind.text.format(n=number)}
            began = time.perf_counter()
            result = await client.call_tool(kind.tool, arguments)
            seconds.append(time.perf_counter() - began)
            data = result.structured_content
            if data.get("verdict", "proved") != "proved" or not all(each["ok"] for each in data.get("results", ())):
                raise SystemExit(f"{kind.tool}: {result.content}")
    return seconds[0], seconds[1:]


def cold(kind: Kind, calls: int, home: str) -> list[float]:
    """Seconds of each command."""
    seconds = []
    for number in range(101, calls + 101):
        file = Path(home) / f"cold_{number}{kind.suffix}"
        file.write_text(kind.text.format(n=number))
        line = [sys.executable, "-m", "goedels_poetry", kind.command, str(file)]
        began = time.perf_counter()
        subprocess.run(line, env={**os.environ, "GOEDELS_POETRY__HOME": home}, capture_output=True, check=True)
        seconds.append(time.perf_counter() - began)
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=15, help="warm calls of each kind after the first")
    parser.add_argument("--cold", type=int, default=3, help="commands of each kind")
    parser.add_argument("--kind", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rows = []
    for name in given.kind:
        kind = KINDS[name]
        with tempfile.TemporaryDirectory() as home:
            first, seconds = asyncio.run(warm(kind, given.calls, home))
            commands = cold(kind, given.cold, home)
        row = {"kind": name, "first": first, "median": statistics.median(seconds), "most": kind.most}
        rows.append(row | {"worst": max(seconds), "cold": statistics.median(commands) if commands else None})
    if given.json:
        print(json.dumps(rows))
        return
    for row in rows:
        command = "" if row["cold"] is None else f", command {row['cold']:.2f} s"
        times = f"median {row['median'] * 1000:.0f} ms (wanted: {row['most'] * 1000:.0f} ms)"
        print(f"{row['kind']:8}{times}, worst {row['worst'] * 1000:.0f} ms, first {row['first']:.2f} s{command}")


if __name__ == "__main__":
    main()
