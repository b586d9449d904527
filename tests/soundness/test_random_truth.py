"""Random theorems whose truth is computed by trying everything: no verdict is wrong, and every text is read."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from drive import verdict

LONG = 60.0


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    path = Path(__file__).parents[2] / "scripts" / "fuzz_truth.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", [22])
def test_no_verdict_on_a_finite_theory_is_wrong(fuzz: ModuleType, seed: int, tmp_path: Path) -> None:
    seen = set()
    for number, made in enumerate(fuzz.theorems(10, seed)):
        result = verdict(made.text, tmp_path / str(number), seconds=LONG)
        assert not fuzz.fault(made.holds, result["verdict"], result.get("trust_level")), (result, made.text)
        seen.add(result["verdict"])
    assert seen >= {"proved", "refuted"}
