"""Functions whose termination is a theorem of its own: their guards are proved, then their equations hold as lemmas.

A guard says that the measure of a function falls at its calls (see `guards`). It is proved like any other fact, with
what the functions that it speaks of come to in integers (see `interpret`).
"""

from __future__ import annotations

from collections.abc import Iterator

from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.equations import Equation, simplify
from goedels_poetry.kernel.problem import Definition
from goedels_poetry.kernel.sequent import Sequent, make_sequent
from goedels_poetry.kernel.terms import BOOL, INT, TRUE, Kind, Term, app, eq, integer, not_, substitute
from goedels_poetry.languages.smt.engine.conjecture.interpret import (
    Establish,
    Interpretation,
    by_induction,
    established_laws,
)
from goedels_poetry.languages.smt.engine.context import DIRECT, Workbench
from goedels_poetry.languages.smt.engine.plan import Plan, key_of, leaf
from goedels_poetry.languages.smt.engine.rewriting.rewrite import ordered_variables


def open_guards(bench: Workbench, establish: Establish) -> list[Sequent]:
    """Prove the guards of the measured functions, and their equations as lemmas; what was proved of them."""
    found: list[Sequent] = []
    patterned_first = {e.function for e in bench.equations if _is_patterned(e)}
    for name in sorted(bench.problem.measures, key=lambda name: (_group(bench, name), name in patterned_first)):
        definition = bench.signature.definition(name)
        patterned = [e for e in bench.equations if e.function == name and _is_patterned(e)]
        for equation in patterned:
            found += _opened(bench, establish, equation, found)
        if definition is not None and not patterned:
            found += _everywhere(bench, establish, definition, found)
    return found


def _group(bench: Workbench, name: str) -> int:
    definition = bench.signature.definition(name)
    return definition.group if definition is not None else -1


def _is_patterned(equation: Equation) -> bool:
    return any(a.kind is not Kind.VAR for a in equation.lhs.args)


def _opened(bench: Workbench, establish: Establish, equation: Equation, known: list[Sequent]) -> list[Sequent]:
    """The guard of one equation, and the equation without it."""
    definition = bench.signature.definition(equation.function)
    assert definition is not None
    here = dict(zip(definition.params, equation.lhs.args, strict=True))
    guard = simplify(substitute(bench.context.guards[definition.name], here), bench.signature)
    variables = ordered_variables(app("=", (equation.lhs, equation.rhs), BOOL))
    found = []
    if guard is not TRUE:
        fact = make_sequent(variables, (), guard)
        if not _prove(bench, establish, fact, known):
            return []
        bench.triggers[key_of(fact)] = equation.lhs
        found.append(fact)
    whole = make_sequent(variables, (), app("=", (equation.lhs, equation.rhs), BOOL))
    return [*found, whole] if establish(whole, _at_once) else found


def _everywhere(bench: Workbench, establish: Establish, definition: Definition, known: list[Sequent]) -> list[Sequent]:
    """The guard of a function: for all arguments, or where integers are not negative, or divisors not zero."""
    guard = simplify(bench.context.guards[definition.name], bench.signature)
    for limits in _limits(bench, definition, guard):
        fact = make_sequent(definition.params, limits, guard)
        if bench.refutes(fact) is None and _prove(bench, establish, fact, known):
            bench.limits[definition.name] = limits
            bench.triggers[key_of(fact)] = app(definition.name, definition.params, definition.sort)
            return [fact]
    return []


def _limits(bench: Workbench, definition: Definition, guard: Term) -> Iterator[tuple[Term, ...]]:
    yield ()
    for parameter in definition.params:
        if parameter.sort is INT:
            yield (app(">=", (parameter, integer(0)), BOOL),)
        datatype = bench.signature.datatype(parameter.sort)
        for constructor in datatype.constructors if datatype is not None else ():
            if not constructor.fields and parameter in guard.free:
                yield (not_(eq(parameter, app(constructor.name, (), parameter.sort))),)
        size = Interpretation(bench).integer_of(parameter)
        if datatype is not None and size is not None:
            yield from ((app(">=", (size, integer(least)), BOOL),) for least in (2, 3))


def _prove(bench: Workbench, establish: Establish, guard: Sequent, known: list[Sequent]) -> bool:
    facts = established_laws(bench, Interpretation(bench), establish, guard.formula, known)
    return establish(guard, lambda bench, fact: by_induction(bench, fact, facts))


def _at_once(bench: Workbench, fact: Sequent) -> Plan | None:
    query = Query(cites=tuple(bench.lemmas))
    return leaf(fact, query) if bench.holds(fact, query, DIRECT, known=True) else None


__all__ = ["open_guards"]
