"""A goal attempted by one query after another, without any induction.

First all at once with the lemmas and the equations as axioms; then by rewriting, by cvc5 where it is better, by ground
unfoldings of functions on numbers with the lemmas at their calls, and by instantiation by models.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import INT, Kind, app, integer
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import CANDIDATE, DIRECT, GROUND, MODEL_SECONDS, QUICK, ROUNDS
from goedels_poetry.smt.notation.text import query_to_json, scheme_to_json, show_sequent
from goedels_poetry.smt.rewriting.plan import Plan, leaf
from goedels_poetry.smt.rewriting.unfold import lemma_instances


def close_goal(context: ProverContext, sequent: Sequent, rlimit: int | None = None) -> Plan | None:
    """The goal closed by one query as in `direct_query`, or None."""
    query = direct_query(context, sequent, rlimit)
    return leaf(sequent, query) if query is not None else None


def direct_query(context: ProverContext, sequent: Sequent, rlimit: int | None = None) -> Query | None:
    """A query that closes the goal, or None: equations as axioms first, then ground unfoldings.

    All lemmas of the context may be used; `minimal_query` finds out which were.
    """
    query = Query(cites=tuple(context.lemmas))
    if context.holds(sequent, query, rlimit or DIRECT, known=True):
        return query
    rewritten = context.by_rewriting(sequent)
    if rewritten is not None and context.holds(sequent, rewritten, rlimit or DIRECT):
        return rewritten
    if context.shape.suits_second(sequent) and (by_second := _by_second(context, sequent)) is not None:
        return by_second
    if context.shape.mentions_unfolded(sequent):
        kinds = (False,) if context.shape.only_ground(sequent) else (False, True)
        rounds = ROUNDS if rlimit is None or rlimit > QUICK else ROUNDS[:2]
        places = _at_places(sequent)
        for instances in context.unfolder.unfoldings(sequent, rounds):
            for quantified in kinds:
                query = Query((), (*instances, *places), equations=quantified, quantified=quantified)
                if context.holds(sequent, query, (rlimit and 3 * rlimit) or GROUND):
                    return query
            for query in _with_lemmas(context, sequent, instances):
                if context.holds(sequent, query, (rlimit and 3 * rlimit) or GROUND):
                    return query
    return query_by_models(context, sequent) if sequent.concl.kind is Kind.EXISTS else None


def query_by_models(context: ProverContext, sequent: Sequent) -> Query | None:
    """A query that z3 closes as it comes, with instantiation by models: for goals full of quantifiers.

    It is slow to give up, so `direct_query` uses it for existential conclusions only, which E-matching cannot close.
    """
    attempts = [Query(cites=tuple(context.lemmas))]
    if context.shape.mentions_unfolded(sequent):
        attempts += [Query((), i, equations=False) for i in context.unfolder.unfoldings(sequent, (1, 2))]
    return next((q for q in attempts if context.holds_alone(sequent, q, GROUND, MODEL_SECONDS)), None)


def minimal_query(context: ProverContext, sequent: Sequent, query: Query, rlimit: int = 4 * DIRECT) -> Query:
    """The query with just the cites it needs (none when it does without)."""
    if not query.cites:
        return query
    core = context.core(sequent, query, rlimit)
    if core is not None and len(core) < len(query.cites) and context.holds(sequent, _citing(query, core), rlimit):
        query = _citing(query, core)
    elif context.holds(sequent, bare := _citing(query, ()), rlimit):
        return bare
    kept = list(query.cites)
    for cite in list(kept):
        trial = [c for c in kept if c != cite]
        if context.holds(sequent, _citing(query, tuple(trial)), CANDIDATE):
            kept = trial
    return _citing(query, tuple(kept))


def _by_second(context: ProverContext, sequent: Sequent) -> Query | None:
    """A query that cvc5 closes, for goals that are rather for it than for z3."""
    if not context.shape.mentions_unfolded(sequent):
        attempts = [Query(cites=tuple(context.lemmas))]
    else:
        unfoldings = list(context.unfolder.unfoldings(sequent, ROUNDS[:2]))
        attempts = [Query((), instances, equations=False) for instances in unfoldings]
        if context.lemmas and unfoldings:
            attempts += list(_with_lemmas(context, sequent, unfoldings[-1]))[:1]
    if places := _at_places(sequent):
        attempts += [replace(query, instances=(*query.instances, *places)) for query in attempts[:1]]
    return next((q for q in attempts if context.holds_by_second(sequent, q)), None)


def _at_places(sequent: Sequent) -> tuple[Instance, ...]:
    """What hypotheses say for all values of an index, at the place of the goal and at the one before."""
    variables = {(v.name, v.sort): v for v in sequent.vars}
    found = []
    for number, hypothesis in enumerate(sequent.hyps):
        at = [variables.get((b.name, b.sort)) for b in hypothesis.binders if hypothesis.kind is Kind.FORALL]
        if at and all(v is not None and v.sort is INT for v in at):
            place = tuple([v for v in at if v is not None])
            before = tuple([app("-", (v, integer(1)), INT) for v in place])
            found += [Instance("hyp", str(number), each) for each in (place, before)]
    return tuple(found)


def _with_lemmas(context: ProverContext, sequent: Sequent, unfoldings: tuple[Instance, ...]) -> Iterable[Query]:
    """Unfoldings together with the lemmas: at the calls that there are, and in general."""
    lemmas = {key: s for key, s in context.lemmas.items() if context.shape.mentions_unfolded(s)}
    calls = [t for part in (sequent.concl, *sequent.hyps) for t in context.unfolder.calls(part)]
    at = lemma_instances(lemmas, [*calls, *context.unfolder.brought_by(unfoldings)])
    if at:
        yield Query(tuple(dict.fromkeys(i.name for i in at)), (*unfoldings, *at), equations=False, quantified=False)
    if lemmas:
        yield Query(tuple(context.lemmas), unfoldings)


def _citing(query: Query, cites: tuple[str, ...]) -> Query:
    """The query with fewer cites, without the instances of the others."""
    instances = tuple(i for i in query.instances if i.of != "step" or i.name in cites)
    return replace(query, cites=cites, instances=instances)


# From a finished plan to a sketch

Json = dict[str, Any]


def minimise(context: ProverContext, plan: Plan) -> Plan:
    """The plan with every query citing just what it needs."""
    children = tuple(minimise(context, child) for child in plan.children)
    by = plan.by
    if isinstance(by, Query) and not plan.children:
        by = minimal_query(context, plan.sequent, by)
    return replace(plan, by=by, children=children)


def with_lemmas(context: ProverContext, plan: Plan, library: dict[str, Plan]) -> Plan:
    """The plan, preceded by the lemmas that it cites (and those that these cite); unused ones are left out.

    The result is a query on the lemmas, or on the goal itself proved after them; or the plan when it needs none.
    Lemmas that cite each other in a circle come in some order, and the verifier refuses the one that cites ahead.
    """
    plan = minimise(context, plan)
    needed: dict[str, Plan] = {}
    met: set[str] = set()

    def visit(part: Plan) -> None:
        for key in cited(part):
            if key in library and key not in met:
                met.add(key)
                lemma = minimise(context, library[key])
                visit(lemma)
                needed[key] = lemma

    visit(plan)
    if not needed:
        return plan
    lemmas = tuple(needed.values())
    if isinstance(plan.by, Query) and not plan.children:
        return replace(plan, children=lemmas)
    idea, _, detail = plan.detail.partition(" ")
    main = replace(plan, strategy=idea or plan.strategy, detail=detail)
    whole = Query(cites=(plan.key,))
    return Plan(plan.sequent, whole, (*lemmas, main), plan.strategy, plan.detail)


def cited(plan: Plan) -> list[str]:
    """Keys that the queries of a plan cite from outside of it, in order."""
    own = {child.key for child in plan.children}
    keys: dict[str, None] = {}
    if isinstance(plan.by, Query):
        keys.update(dict.fromkeys(c for c in plan.by.cites if c not in own))
    for child in plan.children:
        keys.update(dict.fromkeys(c for c in cited(child) if c not in own))
    return list(keys)


def sketch_json(plan: Plan) -> Json:
    """The plan as the machine stores it; nested plans of children become their sketches."""
    if plan.by is None:
        raise ValueError("an open goal is not a sketch")
    is_query = isinstance(plan.by, Query)
    rule = {"query": query_to_json(plan.by)} if isinstance(plan.by, Query) else {"scheme": scheme_to_json(plan.by)}
    names = [child.key for child in plan.children]
    children: list[Json] = []
    for position, child in enumerate(plan.children):
        entry: Json = {"statement": show_sequent(child.sequent)}
        if isinstance(child.by, Query) and not child.children:
            entry["candidate"] = {"query": query_to_json(child.by)}
        elif child.by is not None:
            entry["sketch"] = sketch_json(child)
        if is_query:
            uses = set(cited(child))
            entry["waits_for"] = [i for i in range(position) if names[i] in uses]
        children.append(entry)
    return {
        "strategy": plan.strategy,
        "fingerprint": plan.fingerprint,
        "deterministic": True,
        **rule,
        "children": children,
    }
