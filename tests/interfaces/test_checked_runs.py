"""What a data directory says is no proof, whichever way in somebody takes."""

import json
from pathlib import Path

import pytest

from goedels_poetry.framework import Answered, GoedelsPoetryFramework
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.settings.declared import Budgets, Settings

TRUE, FALSE = "(declare-const p Bool)\n(prove (or p (not p)))\n", "(declare-const p Bool)\n(prove p)\n"


async def proved(home: Path, text: str) -> Answered:
    settings = Settings(home=home, budgets=Budgets(wall_seconds=60.0))
    async with GoedelsPoetryFramework(settings, checkpoint_all=False) as framework:
        return await framework.aprove(text, name="t.smt2", options={"assume_definitions": False})


@pytest.mark.parametrize("lie", ["the proof of another theorem", "no certificate at all"])
async def test_a_remembered_proof_is_checked_again_and_a_lie_proved_anew(tmp_path: Path, lie: str) -> None:
    first = await proved(tmp_path, TRUE)
    again = await proved(tmp_path, TRUE)
    assert [(run.result.verdict, run.remembered) for run in (first, again)] == [
        (Verdict.PROVED, False),
        (Verdict.PROVED, True),
    ]
    false = (await proved(tmp_path, FALSE)).result
    assert false.verdict is Verdict.REFUTED
    assert false.run_dir is not None
    card = false.run_dir / "run.json"
    told = json.loads(card.read_text())
    other = str(first.result.certificate) if "another" in lie else None
    told["result"] |= {"verdict": "proved", "counterexample": None, "certificate": other, "trust_level": "L3"}
    card.write_text(json.dumps(told))
    run = await proved(tmp_path, FALSE)
    assert (run.result.verdict, run.remembered, run.doubted) == (Verdict.REFUTED, False, True)
