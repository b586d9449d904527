"""Rules that are data: what a step needs and what it gives, as patterns over our terms.

A line is ``name | arguments | premises | conclusion``. Any atom that is no symbol of the theories is a variable of the
pattern; ``xs*or`` stands for some operands of an ``or`` (the argument is their ``or``, or the literal that has none);
``or1`` is an ``or`` that is its only operand when it has one. A number is a literal of `Int`, ``0r`` of `Real`, so that
a rule with a number holds for that sort alone; the others hold for every sort at which their terms can be built. A
test has a solver prove each line.
"""

# ruff: noqa: E501 -- a rule is one line
from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from goedels_poetry.checker.cpc.reader import SExpr, Value, a_term, expressions
from goedels_poetry.checker.cpc.terms import INT, REAL, RESERVED, Rejected, Term, Terms, sides

TABLE = """\
contra | | F (not F) | false
modus_ponens | | F (=> F G) | G
not_not_elim | | (not (not F)) | F
eq_resolve | | F (= F G) | G
true_intro | | F | (= F true)
true_elim | | (= F true) | F
false_intro | | (not F) | (= F false)
false_elim | | (= F false) | (not F)
split | F | | (or F (not F))
implies_elim | | (=> F G) | (or (not F) G)
not_implies_elim1 | | (not (=> F G)) | F
not_implies_elim2 | | (not (=> F G)) | (not G)
equiv_elim1 | | (= F G) | (or (not F) G)
equiv_elim2 | | (= F G) | (or F (not G))
not_equiv_elim1 | | (not (= F G)) | (or F G)
not_equiv_elim2 | | (not (= F G)) | (or (not F) (not G))
ite_elim1 | | (ite C F G) | (or (not C) F)
ite_elim2 | | (ite C F G) | (or C G)
not_ite_elim1 | | (not (ite C F G)) | (or (not C) (not F))
not_ite_elim2 | | (not (ite C F G)) | (or C (not G))
cnf_implies_pos | (=> F G) | | (or (not (=> F G)) (not F) G)
cnf_implies_neg1 | (=> F G) | | (or (=> F G) F)
cnf_implies_neg2 | (=> F G) | | (or (=> F G) (not G))
cnf_equiv_pos1 | (= F G) | | (or (not (= F G)) (not F) G)
cnf_equiv_pos2 | (= F G) | | (or (not (= F G)) F (not G))
cnf_equiv_neg1 | (= F G) | | (or (= F G) F G)
cnf_equiv_neg2 | (= F G) | | (or (= F G) (not F) (not G))
cnf_ite_pos1 | (ite C F G) | | (or (not (ite C F G)) (not C) F)
cnf_ite_pos2 | (ite C F G) | | (or (not (ite C F G)) C G)
cnf_ite_pos3 | (ite C F G) | | (or (not (ite C F G)) F G)
cnf_ite_neg1 | (ite C F G) | | (or (ite C F G) (not C) (not F))
cnf_ite_neg2 | (ite C F G) | | (or (ite C F G) C (not G))
cnf_ite_neg3 | (ite C F G) | | (or (ite C F G) (not F) (not G))
ite_eq | (ite C t s) | | (ite C (= (ite C t s) t) (= (ite C t s) s))
skolem_intro | (@purify t) | | (= (@purify t) t)
eq-refl | t | | (= (= t t) true)
eq-symm | t s | | (= (= t s) (= s t))
eq-ite-lift | C t s r | | (= (= (ite C t s) r) (ite C (= t r) (= s r)))
distinct-binary-elim | t s | | (= (distinct t s) (not (= t s)))
bool-double-not-elim | F | | (= (not (not F)) F)
bool-eq-true | F | | (= (= F true) F)
bool-eq-false | F | | (= (= F false) (not F))
bool-impl-false1 | F | | (= (=> F false) (not F))
bool-impl-false2 | F | | (= (=> false F) true)
bool-impl-true1 | F | | (= (=> F true) true)
bool-impl-true2 | F | | (= (=> true F) F)
bool-impl-elim | F G | | (= (=> F G) (or (not F) G))
bool-and-conf | xs*and F ys*and zs*and | | (= (and xs*and F ys*and (not F) zs*and) false)
bool-and-conf2 | xs*and F ys*and zs*and | | (= (and xs*and (not F) ys*and F zs*and) false)
bool-or-taut | xs*or F ys*or zs*or | | (= (or xs*or F ys*or (not F) zs*or) true)
bool-or-taut2 | xs*or F ys*or zs*or | | (= (or xs*or (not F) ys*or F zs*or) true)
bool-or-de-morgan | F G zs*or | | (= (not (or F G zs*or)) (and (not F) (not (or1 G zs*or))))
bool-implies-de-morgan | F G | | (= (not (=> F G)) (and F (not G)))
bool-and-de-morgan | F G zs*and | | (= (not (and F G zs*and)) (or (not F) (not (and1 G zs*and))))
bool-xor-elim | F G | | (= (xor F G) (= (not F) G))
bool-not-xor-elim | F G | | (= (not (xor F G)) (= F G))
bool-not-eq-elim1 | F G | | (= (not (= F G)) (= (not F) G))
bool-not-eq-elim2 | F G | | (= (not (= F G)) (= F (not G)))
bool-not-ite-elim | C F G | | (= (not (ite C F G)) (ite C (not F) (not G)))
ite-neg-branch | C F G | (= (not G) F) | (= (ite C F G) (= C F))
ite-then-true | C F | | (= (ite C true F) (or C F))
ite-else-false | C F | | (= (ite C F false) (and C F))
ite-then-false | C F | | (= (ite C false F) (and (not C) F))
ite-else-true | C F | | (= (ite C F true) (or (not C) F))
ite-then-lookahead-self | C F | | (= (ite C C F) (ite C true F))
ite-else-lookahead-self | C F | | (= (ite C F C) (ite C F false))
ite-expand | C F G | | (= (ite C F G) (and (or (not C) F) (or C G)))
ite-true-cond | t s | | (= (ite true t s) t)
ite-false-cond | t s | | (= (ite false t s) s)
ite-not-cond | C t s | | (= (ite (not C) t s) (ite C s t))
ite-eq-branch | C t | | (= (ite C t t) t)
ite-then-lookahead | C t s r | | (= (ite C (ite C t s) r) (ite C t r))
ite-else-lookahead | C t s r | | (= (ite C t (ite C s r)) (ite C t r))
ite-then-neg-lookahead | C t s r | | (= (ite C (ite (not C) t s) r) (ite C s r))
ite-else-neg-lookahead | C t s r | | (= (ite C t (ite (not C) s r)) (ite C t s))
arith-int-div-total | t s | (= (= s 0) false) | (= (div t s) (div_total t s))
arith-int-div-total-one | t | | (= (div_total t 1) t)
arith-int-div-total-zero | t | | (= (div_total t 0) 0)
arith-int-div-total-neg | t s | (= (< s 0) true) | (= (div_total t s) (- (div_total t (- s))))
arith-int-mod-total | t s | (= (= s 0) false) | (= (mod t s) (mod_total t s))
arith-int-mod-total-one | t | | (= (mod_total t 1) 0)
arith-int-mod-total-zero | t | | (= (mod_total t 0) t)
arith-int-mod-total-neg | t s | (= (< s 0) true) | (= (mod_total t s) (mod_total t (- s)))
arith-elim-gt | t s | | (= (> t s) (not (>= s t)))
arith-elim-lt | t s | | (= (< t s) (not (>= t s)))
arith-elim-leq | t s | | (= (<= t s) (>= s t))
arith-leq-norm | t s | | (= (<= t s) (not (>= t (+ s 1))))
arith-geq-tighten | t s | | (= (not (>= t s)) (>= s (+ t 1)))
arith-geq-norm1-int | t s | | (= (>= t s) (>= (- t s) 0))
arith-geq-norm1-real | t s | | (= (>= t s) (>= (- t s) 0r))
arith-eq-elim-int | t s | | (= (= t s) (and (>= t s) (<= t s)))
arith-eq-elim-real | t s | | (= (= t s) (and (>= t s) (<= t s)))
arith-int-eq-conflict | t c | (= (= (to_real (to_int c)) c) false) | (= (= (to_real t) c) false)
arith-int-geq-tighten | t c d | (= (= (to_real (to_int c)) c) false) (= d (+ (to_int c) 1)) | (= (>= (to_real t) c) (>= t d))
arith-abs-eq | t s | | (= (= (abs t) (abs s)) (or (= t s) (= t (- s))))
arith-abs-int-gt | t s | | (= (> (abs t) (abs s)) (ite (>= t 0) (ite (>= s 0) (> t s) (> t (- s))) (ite (>= s 0) (> (- t) s) (> (- t) (- s)))))
arith-abs-real-gt | t s | | (= (> (abs t) (abs s)) (ite (>= t 0r) (ite (>= s 0r) (> t s) (> t (- s))) (ite (>= s 0r) (> (- t) s) (> (- t) (- s)))))
arith-geq-ite-lift | C t s r | | (= (>= (ite C t s) r) (ite C (>= t r) (>= s r)))
arith-leq-ite-lift | C t s r | | (= (<= (ite C t s) r) (ite C (<= t r) (<= s r)))
arith-div-total-zero-real | t | | (= (/_total t 0r) 0r)
arith-elim-int-gt | t s | | (= (> t s) (>= t (+ s 1)))
arith-elim-int-lt | t s | | (= (< t s) (>= s (+ t 1)))
arith-to-int-elim-to-real | t | | (= (to_int (to_real t)) t)
arith-mod-over-mod-1 | c r | (= (= c 0) false) | (= (mod_total (mod_total r c) c) (mod_total r c))
arith-min-lt1 | t s | | (= (<= (ite (< t s) t s) t) true)
arith-min-lt2 | t s | | (= (<= (ite (< t s) t s) s) true)
arith-max-geq1 | t s | | (= (>= (ite (>= t s) t s) t) true)
arith-max-geq2 | t s | | (= (>= (ite (>= t s) t s) s) true)
bool-not-true | F | (= F false) | (= (not F) true)
bool-not-false | F | (= F true) | (= (not F) false)
bool-eq-nrefl | F | | (= (= F (not F)) false)
bool-dual-impl-eq | F G | | (= (and (=> F G) (=> G F)) (= F G))
bool-or-and-distrib | F G Gs*and H Hs*or | | (= (or (and F G Gs*and) H Hs*or) (and (or F H Hs*or) (or (and1 G Gs*and) H Hs*or)))
bool-implies-or-distrib | F G Gs*or H | | (= (=> (or F G Gs*or) H) (and (=> F H) (=> (or1 G Gs*or) H)))
bool-xor-refl | F | | (= (xor F F) false)
bool-xor-nrefl | F | | (= (xor F (not F)) true)
bool-xor-false | F | | (= (xor F false) F)
bool-xor-true | F | | (= (xor F true) (not F))
bool-xor-comm | F G | | (= (xor F G) (xor G F))
ite-then-lookahead-not-self | C F | | (= (ite C (not C) F) (ite C false F))
ite-else-lookahead-not-self | C F | | (= (ite C F (not C)) (ite C F true))
eq-cond-deq | t s r | (= (= s r) false) | (= (= (= t s) (= t r)) (and (not (= t s)) (not (= t r))))
array-store-swap | a i j e f | (= (= i j) false) | (= (store (store a i e) j f) (store (store a j f) i e))
array-read-over-write | a i e | | (= (select (store a i e) i) e)
array-read-over-write2 | a i j e | (= (= i j) false) | (= (select (store a i e) j) (select a j))
array-store-overwrite | a i e f | | (= (store (store a i e) i f) (store a i f))
array-store-self | a i | | (= (store a i (select a i)) a)
array-read-over-write-split | a i e j | | (= (select (store a j e) i) (ite (= i j) e (select a i)))
arrays_read_over_write | (select (store a i e) j) | (not (= i j)) | (= (select (store a i e) j) (select a j))
arrays_read_over_write_1 | (select (store a i e) i) | | (= (select (store a i e) i) e)
arrays_ext | | (not (= a b)) | (not (= (select a (@array_deq_diff a b)) (select b (@array_deq_diff a b))))
"""

Bound = dict[str, "Term | tuple[Term, ...]"]


@dataclass(frozen=True)
class Pattern:
    """A line of the table."""

    name: str
    arguments: tuple[SExpr, ...]
    premises: tuple[SExpr, ...]
    conclusion: SExpr


@functools.cache
def patterns() -> dict[str, Pattern]:
    """The table, by the names of its rules."""
    found = {}
    for line in TABLE.splitlines():
        name, *parts = [tuple(expressions(part)) for part in line.split("|")]
        assert name[0] not in found, f"{name[0]} stands twice"
        found[str(name[0])] = Pattern(str(name[0]), parts[0], parts[1], parts[2][0])
    return found


def by_pattern(pattern: Pattern, terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """The conclusion of a rule of the table.

    Raises:
        Rejected: premises or arguments do not fit its patterns, or its terms cannot be built at their sorts.
    """
    if len(premises) != len(pattern.premises) or len(arguments) != len(pattern.arguments):
        raise Rejected("wrong numbers of premises or arguments")
    bound: Bound = {}
    pairs = zip((*pattern.arguments, *pattern.premises), (*arguments, *premises), strict=True)
    for wanted, given in pairs:
        if isinstance(wanted, str) and "*" in wanted:
            bound[wanted] = operands(terms, a_term(given), wanted.partition("*")[2])
        elif not _matches(terms, wanted, a_term(given), bound):
            raise Rejected("a premise or an argument does not have the form that the rule needs")
    return build(terms, pattern.conclusion, bound)


def operands(terms: Terms, given: Term, op: str) -> tuple[Term, ...]:
    """The operands of an ``and`` or ``or``; none of the literal that is its neutral element."""
    if given is (terms.true if op == "and" else terms.false):
        return ()
    if given.op != op:
        raise Rejected(f"operands of {op} were expected")
    return given.args


def _matches(terms: Terms, pattern: SExpr, term: Term, bound: Bound) -> bool:
    if isinstance(pattern, str):
        if is_pattern_variable(pattern):
            return bound.setdefault(pattern, term) is term
        return build(terms, pattern, {}) is term
    if term.op != pattern[0] or len(term.args) != len(pattern) - 1 or term.binders:
        return False
    return all(_matches(terms, p, t, bound) for p, t in zip(pattern[1:], term.args, strict=True))


def is_pattern_variable(name: str) -> bool:
    """Whether an atom of a pattern stands for any term."""
    return name not in RESERVED and not name[0].isdigit()


def build(terms: Terms, pattern: SExpr, bound: Bound) -> Term:
    """The term of a pattern; raises `Rejected` where it is ill-sorted."""
    if isinstance(pattern, str):
        if is_pattern_variable(pattern):
            found = bound[pattern]
            assert isinstance(found, Term)
            return found
        if pattern[0].isdigit():
            return terms.number(int(pattern.rstrip("r")), REAL if pattern.endswith("r") else INT)
        return terms.app(pattern)
    op, args = str(pattern[0]), list[Term]()
    for part in pattern[1:]:
        found = bound[part] if isinstance(part, str) and "*" in part and len(part) > 1 else build(terms, part, bound)
        args.extend(found if isinstance(found, tuple) else (found,))
    if op in ("or1", "and1") and len(args) == 1:
        return args[0]
    return terms.app(op.rstrip("1"), *args)


def only(arguments: Sequence[Value], premises: Sequence[Term] = ()) -> Term:
    """The one argument of a rule without premises."""
    if len(arguments) != 1 or premises:
        raise Rejected("one argument and no premise were expected")
    return a_term(arguments[0])


def equation(arguments: Sequence[Value], premises: Sequence[Term]) -> tuple[Term, Term, Term]:
    """The equation that is the one argument, and its sides."""
    wanted = only(arguments, premises)
    return (wanted, *sides(wanted))
