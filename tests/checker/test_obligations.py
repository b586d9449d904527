"""What the solvers see: deterministic text, no name of the user in it, every fact accounted for."""

import re
import subprocess
import sys
from pathlib import Path

import proofs
import pytest

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.faults import EncodingError, ObligationError
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.refutation.theory import named_premises, with_definitions
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import BOOL, INT, TRUE, app, exists, forall, var
from goedels_poetry.smt.notation.text import parse_problem, parse_term
from goedels_poetry.solvers.z3_process import Z3Process

GAUSS = Context(parse_problem(proofs.GAUSS))
GOAL = proofs.goal_of(GAUSS.problem)


def test_the_text_does_not_depend_on_the_hash_seed() -> None:
    program = (
        "import proofs, sys\n"
        "from goedels_poetry.kernel.obligations import Context\n"
        "from goedels_poetry.kernel.reading.parser import parse_problem\n"
        "for text, proof in proofs.ALL.values():\n"
        "    context, earlier = Context(parse_problem(text)), {}\n"
        "    print('\\n'.join(context.prelude()))\n"
        "    for step in proof().steps:\n"
        "        if hasattr(step.by, 'equations'):\n"
        "            print(context.script(context.obligation(step, earlier)))\n"
        "        earlier[step.id] = step.sequent\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=Path(proofs.__file__).parent,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(p for p in sys.path if p)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(texts) == 1 and "u.sum" in texts.pop()


def test_no_name_of_the_user_reaches_a_solver_as_it_is() -> None:
    text = """(declare-sort |odd sort| 0)
    (declare-datatypes ((pair 0)) (((mk (left |odd sort|) (is-mk Int)))))
    (declare-fun sin (Real) Real) (declare-fun |a b| (pair) Bool)
    (define-fun-rec count ((n Int)) Int (ite (<= n 0) 0 (+ 1 (count (- n 1)))))
    (assert (forall ((sat pair)) (|a b| sat)))
    (prove (forall ((unsat pair) (n Int)) (=> (|a b| unsat) (= (sin 0.0) 0.0) (>= (count n) 0))))"""
    context = Context(parse_problem(text))
    goal = proofs.goal_of(context.problem)
    lines = [*context.prelude(), *with_definitions(context), *named_premises(context), *context.check(goal)]
    words = re.findall(r"\|[^|]*\||[^\s()]+", "\n".join(lines))
    named = {w.strip("|") for w in words}
    for name in ("odd sort", "pair", "mk", "left", "is-mk", "sin", "a b", "count", "sat", "unsat", "n"):
        assert name not in named, name
        assert any(w.startswith(("u.", "?")) and w.endswith(name) for w in named), name


def test_variables_that_differ_in_sort_only_are_told_apart() -> None:
    context = Context(parse_problem("(prove true)"))
    number, truth = var("x", INT), var("x", BOOL)
    inner = exists((truth,), app("and", (truth, app("=", (number, number), BOOL)), BOOL))
    text = "\n".join(context.check(Sequent((), (), forall((number,), inner))))
    with Z3Process() as z3:
        assert z3.ask("(set-logic ALL)\n" + text).status == "unsat"
    with pytest.raises(EncodingError):
        context.check(Sequent((number, truth), (), app("=", (number, number), BOOL)))


def test_open_terms_are_refused() -> None:
    stranger = var("stranger", INT)
    for sequent in (
        Sequent((), (), app("=", (stranger, stranger), BOOL)),
        Sequent((), (app("=", (stranger, stranger), BOOL),), TRUE),
        Sequent((), (), stranger),
    ):
        with pytest.raises(EncodingError):
            GAUSS.check(sequent)


@pytest.mark.parametrize(
    "instance",
    [
        Instance("def", "sum", ()),
        Instance("def", "product", (GOAL.vars[0],)),
        Instance("def", "sum", (TRUE,)),
        Instance("def", "sum", (var("stranger", INT),)),
        Instance("hyp", "1", ()),
        Instance("hyp", "-1", ()),
        Instance("hyp", "x", ()),
        Instance("hyp", "0", (GOAL.vars[0],)),
        Instance("premise", "premise-1", ()),
        Instance("step", "lemma", ()),
        Instance("oracle", "x", ()),
    ],
    ids=repr,
)
def test_an_instance_that_does_not_fit_is_an_error(instance: Instance) -> None:
    with pytest.raises((ObligationError, EncodingError)):
        GAUSS.check(GOAL, Query(instances=(instance,)))


def test_a_step_that_is_not_there_cannot_be_cited() -> None:
    with pytest.raises(ObligationError):
        GAUSS.check(GOAL, Query(cites=("lemma",)), {})


def test_leaving_facts_out_leaves_them_out() -> None:
    context = Context(parse_problem(proofs.PREMISES))
    goal = proofs.goal_of(context.problem)
    whole, ground = context.script_of(goal, Query(), {}), context.script_of(goal, Query(quantified=False), {})
    assert "forall" in whole and "forall" not in ground
    lists = Context(parse_problem(proofs.LENGTH_OF_APPEND))
    goal = proofs.goal_of(lists.problem)
    assert ":pattern" in lists.script_of(goal, Query(), {})
    assert "forall" not in lists.script_of(goal, Query(equations=False), {})


def test_foundations_are_posed_without_premises() -> None:
    text = proofs.GAUSS.replace(b"(prove", b"(assert (= 0 1))\n(prove")
    context = Context(parse_problem(text))
    for obligation in context.equation_obligations():
        assert "(= 0 1)" not in context.script(obligation)


def test_a_proved_equation_is_cited_with_both_sides_as_patterns() -> None:
    context = Context(parse_problem(proofs.ADD_COMMUTATIVE))
    text = context.citation(proofs.goal_of(context.problem))
    assert text.count(":pattern") == 2
    unit = Context(parse_problem(proofs.GAUSS))
    n = unit.problem.signature.definitions[0].params[0]
    assert ":pattern" not in unit.citation(GOAL)  # conditional: the solver chooses
    positive = Sequent((n,), (), app("<=", (parse_term("0", unit.signature), n), BOOL))
    assert ":pattern" not in unit.citation(positive)  # no defined function to match on
