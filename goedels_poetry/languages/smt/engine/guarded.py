"""Functions whose termination is a theorem of its own: their guards are proved, then their equations hold as lemmas.

A guard says that the measure of a function falls at its calls (see `guards`). It is proved like any other fact, with
what the functions that it speaks of come to in integers (see `interpret`).
"""

from __future__ import annotations

from collections.abc import Iterator

from goedels_poetry.languages.smt.derivation import Query
from goedels_poetry.languages.smt.engine.interpret import Establish, Interpretation, by_induction, established_laws
from goedels_poetry.languages.smt.engine.plan import Plan, leaf
from goedels_poetry.languages.smt.engine.rewrite import ordered_variables
from goedels_poetry.languages.smt.engine.workbench import DIRECT, Workbench
from goedels_poetry.languages.smt.equations import simplify
from goedels_poetry.languages.smt.problem import Definition
from goedels_poetry.languages.smt.sequent import Sequent, make_sequent
from goedels_poetry.languages.smt.terms import BOOL, INT, TRUE, Kind, Term, app, eq, integer, not_


def open_guards(bench: Workbench, establish: Establish) -> list[Sequent]:
    """Prove the guards of the measured functions, and their equations as lemmas; what was proved of them."""
    found: list[Sequent] = []
    for name in bench.problem.measures:
        definition = bench.signature.definition(name)
        if definition is None:
            continue
        for guard in _statements(bench, definition):
            facts = established_laws(bench, Interpretation(bench), establish, guard.formula, found)
            if establish(guard, lambda bench, fact, facts=facts: by_induction(bench, fact, facts)):
                found.append(guard)
                found += [e for e in _equations(bench, definition, guard) if establish(e, _at_once)]
                break
    return found


def _statements(bench: Workbench, definition: Definition) -> Iterator[Sequent]:
    """That the guard holds: everywhere, then where integers are not negative and divisors not zero."""
    guard = simplify(bench.context.guards[definition.name], bench.signature)
    if guard is TRUE:
        return
    yield make_sequent(definition.params, (), guard)
    limits: list[Term] = []
    for parameter in definition.params:
        if parameter.sort is INT:
            limits.append(app(">=", (parameter, integer(0)), BOOL))
        else:
            datatype = bench.signature.datatype(parameter.sort)
            for constructor in datatype.constructors if datatype is not None else ():
                if not constructor.fields and parameter in guard.free:
                    limits.append(not_(eq(parameter, app(constructor.name, (), parameter.sort))))
    for limit in limits:
        fact = make_sequent(definition.params, (limit,), guard)
        if bench.refutes(fact) is None:
            yield fact


def _equations(bench: Workbench, definition: Definition, guard: Sequent) -> list[Sequent]:
    """The defining equations without their guard, where a constructor decides that they apply."""
    found = []
    for equation in bench.equations:
        built = any(a.kind is not Kind.VAR for a in equation.lhs.args)
        if equation.function == definition.name and built and not guard.hyps:
            whole = app("=", (equation.lhs, equation.rhs), BOOL)
            found.append(make_sequent(ordered_variables(whole), (), whole))
    return found


def _at_once(bench: Workbench, fact: Sequent) -> Plan | None:
    query = Query(cites=tuple(bench.lemmas))
    return leaf(fact, query) if bench.holds(fact, query, DIRECT, known=True) else None


__all__ = ["open_guards"]
