"""Above L1 every argument of a theorem has a value: a term that Lean's kernel accepts."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from goedels_poetry.checker.certificate.report import TrustLevel
from goedels_poetry.checker.lean.gate import Leans
from goedels_poetry.checker.lean.original import read_original
from goedels_poetry.checker.lean.verify import Claim, FreshLean, Looked, premises_of, verify
from goedels_poetry.lean.gate.compare import Comparison
from goedels_poetry.lean.gate.data import read
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest, CheckResult, ReplayRequest, ReplayResult

SECONDS = 120.0
HERE = Path(__file__).parent


def theorems(file: str) -> list[str]:
    return (HERE / file).read_text().split("-----\n")


TRUE, EMPTY = theorems("theorems_with_hypotheses.txt"), theorems("theorems_about_nothing.txt")


async def looked_at(leans: Leans, text: str, seconds: float = SECONDS) -> Looked:
    given = await read_original(leans.elaborator, text, SECONDS)
    return await premises_of(leans, given, given.open_theorems()[-1], seconds)


@pytest.mark.sample(20)
@pytest.mark.parametrize("text", TRUE, ids=range(len(TRUE)))
async def test_values_are_found_for_a_theorem_with_hypotheses(leans: Leans, text: str) -> None:
    assert await looked_at(leans, text) == Looked("satisfiable")


@pytest.mark.sample(10)
@pytest.mark.parametrize("text", EMPTY, ids=range(len(EMPTY)))
async def test_none_are_found_for_a_theorem_about_nothing(leans: Leans, text: str) -> None:
    looked = await looked_at(leans, text, 10.0)
    assert looked.premises in ("contradictory", "unknown")
    assert looked.unshown


@pytest.mark.parametrize(
    ("theorem", "premises", "unshown"),
    [
        (": 1 = 1", "none", ()),
        ("(n : Nat) (c : Color) (l : List Color) : l = l", "satisfiable", ()),
        ("(n : Nat) (h : n < 0) : n = 1", "contradictory", ("h",)),
        ("(x : Never) : 1 = 2", "contradictory", ("x",)),
        ("(x : Own.Nat) : 1 = 2", "contradictory", ("x",)),
        ("(n : Nat) (p : PLift False) : 1 = 2", "unknown", ("p",)),
        ("[Inhabited Never] : 1 = 2", "unknown", ("inst",)),
    ],
)
async def test_what_is_said_of_arguments(leans: Leans, theorem: str, premises: str, unshown: tuple[str, ...]) -> None:
    types = "inductive Color where\n  | red\ninductive Never\ndef Own.Nat : Prop := False\n"
    assert await looked_at(leans, f"{types}theorem t {theorem} := by\n  sorry\n") == Looked(premises, unshown)


@pytest.mark.parametrize(
    "arguments",
    [
        "".join(f"(x{i} : Nat) " for i in range(300)),
        f"(h : {'¬ ' * 400} False)",
        f"(f : {'Nat → ' * 400} Nat) (n : Nat) (h : {' + '.join(['n'] * 400)} = 3)",
        f"(n : Nat) (h : n = {'(' * 12}9 {'^ 60)' * 12})",
    ],
    ids=["many", "deep", "wide", "large"],
)
async def test_no_theorem_is_too_large_to_be_looked_at(leans: Leans, arguments: str) -> None:
    text = f"set_option maxRecDepth 100000\ntheorem t {arguments} : 1 = 2 := sorry\n"
    assert (await looked_at(leans, text, 5.0)).premises != "none"


async def test_a_theorem_about_nothing_stays_at_l1_and_the_report_names_the_argument(kept: FreshLean) -> None:
    original = "theorem t (n : Nat) (p : PLift False) : 1 = 2 := sorry\n"
    report = await verify(kept, Claim(original.replace("sorry", "p.down.elim"), original), SECONDS)
    assert report.trust_level is TrustLevel.REBUILT
    assert "t may be about nothing: no values were found for: p" in report.notes


WITNESS = "theorem w : ¬ ∀ (s : S), False"
"""What a Lean that is not believed hands in, for a theorem whose argument is an `S` with a proof of `n < n`."""
FORGED = {
    "another structure of the name": "structure S where\n  n : Nat\n  h : n = n\n{} := fun g => g ⟨0, rfl⟩\n",
    "a definition of the name": "def S := Nat\n{} := fun g => g Nat.zero\n",
    "a namespace with another False": "structure S where\n  n : Nat\n  h : n < n\nnamespace N\n"
    "def False := Empty → Empty\ntheorem _root_.w : ¬ ∀ (s : S), S → _root_.False := fun g => sorry\nend N\n",
    "fewer arguments": "structure S where\n  n : Nat\n  h : n < n\ntheorem w : ¬ False := id\n",
    "something else": "structure S where\n  n : Nat\n  h : n < n\ntheorem w : True := trivial\n",
    "another conclusion": "structure S where\n  n : Nat\n  h : n < n\ntheorem w : ¬ ∀ (s : S), 0 = 1 := sorry\n",
    "no theorem": "structure S where\n  n : Nat\n  h : n < n\naxiom w : ¬ ∀ (s : S), False\n",
}


async def data_of(lean: LeanPool, text: str) -> CheckResult:
    seen = await lean.check(CheckRequest(text, export=True))
    assert seen.ok and seen.data is not None, seen.errors
    return seen


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
async def test_what_shows_that_there_are_arguments_speaks_of_the_users_own(lean: LeanPool, forged: str) -> None:
    own = await data_of(lean, "structure S where\n  n : Nat\n  h : n < n\ntheorem t (s : S) : 1 = 2 := sorry\n")
    theirs = await data_of(lean, forged.format(WITNESS))
    assert not Comparison(read(own.data or ""), read(theirs.data or ""), {}).inhabited("t", "w")


@pytest.mark.parametrize(
    ("theorem", "witness", "levels", "says"),
    [
        ("t (n : Nat) (h : n < 3) : n < 4", "w : ¬ ∀ (m : Nat), m < 3 → False", {}, True),
        ("t (n : Nat) (h : n < 3) : n < 4", "w : ¬ ∀ (m : Nat), m < 4 → False", {}, False),
        ("t.{u} (α : Type u) (a : α) : a = a", "w : ¬ ∀ (α : Type) (a : α), False", {"u": 0}, True),
        ("t.{u} (α : Type u) (a : α) : a = a", "w : ¬ ∀ (α : Type) (a : α), False", {"u": 1}, False),
        ("t.{u} (α : Type u) (a : α) : a = a", "w : ¬ ∀ (α : Type) (a : α), False", {}, False),
        ("t.{u} (α : Type u) (a : α) : a = a", "w.{u} : ¬ ∀ (α : Type u) (a : α), False", {"u": 0}, False),
    ],
)
async def test_it_says_so_of_the_same_arguments(
    lean: LeanPool, theorem: str, witness: str, levels: dict[str, int], says: bool
) -> None:
    own, theirs = [await data_of(lean, f"theorem {text} := sorry\n") for text in (theorem, witness)]
    assert Comparison(read(own.data or ""), read(theirs.data or ""), levels).inhabited("t", "w") is says


@dataclass
class Credulous:
    """Says that every witness has been proved, by ``proof``."""

    lean: LeanPool
    proof: str

    async def check(self, request: CheckRequest) -> CheckResult:
        if request.export and "gp_none" in request.code:
            claim = request.code.partition(":= by\n  intro gp_none")[0]
            request = replace(request, code=f"{claim}:= fun _ => {self.proof}\n")
        return await self.lean.check(request)


@pytest.mark.parametrize("proof", ["sorry", "no"])
async def test_a_witness_that_rests_on_a_sorry_or_an_axiom_of_the_file_shows_nothing(leans: Leans, proof: str) -> None:
    text = "axiom no : False\ntheorem t (n : Fin 0) : 1 = 2 := sorry\n"
    given = await read_original(leans.elaborator, text, SECONDS)
    asked = replace(leans, elaborator=Credulous(leans.elaborator, proof))  # type: ignore[arg-type]
    assert (await premises_of(asked, given, "t", 10.0)).premises != "satisfiable"


async def test_values_that_there_is_no_time_to_check_are_none(leans: Leans) -> None:
    """The search has its own time, and its end costs the level, not the verdict."""

    class Slow:
        version = leans.replayer.version

        async def replay(self, request: ReplayRequest) -> ReplayResult:
            return ReplayResult("timeout", "no answer in time")

    given = await read_original(leans.elaborator, "theorem t (n : Nat) (h : n < 3) : n < 4 := sorry\n", SECONDS)
    asked = replace(leans, replayer=Slow())  # type: ignore[arg-type]
    assert await premises_of(asked, given, "t", 10.0) == Looked("unknown", ("h",))
