"""What the tests of this folder share: a server of search services, and the toy language."""

import sys
from pathlib import Path

sys.path += [str(Path(__file__).parent), str(Path(__file__).parents[1] / "machine")]
