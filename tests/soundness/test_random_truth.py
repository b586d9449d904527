"""Random theorems whose truth is computed by trying everything: no verdict is wrong, and every text is read."""

from pathlib import Path

import fuzz_truth as fuzz
import pytest
from drive import verdict

LONG = 60.0


@pytest.mark.parametrize("seed", [22])
def test_no_verdict_on_a_finite_theory_is_wrong(seed: int, tmp_path: Path) -> None:
    seen = set()
    for number, made in enumerate(fuzz.theorems(10, seed)):
        result = verdict(made.text, tmp_path / str(number), seconds=LONG)
        assert not fuzz.fault(made.holds, result["verdict"], result.get("trust_level")), (result, made.text)
        seen.add(result["verdict"])
    assert seen >= {"proved", "refuted"}
