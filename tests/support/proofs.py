"""Small theorems with proofs written by hand, for the tests of the checker."""

from goedels_poetry.kernel.derivation import ByScheme, Derivation, Instance, Query, Step
from goedels_poetry.kernel.inductions import IntInduction, StructuralInduction
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.schemas import Scheme, instances
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import app, integer
from goedels_poetry.smt.notation.text import parse_problem

NAT = """(declare-datatypes ((Nat 0)) (((zero) (succ (pred Nat)))))
(define-fun-rec add ((n Nat) (m Nat)) Nat (ite ((_ is zero) n) m (succ (add (pred n) m))))
"""
ADD_ASSOCIATIVE = (
    NAT + "(prove (forall ((a Nat) (b Nat) (c Nat)) (= (add a (add b c)) (add (add a b) c))))\n"
).encode()
ADD_COMMUTATIVE = (NAT + "(prove (forall ((a Nat) (b Nat)) (= (add a b) (add b a))))\n").encode()
ADD_IDEMPOTENT = (NAT + "(prove (forall ((a Nat)) (= (add a a) a)))\n").encode()

LISTS = """(declare-datatypes ((List 0)) (((nil) (cons (head Int) (tail List)))))
(define-fun-rec append ((xs List) (ys List)) List
  (ite ((_ is nil) xs) ys (cons (head xs) (append (tail xs) ys))))
(define-fun-rec len ((xs List)) Int (ite ((_ is nil) xs) 0 (+ 1 (len (tail xs)))))
"""
LENGTH_OF_APPEND = (
    LISTS + "(prove (forall ((xs List) (ys List)) (= (len (append xs ys)) (+ (len xs) (len ys)))))\n"
).encode()

GAUSS = b"""(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ n (sum (- n 1)))))
(prove (forall ((n Int)) (=> (>= n 0) (= (* 2 (sum n)) (* n (+ n 1))))))
"""

PREMISES = b"""(declare-sort Animal 0)
(declare-fun cat (Animal) Bool)
(declare-fun purrs (Animal) Bool)
(declare-const tom Animal)
(assert (! (forall ((x Animal)) (=> (cat x) (purrs x))) :named cats-purr))
(assert (! (cat tom) :named tom-is-a-cat))
(prove (purrs tom))
"""


def goal_of(problem: Problem) -> Sequent:
    return sequent_of(problem.goal, problem.signature.functions)


def direct(text: bytes, query: Query = Query()) -> Derivation:  # noqa: B008
    """The goal by one query."""
    return Derivation((Step("goal", goal_of(parse_problem(text)), query),))


def by_scheme(problem: Problem, scheme: Scheme, goal: Sequent | None = None, prefix: str = "") -> list[Step]:
    """The goal by a scheme, each instance by a direct query."""
    goal = goal or goal_of(problem)
    cases = [
        Step(f"{prefix}case{i}", case, Query()) for i, case in enumerate(instances(goal, scheme, problem.signature))
    ]
    return [*cases, Step(f"{prefix}goal", goal, ByScheme(scheme, tuple(c.id for c in cases)))]


def add_associative() -> Derivation:
    problem = parse_problem(ADD_ASSOCIATIVE)
    return Derivation(tuple(by_scheme(problem, StructuralInduction("a", ("b", "c")))))


def length_of_append() -> Derivation:
    problem = parse_problem(LENGTH_OF_APPEND)
    return Derivation(tuple(by_scheme(problem, StructuralInduction("xs", ("ys",)))))


def add_commutative() -> Derivation:
    """Two lemmas by induction, then the goal by induction citing them."""
    problem = parse_problem(ADD_COMMUTATIVE)
    goal = goal_of(problem)
    a, b = goal.vars
    nat = a.sort
    zero = app("zero", (), nat)

    def add(x, y):  # type: ignore[no-untyped-def]
        return app("add", (x, y), nat)

    def succ(x):  # type: ignore[no-untyped-def]
        return app("succ", (x,), nat)

    right_zero = Sequent((a,), (), app("=", (add(a, zero), a), problem.goal.sort))
    right_succ = Sequent((a, b), (), app("=", (add(a, succ(b)), succ(add(a, b))), problem.goal.sort))
    steps = by_scheme(problem, StructuralInduction("a", ()), right_zero, "zero-")
    steps += by_scheme(problem, StructuralInduction("a", ()), right_succ, "succ-")
    *cases, last = by_scheme(problem, StructuralInduction("a", ("b",)))
    cited = Query(cites=("zero-goal", "succ-goal"))
    return Derivation((*steps, *[Step(c.id, c.sequent, cited) for c in cases], last))


def gauss() -> Derivation:
    """Ground instances of the definition, no quantified equation."""
    problem = parse_problem(GAUSS)
    scheme = IntInduction("n", integer(0), ())
    *cases, last = by_scheme(problem, scheme)
    steps = []
    for case in cases:
        calls = [case.sequent.vars[0]] if case.sequent.vars else [integer(0)]
        query = Query((), tuple(Instance("def", "sum", (c,)) for c in calls), equations=False)
        steps.append(Step(case.id, case.sequent, query))
    return Derivation((*steps, last))


ALL = {
    "add_associative": (ADD_ASSOCIATIVE, add_associative),
    "add_commutative": (ADD_COMMUTATIVE, add_commutative),
    "length_of_append": (LENGTH_OF_APPEND, length_of_append),
    "gauss": (GAUSS, gauss),
    "premises": (PREMISES, lambda: direct(PREMISES)),
}
