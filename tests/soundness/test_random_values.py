"""What our evaluator says about random closed terms is what both solvers say."""

import random

import pytest

from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.refutation.operations import Undecided
from goedels_poetry.kernel.refutation.values import to_term
from goedels_poetry.kernel.terms import BOOL, app
from goedels_poetry.smt.notation.text import parse_problem, parse_term
from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.z3_process import Z3Process

PROBLEM = parse_problem(
    """(declare-datatypes ((N 0) (T 0)) (((z) (s (p N))) ((leaf) (node (l T) (v Int) (r T)))))
    (prove true)"""
)
CONTEXT = Context(PROBLEM)
LEAVES = {
    "Int": ["0", "1", "2", "3", "7", "(- 1)", "(- 2)", "(- 5)"],
    "Real": ["0.0", "1.5", "(- 2.5)", "(/ 1 3)", "(- (/ 7 2))"],
    "String": ['""', '"a"', '"ab"', '"ba"', '"aab"', '"\\u{7}"'],
    "B1": ["#b0", "#b1"],
    "B3": ["#b000", "#b001", "#b100", "#b111", "#b101"],
    "B8": ["#x00", "#x01", "#x80", "#xff", "#x7f", "#x0a"],
    "A": ["((as const (Array Int Int)) 0)", "((as const (Array Int Int)) 1)"],
    "N": ["z"],
    "T": ["leaf"],
    "Bool": ["true", "false"],
}
# One line an operation: the sort of the result, then how it is written; sorts stand for random terms.
FORMS: dict[str, list[str]] = {
    "Int": [
        *["(+ Int Int Int)", "(- Int Int)", "(* Int Int)", "(- Int)", "(div Int Int)", "(mod Int Int)", "(abs Int)"],
        *["(to_int Real)", "(str.len String)", "(str.indexof String String Int)", "(bv2nat B3)", "(bv2nat B8)"],
        *["(select A Int)", "(- Int Int Int)", "(div Int Int Int)", "(v T)"],
    ],
    "Real": ["(+ Real Real)", "(- Real Real)", "(* Real Real)", "(/ Real Real)", "(- Real)", "(to_real Int)"],
    "String": [
        "(str.++ String String)",
        "(str.at String Int)",
        "(str.substr String Int Int)",
        "(str.replace String String String)",
    ],
    "A": ["(store A Int Int)"],
    "N": ["(s N)", "(p N)", "(match N ((z N) ((s q) (s q))))"],
    "T": ["(node T Int T)", "(l T)", "(r T)"],
    "B1": ["(bvcomp B8 B8)", "((_ extract 2 2) B3)"],
    "B3": ["((_ extract 4 2) B8)", "((_ int2bv 3) Int)"],
    "B8": ["((_ zero_extend 5) B3)", "((_ sign_extend 5) B3)", "(concat B1 B3 B3 B1)", "((_ sign_extend 7) B1)"],
    "Bool": [
        *[f"(= {s} {s})" for s in LEAVES],
        *["(distinct Int Int Int)", "(distinct T T T)", "(= N N N)", "(not Bool)", "(xor Bool Bool Bool)"],
        *[
            "(=> Bool Bool Bool)",
            "(and Bool Bool)",
            "(or Bool Bool)",
            "(< Int Int Int)",
            "(>= Real Real)",
            "(<= Int Int)",
        ],
        *[f"({op} {w} {w})" for op in ("bvult", "bvule", "bvsgt", "bvsge", "bvslt") for w in ("B1", "B3", "B8")],
        *["(str.prefixof String String)", "(str.suffixof String String)", "(str.contains String String)"],
        *["((_ is s) N)", "((_ is leaf) T)", "(is_int Real)", "(exists ((b (_ BitVec 3))) (bvult b B3))"],
    ],
}
_BINARY = ("bvadd", "bvmul", "bvsub", "bvand", "bvor", "bvxor", "bvudiv", "bvurem", "bvshl", "bvlshr", "bvashr")
for _width in ("B1", "B3", "B8"):
    FORMS[_width] += [f"({op} {_width} {_width})" for op in _BINARY] + [f"(bvneg {_width})", f"(bvnot {_width})"]


def written(rng: random.Random, sort: str, depth: int) -> str:
    if depth <= 0 or rng.random() < 0.1:
        return rng.choice(LEAVES[sort])
    form = f"(ite Bool {sort} {sort})" if rng.random() < 0.1 else rng.choice(FORMS[sort])
    words = form.replace("(", " ( ").replace(")", " ) ").split()
    sorts = [i > 0 and w in LEAVES and words[i - 1] not in ("BitVec", "Array") for i, w in enumerate(words)]
    return " ".join(written(rng, w, depth - 1) if is_sort else w for w, is_sort in zip(words, sorts, strict=True))


@pytest.mark.parametrize("seed", [1, 2])
def test_values_of_random_terms(seed: int) -> None:
    rng = random.Random(seed)
    evaluator = Evaluator(PROBLEM.signature)
    claims: list[str] = []
    while len(claims) < 400:
        term = parse_term(written(rng, rng.choice(list(LEAVES)), 3), PROBLEM.signature)
        try:
            value = to_term(PROBLEM.signature, term.sort, evaluator.value(term, {}))
        except Undecided:
            continue
        assert value is not None
        claims.append(CONTEXT.encoding.text(app("=", (term, value), BOOL)))
    with Z3Process() as z3, Cvc5Process() as cvc5:
        for i in range(0, len(claims), 50):
            denied = " ".join(f"(not {c})" for c in claims[i : i + 50])
            script = "\n".join((*CONTEXT.declarations, f"(assert (or {denied}))"))
            limits = Limits(seconds=10.0)
            assert z3.ask(script, limits).status == "unsat", denied
            assert cvc5.ask(script, limits, options={"arrays-exp": "true"}).status in ("unsat", "unknown"), denied
