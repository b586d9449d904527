"""Goals that do not follow because a definition leaves a function open: it may be different functions there.

``f(n) = if n = 0 then 0 else 1 + f(n - 1)`` says nothing of what ``f`` is below 0: any ``f(n) = n + c`` will do there.
That a goal does not follow is shown by one such function: a definition that terminates, of which the given equation
holds (a solver says so), and under which the goal is false at values (our evaluator says so).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.kernel.faults import BadProof, SchemeError
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Definition, Problem
from goedels_poetry.kernel.reach import reached
from goedels_poetry.kernel.refutation.counterexample import make_evidence
from goedels_poetry.kernel.refutation.values import small_values, to_term
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import BOOL, INT, Term, app, eq, forall, integer, is_app, ite, not_, symbols, var
from goedels_poetry.smt.context.attempts import close_goal
from goedels_poetry.smt.context.budget import PATIENT, OutOfTime
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.notation.infix import render
from goedels_poetry.smt.notation.text import parse_term
from goedels_poetry.smt.preflight.facts import facts_of, proof_of
from goedels_poetry.smt.preflight.falsify import counterexample, interpreted

Json = dict[str, Any]

CALLS = 120
"""Queries for one function that a definition could be, too."""
MAX_WHERE = 240
"""Characters."""
EVERYWHERE = " everywhere"
WORK = 20_000
"""Evaluations for narrowing values: the given definition was searched with more."""


def doubts(context: ProverContext) -> dict[str, str]:
    """The functions whose recursion was not shown to end everywhere, each with what that means for proofs."""
    found = {}
    for group in context.terminations:
        for name in () if group.ok else group.group:
            definition = context.signature.definition(name)
            if definition is not None:
                found[name] = f"{name} was not shown to end for all arguments; {_where_it_holds(context, definition)}"
    return found


def is_undetermined(context: ProverContext, sequent: Sequent, said: Json, doubtful: set[str], seed: int) -> str:
    """Why the goal does not follow, in words; "" when that was not shown.

    Args:
        said: as of `read_refutation`; functions that it gives another meaning are tried first.
        doubtful: functions that were not shown to terminate.
    """
    rests_on = reached(context.signature, [sequent.formula, *[p.formula for p in context.problem.premises]])
    for name in sorted(doubtful & rests_on):
        definition = context.signature.definition(name)
        if definition is None or _is_mutual(context, definition):
            continue
        for other in _others(context, definition, said):
            words = _shown(context, sequent, definition, other, seed)
            if words:
                return words
    return ""


def _is_mutual(context: ProverContext, definition: Definition) -> bool:
    return sum(d.group == definition.group for d in context.signature.definitions) > 1


def _others(context: ProverContext, definition: Definition, said: Json) -> Iterator[Definition]:
    """What the function could be, too: as the model says, then its own body where it ends and something simple else."""
    meaning = said["functions"].get(definition.name)
    if meaning is not None:
        params = tuple(var(n, p.sort) for n, p in zip(meaning["params"], definition.params, strict=True))
        try:
            body = parse_term(meaning["body"], context.signature, params, definition.sort)
        except (GoedelsPoetryError, ValueError):
            return
        yield replace(definition, params=params, body=body, recursive=definition.name in symbols(body))
    guard = context.guards.get(definition.name)
    if guard is None:
        return
    for other in _simple(context, definition):
        yield replace(definition, body=ite(guard, definition.body, other))


def _simple(context: ProverContext, definition: Definition) -> Iterator[Term]:
    """Terms for the values where a recursion does not end."""
    if definition.sort is BOOL:
        yield from (parse_term(text, context.signature) for text in ("true", "false"))
    elif definition.sort is INT:
        numbers = [p for p in definition.params if p.sort is INT]
        yield from map(integer, (0, 1, -1, 2))
        for p in numbers:
            yield from (p, app("+", (p, integer(1)), INT), app("-", (p, integer(1)), INT))
            yield from (app("-", (integer(0), p), INT), app("-", (integer(1), p), INT), app("*", (integer(2), p), INT))
    else:
        values = small_values(context.signature, definition.sort, 3)
        yield from (t for v in values if (t := to_term(context.signature, definition.sort, v)) is not None)


def _shown(context: ProverContext, sequent: Sequent, given: Definition, other: Definition, seed: int) -> str:
    """That the goal is false where the function is ``other``, and its given definition holds of that; else ""."""
    definitions = tuple(other if d.name == given.name else d for d in context.signature.definitions)
    problem = replace(
        context.problem,
        signature=replace(context.signature, definitions=definitions),
        goal=sequent.formula,
        measures={},
    )
    equation = forall(given.params, eq(app(given.name, given.params, given.sort), given.body))
    inner = ProverContext(problem, seed=seed)
    try:
        inner.budget.limit_calls(CALLS)
        inner.budget.set_deadline(context.budget.seconds_left())
        stated = sequent_of(equation, problem.signature.names)
        if inner.refutes(stated, 100) is not None:
            return ""
        values = _false_at(problem, seed)
        if values is None or not all(t.ok for t in inner.terminations) or close_goal(inner, stated, PATIENT) is None:
            return ""
    except (OutOfTime, SchemeError, BadProof):
        return ""
    finally:
        inner.close()
    meant = render(show(other.body.args[2])) if _is_guarded(given, other) else render(show(other.body))
    call = render(show(app(other.name, other.params, other.sort)))
    where = _outside(context, given)
    return (
        f"does not follow from the definitions: {given.name} is not determined{where}: with {call} = {meant} there its"
        f" definition holds as well, and the goal is false for {values}"
    )


def _false_at(problem: Problem, seed: int) -> str | None:
    """Values at which the goal is false, as text, where the premises hold."""
    found = counterexample(problem, seed, WORK, 0)
    if found is None:
        return None
    values, interpret = interpreted(problem, seed, found.evidence())
    facts = facts_of(problem)
    if facts and proof_of(problem, facts, seed) is None:
        return None
    make_evidence(problem, values, interpret, [p.name for p in facts])
    return str(found.shown(problem)["text"])


def _is_guarded(given: Definition, other: Definition) -> bool:
    return is_app(other.body, "ite") and other.body.args[1] is given.body


def _outside(context: ProverContext, definition: Definition) -> str:
    """Where a definition says nothing, in words; of a condition that nobody would read, that it is "everywhere"."""
    guard = context.guards.get(definition.name)
    where = f" where {render(show(_denied(_readable(guard))))}" if guard is not None else ""
    return where if len(where) <= MAX_WHERE else EVERYWHERE


def _where_it_holds(context: ProverContext, definition: Definition) -> str:
    """Where proofs may use the defining equation, in words: who states a lemma about it has to stay there."""
    where, measures = _outside(context, definition), context.problem.measures.get(definition.name)
    perhaps = f"perhaps its definition does not determine it{where}"
    if not measures:
        return f"{perhaps}, and then what needs its values there does not follow"
    falls = f"each of its calls makes {_measured(measures)} smaller"
    if where == EVERYWHERE:
        return f"proofs may use its equation only where {falls}, and lemmas about it have to say so"
    return f"{perhaps}: proofs may use its equation only elsewhere, where {falls}, and lemmas about it have to say so"


def _measured(measures: tuple[Term, ...]) -> str:
    texts = [render(show(m)) for m in measures]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)}), compared from the left,"


def _denied(guard: Term) -> Term:
    """Where a guard does not hold, without a negation in front where that can be avoided."""
    if is_app(guard, "=>"):
        return _made("and", (*guard.args[:-1], _denied(guard.args[-1])))
    if is_app(guard, "<="):
        return _made("<", (guard.args[1], guard.args[0]))
    return not_(guard)


def _readable(guard: Term) -> Term:
    """The guard without what always holds, ``n - 1 < n``."""
    if is_app(guard, "=>"):
        return _made("=>", (*guard.args[:-1], _readable(guard.args[-1])))
    if is_app(guard, "and"):
        kept = [_readable(a) for a in guard.args if not _is_plain(a)]
        return kept[0] if len(kept) == 1 else _made("and", tuple(kept)) if kept else guard
    return guard


def _made(name: str, args: tuple[Term, ...]) -> Term:
    return app(name, args, BOOL)


def _is_plain(term: Term) -> bool:
    """``n - 1 < n``."""
    if not is_app(term, "<"):
        return False
    left, right = term.args
    return is_app(left, "-") and len(left.args) == 2 and left.args[0] is right and not left.args[1].free
