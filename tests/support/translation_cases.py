"""Random theorems with known truth, for a comparison of our evaluator with Lean: names that mean something in Lean,
operators at their edges, functions by recursion."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from goedels_poetry.kernel.derivation import Derivation
from goedels_poetry.kernel.printer import RESERVED
from goedels_poetry.kernel.problem import Problem, Signature
from goedels_poetry.kernel.reading.parser import parse_problem, parse_term
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.refutation.operations import Undecided, Value
from goedels_poetry.kernel.termination import Lexicographic, MeasureComponent, TerminationEvidence
from goedels_poetry.kernel.terms import BOOL, INT, BitVector, Sort, Term, and_, app, integer, lit
from goedels_poetry.kernel.theory import is_theory_symbol
from goedels_poetry.lean.statement.theory import LeanTheory, translate

NAMES = """
    Nat List Option Prod Unit Eq And Or Not Iff True False decide decide1 not and1 or1 ite1 dite goal Smt by sorry
    axiom theorem fun if then else let in do match with Type Prop rec casesOn mk none some rfl nil cons x y h this
    a.b a.b.c a_b a-b a--b <=2 == ++ -- /- -/ |a b| |«»| |»| |« | |by sorry| |-/ axiom| |:=| |0| |1a| |_| _ __ _x
    instDecidableEqNat decEqNat sizeOf eq_1 match_1 Int.add Int1 Bool1 BitVec1 HAdd.hAdd Classical Classical.choice
    propDecidable Decidable.decide end namespace section variable def instance open local protected noncomputable
    Nat.succ succ zero Zero One OfNat ofNat toNat natAbs max min id id1 a' a'' f! f? α |∀| |→| |é| λ1 Sort Sort1 u0
    div_zero mod_zero x_else is_x array_1 index_1 element_1 select_Array_Int_Int Array_Int_Int premise-1 premise_1
"""
"""Words that could do harm in Lean, or that could come to the same name there."""


_BIT_OPERATIONS = ("bvadd", "bvsub", "bvmul", "bvand", "bvor", "bvxor", "bvshl", "bvlshr", "bvashr", "bvudiv", "bvurem")


@dataclass(frozen=True)
class Case:
    """A theorem that holds, as our evaluator has it, and how Lean is to see it."""

    text: str
    theory: LeanTheory
    tactic: str
    facts: int

    @property
    def lean(self) -> str:
        return f"{self.theory.header}\n{self.theory.statement} := by\n  {self.tactic}\n"


def symbol(written: str) -> str:
    """As a script has to write it."""
    plain = all(c.isascii() and (c.isalnum() or c in "~!@$%^&*_-+=<>.?/") for c in written)
    return written if plain and not written[0].isdigit() and written != "_" else f"|{written.strip('|')}|"


class Random:
    """Makes a problem, and terms over it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        written = dict.fromkeys(self._split(NAMES))
        pool = [p for p in written if not is_theory_symbol(p.strip("|")) and p.strip("|") not in RESERVED]
        self.random.shuffle(pool)
        self._pool = [*map(symbol, pool), *(f"n{i}" for i in range(60))]
        self.width = self.random.randint(1, 8)

    @staticmethod
    def _split(text: str) -> list[str]:
        parts, inside, word = [], False, ""
        for c in text:
            if c == "|":
                inside = not inside
            elif c.isspace() and not inside:
                parts.append(word)
                word = ""
            else:
                word += c
        return [p for p in [*parts, word] if p]

    def name(self) -> str:
        return self._pool.pop(0)

    # ------------------------------------------------------------------------------------------ the problem

    def declarations(self) -> str:
        n = self.name
        self.enum, self.values = n(), [n(), n(), n()]
        self.pair, self.make, self.fst, self.snd = n(), n(), n(), n()
        self.list, self.nil, self.cons, self.head, self.tail = n(), n(), n(), n(), n()
        self.tree, self.node, self.label, self.sons = n(), n(), n(), n()
        self.forest, self.empty, self.plant, self.first, self.rest = n(), n(), n(), n(), n()
        self.length, self.append, self.has, self.size, self.sizes, self.upto, self.flip = (
            n(),
            n(),
            n(),
            n(),
            n(),
            n(),
            n(),
        )
        a, b, c, d = n(), n(), n(), n()
        return f"""
(declare-datatype {self.enum} ({" ".join(f"({v})" for v in self.values)}))
(declare-datatype {self.pair} (({self.make} ({self.fst} Int) ({self.snd} Bool))))
(declare-datatype {self.list} (({self.nil}) ({self.cons} ({self.head} Int) ({self.tail} {self.list}))))
(declare-datatypes (({self.tree} 0) ({self.forest} 0)) ((({self.node} ({self.label} Bool) ({self.sons} {self.forest})))
  (({self.empty}) ({self.plant} ({self.first} {self.tree}) ({self.rest} {self.forest})))))
(define-fun-rec {self.length} (({a} {self.list})) Int
  (match {a} (({self.nil} 0) (({self.cons} {b} {c}) (+ 1 ({self.length} {c}))))))
(define-fun-rec {self.append} (({a} {self.list}) ({b} {self.list})) {self.list}
  (ite (= {a} {self.nil}) {b} ({self.cons} ({self.head} {a}) ({self.append} ({self.tail} {a}) {b}))))
(define-fun-rec {self.has} (({a} Int) ({b} {self.list})) Bool
  (and ((_ is {self.cons}) {b}) (or (= {a} ({self.head} {b})) ({self.has} {a} ({self.tail} {b})))))
(define-funs-rec (({self.size} (({a} {self.tree})) Int) ({self.sizes} (({b} {self.forest})) Int))
  ((+ (ite ({self.label} {a}) 1 2) ({self.sizes} ({self.sons} {a})))
   (match {b} (({self.empty} 0) (({self.plant} {c} {d}) (- ({self.size} {c}) (- ({self.sizes} {d}))))))))
(define-fun-rec {self.upto} (({a} Int)) Int (ite (<= {a} 0) 0 (+ {a} ({self.upto} (- {a} 1)))))
(define-fun {self.flip} (({a} Bool) ({b} {self.enum})) {self.enum}
  (ite (and {a} (not ((_ is {self.values[0]}) {b}))) {self.values[0]} {self.values[1]}))
"""

    # ----------------------------------------------------------------------------------------------- terms

    def int(self, depth: int) -> str:
        r = self.random
        small = lambda: self.int(depth - 1)  # noqa: E731
        if depth <= 0:
            n = r.choice([0, 1, 2, 3, 7, -1, -2, -3, -7, 10])
            return str(n) if n >= 0 else f"(- {-n})"
        return r.choice(
            [
                lambda: f"(+ {small()} {small()} {small()})",
                lambda: f"(- {small()} {small()} {small()})",
                lambda: f"(- {small()})",
                lambda: f"(* {small()} {small()})",
                lambda: f"(div {small()} {small()})",
                lambda: f"(mod {small()} {small()})",
                lambda: f"(div {small()} {small()} (- 2))",
                lambda: f"(abs {small()})",
                lambda: f"(ite {self.bool(depth - 1)} {small()} {small()})",
                lambda: f"({self.length} {self.a_list(depth - 1)})",
                lambda: f"({self.head} {self.a_list(depth - 1)})",
                lambda: f"({self.fst} {self.a_pair(depth - 1)})",
                lambda: f"({self.size} {self.a_tree(depth - 1)})",
                lambda: f"(bv2nat {self.bits(depth - 1)})",
                lambda: f"(let ((zz {small()})) (+ zz zz))",
                lambda: (
                    f"(match {self.a_list(depth - 1)} (({self.nil} 5) (({self.cons} zz yy) (+ zz ({self.length} yy)))))"
                ),
            ]
        )()

    def bool(self, depth: int) -> str:
        r = self.random
        small = lambda: self.bool(depth - 1)  # noqa: E731
        if depth <= 0:
            return r.choice(["true", "false"])
        i, b = (lambda: self.int(depth - 1)), (lambda: self.bits(depth - 1))
        order = r.choice(["bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge"])
        return r.choice(
            [
                lambda: f"(and {small()} {small()} {small()})",
                lambda: f"(or {small()} {small()} {small()})",
                lambda: f"(=> {small()} {small()} {small()})",
                lambda: f"(xor {small()} {small()} {small()})",
                lambda: f"(not {small()})",
                lambda: f"(= {small()} {small()} {small()})",
                lambda: f"(distinct {small()} {small()})",
                lambda: f"(= {i()} {i()} {i()})",
                lambda: f"(distinct {i()} {i()} {i()})",
                lambda: f"({r.choice(['<', '<=', '>', '>='])} {i()} {i()} {i()})",
                lambda: f"((_ divisible {r.randint(1, 5)}) {i()})",
                lambda: f"({order} {b()} {b()})",
                lambda: f"(= {b()} {b()})",
                lambda: f"(ite {small()} {small()} {small()})",
                lambda: f"({self.has} {i()} {self.a_list(depth - 1)})",
                lambda: f"({self.snd} {self.a_pair(depth - 1)})",
                lambda: f"((_ is {self.cons}) {self.a_list(depth - 1)})",
                lambda: f"((_ is {self.values[1]}) {self.an_enum(depth - 1)})",
                lambda: f"((_ is {self.make}) {self.a_pair(depth - 1)})",
                lambda: f"((_ is {self.plant}) ({self.sons} {self.a_tree(depth - 1)}))",
                lambda: f"(= {self.a_list(depth - 1)} {self.a_list(depth - 1)})",
                lambda: f"(= {self.a_tree(depth - 1)} {self.a_tree(depth - 1)})",
                lambda: f"(distinct {self.an_enum(depth - 1)} {self.an_enum(depth - 1)} {self.an_enum(depth - 1)})",
                lambda: f"(= (forall ((qq Bool)) (or qq {small()})) {small()})",
                lambda: f"(exists ((qq Bool)) (forall ((rr Bool)) (xor qq (and rr {small()}))))",
            ]
        )()

    def bits(self, depth: int) -> str:
        r, w = self.random, self.width
        small = lambda: self.bits(depth - 1)  # noqa: E731
        if depth <= 0:
            return f"(_ bv{r.choice([0, 1, 2**w - 1, 2 ** (w - 1), r.randrange(2**w)]) % 2**w} {w})"
        op = r.choice(_BIT_OPERATIONS)
        high = r.randrange(w)
        low = r.randrange(high + 1)
        more = w - (high - low + 1)
        return r.choice(
            [
                lambda: f"({op} {small()} {small()})",
                lambda: f"({op} {small()} {small()})",
                lambda: f"({op} {small()} {small()})",
                lambda: f"(bvnot {small()})",
                lambda: f"(bvneg {small()})",
                lambda: f"((_ zero_extend {more}) ((_ extract {high} {low}) {small()}))",
                lambda: f"((_ sign_extend {more}) ((_ extract {high} {low}) {small()}))",
                lambda: (
                    f"((_ extract {w + high} {high + 1}) (concat {small()} {small()}))"
                    if high + 1 <= w + high
                    else small()
                ),
                lambda: f"((_ int2bv {w}) {self.int(depth - 1)})",
                lambda: f"(ite {self.bool(depth - 1)} {small()} {small()})",
                lambda: f"((_ sign_extend {w - 1}) (bvcomp {small()} {small()}))",
            ]
        )()

    def a_list(self, depth: int) -> str:
        if depth <= 0:
            return self.nil
        return self.random.choice(
            [
                lambda: f"({self.cons} {self.int(depth - 1)} {self.a_list(depth - 1)})",
                lambda: f"({self.cons} {self.int(0)} ({self.cons} {self.int(0)} {self.nil}))",
                lambda: f"({self.append} {self.a_list(depth - 1)} {self.a_list(depth - 1)})",
                lambda: f"({self.tail} {self.a_list(depth - 1)})",
                lambda: f"(ite {self.bool(depth - 1)} {self.a_list(depth - 1)} {self.a_list(depth - 1)})",
            ]
        )()

    def a_pair(self, depth: int) -> str:
        return f"({self.make} {self.int(depth - 1)} {self.bool(depth - 1)})"

    def an_enum(self, depth: int) -> str:
        if depth <= 0:
            return self.random.choice(self.values)
        return f"({self.flip} {self.bool(depth - 1)} {self.an_enum(depth - 1)})"

    def a_tree(self, depth: int) -> str:
        forest = self.empty
        for _ in range(self.random.randint(0, 2) if depth > 0 else 0):
            forest = f"({self.plant} {self.a_tree(depth - 2)} {forest})"
        return f"({self.node} {self.bool(min(depth - 1, 1))} {forest})"


def standard_bits(made: Random) -> tuple[str, int]:
    """An operation that our evaluator does not know, at literals, with its value as the standard defines it."""
    w, r = made.width, made.random
    mask = 2**w - 1
    a, b = (r.choice([0, 1, mask, 1 << (w - 1), r.randrange(2**w)]) & mask for _ in range(2))
    x, y = (n - 2**w if n >> (w - 1) else n for n in (a, b))
    udiv, urem = (lambda p, q: p // q if q else mask), (lambda p, q: p % q if q else p)
    quotient = udiv(abs(x) & mask, abs(y) & mask) * (-1 if (x < 0) != (y < 0) else 1)
    remainder = urem(abs(x) & mask, abs(y) & mask) * (-1 if x < 0 else 1)
    u = urem(abs(x) & mask, abs(y) & mask)
    modulo = u
    if u and (x < 0) and (y >= 0):
        modulo = y - u
    elif u and (x >= 0) and (y < 0):
        modulo = u + y
    elif u and x < 0 and y < 0:
        modulo = -u
    turn = r.randint(0, 2 * w)
    at = turn % w
    left = ((a << at) | (a >> (w - at))) & mask if at else a
    right = ((a >> at) | (a << (w - at))) & mask if at else a
    la, lb = f"(_ bv{a} {w})", f"(_ bv{b} {w})"
    return r.choice(
        [
            (f"(bvsdiv {la} {lb})", quotient & mask),
            (f"(bvsrem {la} {lb})", remainder & mask),
            (f"(bvsmod {la} {lb})", modulo & mask),
            (f"(bvnand {la} {lb})", ~(a & b) & mask),
            (f"(bvnor {la} {lb})", ~(a | b) & mask),
            (f"(bvxnor {la} {lb})", ~(a ^ b) & mask),
            (f"((_ rotate_left {turn}) {la})", left),
            (f"((_ rotate_right {turn}) {la})", right),
            (f"((_ extract {w - 1} 0) ((_ repeat 3) {la}))", a),
            (f"((_ extract {3 * w - 1} {2 * w}) ((_ repeat 3) {la}))", a),
        ]
    )


def term_of(value: Value, sort: Sort, signature: Signature) -> Term:
    """A value of the evaluator as a term."""
    if sort is BOOL:
        return lit(bool(value), BOOL)
    if sort is INT:
        return integer(value)
    if sort.name == "BitVec":
        return lit(BitVector(value, sort.indices[0]), sort)
    found = signature.constructor(value[0])
    assert found is not None
    args = [term_of(v, s, signature) for v, (_, s) in zip(value[1:], found[1].fields, strict=True)]
    return app(value[0], args, sort)


def evidence(problem: Problem) -> TerminationEvidence:
    """Of the one function that counts down an integer."""
    found = []
    for d in problem.signature.definitions:
        if d.recursive and all(p.sort is INT for p in d.params):
            found.append(Lexicographic((d.name,), (MeasureComponent({d.name: d.params[0]}, (0,)),)))
    return TerminationEvidence(tuple(found))


def case(seed: int, facts: int = 12, depth: int = 3, wrong: bool = False) -> Case | None:
    """A theorem of several facts, each an equation between a random term and its value.

    ``wrong``: one of the values is another one, so that the theorem is false.
    """
    made = Random(seed)
    text = made.declarations()
    base = parse_problem(f"{text}(prove true)")
    evaluator = Evaluator(base.signature)
    kinds: list[Callable[[int], str]] = [made.int, made.bool, made.bits, made.a_list, made.an_enum, made.bool]
    equations: list[Term] = []
    for number in range(4 * facts):
        if len(equations) == facts:
            break
        term = parse_term(kinds[number % len(kinds)](depth), base.signature)
        try:
            value = evaluator.value(term, {})
        except Undecided:
            continue
        found = term_of(value, term.sort, base.signature)
        if term.sort is INT and abs(found.value or 0) > 10**6:
            continue
        formula = term if found.value is True else app("not", (term,), BOOL) if found.value is False else None
        equations.append(formula or app("=", (term, found), BOOL))
    for _ in range(4):
        written, bits = standard_bits(made)
        term = parse_term(written, base.signature)
        equations.append(app("=", (term, term_of(bits, term.sort, base.signature)), BOOL))
    if wrong:
        place = made.random.randrange(len(equations))
        equations[place] = app("not", (equations[place],), BOOL)
    goal = and_(equations)
    theory = translate(replace(base, goal=goal), Derivation((), termination=evidence(base)), text)
    known = ", ".join([*theory.definitions.values(), "BitVec.smtUDiv", "BitVec.smtSDiv", "Bool.exists_bool"])
    ways = ["decide", "exact of_decide_eq_true rfl", f"(simp [{known}]; done)", f"(simp [{known}]; decide)"]
    tactic = f"intros; (repeat' apply And.intro) <;> first | {' | '.join(ways)}"
    return Case(text, theory, tactic, len(equations))
