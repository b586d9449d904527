"""Defining equations, split by constructor cases, and the simplifier that the split rests on.

``f x = ite (is nil x) a (b (tail x))`` becomes ``f nil = a`` and ``f (cons x_head x1) = b x1``: one equation for each
case, whose left side is the pattern by which a solver (or our own rewriting) unfolds the function.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from goedels_poetry.kernel.problem import Definition, Signature
from goedels_poetry.kernel.sequent import Names
from goedels_poetry.kernel.terms import (
    BOOL,
    FALSE,
    INT,
    TRUE,
    Kind,
    Term,
    and_,
    app,
    eq,
    exists,
    forall,
    implies,
    integer,
    is_app,
    ite,
    lit,
    not_,
    or_,
    rebuild,
    substitute,
)

MAX_EQUATIONS = 200  # of one function; beyond, the cases stay in the right side


@dataclass(frozen=True)
class Equation:
    """``lhs = rhs`` for all values of the variables; ``lhs`` is ``function`` applied to distinct-variable patterns."""

    function: str
    lhs: Term
    rhs: Term


def equations(signature: Signature) -> tuple[Equation, ...]:
    """The defining equations of every definition, in order, constructor cases in order of declaration."""
    reserved = set(signature.functions) | {d.name for d in signature.definitions}
    for datatype in signature.datatypes:
        for constructor in datatype.constructors:
            reserved.add(constructor.name)
            reserved.update(name for name, _ in constructor.fields)
    return tuple(e for d in signature.definitions for e in _equations(d, signature, reserved))


def _equations(definition: Definition, signature: Signature, reserved: set[str]) -> list[Equation]:
    """One for each case; one more for all where nothing recurs: it says what to do at terms that are no case yet."""
    split = _split(definition, signature, reserved)
    if definition.recursive or len(split) == 1:
        return split
    whole = app(definition.name, definition.params, definition.sort)
    return [*split, Equation(definition.name, whole, simplify(definition.body, signature))]


def _split(definition: Definition, signature: Signature, reserved: set[str]) -> list[Equation]:
    whole = app(definition.name, definition.params, definition.sort)
    names = Names(whole, definition.body, reserved=reserved)
    cases = constructor_cases(whole, definition.body, definition.params, signature, names)
    return [Equation(definition.name, lhs, rhs) for lhs, rhs in cases]


def constructor_cases(
    whole: Term, body: Term, variables: Iterable[Term], signature: Signature, names: Names
) -> list[tuple[Term, Term]]:
    """Both terms for each way to build those of ``variables`` whose constructors decide what ``body`` is, simplified.

    For all values of the variables exactly one of the cases applies.
    """
    waiting = [(whole, simplify(body, signature), frozenset(variables))]
    done: list[tuple[Term, Term]] = []
    while waiting:
        lhs, rhs, open_variables = waiting.pop()
        variable = _tested_variable(rhs, open_variables, signature)
        datatype = signature.datatype(variable.sort) if variable is not None else None
        if variable is None or datatype is None or len(done) + len(waiting) >= MAX_EQUATIONS:
            done.append((lhs, rhs))
            continue
        cases = []
        for constructor in datatype.constructors:
            fields = [
                names.fresh(variable.name if s is variable.sort else f"{variable.name}_{selector}", s)
                for selector, s in constructor.fields
            ]
            case = {variable: app(constructor.name, fields, variable.sort)}
            left = (open_variables - {variable}) | frozenset(fields)
            cases.append((substitute(lhs, case), simplify(substitute(rhs, case), signature), left))
        waiting.extend(reversed(cases))
    return done


def _tested_variable(rhs: Term, variables: frozenset[Term], signature: Signature) -> Term | None:
    """A variable of the left side whose constructor decides which case of the right side applies."""
    if is_app(rhs, "ite"):
        return _tested_in(rhs.args[0], variables, signature)
    return _tested_in(rhs, variables, signature) if rhs.sort is BOOL else None


def _tested_in(condition: Term, variables: frozenset[Term], signature: Signature) -> Term | None:
    seen: set[Term] = set()
    stack = [condition]
    while stack:
        part = stack.pop()
        if part in seen or part.kind is not Kind.APP:
            continue
        seen.add(part)
        found = _tested_by(part, variables, signature)
        if found is not None:
            return found
        if part.name in ("and", "or", "not", "=>"):
            stack.extend(reversed(part.args))
    return None


def _tested_by(condition: Term, variables: frozenset[Term], signature: Signature) -> Term | None:
    if condition.name == "is":
        subject = condition.args[0]
        return subject if subject in variables else None
    if condition.name == "=" and len(condition.args) == 2:
        for side, other in (condition.args, condition.args[::-1]):
            constant = other.kind is Kind.APP and not other.args and signature.constructor(other.name)
            if side in variables and constant:
                return side
    return None


# ---------------------------------------------------------------------------------------- simplification


def simplify(term: Term, signature: Signature) -> Term:
    """An equivalent term: datatype, Boolean and constant-integer reasoning only, valid in every model.

    Selectors and testers of constructor terms are evaluated, a selector of another constructor is left alone.
    """
    memo: dict[Term, Term] = {}

    def go(t: Term) -> Term:
        if not t.args:
            return t
        done = memo.get(t)
        if done is None:
            if t.binders:
                quantify = forall if t.kind is Kind.FORALL else exists
                done = quantify(t.binders, go(t.body))
            elif t.name == "ite":  # not both branches of a decided condition
                condition = go(t.args[0])
                if condition is TRUE or condition is FALSE:
                    done = go(t.args[1] if condition is TRUE else t.args[2])
                else:
                    done = _ite(condition, go(t.args[1]), go(t.args[2]))
            else:
                done = _simplify_node(rebuild(t, tuple([go(a) for a in t.args])), signature)
            memo[t] = done
        return done

    return go(term)


def _ite(condition: Term, then: Term, otherwise: Term) -> Term:
    if is_app(condition, "not"):
        condition, then, otherwise = condition.args[0], otherwise, then
    if then is TRUE and otherwise is FALSE:
        return condition
    if then is FALSE and otherwise is TRUE:
        return not_(condition)
    return ite(condition, then, otherwise)


def _simplify_node(term: Term, signature: Signature) -> Term:
    match term.name:
        case "and":
            return and_(term.args)
        case "or":
            return or_(term.args)
        case "not":
            return not_(term.args[0])
        case "=>":
            return _implication(term)
        case "=":
            return _equality(*term.args, signature, {}) if len(term.args) == 2 else term
        case "is":
            return _test(term, signature)
    fold = _INT_FOLDS.get(term.name)
    if fold is not None:
        return fold(term)
    found = signature.selector(term.name)
    if found is not None:
        _, constructor, position = found
        subject = term.args[0]
        if is_app(subject, constructor.name):
            return subject.args[position]
    return term


def _implication(term: Term) -> Term:
    *premises, conclusion = term.args
    if conclusion is TRUE or FALSE in premises:
        return TRUE
    left = and_(premises)
    return not_(left) if conclusion is FALSE else implies(left, conclusion)


def _test(term: Term, signature: Signature) -> Term:
    subject = term.args[0]
    datatype = signature.datatype(subject.sort)
    if datatype is not None and len(datatype.constructors) == 1:
        return TRUE
    if subject.kind is Kind.APP and signature.constructor(subject.name):
        return TRUE if subject.name == term.indices[0] else FALSE
    return term


def _equality(left: Term, right: Term, signature: Signature, done: dict[tuple[Term, Term], Term]) -> Term:
    """What ``left = right`` comes to; ``done`` keeps it for parts that are compared more than once."""
    found = done.get((left, right))
    if found is None:
        found = done[left, right] = _compared(left, right, signature, done)
    return found


def _compared(left: Term, right: Term, signature: Signature, done: dict[tuple[Term, Term], Term]) -> Term:
    if left is right:
        return TRUE
    if left.kind is Kind.LIT and right.kind is Kind.LIT:
        return lit(left.value == right.value, BOOL)
    for one, other in ((left, right), (right, left)):
        if one is TRUE:
            return other
        if one is FALSE:
            return not_(other)
    left_built, right_built = _built(left, signature), _built(right, signature)
    if left_built and right_built:
        if left.name != right.name:
            return FALSE
        return and_([_equality(a, b, signature, done) for a, b in zip(left.args, right.args, strict=True)])
    if (left_built and _inside(right, left, signature)) or (right_built and _inside(left, right, signature)):
        return FALSE  # no value of a datatype is a proper part of itself
    return eq(left, right)


def _built(term: Term, signature: Signature) -> bool:
    return term.kind is Kind.APP and signature.constructor(term.name) is not None


def _inside(part: Term, whole: Term, signature: Signature) -> bool:
    """Whether ``part`` lies below ``whole`` through constructors only."""
    seen: set[Term] = set()
    stack = list(whole.args)
    while stack:
        t = stack.pop()
        if t is part:
            return True
        if t not in seen and _built(t, signature):
            seen.add(t)
            stack.extend(t.args)
    return False


def _fold_ints(operation: Callable[[int, int], int | bool]) -> Callable[[Term], Term]:
    def fold(term: Term) -> Term:
        numbers = [a.value for a in term.args if a.kind is Kind.LIT and a.sort is INT and isinstance(a.value, int)]
        if len(numbers) != len(term.args) or len(numbers) < 2:
            return term
        result: int | bool = numbers[0]
        for number in numbers[1:]:
            result = operation(result, number)
        return lit(result, BOOL) if isinstance(result, bool) else integer(result)

    return fold


_INT_FOLDS = {
    "+": _fold_ints(operator.add),
    "-": _fold_ints(operator.sub),
    "*": _fold_ints(operator.mul),
    "<": _fold_ints(operator.lt),
    "<=": _fold_ints(operator.le),
    ">": _fold_ints(operator.gt),
    ">=": _fold_ints(operator.ge),
}
