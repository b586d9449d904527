"""The module that is quick to load has the names of lean.wasm, and each stands for what it stands for there."""

from pathlib import Path

import pytest
from lean_programs import found_by


@pytest.mark.whole("lean/test_kernel_cases.py::test_honest_texts_are_accepted_by_both_kernels")
@pytest.mark.usefixtures("lean")
def test_every_name_stands_for_what_it_stands_for_in_the_original() -> None:
    seen = found_by(Path(__file__).with_name("exports.cjs"))
    assert seen["names"] == 201_110
    assert seen["tables"] == [["__indirect_function_table", True]]
    assert (seen["different"], seen["made_up"]) == ([], [])
