"""Terms printed as SMT-LIB and in mathematical notation."""

import random
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from named_texts import tables

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.refutation.theory import with_definitions
from goedels_poetry.kernel.sequent import make_sequent
from goedels_poetry.kernel.terms import (
    BOOL,
    INT,
    REAL,
    STRING,
    BitVector,
    Kind,
    Sort,
    Term,
    alpha,
    app,
    array,
    bitvec,
    integer,
    lit,
    quantifier,
    substitute,
    var,
)
from goedels_poetry.smt.notation.formulas import NotRead, in_prefix
from goedels_poetry.smt.notation.text import parse_problem, parse_sequent, parse_term, show_sequent

TABLES = tables(__file__)

PRINTED = parse_problem(
    """(declare-sort E 0)
    (declare-datatypes ((list 0)) (((nil) (cons (head Int) (tail list)))))
    (declare-fun |odd name| (Int) Int) (declare-const e E) (declare-fun p (E list) Bool)
    (define-fun-rec len ((x list)) Int (match x ((nil 0) ((cons h t) (+ 1 (len t))))))
    (prove true)"""
).signature
LIST, E = Sort("list"), Sort("E")
INTS = array(INT, INT)
SORTS = (BOOL, INT, REAL, STRING, bitvec(4), bitvec(3), LIST, E, INTS)
TEXT = st.text(alphabet=st.characters(max_codepoint=0x2FFFF, exclude_categories=["Cs"]), max_size=6)


class Generator:
    """Random well-sorted terms, degenerate ones included (as substitution makes them)."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.count = 0

    def term(self, sort: Sort, scope: tuple[Term, ...], depth: int) -> Term:
        rng = self.rng
        usable = [v for v in scope if v.sort is sort]
        if depth == 0 or rng.random() < 0.2:
            return rng.choice(usable) if usable and rng.random() < 0.7 else self.leaf(sort)

        def sub(s: Sort) -> Term:
            return self.term(s, scope, depth - 1)

        if rng.random() < 0.15:
            return app("ite", (sub(BOOL), sub(sort), sub(sort)), sort)
        match sort.name:
            case "Bool":
                return self.formula(scope, depth)
            case "Int":
                name = rng.choice(["+", "-", "-1", "*", "div", "mod", "abs", "len", "head", "odd name", "select"])
                if name == "-1":
                    return app("-", (sub(INT),), INT)
                if name in ("abs", "odd name"):
                    return app(name, (sub(INT),), INT)
                if name in ("len", "head"):
                    return app(name, (sub(LIST),), INT)
                if name == "select":
                    return app(name, (sub(INTS), sub(INT)), INT)
                return app(name, [sub(INT) for _ in range(3 if name in "+*" and rng.random() < 0.3 else 2)], INT)
            case "Real":
                name = rng.choice(["+", "-", "-1", "/", "to_real"])
                if name == "-1":
                    return app("-", (sub(REAL),), REAL)
                return app(name, (sub(INT),) if name == "to_real" else (sub(REAL), sub(REAL)), REAL)
            case "String":
                return app("str.++", (sub(STRING), sub(STRING)), STRING)
            case "BitVec":
                if sort is bitvec(3):
                    return app("extract", (sub(bitvec(4)),), sort, (3, 1))
                return app("bvadd", (sub(sort), sub(sort)), sort)
            case "list":
                return (
                    app("cons", (sub(INT), sub(LIST)), LIST) if rng.random() < 0.7 else app("tail", (sub(LIST),), LIST)
                )
            case "Array":
                if rng.random() < 0.3:
                    return app("const", (sub(INT),), sort)
                return app("store", (sub(sort), sub(INT), sub(INT)), sort)
        return self.leaf(sort)

    def formula(self, scope: tuple[Term, ...], depth: int) -> Term:
        rng = self.rng
        name = rng.choice(["and", "or", "not", "=>", "xor", "=", "distinct", "<", "is", "p", "forall", "exists"])
        if name in ("forall", "exists"):
            bound = []
            for _ in range(rng.randrange(1, 3)):
                self.count += 1
                bound.append(var(f"{rng.choice('xyz?')}{self.count}", rng.choice(SORTS)))
            body = self.term(BOOL, (*scope, *bound), depth - 1)
            return quantifier(Kind.FORALL if name == "forall" else Kind.EXISTS, bound, body)
        sort = rng.choice(SORTS) if name in ("=", "distinct") else INT if name == "<" else BOOL
        if name == "is":
            return app("is", (self.term(LIST, scope, depth - 1),), BOOL, ("cons",))
        if name == "p":
            return app("p", (self.term(E, scope, depth - 1), self.term(LIST, scope, depth - 1)), BOOL)
        number = 1 if name == "not" else 3 if name in ("and", "or", "=") and rng.random() < 0.3 else 2
        return app(name, [self.term(sort, scope, depth - 1) for _ in range(number)], BOOL)

    def leaf(self, sort: Sort) -> Term:
        rng = self.rng
        match sort.name:
            case "Bool":
                return lit(rng.random() < 0.5, BOOL)
            case "Int":
                return integer(rng.randrange(-3, 4))
            case "Real":
                return lit(Fraction(rng.randrange(-4, 5), rng.randrange(1, 4)), REAL)
            case "String":
                return lit(rng.choice(["", 'a"b', "\\u{41}", "\\", "\n", "é😀"]), STRING)
            case "BitVec":
                width = sort.indices[0]
                return lit(BitVector(rng.randrange(2**width), width), sort)
            case "list":
                return app("nil", (), LIST)
            case "Array":
                return app("const", (integer(0),), sort)
        return app("e", (), E)


@given(st.integers(min_value=0, max_value=2**40))
def test_sequents_read_back_as_they_were(seed: int) -> None:
    generator = Generator(random.Random(seed))
    variables = tuple(var(f"v{i}", s) for i, s in enumerate(SORTS))
    sequent = make_sequent(
        variables,
        [generator.term(BOOL, variables, 4) for _ in range(generator.rng.randrange(3))],
        generator.term(BOOL, variables, 5),
    )
    assert parse_sequent(show_sequent(sequent), PRINTED) == sequent
    closed = sequent.formula
    assert parse_term(show(closed), PRINTED) is closed
    assert parse_term(show(alpha(closed)), PRINTED) is alpha(closed)


@given(TEXT)
def test_strings_read_back_as_they_were(text: str) -> None:
    term = lit(text, STRING)
    printed = show(term)
    assert printed.isascii()
    assert parse_term(printed, PRINTED) is term


@given(st.fractions())
def test_numbers_read_back_as_they_were(number: Fraction) -> None:
    assert parse_term(show(lit(number, REAL)), PRINTED) is lit(number, REAL)
    assert parse_term(show(integer(number.numerator)), PRINTED) is integer(number.numerator)


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (integer(-3), "(- 3)"),
        (lit(Fraction(1, 3), REAL), "(/ 1.0 3.0)"),
        (lit(Fraction(-7), REAL), "(- 7.0)"),
        (lit(BitVector(10, 8), bitvec(8)), "#x0a"),
        (lit(BitVector(5, 3), bitvec(3)), "#b101"),
        (lit('say "hi"\\', STRING), '"say ""hi""\\u{5c}"'),
        (app("const", (integer(0),), INTS), "((as const (Array Int Int)) 0)"),
        (app("is", (var("x", LIST),), BOOL, ("cons",)), "((_ is cons) x)"),
        (var("let", INT), "|let|"),
        (var("-2", INT), "|-2|"),
        (var("k'", INT), "|k'|"),
    ],
)
def test_printed_forms(term: Term, text: str) -> None:
    assert show(term) == text


def test_a_literal_and_an_application_that_look_alike_stay_apart() -> None:
    """Substituting 3 for n in (- n) is not the literal -3, and stays what it is through text."""
    n = var("n", INT)
    applied = substitute(app("-", (n,), INT), {n: integer(3)})
    assert applied is not integer(-3)
    assert parse_term(show(applied), PRINTED) is applied
    one = lit(Fraction(1), REAL)
    divided = app("/", (one, lit(Fraction(3), REAL)), REAL)
    assert parse_term(show(divided), PRINTED) is divided


def test_shared_subterms_are_printed_in_time() -> None:
    term = var("x", INT)
    for _ in range(100):
        term = app("+", (term, term), INT)
    assert len(show(term)) < 5_000
    assert parse_term(show(term), PRINTED, (var("x", INT),)) is term


@pytest.mark.parametrize(
    "text",
    [
        "(sequent ((e E)) () true)",
        "(sequent ((x Int) (x Int)) () true)",
        "(sequent () ())",
        "true",
        "(sequent () () x)",
        "",
    ],
)
def test_sequents_that_are_none(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_sequent(text, PRINTED)


ODD_NAMES = """
(declare-datatypes ((|my list| 0)) (((|nil'|) (|cons !| (|-1| Int) (|tail;| |my list|)))))
(declare-sort |Set| 0)
(declare-datatypes ((List 0)) (((e) (c (h Set)))))
(declare-fun sat (Int) Int) (declare-const |x | Int) (declare-const x Int) (declare-fun |é| (Int) Bool)
(declare-fun exp (Int) Int) (declare-fun log (Int) Int) (declare-fun iff (Int Int) Int)
(declare-const |assert| Int) (declare-fun |@| (Int) Int)
(define-fun -2 ((k Int)) Int (- k 2))
(define-fun-rec |len gth| ((l |my list|)) Int (match l ((|nil'| 0) ((|cons !| |k'| _) (+ 1 |k'|)))))
(assert (and (= (exp 0) 1) (= (log 1) 7) (= 1 (iff 2 3)) (= (|@| 1) |assert|)))
(prove (forall ((|a b| Int) (|let| |my list|) (Int Int) (-3 Int))
  (=> (and (|é| 2) (= (-2 |a b|) (sat |x |))) (or (= x -3 Int) (= (|len gth| |let|) |a b|)))))
"""


def full_script(text: str) -> str:
    """What solvers are told of a theorem: in the names that everything has there."""
    context = Context(parse_problem(text))
    told = context.encoding.text
    return "\n".join(
        (
            *with_definitions(context),
            *(f"(assert {told(p.formula)})" for p in context.problem.premises),
            f"(assert (not {told(context.problem.goal)}))",
            "(check-sat)",
        )
    )


def test_odd_names_are_taken_by_z3() -> None:
    z3 = shutil.which("z3", path=str(Path(sys.executable).parent))
    if z3 is None:
        pytest.skip("the z3 wheel has no binary here")
    answer = subprocess.run([z3, "-in", "-T:20"], input=full_script(ODD_NAMES), capture_output=True, text=True)
    assert answer.stdout.strip() == "sat"


def test_odd_names_are_taken_by_cvc5() -> None:
    cvc5 = pytest.importorskip("cvc5")
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("tlimit", "5000")
    manager = cvc5.SymbolManager(solver.getTermManager())
    parser = cvc5.InputParser(solver, manager)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, full_script(ODD_NAMES), "odd")
    output = ""
    while not (command := parser.nextCommand()).isNull():
        output += command.invoke(solver, manager)
    assert output.strip() in ("sat", "unknown")


SIGNATURE = parse_problem("""
(declare-datatypes ((L 0)) (((nil) (cons (hd Int) (tl L)))))
(define-fun-rec app ((x L) (y L)) L (match x ((nil y) ((cons h t) (cons h (app t y))))))
(define-fun-rec rev ((x L)) L (match x ((nil nil) ((cons h t) (app (rev t) (cons h nil))))))
(define-fun-rec len ((x L)) Int (match x ((nil 0) ((cons h t) (+ 1 (len t))))))
(define-fun-rec get ((x L) (i Int)) Int (match x ((nil 0) ((cons h t) (ite (<= i 0) h (get t (- i 1)))))))
(define-fun-rec elem ((a Int) (x L)) Bool (match x ((nil false) ((cons h t) (or (= a h) (elem a t))))))
(prove (forall ((x L)) (= (rev (rev x)) x)))
""").signature
XS, N = var("xs", SIGNATURE.datatypes[0].sort), var("n", INT)


def read(text: str) -> str:
    return show(parse_term(in_prefix(text, SIGNATURE, (), BOOL, closed=True), SIGNATURE, (), BOOL))


@pytest.mark.parametrize("text", TABLES["test_one_law_in_the_ways_in_which_it_is_written"])
def test_one_law_in_the_ways_in_which_it_is_written(text: str) -> None:
    assert read(text) == "(forall ((a L) (b L)) (= (len (app a b)) (+ (len a) (len b))))"


@pytest.mark.parametrize(("text", "formula"), TABLES["test_operators_bind_as_they_do_in_mathematics"])
def test_operators_bind_as_they_do_in_mathematics(text: str, formula: str) -> None:
    assert read(text) == formula


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("∀ a b : Int, a!=b → a - b + b < a + b", "(=> (distinct a b) (< (+ (- a b) b) (+ a b)))"),
        ("∀ a b : Int, a -1 < b & a - b < 2*a", "(and (< (- a 1) b) (< (- a b) (* 2 a)))"),
        ("∀ a b : Int, elem a [b] = False ∨ a = b ∨ true", "(or (= (elem a (cons b nil)) false) (= a b) true)"),
    ],
)
def test_usual_notation_of_numbers_and_truth_values(text: str, formula: str) -> None:
    wanted = f"(forall ((a Int) (b Int)) {formula})"
    assert read(text) == show(parse_term(wanted, SIGNATURE, (), BOOL))


def test_a_name_that_is_no_function_takes_no_negative_number() -> None:
    assert read("n -1 < n") == "(forall ((n Int)) (< (- n 1) n))"


@pytest.mark.parametrize(
    ("text", "term"),
    [("len(xs) + n - 1", "(- (+ (len xs) n) 1)"), ("n ≥ 0", "(>= n 0)"), ("[1, -2]", "(cons 1 (cons (- 2) nil))")],
)
def test_terms_are_read_over_the_variables_that_are_given(text: str, term: str) -> None:
    assert in_prefix(text, SIGNATURE, (XS, N)) == term


def test_a_term_has_no_other_variables_than_those_that_are_given() -> None:
    with pytest.raises(NotRead, match="there is no m"):
        in_prefix("len xs + m", SIGNATURE, (XS, N))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("lenn a ≥ 0", "did you mean len?"),
        ("∀ x. x = x", "the sort of x cannot be told"),
        ("app a = a", "app takes 2 arguments, not 1"),
        ("sum(n) ≥ 0", "there is no sum"),
        ("sorry", "the sort of sorry cannot be told"),
        ("len a ≥ 0 ∧ trivial", "trivial cannot be told"),
        ("∀ a. (len a ≥ 0", "')' was expected"),
        ("(" * 500 + "x", "nested deeper"),
        ("∀ a : Int, 1e5 < a", "'e5' was not expected"),
        ("a = b § c", "means nothing here"),
        ("x" * 7_000, "more than 6000 characters"),
    ],
)
def test_what_cannot_be_told_is_refused_with_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(NotRead) as refused:
        read(text)
    assert words in str(refused.value)
