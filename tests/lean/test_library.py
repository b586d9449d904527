"""What Lean says that a proof could cite."""

import asyncio

from goedels_poetry.lean.runtime.pool import LeanPool, Library

FILE = """namespace My
def twice (n : Nat) : Nat := n + n
inductive Tree where
  | leaf : Tree
  | node : Tree → Tree → Tree
theorem twice_zero : twice 0 = 0 := rfl
end My
"""


def asked(lean: LeanPool, prefix: str, code: str = "", imported: bool = False) -> Library:
    found = asyncio.run(lean.library(prefix, code, imported, 60))
    assert found is not None
    return found


def test_the_imported_theorems_are_listed_with_their_symbols(lean: LeanPool) -> None:
    found = {c.name: c for c in asked(lean, "", imported=True).imported}
    assert len(found) > 15_000
    assert all(c.theorem for c in found.values())
    append = found["List.append_nil"]
    assert {"Eq", "HAppend.hAppend", "List.nil", "Eq>HAppend.hAppend", "HAppend.hAppend>List.nil"} <= set(
        append.conclusion
    )
    assert {"List.Perm.trans", "Nat.lt_irrefl", "Iff.intro"} <= set(found)
    assert not {"List.append", "Nat.rec", "instHAppendOfAppend", "Nat", "List.append.eq_1"} & set(found)


def test_what_the_text_declares_is_told_apart_from_its_imports(lean: LeanPool) -> None:
    found = asked(lean, FILE, "theorem goal (n : Nat) (h : 0 < n) : My.twice n ≠ 0 := sorry\n")
    own = {c.name: c for c in found.own}
    assert found.imported == ()
    assert own["My.twice_zero"].theorem
    assert not own["My.twice"].theorem
    assert not own["My.Tree.node"].theorem
    assert {"Ne", "My.twice", "Ne>My.twice", "#0"} <= set(own["goal"].conclusion)
    assert {"LT.lt", "LT.lt>#0"} <= set(own["goal"].context)


def test_a_text_that_lean_cannot_read_declares_nothing(lean: LeanPool) -> None:
    assert asked(lean, "import Nowhere.To.Be.Found\n", "theorem x : True := trivial", imported=True) == Library()
