"""Whether a goal is false as a model says: evaluated by us, and confirmed by a solver. Nothing of it is believed.

What no evaluator decides, as a hypothesis about all integers, is proved with the values put in, from definitions. A
subgoal is refuted by that, and a theorem by a proof of its negation: all else that the goal says at the values is
proved as well. Where the values are also those of declared functions, the theorem is that with definitions in their
place, and its premises are conditions.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.faults import BadProof, CodecError
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Premise, Problem, Signature
from goedels_poetry.kernel.refutation.counterexample import (
    check_definitions,
    confirmation_of,
    counterexample_script,
    goal_of,
    make_evidence,
    read_counterexample,
)
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.refutation.interpretation import (
    Interpretation,
    condition,
    interpreted_theorem,
    shown_interpretation,
)
from goedels_poetry.kernel.refutation.operations import Element, Undecided
from goedels_poetry.kernel.refutation.values import small_values, to_term
from goedels_poetry.kernel.schemas import Intro
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import (
    FALSE,
    Kind,
    Sort,
    Term,
    and_,
    forall,
    implies,
    not_,
    rebuild,
    substitute,
    subterms,
)
from goedels_poetry.smt.auxiliary.standard import with_standard_auxiliaries
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import OutOfTime
from goedels_poetry.smt.jobs.payloads import context_of, result
from goedels_poetry.smt.notation.text import (
    brought_by,
    parse_problem,
    parse_sequent,
    parse_term,
    query_to_json,
    scheme_to_json,
    show_sequent,
    with_brought,
)
from goedels_poetry.smt.refutation.refute import interpretation, show_value
from goedels_poetry.smt.rewriting.plan import key_of
from goedels_poetry.smt.search.checks import EVALUATED
from goedels_poetry.smt.search.falsify import (
    Counterexample,
    asked,
    closed_context,
    facts_of,
    proof_of,
    proved_steps,
    with_constants,
)
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.worker import borrowed

Json = dict[str, Any]

FUEL = 200_000
SECONDS = 180.0
"""A guard alone: what bounds the work are numbers of values, calls and queries."""
RLIMIT = 20_000_000
TRIED = 400
"""Combinations of small values for variables without a given one."""
PROVED = 3
"""Choices of values at which a proof is tried of what evaluation does not decide."""
A_PREMISE = "the premise"
DENIED = "the negated conclusion"


class NotRefuted(Exception):
    """Why values do not make a goal false, in words for the model."""


@dataclass(frozen=True, slots=True)
class World:
    """The theorem with the goal at hand, and what functions are that it leaves open."""

    problem: Problem
    given: Interpretation | None
    constants: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Judged:
    """What evaluation says of values: ``reason`` why they make no counterexample, "" when they do.

    ``unclear``: what it cannot tell, by name; where all of that holds, they do.
    """

    reason: str
    unclear: tuple[tuple[str, Term], ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A counterexample, and what of it was proved rather than evaluated, by name."""

    values: Counterexample
    proved: tuple[str, ...] = ()


def confirm_refutation(payload: Json) -> Json:
    """See `Refutable.confirm_refutation`."""
    context, sequent, began = context_of(payload)
    said = payload["refutation"]
    context.budget.set_deadline(SECONDS)
    doubtful = {name for t in context.terminations if not t.ok for name in t.group}
    try:
        try:
            return result(context, began, _refuted(context, sequent, payload, said, doubtful))
        except NotRefuted as reason:
            return result(context, began, {"report": str(reason)}, f"this does not refute the goal: {reason}")
    except OutOfTime:
        return result(context, began, {}, "this does not refute the goal: it is undecided, the time was used up")


def _refuted(context: ProverContext, sequent: Sequent, payload: Json, said: Json, doubtful: set[str]) -> Json:
    """The counterexample and, of the theorem itself, its evidence.

    Raises:
        NotRefuted: it is none, or nobody can tell.
    """
    world = _world(context, sequent, payload, said)
    seed = int(payload.get("seed", 0))
    facts = facts_of(world.problem)
    judged = _found(world, said, [p.name for p in facts], seed)
    found = judged.values
    steps = proof_of(world.problem, facts, seed) if facts else None
    if facts and steps is None:
        names = ", ".join(p.name for p in facts)
        raise NotRefuted(f"it is undecided: nobody has shown that the premises {names} hold of the definitions")
    found = replace(found, facts={"names": [p.name for p in facts], "steps": steps} if facts else {})
    besides = shown_interpretation(world.given, world.problem) if world.given is not None else {}
    shown = found.shown(world.problem, besides)
    if judged.proved:
        return _proved(payload, world, found, shown, judged.proved, doubtful)
    _confirm(world, found, seed, {n for t in context.terminations if t.ok for n in t.group})
    evidence = {**found.evidence(), **({"interpretation": world.given.to_json()} if world.given is not None else {})}
    if world.given is not None and doubtful:
        raise NotRefuted("it is undecided: functions were given a meaning beside definitions that may not terminate")
    reasons = [f"{', '.join(t.group)}: {t.reason}" for t in context.terminations if not t.ok]
    detail = {
        "verdict": "refuted",
        "reason": f"false for {shown['text']}",
        "counterexample": shown,
        "refuted_by": "counterexample",
        "evidence": evidence,
        "assumptions": [f"{EVALUATED}: {reason}" for reason in reasons],
    }
    return {"refuted": shown, "detail": {} if payload["statement"] else detail}


def _proved(
    payload: Json, world: World, found: Counterexample, shown: Json, proved: tuple[str, ...], doubtful: set[str]
) -> Json:
    """The end of a goal that is false where ``proved`` was proved of the values; of the theorem itself, by a proof.

    Raises:
        NotRefuted: what was proved rests on definitions that may not define anything.
    """
    names = f"{' and '.join(proved)} {'was' if len(proved) == 1 else 'were'} proved"
    if doubtful:
        raise NotRefuted(f"it is undecided: {names} with definitions that may not terminate")
    if payload["statement"]:
        return {"refuted": shown, "detail": {}}
    text, seed = payload["theorem"], int(payload.get("seed", 0))
    negation = proof_of_negation(text, world.given, found.constants, found.values, seed)
    if negation is None:
        return {"open": f"does not hold: it is false for {shown['text']}, where {names}, not evaluated"}
    detail = {
        "verdict": "refuted",
        "reason": f"false for {shown['text']}",
        "counterexample": shown,
        "refuted_by": "negation",
        "evidence": negation.evidence(),
        "assumptions": [],
    }
    return {"refuted": shown, "detail": detail}


def _world(context: ProverContext, sequent: Sequent, payload: Json, said: Json) -> World:
    """The problem with what the model says of declared functions; of constants it says values."""
    text, statement = payload["theorem"], payload["statement"]
    problem = parse_problem(text)
    functions = {n: (tuple(f["params"]), str(f["body"])) for n, f in said["functions"].items()}
    constants = {n: body for n, (params, body) in functions.items() if not params}
    general = {n: f for n, f in functions.items() if f[0]}
    given = Interpretation(general, {}) if general else None
    if given is not None:
        try:
            _, problem = interpreted_theorem(text.encode(), problem, given)
        except (BadProof, CodecError) as error:
            raise NotRefuted(str(error)) from error
    if statement:
        problem = with_brought(with_standard_auxiliaries(problem), brought_by(statement))
        problem = replace(problem, goal=parse_sequent(statement, problem.signature).formula)
    signature = problem.signature
    evaluator = Evaluator(signature, problem.premises, interpret=interpretation(problem, context.seed), fuel=FUEL)
    values = {n: _value(evaluator, parse_term(body, signature), n) for n, body in constants.items()}
    return World(problem, given, values)


def _value(evaluator: Evaluator, term: Term, name: str) -> Any:
    try:
        return evaluator.value(term, {})
    except (Undecided, ValueError, TypeError) as error:
        raise NotRefuted(f"the value of {name} cannot be computed: {error}") from error


# ------------------------------------------------------------------------------------------------------------- values


def _found(world: World, said: Json, proved: list[str], seed: int) -> Found:
    """The first choice of values, as the model gives them and small ones for the rest, that makes the goal false.

    Raises:
        NotRefuted: there is none; the reason is that of the first choice.
    """
    problem, signature = world.problem, world.problem.signature
    goal = goal_of(problem)
    reader = Evaluator(signature, problem.premises, interpret=interpretation(problem, seed), fuel=FUEL)
    sorts = {v.name: v.sort for v in goal.vars}
    fixed = {n: _value(reader, parse_term(t, signature), n) for n, t in said["values"].items() if n in sorts}
    fixed |= {name: Element(sorts[name], number) for name, number in said["elements"].items() if name in sorts}
    left = {name: sort for name, sort in sorts.items() if name not in fixed}
    given = with_constants(world.constants, interpretation(problem, seed))
    sorts |= {c: signature.functions[c][1] for c in world.constants}
    reasons, tried = [], 0
    for choice in _choices(signature, left):
        values = fixed | choice
        found = Counterexample(values, world.constants, sorts, {}, {})
        judged = _judged(problem, goal, values, given, proved)
        if not judged.reason:
            return Found(replace(found, table=asked(problem, values, given, proved)))
        if judged.unclear and tried < PROVED:
            tried += 1
            if all(_is_proved(problem, name, part, values, world.constants, seed) for name, part in judged.unclear):
                return Found(found, tuple(name for name, _ in judged.unclear))
        reasons.append(judged.reason)
    also = f" (small values were tried for {', '.join(left)}, which you do not give)" if left else ""
    raise NotRefuted(f"{reasons[0]}{also}" if reasons else "no values are given")


def _choices(signature: Signature, left: Mapping[str, Sort]) -> Iterator[dict[str, Any]]:
    """Small values for the variables without a given one."""
    each = max(2, int(TRIED ** (1 / len(left)))) if left else 1
    pools = [small_values(signature, sort, each) for sort in left.values()]
    for choice in itertools.islice(itertools.product(*pools), TRIED):
        yield dict(zip(left, choice, strict=True))


def _judged(problem: Problem, goal: Sequent, values: Mapping[str, Any], given: Any, proved: list[str]) -> Judged:
    """Whether these values are a counterexample, as far as evaluation can tell."""
    evaluator = Evaluator(problem.signature, problem.premises, interpret=given, fuel=FUEL)
    assignment = {v: values[v.name] for v in goal.vars}
    at = ", ".join(f"{v.name} = {show_value(problem.signature, v.sort, values[v.name])}" for v in goal.vars)
    where = f"at {at} " if at else ""
    unclear: dict[str, tuple[Term, str]] = {}

    def holds(name: str, formula: Term) -> bool | None:
        """None: nobody can tell by evaluation."""
        try:
            return bool(evaluator.value(formula, assignment))
        except Undecided as error:
            why = str(error)
        except (KeyError, ValueError, TypeError, IndexError, AttributeError, RecursionError) as error:
            why = f"the values do not fit ({type(error).__name__})"
        unclear[name] = formula, f"{where}it is undecided whether {name} holds: {why}"
        return None

    for premise in problem.premises:
        name = f"{A_PREMISE} {premise.name}"
        settled = premise.name in evaluator.defining or premise.name in proved
        if not settled and holds(name, premise.formula) is False:
            return Judged(f"{where}{name} does not hold: {show(premise.formula)}")
    for number, hypothesis in enumerate(goal.hyps, 1):
        if holds(f"H{number}", hypothesis) is False:
            return Judged(f"{where}H{number} does not hold: {show(hypothesis)}")
    if holds("the conclusion", goal.concl) is True:
        return Judged(f"{where}the goal holds")
    if not unclear:
        return Judged("")
    parts = [(name, formula) for name, (formula, _) in unclear.items()]
    denied = [(DENIED, not_(part)) if part is goal.concl else (name, part) for name, part in parts]
    return Judged(next(iter(unclear.values()))[1], tuple(denied))


def _at(problem: Problem, formula: Term, values: Mapping[str, Any], constants: Mapping[str, Any]) -> Term | None:
    """The formula with values for its variables and for declared constants; None where a value has no term."""
    signature = problem.signature
    put: dict[Term, Term | None] = {}
    for part in set(subterms(formula)):
        if part in formula.free:
            put[part] = to_term(signature, part.sort, values[part.name])
        elif part.kind is Kind.APP and not part.args and part.name in constants:
            put[part] = to_term(signature, part.sort, constants[part.name])
    if any(term is None for term in put.values()):
        return None
    known = {part: term for part, term in put.items() if term is not None}

    def with_constants(term: Term) -> Term:
        if term in known:
            return known[term]
        return rebuild(term, tuple(with_constants(a) for a in term.args)) if term.args else term

    return with_constants(substitute(formula, {v: t for v, t in known.items() if v.kind is Kind.VAR}))


def _is_proved(
    problem: Problem, name: str, formula: Term, values: Mapping[str, Any], constants: Mapping[str, Any], seed: int
) -> bool:
    """Whether a formula is proved at the values, from the definitions alone."""
    part = _at(problem, formula, values, constants)
    return part is not None and proof_of(problem, [Premise(name, part, 0)], seed) is not None


# ------------------------------------------------------------------------------------------------------ confirmation


def _confirm(world: World, found: Counterexample, seed: int, terminating: set[str]) -> None:
    """Have a solver say so, too, with the script that the checker will pose.

    Raises:
        NotRefuted: it does not, or definitions could take the counterexample back.
    """
    proved = tuple(found.facts.get("names", ()))
    try:
        context = Context(world.problem)
        evidence = make_evidence(
            world.problem, found.values, with_constants(found.constants, interpretation(world.problem, seed)), proved
        )
        known = terminating | {d.name for d in world.problem.signature.definitions if not d.recursive}
        check_definitions(context, known)
        questions = confirmation_of(context, read_counterexample(context, evidence, proved))
        refutes = _asked(counterexample_script(context, questions).rsplit("(check-sat)", 1)[0])
        agrees = _asked(questions.agreement()) if refutes == "unsat" else ""
    except (BadProof, CodecError) as error:
        raise NotRefuted(f"it is undecided: {error}") from error
    if refutes != "unsat" or agrees == "unsat":
        raise NotRefuted("it is undecided: the solver does not confirm what our evaluation says")


def _asked(script: str) -> str:
    with borrowed() as z3:
        return str(z3.ask(script, Limits(rlimit=RLIMIT, seconds=SECONDS / 3)).status)


@dataclass(frozen=True, slots=True)
class Negation:
    """The steps that end in the negated theorem, and what declared functions and constants are in it."""

    steps: list[Json]
    given: Interpretation | None

    def evidence(self) -> Json:
        """As a certificate is made of it."""
        return {"steps": self.steps, **({"interpretation": self.given.to_json()} if self.given else {})}


def proof_of_negation(
    text: str, given: Interpretation | None, constants: Mapping[str, Any], values: Mapping[str, Any], seed: int
) -> Negation | None:
    """The proof that the theorem of ``text`` is false; None when none was found, or values have no terms.

    Args:
        given: what declared functions are.
        constants: the values of declared constants.
        values: of the goal's outer variables, by the names that `goal_of` gives them.
    """
    plain = parse_problem(text)
    named = {n: to_term(plain.signature, plain.signature.functions[n][1], value) for n, value in constants.items()}
    if any(term is None for term in named.values()):
        return None
    functions = dict(given.functions) if given is not None else {}
    functions |= {name: ((), show(term)) for name, term in named.items() if term is not None}
    meaning = Interpretation(functions, {}) if functions else None
    try:
        problem = interpreted_theorem(text.encode(), plain, meaning)[1] if meaning is not None else plain
        stated = condition(text.encode(), plain, meaning) if meaning is not None else plain
    except BadProof:
        return None
    steps = _steps(problem, stated, values, seed)
    return Negation(steps, meaning) if steps is not None else None


def _steps(problem: Problem, stated: Problem, values: Mapping[str, Any], seed: int) -> list[Json] | None:
    """The steps to the negated goal of ``stated``: that of ``problem``, or that its premises imply it."""
    goal = sequent_of(problem.goal, problem.signature.names)
    at = {v: to_term(problem.signature, v.sort, values[v.name]) for v in goal.vars}
    known = {v: term for v, term in at.items() if term is not None}
    if len(known) < len(at):
        return None
    parts = [substitute(part, known) for part in (*goal.hyps, not_(goal.concl))]
    premises = [p.formula for p in problem.premises] if stated is not problem else []
    names = stated.signature.names
    facts = [sequent_of(part, names) for part in dict.fromkeys((*premises, *parts))]
    context = closed_context(stated, seed)
    try:
        steps = proved_steps(context, facts)
        return None if steps is None else [*steps, *_put_together(stated, goal, known, facts)]
    except OutOfTime:
        return None
    finally:
        context.close()


def _put_together(stated: Problem, goal: Sequent, at: Mapping[Term, Term], facts: list[Sequent]) -> list[Json]:
    """From ``facts`` to the negation: the goal as a hypothesis is false at the values; so premises do not imply it."""
    whole = forall(goal.vars, implies(and_(goal.hyps), goal.concl))
    cites = tuple(dict.fromkeys(key_of(fact) for fact in facts))
    at_values = (Instance("hyp", "0", tuple(at[v] for v in goal.vars)),) if goal.vars else ()
    absurd, denied = Sequent((), (whole,), FALSE), Sequent((), (), not_(whole))
    steps = [_step(absurd, Query(cites, at_values)), _step(denied, None)]
    last = sequent_of(not_(stated.goal), stated.signature.names)
    if last.key is not denied.key:
        steps.append(_step(last, Query((*cites, key_of(denied)))))
    return [*steps[:-1], {**steps[-1], "statement": ""}]


def _step(sequent: Sequent, query: Query | None) -> Json:
    """A step of a finished tree by a query; without one, by introduction from the step before."""
    statement = show_sequent(sequent)
    if query is None:
        return {"id": statement, "statement": statement, "proof": None, "scheme": {"scheme": scheme_to_json(Intro())}}
    return {"id": statement, "statement": statement, "proof": {"query": query_to_json(query)}, "scheme": None}
