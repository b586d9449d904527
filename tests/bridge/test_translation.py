"""What a theorem of SMT-LIB says as a theorem of Lean: the same, whatever things are called."""

import re

import pytest
from kept_lean import Kept
from named_texts import tables
from translation_cases import NAMES, Random, case, symbol

from goedels_poetry.kernel.printer import RESERVED
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.theory import is_theory_symbol
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest
from goedels_poetry.lean.statement.theory import LeanTheory, translate
from goedels_poetry.lean.statement.vocabulary import WORDS, Names, NotTranslatable

TABLES = tables(__file__)

WRITTEN = [n for n in Random._split(NAMES) if not is_theory_symbol(n.strip("|")) and n.strip("|") not in RESERVED]


def theory(text: str) -> LeanTheory:
    return translate(parse_problem(text), None, text)


async def errors(lean: LeanPool, text: str) -> list[str]:
    seen = await Kept(lean).check(CheckRequest(text, seconds=60))
    assert seen.status == "done", seen.error
    return [f"{m.line}: {m.text}" for m in seen.errors]


def negated(of: LeanTheory) -> str:
    """That not everything that is left open makes the theorem true."""
    binders, _, goal = of.statement.removeprefix("theorem goal").partition(":\n    ")
    if not goal:
        return f"theorem wrong : ¬ ({of.statement.removeprefix('theorem goal :')})"
    return f"theorem wrong : ¬ (∀ {binders.strip()}, {goal})"


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", [1, 2, 13])
async def test_random_terms_have_the_same_values_in_lean_as_in_our_evaluator(lean: LeanPool, seed: int) -> None:
    made = case(seed, facts=14)
    assert made.facts >= 12
    assert await errors(lean, made.lean) == []


async def test_a_wrong_value_among_right_ones_is_no_theorem(lean: LeanPool) -> None:
    assert await errors(lean, case(3, facts=3, depth=1, wrong=True).lean) != []


@pytest.mark.parametrize("name", TABLES["FALSE"])
async def test_a_false_theorem_is_false_in_lean(lean: LeanPool, name: str) -> None:
    text, tactic = TABLES["FALSE"][name]
    of = theory(text)
    assert await errors(lean, f"{of.header}\n{negated(of)} := by\n  intro h\n  {tactic}\n") == []


@pytest.mark.parametrize("name", TABLES["TRUE"])
async def test_a_true_theorem_is_true_in_lean(lean: LeanPool, name: str) -> None:
    text, tactic = TABLES["TRUE"][name]
    of = theory(text)
    assert await errors(lean, f"{of.header}\n{of.statement} := by\n  {tactic}\n") == []


def test_different_names_stay_different_and_mean_nothing_to_lean() -> None:
    names = Names()
    qualified, locals_ = [names.qualified(n) for n in WRITTEN], [names.local(n) for n in WRITTEN]
    assert len({*qualified, *locals_}) == 2 * len(WRITTEN)
    assert not WORDS & {*locals_}
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_']*", name) for name in (*qualified, *locals_))


async def test_a_theorem_in_which_everything_is_called_by_words_of_lean_is_read_as_it_stands(lean: LeanPool) -> None:
    plain = [symbol(n) for n in WRITTEN]
    text = "".join(f"(declare-fun {n} (Int) Int)" for n in plain)
    text += f"(assert (and {' '.join(f'(= ({n} {i}) {i})' for i, n in enumerate(plain))}))"
    text += f"(prove (forall (({plain[0]} Int)) (= (+ {' '.join(f'({n} {i})' for i, n in enumerate(plain) if i)}) 0)))"
    of = theory(text)
    seen = await Kept(lean).check(CheckRequest(of.reference, seconds=60, declarations=True))
    assert seen.errors == ()
    assert {d.name for d in seen.declarations} == {"goal"}


async def test_no_text_ends_its_comment(lean: LeanPool) -> None:
    text = "; -/ axiom cheat : False\n; /- \r(set-info :a |axiom cheat2 : False\n-/ axiom cheat3 : False|)(prove true)"
    of = theory(text)
    assert all(line.startswith("--") for line in of.comment.splitlines() if line)
    seen = await Kept(lean).check(CheckRequest(of.reference, seconds=60, declarations=True))
    assert seen.errors == ()
    assert {d.name for d in seen.declarations} == {"goal"}


def test_a_binder_hides_no_function_and_no_sort() -> None:
    of = theory("(declare-sort x 0)(declare-fun f (x) Int)(prove (forall ((f x) (y Int)) (exists ((y Bool)) (= f f))))")
    bound = re.findall(r"[∀∃(] ?\(?(\w+) : ", of.statement)
    assert len(set(bound)) == len(bound)


async def test_a_sort_may_be_called_like_what_our_own_text_speaks_of(lean: LeanPool) -> None:
    text = "(declare-sort whole_1 0)(declare-sort array_1 0)"
    text += "(declare-datatype Classical ((propDecidable) (y (z whole_1))))"
    text += "(define-fun q ((a Int)) Bool (forall ((b array_1)) (= b b)))"
    text += "(prove (forall ((x Classical)) (=> ((_ is y) x) (q 1) (= (z x) (z x)))))"
    assert await errors(lean, theory(text).reference) == []


@pytest.mark.parametrize("sort", ["Real", "String", "(Array Int Real)", "RegLan"])
def test_what_core_lean_has_no_sort_for_is_not_translated(sort: str) -> None:
    with pytest.raises(NotTranslatable, match="has no counterpart"):
        theory(f"(declare-fun f ({sort}) Bool)(declare-const c {sort})(prove (f c))")


def test_a_definition_that_plays_no_part_may_be_of_any_sort() -> None:
    assert "Real" not in theory("(define-fun f ((x Real)) Real (+ x 1.0))(prove true)").header
