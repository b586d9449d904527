"""Lean theorems with a language model behind a real server: its sketches are used, its tricks are not."""

from pathlib import Path
from typing import Any

import pytest
from model_server import Answer, Server

from goedels_poetry import Budgets, GoedelsPoetryFramework, RunResult, Settings
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.lean.language import LeanLanguage
from goedels_poetry.lean.runtime.pool import LeanPool

DOUBLE = """def double : Nat → Nat
  | 0 => 0
  | n + 1 => double n + 2

theorem double_mul (n : Nat) : double n * 3 = n * 6 := by
  sorry
"""
SKETCH = """The lemma says what `double` computes.

```lean
theorem double_eq (n : Nat) : double n = 2 * n := by
  sorry

theorem double_mul (n : Nat) : double n * 3 = n * 6 := by
  rw [double_eq]
  sorry
```
"""
pytestmark = pytest.mark.usefixtures("checked_by_kept")
FALSE = "def f (n : Nat) : Nat := n * n\n\ntheorem t (n m : Nat) (h : f n = m + 123457) : n < 300 := by\n  sorry\n"


async def prove(lean: LeanPool, home: Path, server: Server, source: str, **settings: Any) -> RunResult:
    chosen = Settings(
        home=home,
        models={"default": {"model": "scripted", "base_url": server.url, "retries": 0}},
        budgets=Budgets(**{"wall_seconds": 3600, "model_calls": 12} | settings),
        schedule={"beam": (1,)},
        model_first=True,
        symbolic_queries=0,
        use_memory=False,
        retrieval={"premises": 0},  # which are tested with the search for them
    )
    async with GoedelsPoetryFramework(chosen, language=LeanLanguage(lean)) as framework:
        return await framework.arun(source, name="t.lean")


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def knows_the_sketch(asked: dict[str, Any]) -> Answer:
    text = str(asked["messages"][-1]["content"])
    return Answer(SKETCH if "theorem double_mul" in text.partition("Goal:")[2] else "I do not know.")


async def test_a_models_sketch_is_completed_and_its_lemma_proved(lean: LeanPool, tmp_path: Path) -> None:
    with Server(knows_the_sketch) as server:
        result = await prove(lean, tmp_path, server, DOUBLE)
    assert result.verdict is Verdict.PROVED, result.reason
    assert result.certificate is not None
    text = (result.certificate / "proof.lean").read_text()
    assert "double_eq" in text and "sorry" not in text


async def test_a_model_is_told_what_lean_says_about_its_proof(lean: LeanPool, tmp_path: Path) -> None:
    wrong = "```lean\ntheorem t (n : Nat) : n * 1 = n := by\n  exact Nat.mul_won n\n```"
    right = "```lean\ntheorem t (n : Nat) : n * 1 = n := by\n  exact Nat.mul_one n\n```"
    with Server([Answer(wrong), Answer(right)]) as server:
        result = await prove(lean, tmp_path, server, "theorem t (n : Nat) : n * 1 = n := by sorry\n")
    assert result.verdict is Verdict.PROVED, result.reason
    again = str(server.requests[-1]["messages"][-1]["content"])
    assert "Lean does not accept this proof" in again and "Nat.mul_won n" in again
    assert "Unknown constant `Nat.mul_won`" in again and "unknown_identifier" in again


STATEMENT = "theorem t (n m : Nat) (h : f n = m + 123457) : n < 300"
TRICKS = {
    "sorry in a helper": f"theorem a : False := by sorry\n\n{STATEMENT} := a.elim",
    "an axiom": f"axiom a : False\n\n{STATEMENT} := a.elim",
    "native_decide": f"{STATEMENT} := by native_decide",
    "another statement": "theorem t (n m : Nat) (h : f n = m + 123457) : n ≤ n := Nat.le_refl n",
    "no kernel": "set_option debug.skipKernelTC true in\n"
    f"{STATEMENT} := by exact absurd (by decide +kernel : (1 : Nat) = 2) (by decide)",
    "a macro": f'macro "omega" : tactic => `(tactic| sorry)\n{STATEMENT} := by omega',
    "a comment": f"{STATEMENT} := by /-\n  trivial",
    "an exit": f"{STATEMENT} := by\n  skip\n#exit",
    "its own definition": f"def f (n : Nat) : Nat := 0\n{STATEMENT} := by simp [f] at h",
}


async def test_no_trick_of_a_model_proves_what_is_false(lean: LeanPool, tmp_path: Path) -> None:
    replies = [Answer(f"```lean\n{trick}\n```") for trick in TRICKS.values()]
    with Server(replies) as server:
        result = await prove(lean, tmp_path, server, FALSE, wall_seconds=25, model_calls=len(TRICKS))
    assert result.verdict in (Verdict.UNKNOWN, Verdict.OUT_OF_BUDGET, Verdict.REFUTED)
    assert server.requests or result.verdict is Verdict.REFUTED
