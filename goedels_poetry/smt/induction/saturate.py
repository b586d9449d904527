"""Queries without quantifiers for a goal: the instances of definitions, lemmas and hypotheses that its terms call for.

Solvers give up early where quantifiers meet products. So the terms of the goal are unfolded where a constructor decides
how, lemmas and hypotheses are given at the calls that come up, and again at the calls that these bring.

Unfolding the calls of a goal round by round is from Suter, Köksal and Kuncak, "Satisfiability Modulo Recursive
Programs", 2011; patterns for lemmas are the triggers of Detlefs, Nelson and Saxe, "Simplify: A Theorem Prover for
Program Checking", 2005, matched on terms as they are, without equivalence classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Kind, Term, and_, implies, is_app, rebuild, substitute, subterms, symbols
from goedels_poetry.smt.auxiliary.standard import is_auxiliary
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import GROUND
from goedels_poetry.smt.rewriting.plan import key_of
from goedels_poetry.smt.rewriting.statements import match

MAX_INSTANCES = 160
MAX_LEAVES = 6
PER_ROUND = 26
"""Rounds get more instances with the number of instances that are allowed."""


def ground_proof(
    context: ProverContext, sequent: Sequent, facts: Iterable[Sequent], most: int = MAX_INSTANCES
) -> Query | None:
    """A query without quantifiers that closes ``sequent`` with the help of proven ``facts``, or None."""
    instances = saturated(context, sequent, facts, most)
    cites = tuple(dict.fromkeys(i.name for i in instances if i.of == "step"))
    query = Query(cites, instances, equations=False, quantified=False)
    closes = context.holds(sequent, query, GROUND // 4) or context.holds_alone(sequent, query, GROUND)
    return query if closes else None


def saturated(
    context: ProverContext, sequent: Sequent, facts: Iterable[Sequent], most: int = MAX_INSTANCES
) -> tuple[Instance, ...]:
    """The instances, in the order in which they came up; at most so many."""
    facts = tuple(facts)
    rules = _rules_by_head(context, sequent, facts)
    observed = symbols(sequent.concl)
    described = {
        part.name
        for fact in facts
        if is_app(fact.concl, "=") and fact.concl.args[0].name in observed
        for part in fact.concl.args[0].args
        if part.kind is Kind.APP and part.args
    }
    supposed = {name for hyp in sequent.hyps for name in _recursive_heads(context, hyp)}
    groups = {d.group for name in supposed if (d := context.signature.definition(name)) is not None}
    mates = {d.name for d in context.signature.definitions if d.group in groups and d.name in context.shape.unfolded}
    goal = frozenset(_calls(sequent.concl))
    frontier = list(dict.fromkeys(t for part in (sequent.concl, *sequent.hyps) for t in _calls(part)))
    instances: dict[Instance, None] = {}
    seen = dict.fromkeys(frontier)
    read: dict[Term, Term] = {}
    for _ in range(most // PER_ROUND):
        brought: list[Term] = []
        for call in frontier:
            unfold = call.name not in described and (call in goal or call.name not in supposed or call.name in mates)
            needed = call in goal or call.name in mates
            for instance, fact in _instances(context, call, rules, unfold=unfold, needed=needed):
                if instance not in instances and len(instances) < most:
                    instances[instance] = None
                    new = _calls(fact)
                    results = _results(instance, fact, call)
                    for result in results:
                        new += _around(context, call, result, seen, read)
                    if len(results) == 1:
                        read[call] = results[0]
                    for t in new if most > MAX_INSTANCES else ():  # and so on with what is appended
                        if not read.keys().isdisjoint(t.args) and len(new) < most:
                            new.append(_reading(t, read))
                    brought += [t for t in new if t not in seen]
                    seen.update(dict.fromkeys(brought))
        if not brought:
            break
        frontier = list(dict.fromkeys(brought))
    return tuple(instances)


Rule = tuple[str, str, tuple[Term, ...], Term, Term]
"""Kind and name of an instance, the variables, the pattern, the fact."""


def _rules_by_head(context: ProverContext, sequent: Sequent, facts: Iterable[Sequent]) -> Mapping[str, list[Rule]]:
    rules: dict[str, list[Rule]] = {}
    for fact in facts:
        body = implies(and_(fact.hyps), fact.concl)
        trigger = context.wanted_at(fact)
        for pattern in _patterns(context, fact.vars, fact.concl) if trigger is None else (trigger,):
            rules.setdefault(pattern.name, []).append(("step", key_of(fact), fact.vars, pattern, body))
    for number, hyp in enumerate(sequent.hyps):
        if hyp.kind is Kind.FORALL:
            for pattern in _patterns(context, hyp.binders, hyp.body):
                rules.setdefault(pattern.name, []).append(("hyp", str(number), hyp.binders, pattern, hyp.body))
    return rules


def _patterns(context: ProverContext, variables: tuple[Term, ...], body: Term) -> Iterator[Term]:
    """The smallest calls that mention all variables: in the left side of an equation, if it does, or in ``body``."""
    wanted = frozenset(variables)
    concl = body.args[-1] if is_app(body, "=>") else body
    if is_app(concl, "=") and wanted <= concl.args[0].free:
        body = concl.args[0]
    whole = [t for t in subterms(body) if context.signature.type_of(t.name) and t.args and wanted <= t.free]
    for t in whole:
        if not any(other is not t and other in subterms(t) for other in whole):
            yield t


def _instances(
    context: ProverContext, call: Term, rules: Mapping[str, list[Rule]], *, unfold: bool, needed: bool
) -> Iterator[tuple[Instance, Term]]:
    equated = False
    for of, name, variables, pattern, body in rules.get(call.name, ()):
        binding = match(pattern, call)
        # Variables of the goal that a hypothesis mentions besides its own stand for themselves.
        if binding is not None and all(v is t for v, t in binding.items() if v not in variables):
            fact = substitute(body, binding)
            equated |= of == "step" and is_app(fact, "=") and fact.args[0] is call
            yield Instance(of, name, tuple(binding[v] for v in variables)), fact
    definition = context.signature.definition(call.name)
    if definition is None or equated or not unfold:
        return
    built = any(context.signature.constructor(a.name) for a in call.args if a.kind is Kind.APP)
    built |= is_auxiliary(call.name) and call.args[-1].kind is Kind.VAR
    plain = not definition.recursive and not is_auxiliary(call.name)
    wanted = (needed or is_auxiliary(call.name)) and (built or call.name in context.shape.unfolded)
    if plain or wanted or _unfolds(context, call):
        body = definition.at(call.args)
        yield Instance("def", call.name, call.args), simplify(body, context.signature)


def _unfolds(context: ProverContext, call: Term) -> bool:
    """Whether a defining equation whose left side has a constructor applies to ``call`` as it is."""
    return any(
        e.function == call.name and any(a.kind is not Kind.VAR for a in e.lhs.args) and match(e.lhs, call) is not None
        for e in context.equations
    )


def _recursive_heads(context: ProverContext, hyp: Term) -> Iterator[str]:
    """Functions of the problem that a hypothesis speaks of: it is there so that they need not be unfolded."""
    for t in subterms(hyp):
        definition = context.signature.definition(t.name) if t.kind is Kind.APP else None
        if definition is not None and definition.recursive and not is_auxiliary(t.name):
            yield t.name


def _results(instance: Instance, fact: Term, call: Term) -> list[Term]:
    """What an instance says that ``call`` may come to: the leaves of the case distinctions of its body."""
    leaves: list[Term] = []
    stack = [fact] if instance.of == "def" else []
    if instance.of != "def" and is_app(fact, "=") and fact.args[0] is call:
        stack.append(fact.args[1])
    while stack and len(leaves) < MAX_LEAVES:
        t = stack.pop()
        if is_app(t, "ite"):
            stack += t.args[1:]
        else:
            leaves.append(t)
    return leaves


def _around(
    context: ProverContext, call: Term, result: Term, seen: Iterable[Term], read: dict[Term, Term]
) -> list[Term]:
    """The terms right above ``call`` with what it comes to in its place, also above the field that a selector reads.

    What selectors come to is kept in ``read``, for terms that come up later.
    """
    terms = []
    for t in list(seen):
        if call in t.args:
            new = simplify(rebuild(t, tuple([result if a is call else a for a in t.args])), context.signature)
            terms.append(new)
            if new.name != t.name:
                read[t] = new
                terms += _around(context, t, new, seen, read)
    return terms


def _reading(term: Term, read: Mapping[Term, Term]) -> Term:
    return rebuild(term, tuple([read.get(a, a) for a in term.args]))


def _calls(term: Term) -> list[Term]:
    """Applications outside of quantifiers, and variables do not count."""
    calls: dict[Term, None] = {}
    stack = [term]
    while stack:
        t = stack.pop()
        if t in calls or t.binders:
            continue
        if t.kind is Kind.APP:
            calls[t] = None
            stack.extend(t.args)
    return list(calls)
