"""A finished tree becomes one Lean file by concatenation; Lean reads it once."""

from typing import Any

import pytest

from goedels_poetry.lean.gate.compare import Comparison
from goedels_poetry.lean.gate.data import read
from goedels_poetry.lean.language import assemble
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest
from goedels_poetry.lean.text.sketch import open_sketch
from goedels_poetry.lean.text.source import Target, read_target
from goedels_poetry.lean.text.task import Task, lemma_name
from goedels_poetry.protocol.base import Incomplete

Step = dict[str, Any]


def step(statement: str, proof: str, helpers: str = "", names: tuple[str, ...] = ()) -> Step:
    found = {"proof": proof, "helpers": helpers, "names": list(names)}
    return {"id": statement[:24], "statement": statement, "proof": found, "scheme": None, "children": []}


def split(statement: str, sketch: dict[str, Any]) -> Step:
    return {"id": "", "statement": statement, "proof": None, "scheme": sketch, "children": []}


async def accepted(lean: LeanPool, target: Target, text: str) -> bool:
    """Lean takes the text, its theorem rests on logic alone, and it is the theorem given."""
    seen = await lean.check(CheckRequest(text, declarations=True, export=True))
    given = await lean.check(CheckRequest(target.reference, export=True))
    assert seen.ok, seen.errors
    found = next(d for d in seen.declarations if d.name == target.full_name)
    stated = Comparison(read(given.data or ""), read(seen.data or ""))
    return not stated.difference([target.full_name]) and "sorryAx" not in found.axioms


async def tower(lean: LeanPool, target: Target, depth: int) -> list[Step]:
    """A derivation ``depth`` levels deep: every goal is split into one that is done at once and one that goes on."""
    proof = "by\n  have h : n + 0 = n := by sorry\n  have more : n * 1 = n := by\n    clear h\n    sorry\n  omega"
    task = Task(target.prefix, target.head, target.name)
    steps: list[Step] = []
    statement = ""
    for level in range(depth):
        text = (
            proof if level == 0 else f"by\n  intro n\n  have h{level} : n + {level} = {level} + n := by sorry\n  sorry"
        )
        if level:
            text = text.replace("  sorry", "  have deeper : n * 1 + 0 = n := by\n    sorry\n  omega")
        opened = await open_sketch(lean, task, "tower", text)
        assert not opened.reason, opened.reason
        steps.insert(0, split(statement, opened.sketch))
        first, statement = (child["statement"] for child in opened.sketch["children"])
        steps.insert(0, step(first, "by omega"))
        task = Task(target.prefix, statement, lemma_name(statement))
    return [step(statement, "by omega"), *steps]


THEOREM = "namespace N\n\n/-- about numbers -/\ntheorem far (n : Nat) : n * 1 + 0 = n := by\n  sorry\n\nend N\n"


async def test_a_tree_ten_levels_deep_is_one_text_that_lean_reads_once(lean: LeanPool) -> None:
    target = await read_target(lean, THEOREM)
    text = assemble(target, await tower(lean, target, 10))
    assert text.count("theorem") == 1 + 2 * 10
    assert await accepted(lean, target, text)


async def test_the_same_tree_gives_the_same_text_with_names_for_people(lean: LeanPool) -> None:
    target = await read_target(lean, THEOREM)
    steps = await tower(lean, target, 2)
    text = assemble(target, steps)
    assert text == assemble(target, steps)
    assert "gp_" not in text and "theorem far_aux_1 " in text
    assert text.startswith(target.prefix) and text.endswith("\n\nend N\n")
    assert "/-- about numbers -/" in text


async def test_helpers_and_term_proofs_survive_and_clashing_names_are_told_apart(lean: LeanPool) -> None:
    target = await read_target(lean, "theorem t (a : Nat) : a + 0 = a ∧ 0 + a = a := by sorry\n")
    left, right = "theorem gp_0000000001 : ∀ (a : Nat), a + 0 = a", "theorem gp_0000000002 : ∀ (a : Nat), 0 + a = a"
    steps = [
        step(left, "aux", "theorem aux (a : Nat) : a + 0 = a := rfl", ("aux",)),
        step(right, "fun a => aux a", "theorem aux (a : Nat) : 0 + a = a := by omega", ("aux",)),
        step("", "⟨gp_0000000001 a, gp_0000000002 a⟩"),
    ]
    text = assemble(target, steps)
    assert "aux_2" in text and ":= rfl" in text
    assert await accepted(lean, target, text)


async def test_names_of_lemmas_avoid_those_of_the_user(lean: LeanPool) -> None:
    target = await read_target(lean, "theorem t_aux_1 : 1 = 1 := rfl\n\ntheorem t : 2 = 2 := by sorry\n")
    text = assemble(target, [step("theorem gp_0000000001 : 2 = 2", "rfl"), step("", "gp_0000000001")])
    assert await accepted(lean, target, text)


async def test_a_name_in_guillemets_gets_lemmas_too(lean: LeanPool) -> None:
    target = await read_target(lean, "theorem «größer null» : 2 = 2 := by sorry\n")
    text = assemble(target, [step("theorem gp_0000000001 : 2 = 2", "rfl"), step("", "by\n  exact gp_0000000001")])
    assert await accepted(lean, target, text)


async def test_a_step_without_proof_is_named(lean: LeanPool) -> None:
    target = await read_target(lean, "theorem t : 2 = 2 := by sorry\n")
    with pytest.raises(Incomplete, match="no proof"):
        assemble(target, [{"id": "root", "statement": "", "proof": None, "scheme": None, "children": []}])
