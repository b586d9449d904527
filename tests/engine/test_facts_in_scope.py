"""What is proved before a model is asked is cited from there: the engine neither adds it again nor goes in circles."""

from __future__ import annotations

from typing import Any

from goedels_poetry.kernel.derivation import Query
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sketches import with_lemmas
from goedels_poetry.smt.jobs import replies
from goedels_poetry.smt.notation.text import parse_problem, parse_sequent
from goedels_poetry.smt.rewriting.plan import Plan, key_of, leaf

THEOREM = """
(declare-datatypes ((Row 0)) (((nil) (cons (head Int) (tail Row)))))
(define-fun-rec len ((x Row)) Int (match x ((nil 0) ((cons e r) (+ 1 (len r))))))
(define-fun-rec from ((x Row) (n Int)) Int (match x ((nil n) ((cons e r) (from r (+ n 1))))))
(prove (forall ((x Row)) (>= (+ 1 (from x 0)) 1)))
"""
NATURAL = "(sequent ((x Row)) () (>= (len x) 0))"
COUNTED = "(sequent ((x Row) (n Int)) () (= (from x n) (+ n (len x))))"
SAID = "(forall ((x Row) (n Int)) (= (from x n) (+ n (len x))))"
TRIVIAL = "(sequent () () (= 1 1))"


def test_a_fact_in_scope_is_cited_and_not_proved_by_itself() -> None:
    payload: dict[str, Any] = {"theorem": THEOREM, "statement": "", "scope": [["0.0", NATURAL]], "seed": 0}
    read = replies.read_sketch({**payload, "reply": {"lemmas": [SAID]}})
    done = replies.verify_idea({**payload, "sketch": read["value"]["sketch"]})
    assert done["ok"], done["reason"]
    sketch = done["value"]["sketch"]
    assert key_of(parse_sequent(NATURAL, parse_problem(THEOREM).signature)) not in str(sketch["children"][0])
    assert len(sketch["children"]) == 1, "the lemma of the reply, and nothing that was proved before"


def test_lemmas_that_cite_each_other_are_each_met_once() -> None:
    problem = parse_problem(THEOREM)
    goal, one, other = (parse_sequent(text, problem.signature) for text in (TRIVIAL, NATURAL, COUNTED))
    cites = {key_of(one): key_of(other), key_of(other): key_of(one)}
    library = {key_of(s): leaf(s, Query((cites[key_of(s)],))) for s in (one, other)}
    context = ProverContext(problem)
    try:
        for lemma in (one, other):
            context.add_lemma(lemma)
        plan = Plan(goal, Query((key_of(one),)), (leaf(goal, Query(())),))
        whole = with_lemmas(context, plan, library)
    finally:
        context.close()
    assert whole.complete
