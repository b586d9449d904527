"""What the cheats are tried with: the checker tests' whole runs and forged certificates."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "checker")]
