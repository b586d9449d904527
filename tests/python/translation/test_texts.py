"""What the evaluator computes of texts, as SMT-LIB defines it, and how z3 sees it."""

from __future__ import annotations

from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.z3_process import Z3Process

EQUATIONS = """
(= (str.to_code "a") 97)
(= (str.to_code "") (- 1))
(= (str.to_code "ab") (- 1))
(= (str.from_code 97) "a")
(= (str.from_code (- 1)) "")
(= (str.from_code 196608) "")
(= (str.len (str.from_code 196607)) 1)
(= (str.from_int 120) "120")
(= (str.from_int (- 1)) "")
(= (str.to_int "007") 7)
(= (str.to_int "") (- 1))
(= (str.to_int "-7") (- 1))
(= (str.to_int "\\u{661}") (- 1))
(str.< "" "a")
(str.< "Z" "a")
(str.< "a" "ab")
(not (str.< "a" "a"))
(not (str.<= "b" "a"))
(str.is_digit "7")
(not (str.is_digit "77"))
(not (str.is_digit "\\u{661}"))
(= (str.replace_all "aXaX" "X" "") "aa")
(= (str.replace_all "ab" "" "c") "ab")
""".strip().splitlines()


def test_operations_on_texts_are_those_of_smt_lib() -> None:
    with Z3Process() as z3:
        for equation in EQUATIONS:
            problem = parse_problem(f"(prove {equation})")
            assert Evaluator(problem.signature).value(problem.goal, {}) is True, equation
            answer = z3.ask(f"(assert (not {equation}))\n", Limits(rlimit=1_000_000, seconds=60.0))
            assert answer.status == "unsat", equation
