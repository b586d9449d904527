"""Rules over bit-vectors and strings that are functions, at random arguments: what they conclude follows."""

import random
from collections.abc import Callable

import pytest
from cpc_semantics import Meaning, text_of

from goedels_poetry.checker.cpc.check import RULES
from goedels_poetry.checker.cpc.reader import expressions, read_obligation
from goedels_poetry.checker.cpc.terms import INT, Rejected, Term
from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.z3_process import Z3Process

DECLARED = """
(declare-const s String) (declare-const t String) (declare-const x (_ BitVec 3)) (declare-const y (_ BitVec 3))
(declare-const i Int) (declare-const p Bool) (declare-const q Bool)
"""
MALFORMED = (Rejected, ValueError, IndexError, KeyError, TypeError)
MANY = frozenset("bvadd bvmul bvand bvor bvxor and or re.union re.inter str.++ re.++ + *".split())  # noqa: SIM905


class Random:
    """Terms by chance, ``deep`` levels at most."""

    def __init__(self, seed: str) -> None:
        self.chance = random.Random(seed)
        self.terms = read_obligation(expressions(DECLARED)).terms
        self.app = self.terms.app

    def number(self, value: int) -> Term:
        return self.terms.number(value, INT)

    def some(self, make: Callable[[int], Term], deep: int, most: int = 3, least: int = 1) -> list[Term]:
        return [make(deep) for _ in range(self.chance.randint(least, most))]

    def word(self, deep: int) -> Term:
        if not deep or self.chance.random() < 0.3:
            literal = self.terms.string(self.chance.choice(("", "a", "b", "ab", "ba", "c", "abc")))
            return self.chance.choice((self.app("s"), self.app("t"), literal))
        op = self.chance.choice(("str.++", "str.++", "str.substr", "str.replace", "str.at"))
        if op == "str.++":
            return self.app(op, *self.some(self.word, deep - 1))
        more = {"str.substr": [self.integer(1), self.integer(1)], "str.at": [self.integer(1)]}
        return self.app(op, self.word(deep - 1), *more.get(op, [self.word(deep - 1), self.word(deep - 1)]))

    def integer(self, deep: int) -> Term:
        if not deep or self.chance.random() < 0.4:
            known = self.app("i"), self.number(self.chance.randint(-2, 3)), self.app("str.len", self.app("s"))
            return self.chance.choice(known)
        return self.app(self.chance.choice("+-*"), self.integer(deep - 1), self.integer(deep - 1))

    def bits(self, deep: int) -> Term:
        if not deep or self.chance.random() < 0.25:
            return self.chance.choice((self.app("x"), self.app("y"), self.terms.bits(self.chance.randrange(8), 3)))
        op = self.chance.choice(("bvadd", "bvmul", "bvand", "bvor", "bvxor", "bvneg", "bvnot", "bvsub"))
        counts = {"bvneg": (1, 1), "bvnot": (1, 1), "bvsub": (2, 2)}.get(op, (3, 1))
        return self.app(op, *self.some(self.bits, deep - 1, *counts))

    def expression(self, deep: int) -> Term:
        if not deep or self.chance.random() < 0.3:
            word, end = (self.terms.string(self.chance.choice(each)) for each in (("", "a", "ab", "b"), "bc"))
            ends = self.app("re.range", self.terms.string("a"), end)
            known = self.app("re.allchar"), self.app("re.none"), self.app("re.all"), self.app("str.to_re", word), ends
            return self.chance.choice(known)
        op = self.chance.choice(("re.*", "re.comp", "re.++", "re.union", "re.inter", "re.++"))
        return self.app(op, *self.some(self.expression, deep - 1, 1 if op in ("re.*", "re.comp") else 3))

    def formula(self, deep: int) -> Term:
        if not deep or self.chance.random() < 0.3:
            return self.chance.choice((self.app("p"), self.app("q"), self.terms.true, self.terms.false))
        op = self.chance.choice(("and", "or", "not"))
        return self.app(op, *self.some(self.formula, deep - 1, 1 if op == "not" else 3))

    def alike(self, term: Term) -> Term:
        """The same with operands in another order, more often, or one less."""
        args = [self.alike(a) for a in term.args]
        if term.op in MANY:
            way = self.chance.random()
            if way < 0.3:
                self.chance.shuffle(args)
            elif way < 0.5:
                args.append(self.chance.choice(args))
            elif way < 0.6 and len(args) > 1:
                args.pop()
            elif way < 0.8 and len(args) > 2:
                args = [self.app(term.op, *args[:2]), *args[2:]]
        return self.terms.rebuilt(term, args)

    def equation(self, *makers: Callable[[int], Term]) -> Term:
        term = self.chance.choice(makers)(self.chance.choice((1, 2, 3)))
        return self.app("=", term, self.alike(term))

    def truth(self) -> Term:
        return self.chance.choice((self.terms.true, self.terms.false))

    def given(self, rule: str) -> tuple[list[Term], list[Term]]:
        """Premises and arguments that the rule may take."""
        app, zero = self.app, self.number(0)
        match rule:
            case "aci_norm":
                return [], [self.equation(self.word, self.bits, self.expression, self.formula)]
            case "absorb":
                bits = [app("=", self.bits(2), self.terms.bits(n, 3)) for n in (0, 7)]
                words = [app("=", self.expression(2), app(n)) for n in ("re.none", "re.all")]
                return [], [self.chance.choice((*bits, *words, app("=", self.formula(2), self.truth())))]
            case "bv_poly_norm":
                return [], [self.equation(self.bits)]
            case "bv_poly_norm_eq":
                pairs = [[self.bits(1), self.bits(1)] for _ in range(2)]
                products = [app("bvmul", self.bits(0), app("bvsub", *pair)) for pair in pairs]
                return [app("=", *products)], [app("=", *[app("=", *pair) for pair in pairs])]
            case "str-ctn-multiset-subset":
                return [], [app("=", app("str.contains", self.word(2), self.word(1)), self.terms.false)]
            case "arith-string-pred-entail":
                return [], [app("=", app(">=", self.integer(2), zero), self.terms.true)]
            case "str-in-re-concat-star-char":
                word, expression = app("str.++", *self.some(self.word, 1)), app("re.*", self.expression(1))
                parts = [app("str.in_re", part, expression) for part in word.args]
                return [], [app("=", app("str.in_re", word, expression), app("and", *parts))]
            case "concat_unify":
                words = self.word(2), self.word(2)
                parts = [self.chance.choice(w.args if w.op == "str.++" else (w,)) for w in words]
                return [app("=", *words), app("=", *[app("str.len", w) for w in parts])], [self.truth()]
            case "re_unfold_pos":
                return [app("str.in_re", self.word(1), self.expression(2))], []
            case "string_eager_reduction":
                return [], [app("str.in_re", self.word(1), self.expression(2))]
        return [], [self.chance.choice((self.word, self.bits))(0) for _ in range(2)]


@pytest.mark.parametrize(
    "rule",
    ["aci_norm", "absorb", "bv_poly_norm", "bv_poly_norm_eq", "str-ctn-multiset-subset", "arith-string-pred-entail",
     "str-in-re-concat-star-char", "concat_unify", "re_unfold_pos", "string_eager_reduction", "distinct_values"],
)  # fmt: skip
def test_what_a_rule_concludes_from_random_terms_follows(rule: str) -> None:
    made, found = Random(rule), dict[tuple[tuple[Term, ...], Term], None]()
    for _ in range(3_000):
        try:
            premises, arguments = made.given(rule)
            conclusion = RULES[rule](made.terms, premises, arguments)
        except MALFORMED:
            continue
        found[tuple(premises), conclusion] = None
        if len(found) == 20:
            break
    assert len(found) == 20
    with Z3Process() as z3, Cvc5Process() as cvc5:
        meaning = Meaning(z3, made.terms, cvc5)
        for premises, conclusion in found:
            said = [text_of(term) for term in (*premises, conclusion)]
            assert meaning.follows(premises, conclusion) == "unsat", said
