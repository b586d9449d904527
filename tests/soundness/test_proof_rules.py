# ruff: noqa: E501  proofs, one a line
"""Each rule of the checker of CPC proofs: what the table says is true, and what a step must not do is refused."""

import contextlib
import itertools
import random
import re
from collections.abc import Iterator, Sequence

import fuzz_proofs
import pytest
from cpc_semantics import Meaning, closes, commands_of, cvc5_proof, written

from goedels_poetry.checker.cpc.bits import bv_bitblast_step, circuit
from goedels_poetry.checker.cpc.check import RULES, check_proof
from goedels_poetry.checker.cpc.reader import SExpr, a_term, expressions, read_obligation, read_value
from goedels_poetry.checker.cpc.rewrites import Bound, Pattern, build, is_pattern_variable, patterns
from goedels_poetry.checker.cpc.terms import (
    BOOL,
    INDEXED,
    INT,
    REAL,
    REGLAN,
    STRING,
    Rejected,
    Sort,
    Term,
    Terms,
    bit_vectors,
    substitute,
)
from goedels_poetry.checker.cpc.theories import evaluate
from goedels_poetry.checker.cpc.words import str_in_re_eval
from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.z3_process import Z3Process

ARRAY: Sort = ("Array", INT, "U")
SORTS: dict[str, tuple[Sort, ...]] = {"a": (ARRAY,), "b": (ARRAY,), "i": (INT,), "j": (INT,), "e": ("U",), "f": ("U",)}


@pytest.fixture(scope="module")
def z3() -> Iterator[Z3Process]:
    with Z3Process() as solver:
        yield solver


@pytest.fixture(scope="module")
def cvc5() -> Iterator[Cvc5Process]:
    with Cvc5Process() as solver:
        yield solver


def variables(pattern: SExpr) -> set[str]:
    if isinstance(pattern, str):
        return {each for each in pattern.lstrip("~").split("#") if is_pattern_variable(each)}
    return set().union(*[variables(part) for part in pattern[1:]])


def choices(terms: Terms, name: str, widths: Sequence[int], literals: bool) -> list[Term | tuple[Term, ...]]:
    """What a variable of a pattern may stand for: ``v1``, ... are bit-vectors, ``n1`` numbers, ``s1``, ``r1`` strings."""
    if re.fullmatch(r"[vnsr][1-9].*", name):
        sorts = {"v": [bit_vectors(w) for w in widths], "n": [INT], "s": [STRING], "r": [REGLAN]}[name[0]]
        if name[0] == "n" and literals:
            return [terms.number(k, INT) for k in range(5)]
    elif "*" in name:
        return [tuple(terms.variable(f"{name}{k}", BOOL) for k in range(n)) for n in (0, 1, 2)]
    else:
        sorts = [BOOL] if name.isupper() else list(SORTS.get(name, (INT, REAL, "U", BOOL)))
    if "*" in name:
        return [(), *[(terms.variable(name, sort),) for sort in sorts]]
    return [terms.variable(name, sort) for sort in sorts]


def instances(terms: Terms, pattern: Pattern) -> Iterator[tuple[list[Term], Term]]:
    """Premises and conclusion of a rule at variables of each sort, at short lists, and at small numbers and widths.

    Without those of which a premise is false.
    """
    named = {str(name) for name in pattern.names[::2]}
    patterns_ = (*pattern.arguments, *pattern.premises, pattern.conclusion, *pattern.names[1::2])
    names = sorted(set().union(*map(variables, patterns_)) - named, key=lambda name: (name[0] == "n", name))
    literals = any(name[0] == "v" for name in names) or any(op in str(pattern.conclusion) for op in (*INDEXED, "#"))

    def further(bound: Bound, rest: Sequence[str]) -> Iterator[Bound]:
        for premise in pattern.premises:
            try:
                formula = build(terms, premise, bound)
                if evaluate(terms, [], [formula]).args[1] is terms.false:
                    return
            except (Rejected, KeyError):
                continue
        if not rest:
            yield bound
        for choice in choices(terms, rest[0], (1, 2, 3), literals) if rest else ():
            yield from further({**bound, rest[0]: choice}, rest[1:])

    for bound in further({}, names):
        try:
            for name, meant in zip(pattern.names[::2], pattern.names[1::2], strict=True):
                bound[str(name)] = build(terms, meant, bound)
            yield [build(terms, p, bound) for p in pattern.premises], build(terms, pattern.conclusion, bound)
        except Rejected:
            continue  # ill-sorted: then no step can have it either


def at_literals(terms: Terms, chance: random.Random, term: Term) -> Term:
    """A formula at random short strings, numbers and expressions; quantifiers about places of those are written out."""
    app, words = terms.app, [terms.string(text) for text in ("", "a", "b", "ab", "ba", "aa", "aba")]
    alike = app("re.++", app("re.*", app("str.to_re", words[1])), app("str.to_re", words[3]))
    expressions_ = [app("str.to_re", chance.choice(words)), app("re.allchar"), app("re.none"), alike]
    known = {
        STRING: lambda: chance.choice(words),
        INT: lambda: terms.number(chance.randint(-1, 3), INT),
        REGLAN: lambda: chance.choice([*expressions_, app("re.comp", alike), app("re.*", chance.choice(expressions_))]),
    }

    def written(t: Term) -> Term:
        if t.binders:
            places = [substitute(terms, t.body, {t.binders[0]: terms.number(i, INT)}) for i in range(-2, 12)]
            return app("and", *map(written, places))
        return terms.rebuilt(t, [written(a) for a in t.args])

    return written(substitute(terms, term, {v: known[v.sort]() for v in sorted(term.free, key=lambda v: v.number)}))


@pytest.mark.parametrize("name", patterns())
def test_a_line_of_the_table_is_a_theorem(name: str, z3: Z3Process, cvc5: Cvc5Process) -> None:
    terms, chance = read_obligation(expressions("(declare-sort U 0)")).terms, random.Random(name)
    meaning = Meaning(z3, terms, cvc5)
    for pattern in patterns()[name]:
        found = list(itertools.islice(instances(terms, pattern), 2_000))
        assert found
        for premises, conclusion in chance.sample(found, min(40, len(found))):
            status = meaning.follows(premises, conclusion)
            assert status != "sat", meaning.script([*premises, conclusion])
            if status != "unsat":  # solvers do not know it of all strings
                whole = terms.app("=>", terms.app("and", terms.true, *premises), conclusion)
                several = terms.app("and", *[at_literals(terms, chance, whole) for _ in range(100)])
                assert meaning.follows([], several) == "unsat", meaning.script([several])


PRELUDE = """(set-logic ALL)
(declare-datatypes ((T 0)) (((leaf (tag Int)) (node (left T) (right T)))))
(declare-fun f (Int) Int)
(declare-fun p (Int) Bool)
(declare-fun g (T) T)
(declare-const a Int)
(declare-const b Int)
(declare-const r Real)
(declare-const t T)
(declare-const q Bool)
(declare-const s String)
(declare-const z String)
(declare-const x (_ BitVec 4))
(declare-const y (_ BitVec 4))
(declare-const l RegLan)
"""
X, Y = '(@var "x" Int)', '(@var "y" Int)'


def refusal(proof: str, assertions: str = "") -> str:
    """Why the checker refuses a proof."""
    with pytest.raises(Rejected) as refused:
        check_proof(expressions(PRELUDE + assertions), proof)
    return str(refused.value)


@pytest.mark.parametrize(
    ("proof", "reason"),
    [
        # what is assumed, and what is open
        ("(assume @p1 false)", "no assertion"),
        ("(assume @p1 (not q))", "no assertion"),
        ("(assume-push @p1 false)", "does not end in false"),
        ("(assume-push @p1 false)(step-pop @p2 :rule scope :premises (@p1))(step @p3 :rule symm :premises (@p1))", "@p1 is"),
        ("(assume-push @p1 a)", "no formula"),
        ("(step-pop @p2 :rule scope :premises ())", "a scope"),
        ("(assume-push @p1 false)(assume-push @p2 q)(step-pop @p3 :rule scope :premises (@p1))", "does not end"),
        ("(assume-push @p1 q)(step-pop @p2 :rule contra :premises (@p1))", "a scope"),
        # names
        ("(define @t1 () q)(define @t1 () false)", "cannot be defined"),
        ("(define false () q)", "cannot be defined"),
        ("(define q () false)", "cannot be defined"),
        ("(define @t1 () (f @t1))", "@t1 is unknown"),
        ("(define @t1 ((x Int)) q)", "unknown command"),
        ("(step @p1 :rule refl :args (a))(step @p1 :rule refl :args (b))", "taken"),
        ("(declare-const c Bool)(step @p1 :rule refl :args (c))", "the symbol c is unknown"),
        ("(step @p1 :rule refl :args ((q a)))", "does not take"),
        # unknown rules, and conclusions that are not those of the rule
        ("(step @p1 false :rule trust :args (false))", "the rule trust is not known"),
        ("(step @p1 false :rule refl :args (q))", "the one that the step states"),
        ("(step @p1 :rule refl :args (q) :note (q))", "were expected"),
        ("(step @p1 :rule evaluate :args ())", "one argument"),
        # sorts
        ("(step @p1 :rule refl :args ((= a r)))", "does not take"),
        ("(step @p1 :rule refl :args ((+ a r)))", "does not take"),
        ("(step @p1 :rule refl :args ((< a 1/2)))", "does not take"),
        ("(step @p1 :rule refl :args ((and a q)))", "does not take"),
        ("(step @p1 :rule refl :args ((forall (@list a) q)))", "needs variables"),
        ("(step @p1 :rule arith-leq-norm :args (r 1/2))", "does not take"),
        ("(step @p1 :rule arith-geq-tighten :args (r r))", "does not take"),
        # equality
        ("(assume-push @p1 (= a b))(step @p2 :rule cong :premises (@p1) :args ((f b)))", "not about the argument"),
        ("(assume-push @p1 (= a b))(step @p2 :rule cong :premises (@p1) :args (a))", "of the last arguments"),
        ("(assume-push @p1 (= a b))(assume-push @p2 (= a b))(step @p3 :rule trans :premises (@p1 @p2))", "no chain"),
        ("(assume-push @p1 (=> q q))(step @p2 :rule symm :premises (@p1))", "the form that"),
        # congruence under a binder, of what holds for one value
        (f"(assume-push @p1 (= {X} 1))(step @p2 :rule true_intro :premises (@p1))"
         f"(step @p3 :rule cong :premises (@p2) :args ((forall (@list {X}) (= {X} 1))))", "bound here"),
        (f"(assume-push @p1 (= {X} {Y}))(step @p2 :rule cong :premises (@p1 @p1) :args ((forall (@list {X}) (p {X}))))",
         "of the last arguments"),
        # clauses
        ("(assume-push @p1 (and q q))(step @p2 :rule and_elim :premises (@p1) :args (2))", "the number of an operand"),
        ("(assume-push @p1 (and q q))(step @p2 :rule and_elim :premises (@p1) :args (-1))", "the number of an operand"),
        ("(assume-push @p1 (or q q))(step @p2 :rule and_elim :premises (@p1) :args (0))", "the form that"),
        ("(assume-push @p1 (or q (p a)))(step @p2 :rule reordering :premises (@p1) :args (q))", "other literals"),
        ("(assume-push @p1 (or q (p a)))(assume-push @p2 (not q))"
         "(step @p3 :rule chain_m_resolution :premises (@p1 @p2) :args ((p a) (@list false) (@list q)))", "lacks a literal"),
        ("(assume-push @p1 q)(assume-push @p2 q)"
         "(step @p3 :rule chain_m_resolution :premises (@p1 @p2) :args (false (@list true) (@list q)))", "lacks a literal"),
        ("(assume-push @p1 q)(step @p2 :rule chain_m_resolution :premises (@p1) :args (q (@list a) (@list q)))", "a sign and"),
        ("(assume-push @p1 q)(step @p2 :rule process_scope :premises (@p1) :args (q))", "=> with two sides"),
        ("(step @p1 :rule aci_norm :args ((= (or q (p a)) q)))", "different operands"),
        ("(step @p1 :rule aci_norm :args ((= (or q true) q)))", "different operands"),
        ("(step @p1 :rule aci_norm :args ((= (and q (or q (p a))) (and q (p a)))))", "different operands"),
        ("(step @p1 :rule absorb :args ((= (or q false) false)))", "no operand decides"),
        ("(step @p1 :rule bool-or-taut :args (false q false (and q q)))", "operands of or"),
        # quantifiers
        (f"(assume-push @p1 (forall (@list {X}) (p {X})))(step @p2 :rule instantiate :premises (@p1) :args ((@list r)))", "sort"),
        (f"(assume-push @p1 (forall (@list {X}) (p {X})))(step @p2 :rule instantiate :premises (@p1) :args ((@list)))", "each"),
        (f"(assume-push @p1 (exists (@list {X}) (p {X})))(step @p2 :rule instantiate :premises (@p1) :args ((@list a)))", "univ"),
        (f"(assume-push @p1 (forall (@list {X}) (exists (@list {Y}) (= {X} (+ 1 {Y})))))"
         f"(step @p2 :rule instantiate :premises (@p1) :args ((@list {Y})))", "captured"),
        (f"(assume-push @p1 (not (forall (@list {X}) (= {X} {Y}))))(step @p2 :rule skolemize :premises (@p1))", "closed"),
        (f"(step @p1 :rule refl :args ((@quantifiers_skolemize (forall (@list {X}) (= {X} {Y})) 0)))", "closed"),
        (f"(step @p1 :rule refl :args ((@quantifiers_skolemize (forall (@list {X}) (p {X})) 1)))", "closed"),
        (f"(assume-push @p1 (= (forall (@list {X}) (p {X})) q))"
         f"(step @p2 :rule cong :premises (@p1) :args ((@quantifiers_skolemize (forall (@list {X}) (p {X})) 0)))", "of the last"),
        (f"(step @p1 :rule alpha_equiv :args ((forall (@list {X}) (= {X} {Y})) (@list {X}) (@list {Y})))", "names of bound"),
        (f"(step @p1 :rule alpha_equiv :args ((p {X}) (@list {X}) (@list {Y})))", "names of bound"),
        (f"(step @p1 :rule alpha_equiv :args ((forall (@list {X}) (exists (@list {Y}) (< {X} {Y}))) (@list {X}) (@list {Y})))",
         "names of bound"),
        (f"(step @p1 :rule alpha_equiv :args ((forall (@list {X}) (p {X})) (@list {X}) (@list (@var \"x\" Bool))))", "does not"),
        (f"(step @p1 :rule quant-unused-vars :args ((= (forall (@list {X} {Y}) (= {X} 1)) (forall (@list {Y}) (= {X} 1)))))",
         "is used"),
        (f"(step @p1 :rule quant-unused-vars :args ((= (forall (@list {X}) (p 1)) (exists (@list {X}) (p 1)))))", "same"),
        (f"(step @p1 :rule quant-miniscope-or :args ((= (forall (@list {X}) (or (p {X}) (not (p {X}))))"
         f" (or (forall (@list {X}) (p {X})) (forall (@list {X}) (not (p {X})))))))", "two operands share"),
        (f"(step @p1 :rule quant-miniscope-or :args ((= (forall (@list {X}) (or q (p {X}))) (or q (p {X})))))", "not bound"),
        (f"(step @p1 :rule exists-elim :args ((= (exists (@list {X}) (p {X})) (not (forall (@list {X}) (p {X}))))))", "two forms"),
        # datatypes
        ("(step @p1 :rule dt-collapse-selector :args ((= (tag (node t t)) a)))", "not the field"),
        ("(step @p1 :rule dt-collapse-selector :args ((= (left (node (leaf 1) t)) t)))", "not the field"),
        ("(step @p1 :rule dt-collapse-selector :args ((= (left (g t)) t)))", "not the field"),
        ("(step @p1 :rule dt-collapse-tester :args ((= (is leaf (node t t)) true)))", "the opposite"),
        ("(step @p1 :rule dt-collapse-tester :args ((= (is leaf (g t)) false)))", "a tester of a constructor"),
        ("(step @p1 :rule dt-collapse-tester-singleton :args ((= (is leaf t) true)))", "an only constructor"),
        ("(step @p1 :rule dt-inst :args ((= (is node t) (= t (node (right t) (left t))))))", "two forms"),
        ("(step @p1 :rule dt-inst :args ((= (is node t) (= t (leaf (tag t))))))", "two forms"),
        ("(step @p1 :rule dt-cons-eq :args ((= (= (leaf 1) (leaf a)) (= 1 b))))", "equations of the fields"),
        ("(step @p1 :rule dt-cons-eq :args ((= (= (g t) (g t)) (= t t))))", "same constructor"),
        ("(step @p1 :rule dt-cons-eq-clash :args ((= (= (leaf a) (leaf b)) false)))", "may be equal"),
        ("(step @p1 :rule dt-cons-eq-clash :args ((= (= (g t) (leaf b)) false)))", "may be equal"),
        ("(step @p1 :rule dt-cycle :args ((= (= t (g t)) false)))", "inside"),
        ("(step @p1 :rule dt-cycle :args ((= (= t (node (g t) t)) true)))", "inside"),
        ("(step @p1 :rule dt-cycle :args ((= (= t t) false)))", "inside"),
        ("(step @p1 :rule distinct_values :args (a 1))", "may be equal"),
        ("(step @p1 :rule distinct_values :args (1 1))", "may be equal"),
        # arithmetic
        ("(step @p1 :rule evaluate :args ((div 1 0)))", "cannot be evaluated"),
        ("(step @p1 :rule evaluate :args ((mod 1 0)))", "cannot be evaluated"),
        ("(step @p1 :rule evaluate :args ((div_total 1 0)))", "cannot be evaluated"),
        ("(step @p1 :rule evaluate :args ((/ 1/1 0/1)))", "cannot be evaluated"),
        ("(step @p1 :rule evaluate :args ((f 1)))", "cannot be evaluated"),
        (f"(step @p1 :rule evaluate :args ((forall (@list {X}) true)))", "cannot be evaluated"),
        ("(step @p1 :rule arith_poly_norm :args ((= (* a b) (* a a))))", "different polynomials"),
        ("(step @p1 :rule arith_poly_norm :args ((= (div (+ a a) 2) a)))", "different polynomials"),
        ("(step @p1 :rule arith_poly_norm :args ((= (/ r 0/1) 0/1)))", "different polynomials"),
        ("(step @p1 :rule arith_poly_norm :args ((= q q)))", "of numbers"),
        ("(assume-push @p1 (= (* -1 (- a b)) (* 1 (- b a))))"
         "(step @p2 :rule arith_poly_norm_rel :premises (@p1) :args ((= (< a b) (< b a))))", "different signs"),
        ("(assume-push @p1 (= (* 0 (- a b)) (* 0 (- b a))))"
         "(step @p2 :rule arith_poly_norm_rel :premises (@p1) :args ((= (= a b) (= b a))))", "or zero"),
        ("(assume-push @p1 (= (* 1 (- a b)) (* 1 (- b a))))"
         "(step @p2 :rule arith_poly_norm_rel :premises (@p1) :args ((= (<= a b) (< b a))))", "by the same relation"),
        ("(assume-push @p1 (= (* 1 (- a b)) (* 1 (- a 1))))"
         "(step @p2 :rule arith_poly_norm_rel :premises (@p1) :args ((= (< a b) (< b 1))))", "other differences"),
        ("(assume-push @p1 (>= a b))(step @p2 :rule arith_sum_ub :premises (@p1))", "were expected"),
        ("(assume-push @p1 (<= a b))(step @p2 (< (+ a) (+ b)) :rule arith_sum_ub :premises (@p1))", "the one that the step"),
        ("(step @p1 :rule arith_mult_pos :args (1 (not (= a b))))", "the form that"),
        ("(step @p1 (=> (and (> -1 0) (< a b)) (> (* -1 a) (* -1 b))) :rule arith_mult_pos :args (-1 (< a b)))", "the one that"),
        ("(assume-push @p1 (>= a b))(assume-push @p2 (>= a b))(step @p3 :rule arith_trichotomy :premises (@p1 @p2))", "the form that"),
        ("(assume-push @p1 (>= a b))(assume-push @p2 (<= b a))(step @p3 :rule arith_trichotomy :premises (@p1 @p2))", "the form that"),
        ("(assume-push @p1 (> a b))(assume-push @p2 (<= a b))(step @p3 :rule arith_trichotomy :premises (@p1 @p2))", "the form that"),
        ("(assume-push @p1 (< r 1/2))(step @p2 :rule int_tight_ub :premises (@p1))", "an integer"),
        ("(assume-push @p1 (< a b))(step @p2 :rule int_tight_ub :premises (@p1))", "an integer"),
        ("(assume-push @p1 (<= a 3))(step @p2 :rule int_tight_ub :premises (@p1))", "< with two sides"),
        ("(step @p1 :rule arith_reduction :args ((div_total a 0)))", "the literal zero"),
        ("(step @p1 :rule arith_reduction :args ((f a)))", "the form that"),
        ("(step @p1 :rule arith_mult_sign :args ((and (not (= a 0)) (> b 0)) (* a b)))", "not known"),
        ("(step @p1 :rule arith_mult_sign :args ((> a 0) (* a b)))", "not given"),
        ("(step @p1 :rule arith_mult_sign :args ((> a 1) (* a)))", "with zero"),
        ("(step @p1 :rule arith_mult_abs_comparison :premises ())", "expected first"),
        ("(assume-push @p1 (or q (p a)))(step @p2 :rule reordering :premises (@p1) :args ((or q (p a) q)))", "other literals"),
        ("(assume-push @p1 (or q (p a)))(step @p2 :rule reordering :premises (@p1) :args ((or q (p b))))", "other literals"),
        ("(step @p1 :rule refl :rule refl :args (q))", "a keyword twice"),
        ("(assume-push @p1 (= b a))(step @p2 :rule nary_cong :premises (@p1) :args ((+ a b)))", "of each argument"),
        (f"(assume-push @p1 (= (p a) q))(step @p2 :rule nary_cong :premises (@p1) :args ((forall (@list {X}) (p a))))", "of each argument"),
        ("(assume-push @p1 (> a b))(step @p2 :rule arith_mult_abs_comparison :premises (@p1))", "absolute values"),
        ("(assume-push @p1 (> (abs a) b))(step @p2 :rule arith_mult_abs_comparison :premises (@p1))", "absolute values"),
        ("(assume-push @p1 (> (abs a) (abs b)))(assume-push @p2 (= (abs b) (abs a)))"
         "(step @p3 :rule arith_mult_abs_comparison :premises (@p1 @p2))", "none of their products"),
        ("(assume-push @p1 (> (abs a) (abs b)))(assume-push @p2 (and (= (abs b) (abs a)) (not (= b 1))))"
         "(step @p3 :rule arith_mult_abs_comparison :premises (@p1 @p2))", "not zero"),
        ("(assume-push @p1 (= (abs a) (abs b)))(assume-push @p2 (> (abs a) (abs b)))"
         "(step @p3 :rule arith_mult_abs_comparison :premises (@p1 @p2))", "none of their products"),
        ("(assume-push @p1 (and (> (abs a) (abs b)) (not (= a 0))))"
         "(step @p3 :rule arith_mult_abs_comparison :premises (@p1))", "expected first"),
        ("(assume-push @p1 (> (abs a) (abs b)))(assume-push @p2 (> (abs b) (abs a)))"
         "(step @p3 (> (abs (* a a)) (abs (* b b))) :rule arith_mult_abs_comparison :premises (@p1 @p2))", "the one that"),
        # bit-vectors
        ("(step @p1 :rule refl :args ((bvadd x #b00000)))", "does not take"),
        ("(step @p1 :rule refl :args ((extract 4 0 x)))", "not take"),
        ("(step @p1 :rule refl :args ((extract 0 1 x)))", "not take"),
        ("(step @p1 :rule refl :args ((extract a 0 x)))", "needs 2 literals"),
        ("(step @p1 :rule refl :args ((extract -1 -1 x)))", "needs 2 literals"),
        ("(step @p1 :rule refl :args ((@bit 4 x)))", "not take"),
        ("(step @p1 :rule refl :args ((repeat 0 x)))", "width 0"),
        ("(step @p1 :rule refl :args ((concat x @bv_empty)))", "does not take"),
        ("(step @p1 :rule refl :args ((bvnot @bv_empty)))", "width 0"),
        ("(step @p1 :rule refl :args ((zero_extend 70000 x)))", "width 70004"),
        ("(step @p1 :rule refl :args (#x0f))", "a name was expected"),
        ("(step @p1 (= (bvadd #b1111 #b0001) #b0001) :rule evaluate :args ((bvadd #b1111 #b0001)))", "the one that the step"),
        ("(step @p1 (= (bvudiv #b0001 #b0000) #b0000) :rule evaluate :args ((bvudiv #b0001 #b0000)))", "the one that the step"),
        ("(step @p1 :rule evaluate :args ((bvadd x #b0001)))", "cannot be evaluated"),
        ("(step @p1 :rule evaluate :args ((bvsdiv #b0001 #b0001)))", "cannot be evaluated"),
        ("(step @p1 :rule evaluate :args ((int.pow2 100000)))", "too large"),
        ("(step @p1 :rule evaluate :args ((int.log2 0)))", "no positive"),
        ("(step @p1 :rule bv_poly_norm :args ((= (bvadd x x) (bvmul #b0011 x))))", "different polynomials"),
        ("(step @p1 :rule bv_poly_norm :args ((= (+ a a) (* 2 a))))", "a bit-vector was expected"),
        ("(step @p1 :rule arith_poly_norm :args ((= (bvadd x x) (bvmul #b0010 x))))", "of numbers"),
        ("(step @p1 :rule arith_poly_norm :args ((= (ubv_to_int (bvadd x y)) (+ (ubv_to_int x) (ubv_to_int y)))))", "polynomials"),
        ("(assume-push @p1 (= (bvmul #b0010 (bvsub x y)) (bvmul #b0010 (bvsub y x))))"
         "(step @p2 :rule bv_poly_norm_eq :premises (@p1) :args ((= (= x y) (= y x))))", "no odd literal"),
        ("(assume-push @p1 (= (bvmul #b0001 (bvsub x y)) (bvmul #b0001 (bvsub y x))))"
         "(step @p2 :rule bv_poly_norm_eq :premises (@p1) :args ((= (= x y) (= y y))))", "other differences"),
        ("(step @p1 :rule bv_bitblast_step :args ((= x (@from_bools (@bit 1 x) (@bit 0 x) (@bit 2 x) (@bit 3 x)))))", "the bits"),
        ("(step @p1 :rule bv_bitblast_step :args ((= #b01 (@from_bools false true))))", "the bits"),
        ("(step @p1 :rule bv_bitblast_step :args ((= (bvadd x y) x)))", "given by their bits"),
        ("(step @p1 :rule bv_bitblast_step :args ((= (bvand (@from_bools q)) (@from_bools q))))", "wrong numbers"),
        ("(step @p1 :rule bv_bitblast_step :args ((= (bvult (@from_bools q) (@from_bools q)) (and q q))))", "the bits"),
        ("(step @p1 :rule bv_bitblast_step :args ((= q q)))", "a bit-vector was expected"),
        ("(step @p1 :rule bv-bitwise-slicing :args ((= (bvand #b0011 x) (concat (bvand (extract 3 1 #b0011) (extract 3 1 x))"
         " (bvand (extract 0 0 #b0011) (extract 0 0 x))))))", "not the parts"),
        ("(step @p1 :rule bv-bitwise-slicing :args ((= (bvadd #b1111 x) (bvadd (extract 3 0 #b1111) (extract 3 0 x)))))", "beside"),
        ("(step @p1 :rule bv-repeat-elim :args ((= (repeat 2 x) (concat x x x))))", "does not take"),
        ("(step @p1 :rule bv-repeat-elim :args ((= (repeat 2 x) (concat x y))))", "two forms"),
        ("(assume-push @p1 (= (>= 2 (- (@bvsize x) 1)) true))"
         "(step @p2 (= (extract 3 0 x) x) :rule bv-extract-whole :premises (@p1) :args (x 3))", "the form that"),
        ("(step @p1 :rule aci_norm :args ((= (bvxor x x) x)))", "different operands"),
        ("(step @p1 :rule aci_norm :args ((= (bvand x #b0000) x)))", "different operands"),
        ("(step @p1 :rule aci_norm :args ((= (bvadd x y) (bvadd y x))))", "different operands"),
        ("(step @p1 :rule aci_norm :args ((= (concat x y) (concat y x))))", "different operands"),
        ("(step @p1 :rule absorb :args ((= (bvand x #b0000) #b1111)))", "no operand decides"),
        ("(step @p1 :rule absorb :args ((= (bvadd x #b0000) #b0000)))", "wrong numbers"),
        # strings and regular expressions
        ('(step @p1 :rule refl :args ("\\x41"))', "has to be written"),
        ('(step @p1 :rule refl :args ("\\u{110000}"))', "has to be written"),
        ('(step @p1 :rule refl :args ("\\u{30000}"))', "that strings do not have"),
        ('(step @p1 :rule refl :args ("é"))', "has to be written"),
        ('(step @p1 :rule aci_norm :args ((= (str.++ s z) (str.++ z s))))', "different operands"),
        ('(step @p1 :rule aci_norm :args ((= (re.++ l re.all) (re.++ re.all l))))', "different operands"),
        ('(step @p1 (= (str.substr "abc" 3 1) "c") :rule evaluate :args ((str.substr "abc" 3 1)))', "the one that the step"),
        ('(step @p1 (= (str.replace "abc" "" "x") "abc") :rule evaluate :args ((str.replace "abc" "" "x")))', "the one that"),
        ('(step @p1 (= (str.indexof "abc" "" 4) 3) :rule evaluate :args ((str.indexof "abc" "" 4)))', "the one that the step"),
        ('(step @p1 (= (str.to_int "-1") -1) :rule evaluate :args ((str.++ "-1" s)))', "cannot be evaluated"),
        ('(step @p1 (= (str.to_int "") 0) :rule evaluate :args ((str.to_int "")))', "the one that the step"),
        ('(step @p1 :rule evaluate :args ((str.in_re "a" re.all)))', "cannot be evaluated"),
        ('(step @p1 :rule distinct_values :args ("a" "\\u{61}"))', "may be equal"),
        ('(step @p1 :rule distinct_values :args (re.all re.none))', "may be equal"),
        ('(step @p1 :rule str-in-re-eval :args ((= (str.in_re "ab" (re.* (str.to_re "a"))) true)))', "the opposite"),
        ('(step @p1 :rule str-in-re-eval :args ((= (str.in_re s (re.* (str.to_re "a"))) true)))', "a literal"),
        ('(step @p1 :rule str-in-re-eval :args ((= (str.in_re "a" (re.* (str.to_re s))) true)))', "a literal"),
        ('(step @p1 :rule str-in-re-eval :args ((= (str.in_re "a" l) true)))', "without a value"),
        ('(step @p1 :rule str-in-re-eval :args ((= (str.in_re "b" (re.range "a" "cc")) true)))', "the opposite"),
        ('(step @p1 :rule str-in-re-eval :args ((= (str.in_re "" (re.range "" "z")) true)))', "the opposite"),
        ('(assume-push @p1 (str.in_re s l))(step @p2 :rule re_unfold_pos :premises (@p1))', "concatenation or repetition"),
        ('(step @p1 :rule string_eager_reduction :args ((str.in_re s (re.union (str.to_re "a") (str.to_re "bc")))))', "several lengths"),
        ('(step @p1 :rule string_eager_reduction :args ((str.in_re s (re.* re.allchar))))', "several lengths"),
        ('(step @p1 :rule string_reduction :args ((str.contains (@var "w" String) s)))', "a closed term"),
        ('(assume-push @p1 (not (str.in_re (str.from_int (@var "@var.str_index" Int)) (re.++ l l))))'
         '(step @p2 :rule re_unfold_neg :premises (@p1))', "captured"),
        ('(assume-push @p1 (not (str.in_re s (re.++ l l (str.to_re (str.from_int (@var "@var.str_index" Int)))))))'
         '(step @p2 :rule re_unfold_neg :premises (@p1))', "captured"),
        ('(step @p1 :rule str-in-re-concat-star-char :args ((= (str.in_re (str.++ s z) (re.* (str.to_re "ab")))'
         ' (and (str.in_re s (re.* (str.to_re "ab"))) (str.in_re z (re.* (str.to_re "ab")))))))', "single characters"),
        ('(step @p1 :rule str-in-re-concat-star-char :args ((= (str.in_re (str.++ s z) (re.* re.allchar))'
         ' (str.in_re s (re.* re.allchar)))))', "two forms"),
        ('(step @p1 :rule re-loop-elim :args ((= (re.loop 1 2 l) (re.union l l))))', "the powers"),
        ('(step @p1 :rule re-loop-elim :args ((= (re.loop 2 1 l) re.none)))', "a loop"),
        ('(assume-push @p1 (= (str.++ s z) (str.++ z s)))(assume-push @p2 (= (str.len s) (str.len s)))'
         '(step @p3 :rule concat_unify :premises (@p1 @p2) :args (false))', "other parts"),
        ('(assume-push @p1 (= (str.++ s z) (str.++ z s)))(assume-push @p2 (= (str.len s) (str.len z)))'
         '(step @p3 (= z s) :rule concat_unify :premises (@p1 @p2) :args (false))', "the one that the step"),
        ('(step @p1 :rule arith-string-pred-entail :args ((= (>= (- (str.len s) 1) 0) true)))', "may be negative"),
        ('(step @p1 :rule arith-string-pred-entail :args ((= (>= (+ a (str.len s)) 0) true)))', "may be negative"),
        ('(step @p1 :rule arith-string-pred-entail :args ((= (>= (str.len s) 1) true)))', "with zero"),
        ('(step @p1 :rule str-ctn-multiset-subset :args ((= (str.contains (str.++ "ab" s) "c") false)))', "no character"),
        ('(step @p1 :rule str-ctn-multiset-subset :args ((= (str.contains "abb" "ba") false)))', "no character"),
        ('(step @p1 :rule str-ctn-multiset-subset :args ((= (str.contains (str.replace_all "a" "a" s) "b") false)))', "no character"),
        ('(step @p1 :rule str-len-concat-rec :args (s z z))', "operands of str.++ were"),
        ('(assume-push @p1 (= (str.contains s z) true))(step @p2 :rule str-eq-ctn-full-false2 :premises (@p1) :args (s z))', "form"),
    ],
)  # fmt: skip
def test_a_step_that_does_not_follow_is_refused(proof: str, reason: str) -> None:
    assert reason in refusal(proof)


@pytest.mark.parametrize(
    ("obligation", "reason"),
    [
        ("(declare-const and Bool)", "cannot be declared"),
        ("(declare-const @purify Bool)", "cannot be declared"),
        ("(declare-const a Bool)(declare-const a Int)", "cannot be declared"),
        ("(declare-sort Int 0)", "cannot be declared"),
        ("(declare-const a B)", "the sort B is unknown"),
        ("(declare-datatypes ((T 0)) (((c (d T)))))", "have no values"),
        ("(declare-datatypes ((T 0) (S 0)) (((c (d S))) ((e (g T)))))", "have no values"),
        ("(assert (forall ((x Int)) (> y x)))", "unknown"),
        ("(assert (> (@purify 1) 2))", "no function of SMT-LIB"),
        ("(assert (> (div_total 1 0) 2))", "no function of SMT-LIB"),
        ("(assert 1)", "no closed formula"),
        ("(define-fun f () Bool true)", "no command"),
        ("(assert (forall ((x Int)) (let ((y x)) (forall ((x Int)) (= x y)))))", "captured"),
        ("(declare-datatypes ((T 0)) (((c (d (Array Int T))))))", "have no values"),
        ("(declare-const |1| Int)", "a name was expected"),
        ("(declare-const |-1| Int)", "a name was expected"),
        ("(assert (exists ((|1| Int)) (not (= |1| 1))))", "a name was expected"),
        ("(assert (let ((|#b1| true)) #b1))", "a name was expected"),
        ("(declare-const || Int)", "an empty name"),
        ("(declare-const a (_ BitVec 0))", "width 0"),
        ("(declare-const a (_ BitVec 08))", "is unknown"),
        ("(declare-const a (_ BitVec 99999))", "width 99999"),
        ("(declare-const bvadd Int)", "cannot be declared"),
        ("(declare-sort String 0)", "cannot be declared"),
        ("(assert (= (@bit 0 #b1) true))", "no function of SMT-LIB"),
        ("(assert (= (extract 1 0 #b11) #b11))", "no function of SMT-LIB"),
        ("(assert (= ((_ extract 1 2) #b111) #b11))", "not take"),
        ("(assert (= #b11 (_ bv1 3)))", "does not take"),
        ('(assert (= "\\\\" "a"))', "has to be written"),
        ("(declare-datatypes ((T 0)) (((c (d (Array String T))))))", "have no values"),
        ("(assert true", "not closed"),
        ("(assert true))", "too many"),
    ],
)
def test_an_obligation_that_cannot_be_read_exactly_is_refused(obligation: str, reason: str) -> None:
    with pytest.raises(Rejected, match=reason):
        read_obligation(expressions(obligation))


def test_what_smt_lib_abbreviates_is_read_as_it_defines() -> None:
    read = read_obligation(
        expressions("""(declare-const a Int) (declare-const |b| Int)
        (assert (! (let ((c (+ a 1))) (< a c b)) :named n)) (assert (and (< a (+ a 1)) (< (+ a 1) b)))
        (assert (=> (= a 1) (= a 2) (= a 3))) (assert (=> (= a 1) (=> (= a 2) (= a 3))))""")
    )
    assert len(read.assertions) == 2


def test_literals_of_bit_vectors_and_strings_are_read_as_they_are_defined() -> None:
    for one, other in (
        ("#xAf", "#b10101111"), ("(_ bv5 4)", "#b0101"), ('"a\\u{62}\\u0063"', '"abc"'), ('"\\u{0000a}"', '"\\u{a}"'),
        ("((_ int2bv 4) 3)", "((_ int_to_bv 4) 3)"), ("(bv2nat #b1)", "(ubv_to_int #b1)"), ('"a""b"', '"a\\u{22}b"'),
    ):  # fmt: skip
        assert (
            len(read_obligation(expressions(f"(assert (= {one} {other}))(assert (= {other} {other}))")).assertions) == 1
        )
    for text, length in (('""', 0), ('"""' + '"', 1), ('"\\u{5c}u{61}"', 6), ('"\\u{2ffff}"', 1)):
        value = f"(str.len {text})"
        check_proof(
            expressions(f"(assert (not (= {value} {length})))"),
            f"(assume @p1 (not (= {value} {length})))(step @p2 :rule evaluate :args ({value}))"
            "(step @p3 :rule contra :premises (@p2 @p1))",
        )


def test_what_is_asserted_after_the_query_does_not_count() -> None:
    assert not read_obligation(expressions("(check-sat)(assert false)")).assertions


def test_the_same_name_is_one_variable_for_each_sort() -> None:
    proof = f'(step @p1 :rule refl :args ((forall (@list {X} (@var "x" Bool)) (= {X} 1))))'
    assert "does not end" in refusal(proof)  # two variables, so this is well-sorted


@pytest.mark.parametrize(
    ("first", "second", "third"),
    [("(> (abs a) (abs b))", "(> (abs a) (abs b))", "(> (abs (* a a)) (abs (* b b)))"),
     ("(= (abs a) (abs b))", "(= (abs b) (abs 2))", "(= (abs (* a b)) (abs (* b 2)))"),
     ("(> (abs a) (abs b))", "(and (= (abs b) (abs a)) (not (= b 0)))", "(> (abs (* a b)) (abs (* b a)))")],
)  # fmt: skip
def test_products_compare_as_their_factors_do(first: str, second: str, third: str, z3: Z3Process) -> None:
    steps = "".join(f"(assume @p{n} {each})" for n, each in enumerate((first, second, f"(not {third})"), 1))
    multiplied = "(step @p4 :rule arith_mult_abs_comparison :premises (@p1 @p2))"
    obligation = f"{PRELUDE}(assert {first})(assert {second})(assert (not {third}))"
    assert z3.ask(obligation).status == "unsat"
    check_proof(expressions(obligation), f"{steps}{multiplied}(step @p5 false :rule contra :premises (@p4 @p3))")


def test_each_rule_of_logic_and_arithmetic_says_what_it_needs() -> None:
    assert all(rule.__doc__ for rule in RULES.values())


GROUND = """
(bvnot A) (bvneg A) (bvadd A B A) (bvsub A B) (bvmul A B) (bvand A B) (bvor A B) (bvxor A B A) (bvudiv A B) (bvurem A B)
(bvshl A B) (bvlshr A B) (bvashr A B) (concat A B #b101) (extract 2 1 A) (zero_extend 2 A) (sign_extend 2 A) (repeat 3 A)
(bvult A B) (bvule A B) (bvugt A B) (bvuge A B) (bvslt A B) (bvsle A B) (bvsgt A B) (bvsge A B) (= A B) (ubv_to_int A)
(int_to_bv 3 I) (str.++ S "a" T) (str.len S) (str.at S I) (str.substr S I J) (str.contains S T) (str.prefixof S T)
(str.suffixof S T) (str.indexof S T I) (str.replace S T "x") (str.replace_all S T "xy") (str.to_code S) (str.from_code I)
(str.to_int S) (str.from_int I) (str.<= S T) (str.to_int (str.++ "0" S)) (str.from_code (* 6143 I)) (= S T) (mod I 3)
(str.indexof (str.++ S T) T (str.len S)) (str.to_code (str.at "\\u{2ffff}\\u{d800}" I)) (div I -3)
"""
"""Terms at literals: of bit-vectors ``A``, ``B``, strings ``S``, ``T``, and numbers ``I``, ``J``."""


@pytest.mark.parametrize("text", [written(term) for term in expressions(GROUND)])
def test_terms_have_the_values_that_solvers_give_them(text: str, z3: Z3Process, cvc5: Cvc5Process) -> None:
    chance, terms = random.Random(text), read_obligation(()).terms
    choices = {
        "bits": [f"#b{k:04b}" for k in range(16)],
        "words": ['""', '"a"', '"ab"', '"aba"', '"12"', '"7"', '"-1"', '"b"', '"\\u{e9}"'],
        "numbers": [str(k) for k in range(-2, 36, 3)],
    }
    kinds = dict(zip("ABSTIJ", ("bits", "bits", "words", "words", "numbers", "numbers"), strict=True))
    found = []
    for _ in range(40):
        (shape,) = expressions(re.sub(r"\b[ABSTIJ]\b", lambda name: chance.choice(choices[kinds[name[0]]]), text))
        found.append(evaluate(terms, [], [a_term(read_value(terms, shape, {}))]))
    assert Meaning(z3, terms, cvc5).follows([], terms.app("and", *found)) == "unsat"


CIRCUITS = """
bvnot bvneg bvadd bvmul bvand bvor bvxor bvshl bvlshr bvashr bvudiv bvurem concat bvult bvslt bvcomp = extract sign_extend
"""


@pytest.mark.parametrize("op", CIRCUITS.split())
def test_circuits_are_the_functions_that_they_stand_for(op: str, z3: Z3Process) -> None:
    for width in (1, 2, 3) if op in ("bvudiv", "bvurem") else (1, 2, 3, 4, 5):
        terms = read_obligation(expressions("".join(f"(declare-const q{i} Bool)" for i in range(10)))).terms
        bits = [terms.app(f"q{i}") for i in range(2 * width)]
        one, other = terms.app("@from_bools", *bits[:width]), terms.app("@from_bools", *bits[width:])
        numbers = [terms.number(n, INT) for n in {"extract": (width - 1, width // 2), "sign_extend": (2,)}.get(op, ())]
        term = terms.app(op, *numbers, *[one, other][: 1 if numbers or op in ("bvnot", "bvneg") else 2])
        found = circuit(terms, term)
        stated = terms.app("=", term, found if isinstance(found, Term) else terms.app("@from_bools", *found))
        assert bv_bitblast_step(terms, [], [stated]) is stated
        assert Meaning(z3, terms).follows([], stated) == "unsat"


def test_words_of_expressions_are_those_that_solvers_find(z3: Z3Process, cvc5: Cvc5Process) -> None:
    chance, terms = random.Random(7), read_obligation(()).terms
    app, words = terms.app, [terms.string(w) for w in ("", "a", "b", "ab", "aab", "abab", "ba", "c")]

    def expression(depth: int) -> Term:
        if not depth or chance.random() < 0.2:
            ends = app("re.range", *chance.sample(words, 2))
            return chance.choice(
                [app("str.to_re", chance.choice(words)), app("re.allchar"), ends, app("re.all"), app("re.none")]
            )
        op = chance.choice(["re.*", "re.comp", "re.++", "re.union", "re.inter", "re.++", "re.union"])
        return app(op, *[expression(depth - 1) for _ in range(1 if op in ("re.*", "re.comp") else 2)])

    found, true = [], 0
    for _ in range(400):
        member = app("str.in_re", chance.choice(words), expression(3))
        for value in (terms.true, terms.false):
            with contextlib.suppress(Rejected):
                found.append(str_in_re_eval(terms, [], [app("=", member, value)]))
                true += value is terms.true
    assert len(found) == 400 and 100 < true < 300
    for k in range(0, 400, 40):
        assert Meaning(z3, terms, cvc5).follows([], app("and", *found[k : k + 40])) == "unsat"


def test_of_spoiled_proofs_over_bit_vectors_and_strings_no_step_is_accepted_that_does_not_follow(
    z3: Z3Process, cvc5: Cvc5Process
) -> None:
    proofs = [(s, commands_of(cvc5_proof(cvc5, s))) for s in fuzz_proofs.THEORIES]
    for script, proof in proofs:
        _, state, reason = fuzz_proofs.accepted_steps(script, proof)
        assert closes(state, reason), f"{script}: {reason}"
    faults, counts = fuzz_proofs.fuzz(z3, proofs, 100, 5, cvc5)
    assert not faults
    assert counts["rejected"] > 80 and counts["spoiled steps that are accepted: unsat"] > 10, counts


def test_of_spoiled_proofs_no_step_is_accepted_that_does_not_follow(z3: Z3Process) -> None:
    with Cvc5Process() as cvc5:
        proofs = [(s, commands_of(cvc5_proof(cvc5, s))) for s in fuzz_proofs.OBLIGATIONS]
    for script, proof in proofs:
        _, state, reason = fuzz_proofs.accepted_steps(script, proof)
        assert closes(state, reason), reason
    faults, counts = fuzz_proofs.fuzz(z3, proofs, 60, seed=4)
    assert not faults
    assert counts["rejected"] > 40 and counts["spoiled steps that are accepted: unsat"] > 10, counts
