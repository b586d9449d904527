"""Premises that define: ``forall xs. f(patterns) = right`` interprets the declared function ``f``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from goedels_poetry.kernel.problem import Premise, Signature
from goedels_poetry.kernel.terms import Kind, Term, is_app, symbols


@dataclass(frozen=True)
class Rule:
    """A premise that is read so.

    ``variables`` are those that ``patterns`` mention; ``equation`` is the premise without its quantifier.
    """

    variables: tuple[Term, ...]
    patterns: tuple[Term, ...]
    right: Term
    equation: Term


@dataclass
class Rules:
    """The premises of a problem that define functions."""

    of: dict[str, list[Rule]] = field(default_factory=dict)
    """Of each function that has some."""
    defining: set[str] = field(default_factory=set)
    """Names of these premises."""
    closures: set[str] = field(default_factory=set)
    """Declared functions that the premises only describe through others: they build values of their own."""


def read_rules(signature: Signature, premises: Iterable[Premise], circular: bool) -> Rules:
    """The rules among ``premises``. Which are read is told in `Evaluator`.

    Only functions whose rules are told apart, two by two, by different declared heads in the same argument are read
    so: overlapping rules could contradict each other, and so could rules that go round in a circle. The heads build
    values of their own, so they may have no rules themselves.
    """
    found: list[tuple[str, str, Rule]] = []
    for premise in premises:
        formula = premise.formula
        variables: tuple[Term, ...] = ()
        if formula.kind is Kind.FORALL:
            variables, formula = formula.binders, formula.body
        if not (is_app(formula, "=") and len(formula.args) == 2):
            continue
        left, right = formula.args
        if not (left.kind is Kind.APP and _declared(signature, left) and _patterns(signature, left.args, variables)):
            continue
        if not circular and any(a.kind is Kind.APP and not _is_declared(signature, a) for a in left.args):
            continue
        if right.free <= left.free and (circular or left.name not in symbols(right)):
            used = tuple([v for v in variables if v in left.free])
            found.append((premise.name, left.name, Rule(used, left.args, right, formula)))
    rules = Rules()
    ruled = {f for _, f, _ in found}
    for name in ruled:
        mine = [(p, r) for p, f, r in found if f == name]
        heads = [_heads(rule) for _, rule in mine]
        own_values = ruled.isdisjoint(h for head in heads for h in head)
        if own_values and _apart(heads) and (circular or not _leads_back(signature, name, found)):
            rules.of[name] = [rule for _, rule in mine]
            rules.defining |= {p for p, _ in mine}
            rules.closures |= {a.name for _, rule in mine for a in rule.patterns if _is_declared(signature, a)}
    rules.closures -= set(rules.of)
    return rules


def _leads_back(signature: Signature, name: str, found: Sequence[tuple[str, str, Rule]]) -> bool:
    """Whether a rule of ``name`` leads back to ``name`` through other rules or definitions."""
    seen: set[str] = set()
    stack = [n for _, f, rule in found if f == name for n in symbols(rule.right)]
    while stack:
        current = stack.pop()
        if current in seen:
            continue
        seen.add(current)
        stack += [n for _, f, rule in found if f == current for n in symbols(rule.right)]
        definition = signature.definition(current)
        if definition is not None:
            stack += symbols(definition.body)
    return name in seen


def _declared(signature: Signature, term: Term) -> bool:
    return term.name in signature.functions and signature.definition(term.name) is None


def _is_declared(signature: Signature, term: Term) -> bool:
    """Whether a term is a value of a declared sort that a declared function makes."""
    return term.kind is Kind.APP and _declared(signature, term) and term.sort in signature.sorts


def _patterns(signature: Signature, args: Sequence[Term], variables: Sequence[Term]) -> bool:
    seen: list[Term] = []
    for arg in args:
        if arg.kind is Kind.VAR and arg in variables:
            seen.append(arg)
        elif _is_declared(signature, arg) or signature.constructor(arg.name) is not None:
            if not all(a.kind is Kind.VAR and a in variables for a in arg.args):
                return False
            seen.extend(arg.args)
        else:
            return False
    return len(set(seen)) == len(seen)


def _heads(rule: Rule) -> tuple[str, ...]:
    return tuple(p.name if p.kind is Kind.APP else "" for p in rule.patterns)


def _apart(heads: Sequence[tuple[str, ...]]) -> bool:
    """Whether no two rules can apply to the same arguments."""
    return all(
        any(a and b and a != b for a, b in zip(one, other, strict=True))
        for i, one in enumerate(heads)
        for other in heads[:i]
    )
