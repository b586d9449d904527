"""The module that is quick to load has the names of lean.wasm, and each stands for what it stands for there."""

import json
import subprocess
from pathlib import Path

import pytest

from goedels_poetry.languages.lean.runtime import embedded


@pytest.mark.usefixtures("lean")
def test_every_name_stands_for_what_it_stands_for_in_the_original() -> None:
    ours, program = Path(embedded.__file__).parent, Path(__file__).with_name("exports.cjs")
    command = [str(embedded.node_program()), str(program), str(ours), str(embedded.cache_folder())]
    done = subprocess.run(command, capture_output=True, text=True, timeout=115)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["names"] == 201_110
    assert seen["tables"] == [["__indirect_function_table", True]]
    assert (seen["different"], seen["made_up"]) == ([], [])
