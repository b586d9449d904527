"""Functions whose termination is a theorem of its own: their guards are proved, then their equations hold as lemmas.

A guard says that the measure of a function falls at its calls (see `kernel.guards`). It is proved like any other fact,
with what the functions that it speaks of come to in integers (see `interpret`).

Guards are to these functions what domain predicates are in Krauss, "Partial Recursive Functions in Higher-Order Logic",
2006: an equation is used where the guard was proved.
"""

from __future__ import annotations

from collections.abc import Iterator

from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.equations import Equation, simplify
from goedels_poetry.kernel.problem import Definition
from goedels_poetry.kernel.sequent import Sequent, make_sequent
from goedels_poetry.kernel.terms import BOOL, INT, TRUE, Kind, Term, app, eq, integer, not_, substitute
from goedels_poetry.smt.arithmetic.interpret import Establish, Interpretation, by_induction, established_laws
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import DIRECT
from goedels_poetry.smt.rewriting.plan import Plan, leaf
from goedels_poetry.smt.rewriting.statements import ordered_variables


def open_guards(context: ProverContext, establish: Establish) -> list[Sequent]:
    """Prove the guards of the measured functions, and their equations as lemmas; what was proved of them."""
    proved: list[Sequent] = []
    patterned_first = {e.function for e in context.equations if _is_patterned(e)}
    for name in sorted(context.problem.measures, key=lambda name: (_group(context, name), name in patterned_first)):
        definition = context.signature.definition(name)
        patterned = [e for e in context.equations if e.function == name and _is_patterned(e)]
        for equation in patterned:
            proved += _opened(context, establish, equation, proved)
        if definition is not None and not patterned:
            proved += _everywhere(context, establish, definition, proved)
    return proved


def _group(context: ProverContext, name: str) -> int:
    definition = context.signature.definition(name)
    return definition.group if definition is not None else -1


def _is_patterned(equation: Equation) -> bool:
    return any(a.kind is not Kind.VAR for a in equation.lhs.args)


def _opened(context: ProverContext, establish: Establish, equation: Equation, known: list[Sequent]) -> list[Sequent]:
    """The guard of one equation, and the equation without it."""
    definition = context.signature.definition(equation.function)
    assert definition is not None
    here = dict(zip(definition.params, equation.lhs.args, strict=True))
    guard = simplify(substitute(context.guards[definition.name], here), context.signature)
    variables = ordered_variables(app("=", (equation.lhs, equation.rhs), BOOL))
    proved = []
    if guard is not TRUE:
        fact = make_sequent(variables, (), guard)
        if not _prove(context, establish, fact, known):
            return []
        context.want_at(fact, equation.lhs)
        proved.append(fact)
    whole = make_sequent(variables, (), app("=", (equation.lhs, equation.rhs), BOOL))
    return [*proved, whole] if establish(whole, _at_once) else proved


def _everywhere(
    context: ProverContext, establish: Establish, definition: Definition, known: list[Sequent]
) -> list[Sequent]:
    """The guard of a function: for all arguments, or where integers are not negative, or divisors not zero."""
    guard = simplify(context.guards[definition.name], context.signature)
    for conditions in _domains(context, definition, guard):
        fact = make_sequent(definition.params, conditions, guard)
        if context.refutes(fact) is None and _prove(context, establish, fact, known):
            context.restrict(definition.name, conditions)
            context.want_at(fact, app(definition.name, definition.params, definition.sort))
            return [fact]
    return []


def _domains(context: ProverContext, definition: Definition, guard: Term) -> Iterator[tuple[Term, ...]]:
    yield ()
    for parameter in definition.params:
        if parameter.sort is INT:
            yield (app(">=", (parameter, integer(0)), BOOL),)
        datatype = context.signature.datatype(parameter.sort)
        for constructor in datatype.constructors if datatype is not None else ():
            if not constructor.fields and parameter in guard.free:
                yield (not_(eq(parameter, app(constructor.name, (), parameter.sort))),)
        size = Interpretation(context).integer_of(parameter)
        if datatype is not None and size is not None:
            yield from ((app(">=", (size, integer(least)), BOOL),) for least in (2, 3))


def _prove(context: ProverContext, establish: Establish, guard: Sequent, known: list[Sequent]) -> bool:
    facts = established_laws(context, Interpretation(context), establish, guard.formula, known)
    return establish(guard, lambda context, fact: by_induction(context, fact, facts))


def _at_once(context: ProverContext, fact: Sequent) -> Plan | None:
    query = Query(cites=tuple(context.lemmas))
    return leaf(fact, query) if context.holds(fact, query, DIRECT, known=True) else None
