"""What we read in a script is what z3 reads in it: let, match, quantifiers and shadowed names at random.

z3 gets the text as it was written on the one side, what we print of it on the other.
"""

import pytest
from random_texts import SCRIPT, Writer

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.refutation.theory import with_definitions
from goedels_poetry.kernel.sequent import sequent_of
from goedels_poetry.kernel.terms import BOOL, Term, alpha, app, not_
from goedels_poetry.smt.notation.text import parse_problem, parse_sequent, parse_term, show_sequent
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.z3_process import Z3Process


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", [1, 2])
def test_random_formulas_mean_to_us_what_they_mean_to_z3(seed: int) -> None:
    writer = Writer(seed)
    compared = 0
    limits = Limits(seconds=2.0)
    with Z3Process() as theirs, Z3Process() as ours:
        for _ in range(30):
            text = writer.term("Bool", {"a": "Int", "|b c|": "Bool", "x": "N", "y": "W"}, 5)
            try:
                problem = parse_problem(f"{SCRIPT}(prove {text})")
            except InvalidInput:  # a compound Int where a Real is wanted
                continue
            context, goal, signature = Context(problem), problem.goal, problem.signature
            head = "\n".join(with_definitions(context))

            def status(formula: Term, head: str = head, context: Context = context) -> str:
                return ours.ask(f"{head}\n(assert {context.encoding.text(formula)})", limits).status

            assert parse_term(show(goal), signature) is goal
            for written, read in ((f"(assert (not {text}))", not_(goal)), (f"(assert {text})", goal)):
                wanted = theirs.ask(SCRIPT + written, limits).status
                if wanted in ("sat", "unsat"):
                    compared += 1
                    assert status(read) in (wanted, "unknown"), text
            sequent = sequent_of(goal, signature.names)
            assert not (sequent.vars or sequent.hyps) or parse_sequent(show_sequent(sequent), signature) == sequent
            for same in (simplify(goal, signature), sequent.formula, alpha(goal)):
                assert status(not_(app("=", (goal, same), BOOL))) != "sat", text
    assert compared > 20
