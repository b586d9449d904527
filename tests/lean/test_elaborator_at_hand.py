"""The Lean of a search elaborates what it has found for the gate, too: nothing that it says is believed."""

from pathlib import Path
from typing import Any, cast

import pytest

from goedels_poetry.checker.lean.certify import certify_negation, certify_proof, elaborator_at_hand
from goedels_poetry.checker.lean.original import KINDS, read_original
from goedels_poetry.checker.lean.verify import FreshLean
from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.lean.runtime.opening import at_hand, lend
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest, CheckResult, Command
from goedels_poetry.lean.text.source import read_target
from goedels_poetry.settings.declared import LeanSettings

TRUE = "theorem t (a b : Nat) : a + b = b + a := sorry\n"
PROOF = TRUE.replace("sorry", "by omega")
END = Command("Lean.Parser.Command.eoi", "", 0, 0, (), "")


class Elaborator:
    """Says what it was given, whatever it is asked, and counts."""

    version = "4.28.0"

    def __init__(self, said: CheckResult) -> None:
        self._said = said
        self.asked = 0

    async def check(self, request: CheckRequest) -> CheckResult:
        self.asked += 1
        return self._said


async def certified(
    lean: LeanPool, fresh: FreshLean, original: str, text: str, elaborator: Any, place: Path, negates: str = ""
) -> Any:
    target = await read_target(lean, original)
    if negates:
        return await certify_negation(fresh, target, negates, place, {}, 60.0, cast(LeanPool, elaborator))
    return await certify_proof(fresh, target, text, place, {}, 60.0, cast(LeanPool, elaborator))


async def test_a_proof_is_accepted_through_the_lean_of_the_search(
    lean: LeanPool, kept: FreshLean, tmp_path: Path
) -> None:
    made = await certified(lean, kept, TRUE, PROOF, lean, tmp_path / "c")
    assert (made.verdict, made.trust_level, made.path) == (Verdict.PROVED, "L3", tmp_path / "c")
    assert made.warnings == (), "what is said of every proof at L3 warns of nothing"


async def test_a_refutation_is_accepted_through_the_lean_of_the_search(
    lean: LeanPool, kept: FreshLean, tmp_path: Path
) -> None:
    original = "theorem f (a : Nat) : a = a + a := sorry\n"
    made = await certified(lean, kept, original, "", lean, tmp_path / "c", "fun h => absurd (h 1) (by decide)")
    assert made.verdict is Verdict.REFUTED


async def test_where_it_has_no_answer_a_fresh_one_is_asked(lean: LeanPool, kept: FreshLean, tmp_path: Path) -> None:
    silent = Elaborator(CheckResult("crash", "out of memory"))
    made = await certified(lean, kept, TRUE, PROOF, silent, tmp_path / "c")
    assert made.verdict is Verdict.PROVED
    assert silent.asked == 1


async def test_what_it_says_of_another_theorem_proves_nothing(lean: LeanPool, kept: FreshLean, tmp_path: Path) -> None:
    """A Lean that a text has changed says that the false theorem is the true one, whose data are flawless."""
    honest = await lean.check(CheckRequest(PROOF, commands=True, export=True))
    false = "theorem t (a b : Nat) : a + b = b := sorry\n"
    lying = Elaborator(CheckResult("done", data=honest.data, imports=("Init",), commands=(END,)))
    made = await certified(lean, kept, false, false.replace("sorry", "by omega"), lying, tmp_path / "c")
    assert made.verdict is Verdict.UNKNOWN
    assert made.path is None
    assert lying.asked == 1


@pytest.mark.parametrize(
    "text",
    [
        'macro "easy" : tactic => `(tactic| simp)\n' + TRUE,
        "unsafe def u : Nat := 0\n" + TRUE,
        "import Lean\nopen Lean Elab Term\ndef r : TermElab := fun _ _ => throwUnsupportedSyntax\n"
        "attribute [local term_elab ident] r\n" + TRUE,
        "@[simp, init go] opaque x : Nat\n" + TRUE,
        "#eval 1\n" + TRUE,
    ],
)
async def test_a_file_with_programs_of_its_own_is_read_by_a_lean_apart(text: str, lean: LeanPool) -> None:
    settings = LeanSettings(kind="embedded", memory_mb=1111)
    lend(lean, settings)
    await lean.check(CheckRequest(TRUE))
    assert elaborator_at_hand(TRUE, settings) is lean
    assert elaborator_at_hand(text, settings) is None


@pytest.mark.parametrize(
    "program", ["#eval 1", "example : 1 = 1 := by run_tac pure ()", "example := by simp (maxSteps := n)"]
)
async def test_what_its_tokens_do_not_show_is_refused_before_it_is_elaborated(lean: LeanPool, program: str) -> None:
    """The replayer reads the original by the list of commands that text of others may have, as Lean takes them."""
    with pytest.raises(InvalidInput):
        await read_original(lean, f"{program}\n{TRUE}", 60.0, KINDS)
    assert await read_original(lean, TRUE, 60.0, KINDS)


async def test_only_an_idle_and_trusted_lean_of_the_same_settings_is_at_hand() -> None:
    class Quick:
        def check(self, request: CheckRequest) -> CheckResult:
            return CheckResult("done")

        def kill(self) -> None:
            pass

        close = kill

    settings = LeanSettings(kind="embedded", memory_mb=2222)
    pool = LeanPool("embedded", "4.28.0", lambda: cast(Any, Quick()))
    stranger = LeanPool("kimina", "4.28.0", lambda: cast(Any, Quick()), trusted=False)
    try:
        lend(pool, settings)
        lend(stranger, settings)
        assert at_hand(settings) is None, "it has not started"
        for each in (pool, stranger):
            await each.check(CheckRequest(""))
        assert at_hand(settings) is pool
        assert at_hand(LeanSettings(kind="embedded", memory_mb=3333)) is None
        pool.busy += 1
        assert at_hand(settings) is None
        pool.busy -= 1
    finally:
        await pool.aclose()
        await stranger.aclose()
    assert at_hand(settings) is None
