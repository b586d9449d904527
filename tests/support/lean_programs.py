"""Programs of ours for Node that look into the embedded Lean."""

import json
import subprocess
from pathlib import Path
from typing import Any

from goedels_poetry.lean.runtime import embedded, install


def found_by(program: Path) -> Any:
    """What a program prints as JSON; it is told the folders of our driver and of the installation."""
    ours = Path(embedded.__file__).parent
    command = [str(install.node_program()), str(program), str(ours), str(install.cache_folder())]
    done = subprocess.run(command, capture_output=True, text=True, timeout=115)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
