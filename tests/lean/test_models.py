"""Models and their replies about Lean."""

from pathlib import Path
from typing import Any

import pytest
from model_server import Answer, Server

from goedels_poetry import Budgets, GoedelsPoetryFramework, RunResult, Settings
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.lean.language import CORE_TACTICS, MATHLIB_TACTICS, LeanLanguage
from goedels_poetry.lean.refute import Refutation, confirm
from goedels_poetry.lean.replies import NO_BLOCK, lean_text, read_reply
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest
from goedels_poetry.lean.text.sketch import check_proof
from goedels_poetry.lean.text.task import Task

pytestmark = pytest.mark.usefixtures("checked_by_kept")

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


PREFIX = "def double (n : Nat) : Nat := n + n\n\nnamespace N\n\n"
HEAD = "theorem t (n : Nat) : double n = 2 * n"
TASK = Task(PREFIX, HEAD, "t", (), ("double",), ())
PROOF = "by\n  unfold double\n  omega"


def fenced(text: str) -> str:
    return f"Here it is:\n\n```lean4\n{text}\n```\nI hope that it helps."


@pytest.mark.parametrize(
    ("reply", "proof", "helpers"),
    [
        (fenced(f"{HEAD} := {PROOF}"), PROOF, ""),
        (fenced(f"theorem N.t (n : Nat) : double n = 2 * n := {PROOF}"), PROOF, ""),
        (fenced(PROOF), PROOF, ""),
        (fenced(f":= {PROOF}"), PROOF, ""),
        (PROOF, PROOF, ""),
        (fenced(f"{PREFIX}{HEAD} := {PROOF}"), PROOF, ""),
        (fenced(f"import Init\n{HEAD} := {PROOF}"), PROOF, ""),
        (fenced(f"theorem aux (n : Nat) : n + n = 2 * n := by omega\n\n{HEAD} := aux n"), "aux n", "theorem aux"),
        (fenced(f"{HEAD} := {PROOF}") + "\n" + fenced("theorem t (n : Nat) : double n = 2 * n := rfl"), "rfl", ""),
        (fenced("theorem t (n : Nat) : True := trivial"), "trivial", ""),
        (fenced(f"open Nat\n\n{HEAD} := {PROOF}"), PROOF, ""),
    ],
)
async def test_the_proof_is_found_however_it_is_wrapped(lean: LeanPool, reply: str, proof: str, helpers: str) -> None:
    written = await read_reply(lean, TASK, reply)
    assert (written.reason, written.proof) == ("", proof)
    assert written.helpers.startswith(helpers) and bool(written.helpers) == bool(helpers)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("", "no complete block"),
        ("```lean\ntheorem t : 1 = 1 := by", "no complete block"),
        (fenced("theorem other (n : Nat) : n = n"), "proof"),
        (fenced("axiom cheat : False\n\n" + f"{HEAD} := cheat.elim"), "not allowed"),
        ("by " + "x" * 300_000, "characters"),
        (fenced(f'macro "omega" : tactic => `(tactic| sorry)\n\n{HEAD} := {PROOF}'), "not allowed here, 1:0: notation"),
        (fenced(f"{HEAD} := by\n  run_tac do IO.Process.exit 0"), "not allowed here, 2:2: metaprogram"),
        (fenced(f'#eval IO.FS.writeFile "x" "y"\n{HEAD} := {PROOF}'), "not allowed here, 1:0"),
        (fenced(f"{HEAD} := by exact?"), "suggestion"),
        (fenced("by native_decide"), "native"),
    ],
)
async def test_a_reply_without_a_usable_proof_is_refused_in_words(lean: LeanPool, reply: str, words: str) -> None:
    assert words in (await read_reply(lean, TASK, reply)).reason


def test_a_reply_that_was_cut_off_gives_no_text() -> None:
    assert lean_text("```lean\ntheorem t") == ""


DOUBLED = "∀ (n : Nat), 0 < n → double n = 4"
CLOSED = "theorem gp_0 : ∀ (n : Nat), double n = 2 * n"
NOT_TRUE = Task(PREFIX, "theorem f (n : Nat) (h : 0 < n) : double n = 4", "f", (), ("double",), ())
FALSE_CLOSED = f"theorem gp_1 : {DOUBLED}"
ALONE = Task(PREFIX, FALSE_CLOSED, "gp_1", (), ("double",), ())


async def test_a_theorem_of_another_name_counts_when_it_states_the_goal(lean: LeanPool) -> None:
    same = await read_reply(lean, TASK, fenced(f"theorem other (k : Nat) : double k = 2 * k := {PROOF}"), CLOSED)
    assert same.reason == ""
    assert (await check_proof(lean, TASK, same.proof, same.helpers)).reason == ""


async def test_a_theorem_that_states_something_else_is_told_so(lean: LeanPool) -> None:
    for reply in ("theorem other (n : Nat) : n = n := rfl", "theorem t (n : Nat) : True := trivial"):
        reason = (await read_reply(lean, TASK, fenced(reply), CLOSED)).reason
        assert "states something else than the goal" in reason
        assert reply.partition(" := ")[0] in reason
        assert HEAD in reason


@pytest.mark.parametrize("reply", ["I think that omega closes it after unfolding.", "no idea"])
async def test_prose_is_not_given_to_lean(lean: LeanPool, reply: str) -> None:
    assert (await read_reply(lean, TASK, reply)).reason == NO_BLOCK


@pytest.mark.parametrize(
    "reply",
    [
        fenced(
            "theorem f_refuted : ¬ (∀ (n : Nat), 0 < n → double n = 4) := by\n  intro h\n  simpa [double] using h 1"
        ),
        fenced(
            "theorem no : ¬ ∀ m : Nat, 0 < m → double m = 4 := fun h => by\n  have := h 1 (by omega)\n  contradiction"
        ),
        '{"refuted": {"at": {"n": "1"}, "because": "double 1 = 2"}}',
        '```json\n{"refuted": {"at": [{"name": "n", "value": 3}]}}\n```',
        '{"refuted": "n = 1"}',
        f'{{"refuted": {{"proof": "theorem x : ¬ {DOUBLED} := fun h => absurd (h 1) (by decide)"}}}}',
    ],
)
async def test_a_reply_may_say_that_the_goal_is_false(lean: LeanPool, reply: str) -> None:
    written = await read_reply(lean, NOT_TRUE, reply, FALSE_CLOSED)
    assert written.reason == ""
    found = await confirm(lean, ALONE, written.refutation)
    assert isinstance(found, Refutation), found


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ('{"refuted": {"at": {"n": "0"}, "because": "0 < 0 fails"}}', "does not find the goal false at n = 0"),
        ('{"refuted": {"at": {"n": "2"}}}', "does not find the goal false at n = 2"),
        ('{"refuted": {"at": {"m": "1"}}}', "name a value for each variable"),
        ('{"refuted": {"at": {"n": "1) (by sorry"}}}', "not allowed in a value"),
        ('{"refuted": {"at": {"n": "1) (by omega"}}}', "does not find the goal false"),
        ('{"refuted": {"at": {"n": "by run_tac do IO.Process.exit 0"}}}', "not allowed in a value"),
        (
            fenced("theorem no : ¬ ∀ n : Nat, 0 < n → double n = 4 := by\n  intro h\n  simp at h"),
            "Lean does not accept the proof of the negation",
        ),
        (fenced("theorem no : ¬ ∀ n : Nat, 0 < n → double n = 4 := sorry"), "has a `sorry`"),
    ],
)
async def test_a_false_claim_that_a_goal_is_false_is_answered(lean: LeanPool, reply: str, words: str) -> None:
    written = await read_reply(lean, NOT_TRUE, reply, FALSE_CLOSED)
    assert written.reason == ""
    assert words in str(await confirm(lean, ALONE, written.refutation))


async def test_a_proof_of_another_negation_is_none_of_the_goal(lean: LeanPool) -> None:
    reply = "theorem no : ¬ ∀ n : Nat, n = 4 := fun h => absurd (h 1) (by decide)"
    assert "states something else" in (await read_reply(lean, NOT_TRUE, fenced(reply), FALSE_CLOSED)).reason


@pytest.mark.parametrize("claim", [[], {}, 3, "because it is", {"because": "x"}, {"at": {}}, {"at": {"n": ""}}])
async def test_a_claim_without_values_says_what_to_write(lean: LeanPool, claim: object) -> None:
    written = await read_reply(lean, NOT_TRUE, {"refuted": claim}, FALSE_CLOSED)
    assert '"refuted"' in written.reason or written.reason == NO_BLOCK


async def test_what_the_prompt_says_of_this_lean_is_so(lean: LeanPool) -> None:
    theorem = {name: f"example : 1 = 1 := by {name}" for name in (*CORE_TACTICS, *MATHLIB_TACTICS)}
    for name, text in theorem.items():
        errors = " ".join(m.text for m in (await lean.check(CheckRequest(text))).errors)
        unknown = "unknown tactic" in errors or "<tactic>" in errors
        assert unknown == (name in MATHLIB_TACTICS), f"{name}: {errors}"
