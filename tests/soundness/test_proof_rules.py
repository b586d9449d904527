# ruff: noqa: E501  proofs, one a line
"""Each rule of the checker of CPC proofs: what the table says is true, and what a step must not do is refused."""

import itertools
from collections.abc import Iterator

import fuzz_proofs
import pytest
from cpc_semantics import Meaning, closes, commands_of, cvc5_proof

from goedels_poetry.checker.cpc.check import RULES, check_proof
from goedels_poetry.checker.cpc.reader import SExpr, expressions, read_obligation
from goedels_poetry.checker.cpc.rewrites import Bound, Pattern, build, is_pattern_variable, patterns
from goedels_poetry.checker.cpc.terms import BOOL, INT, REAL, Rejected, Sort, Term, Terms
from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.z3_process import Z3Process

ARRAY: Sort = ("Array", INT, "U")
SORTS: dict[str, tuple[Sort, ...]] = {"a": (ARRAY,), "b": (ARRAY,), "i": (INT,), "j": (INT,), "e": ("U",), "f": ("U",)}


@pytest.fixture(scope="module")
def z3() -> Iterator[Z3Process]:
    with Z3Process() as solver:
        yield solver


def variables(pattern: SExpr) -> set[str]:
    if isinstance(pattern, str):
        return {pattern} if is_pattern_variable(pattern) else set()
    return set().union(*[variables(part) for part in pattern[1:]])


def instances(terms: Terms, pattern: Pattern) -> Iterator[tuple[list[Term], Term]]:
    """Premises and conclusion of a rule at variables of each sort, and at short lists."""
    names = sorted(set().union(*map(variables, (*pattern.arguments, *pattern.premises, pattern.conclusion))))
    choices = []
    for name in names:
        if "*" in name:
            choices.append([tuple(terms.variable(f"{name}{k}", BOOL) for k in range(n)) for n in (0, 1, 2)])
        else:
            sorts = (BOOL,) if name.isupper() else SORTS.get(name, (INT, REAL, "U", BOOL))
            choices.append([terms.variable(name, sort) for sort in sorts])
    for chosen in itertools.product(*choices):
        bound: Bound = dict(zip(names, chosen, strict=True))
        try:
            yield [build(terms, p, bound) for p in pattern.premises], build(terms, pattern.conclusion, bound)
        except Rejected:
            continue  # ill-sorted: then no step can have it either


@pytest.mark.parametrize("name", patterns())
def test_a_line_of_the_table_is_a_theorem(name: str, z3: Z3Process) -> None:
    terms = read_obligation(expressions("(declare-sort U 0)")).terms
    meaning = Meaning(z3, terms)
    found = list(instances(terms, patterns()[name]))
    assert found
    for premises, conclusion in found:
        assert meaning.follows(premises, conclusion) == "unsat", meaning.script([*premises, conclusion])


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
        ("(step @p1 :rule evaluate :args ())", "wrong numbers"),
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
        ("(assume-push @p1 (=> q q))(step @p2 :rule symm :premises (@p1))", "= with two sides"),
        # congruence under a binder, of what holds for one value
        (f"(assume-push @p1 (= {X} 1))(step @p2 :rule true_intro :premises (@p1))"
         f"(step @p3 :rule cong :premises (@p2) :args ((forall (@list {X}) (= {X} 1))))", "bound here"),
        (f"(assume-push @p1 (= {X} {Y}))(step @p2 :rule cong :premises (@p1 @p1) :args ((forall (@list {X}) (p {X}))))",
         "of the last arguments"),
        # clauses
        ("(assume-push @p1 (and q q))(step @p2 :rule and_elim :premises (@p1) :args (2))", "the number of an operand"),
        ("(assume-push @p1 (and q q))(step @p2 :rule and_elim :premises (@p1) :args (-1))", "the number of an operand"),
        ("(assume-push @p1 (or q q))(step @p2 :rule and_elim :premises (@p1) :args (0))", "operands of and"),
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
        ("(step @p1 :rule arith_mult_pos :args (1 (not (= a b))))", "of numbers was expected"),
        ("(step @p1 (=> (and (> -1 0) (< a b)) (> (* -1 a) (* -1 b))) :rule arith_mult_pos :args (-1 (< a b)))", "the one that"),
        ("(assume-push @p1 (>= a b))(assume-push @p2 (>= a b))(step @p3 :rule arith_trichotomy :premises (@p1 @p2))", "two of"),
        ("(assume-push @p1 (>= a b))(assume-push @p2 (<= b a))(step @p3 :rule arith_trichotomy :premises (@p1 @p2))", "two of"),
        ("(assume-push @p1 (> a b))(assume-push @p2 (<= a b))(step @p3 :rule arith_trichotomy :premises (@p1 @p2))", "two of"),
        ("(assume-push @p1 (< r 1/2))(step @p2 :rule int_tight_ub :premises (@p1))", "an integer"),
        ("(assume-push @p1 (< a b))(step @p2 :rule int_tight_ub :premises (@p1))", "an integer"),
        ("(assume-push @p1 (<= a 3))(step @p2 :rule int_tight_ub :premises (@p1))", "< with two sides"),
        ("(step @p1 :rule arith_reduction :args ((div_total a 0)))", "the literal zero"),
        ("(step @p1 :rule arith_reduction :args ((f a)))", "was expected"),
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


def test_of_spoiled_proofs_no_step_is_accepted_that_does_not_follow(z3: Z3Process) -> None:
    with Cvc5Process() as cvc5:
        proofs = [(s, commands_of(cvc5_proof(cvc5, s))) for s in fuzz_proofs.OBLIGATIONS]
    for script, proof in proofs:
        _, state, reason = fuzz_proofs.accepted_steps(script, proof)
        assert closes(state, reason), reason
    faults, counts = fuzz_proofs.fuzz(z3, proofs, 60, seed=4)
    assert not faults
    assert counts["rejected"] > 40 and counts["spoiled steps that are accepted: unsat"] > 10, counts
