"""Makes `smt2_texts` importable from the tests."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
