"""Sketches: Lean says what each hole has to prove, and the hole becomes an application of its lemma."""

import pytest
from named_texts import tables

from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.text.sketch import check_link, check_proof, open_sketch
from goedels_poetry.lean.text.task import Fact, Task, lemma_name, lemma_statement

TABLES = tables(__file__)

TREE = """\
inductive T where | leaf | node (l r : T)
open T
def turn : T → T | leaf => leaf | node l r => node (turn r) (turn l)
"""


def task(head: str, prefix: str = "", *facts: str) -> Task:
    known = tuple(Fact(f"step {i}", lemma_name(fact), fact) for i, fact in enumerate(facts))
    return Task(prefix, head, head.split()[1].split(".{")[0], known)


async def children(lean: LeanPool, goal: Task, proof: str, helpers: str = "") -> list[str]:
    """The types of the subgoals; the parent follows from them."""
    opened = await open_sketch(lean, goal, "test", proof, helpers)
    assert not opened.reason, opened.reason
    linked = await check_link(lean, goal, opened.sketch)
    assert not linked.reason, linked.reason
    return [child["statement"].partition(" : ")[2] for child in opened.sketch["children"]]


ADD = "theorem t (a b : Nat) : a + b = b + a"


@pytest.mark.sample(10)
@pytest.mark.parametrize(("head", "proof", "expected"), TABLES["test_every_kind_of_hole_becomes_a_lemma"])
async def test_every_kind_of_hole_becomes_a_lemma(lean: LeanPool, head: str, proof: str, expected: object) -> None:
    found = await children(lean, task(head), proof)
    if isinstance(expected, int):
        assert len(found) == expected
    else:
        assert set(expected) <= set(found)


async def test_a_lemma_keeps_what_has_no_name_at_the_hole(lean: LeanPool) -> None:
    goal = task("theorem t (x : T) : turn (turn x) = x", TREE)
    found = await children(lean, goal, "by\n  induction x\n  · rfl\n  · simp only [turn]\n    sorry")
    assert len(found) == 1 and found[0].count("turn (turn") >= 2


async def test_holes_of_helpers_are_subgoals_too(lean: LeanPool) -> None:
    helper = "theorem aux (n : Nat) : n + 0 = n := by sorry\n\ndef two := 2"
    found = await children(lean, task(ADD), "by\n  have := aux a\n  have := two\n  sorry", helper)
    assert found == ["∀ (n : Nat), n + 0 = n", found[1]]


async def test_equal_holes_are_one_subgoal(lean: LeanPool) -> None:
    assert len(await children(lean, task("theorem t (p : Prop) : p ∧ p"), "⟨sorry, sorry⟩")) == 1


async def test_a_sketch_without_holes_is_a_proof(lean: LeanPool) -> None:
    assert await children(lean, task(ADD), "by omega") == []


async def test_a_hole_whose_goal_waits_for_something_else_is_filled_in_place(lean: LeanPool) -> None:
    goal = task("theorem t (f : Nat → Nat) (h : f 3 = 3 + 7) : ∃ n, f n = n + 7 ∧ f 4 = f (2 + 2)")
    proof = "by\n  refine ⟨?n, ?_, ?_⟩\n  case refine_1 => sorry\n  case refine_2 => sorry"
    assert await children(lean, goal, proof) == ["∀ (f : Nat → Nat), f 3 = 3 + 7 → f 4 = f (2 + 2)"]


async def test_a_hole_that_can_neither_be_stated_nor_filled_is_named(lean: LeanPool) -> None:
    goal = task("theorem t (f : Nat → Nat) (h : ∃ n, f n = n + 7) : ∃ n, f n = n + 7 ∧ 0 ≤ n")
    proof = "by\n  refine ⟨?n, ?_, ?_⟩\n  case refine_1 => sorry\n  case refine_2 => sorry\n  case n => exact 0"
    opened = await open_sketch(lean, goal, "test", proof)
    assert "cannot be stated" in opened.reason and "f ?n = ?n + 7" in opened.reason


@pytest.mark.parametrize(
    ("proof", "helpers", "words"),
    [
        ("by\n  rw [foo]\n  sorry", "", "foo"),
        ("by sorry\n\naxiom cheat : False", "", "follows the proof"),
        ("by sorry", "axiom cheat : False", "not allowed"),
        ("by sorry", 'macro "omega" : tactic => `(tactic| sorry)', "not allowed"),
        ("by sorry\n#exit\n", "", "follows the proof"),
        ("by sorry /-", "", "comment"),
        ("by", "", "expected"),
    ],
)
async def test_a_broken_sketch_is_refused_in_words(lean: LeanPool, proof: str, helpers: str, words: str) -> None:
    opened = await open_sketch(lean, task(ADD), "test", proof, helpers)
    assert words in opened.reason


async def test_a_proof_names_the_facts_that_it_uses(lean: LeanPool) -> None:
    zero = lemma_statement("∀ (n : Nat), n * 0 = 0")[1]
    other = lemma_statement("∀ (n : Nat), n = n")[1]
    goal = task("theorem t (a : Nat) : a * 0 = 0", "", zero, other)
    checked = await check_proof(lean, goal, f"{lemma_name(zero)} a")
    assert (checked.reason, checked.cites) == ("", ("step 0",))


@pytest.mark.parametrize(
    ("proof", "words"),
    [
        ("by sorry", "`sorry`"),
        ("by\n  have : 10 < 20 := by native_decide\n  simp", "not allowed"),
        ("by simp", ""),
        ("by\n  exact gp_0000000000 a", "gp_0000000000"),
    ],
)
async def test_a_proof_rests_on_logic_and_its_facts_alone(lean: LeanPool, proof: str, words: str) -> None:
    checked = await check_proof(lean, task("theorem t (a : Nat) : a * 0 = 0"), proof)
    assert words in checked.reason and bool(checked.reason) == bool(words)


async def test_children_that_do_not_give_the_parent_are_refused(lean: LeanPool) -> None:
    opened = await open_sketch(lean, task(ADD), "test", "by\n  have h : a = a := sorry\n  sorry")
    weaker = {**opened.sketch, "children": opened.sketch["children"][:1]}
    assert (await check_link(lean, task(ADD), weaker)).reason


async def test_the_fingerprint_comes_from_the_artefact(lean: LeanPool) -> None:
    one, same, other = [
        (await open_sketch(lean, task(ADD), "name", proof)).sketch["fingerprint"]
        for proof in (
            "by\n  induction a with\n  | zero => sorry\n  | succ n ih => sorry",
            "by\n  -- another remark\n  induction a with\n  | zero => sorry\n  | succ n ih =>\n    sorry",
            "by\n  induction b with\n  | zero => sorry\n  | succ n ih => sorry",
        )
    ]
    assert one == same != other


async def test_a_refusal_says_what_to_try(lean: LeanPool) -> None:
    opened = await open_sketch(lean, task(ADD), "test", "by\n  have h := Nat.add_com a b\n  sorry")
    assert opened.reason.startswith("2:12: Unknown constant `Nat.add_com`")
    assert "What is wrong (unknown_identifier)" in opened.reason
