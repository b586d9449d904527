"""``python -m goedels_poetry.checker.cpc OBLIGATION.smt2 PROOF.cpc``: whether the proof is one, in its exit code."""

from __future__ import annotations

import sys
from pathlib import Path

from goedels_poetry.checker.cpc.check import check_proof
from goedels_poetry.checker.cpc.reader import expressions
from goedels_poetry.checker.cpc.terms import Rejected


def main() -> int:
    """0: a proof; 1: none, with the reason; 2: the files cannot be read."""
    if len(sys.argv) != 3:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    try:
        obligation, proof = [Path(name).read_text("utf-8") for name in sys.argv[1:]]
        sys.stdout.write(f"holds: {check_proof(expressions(obligation), proof)} steps\n")
    except Rejected as error:
        sys.stdout.write(f"rejected: {error}\n")
        return 1
    except (OSError, UnicodeDecodeError) as error:
        sys.stderr.write(f"cannot be read: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
