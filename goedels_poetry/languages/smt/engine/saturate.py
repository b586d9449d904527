"""Queries without quantifiers for a goal: the instances of definitions, lemmas and hypotheses that its terms call for.

Solvers give up early where quantifiers meet products. So the terms of the goal are unfolded where a constructor decides
how, lemmas and hypotheses are given at the calls that come up, and again at the calls that these bring.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from goedels_poetry.languages.smt.derivation import Instance, Query
from goedels_poetry.languages.smt.engine.auxiliary import is_auxiliary
from goedels_poetry.languages.smt.engine.plan import key_of
from goedels_poetry.languages.smt.engine.rewrite import match
from goedels_poetry.languages.smt.engine.workbench import GROUND, Workbench
from goedels_poetry.languages.smt.equations import simplify
from goedels_poetry.languages.smt.sequent import Sequent
from goedels_poetry.languages.smt.terms import Kind, Term, and_, implies, is_app, rebuild, substitute, subterms

MAX_INSTANCES = 160
MAX_LEAVES = 6
ROUNDS = 6


def ground_proof(bench: Workbench, sequent: Sequent, facts: Iterable[Sequent], rlimit: int = GROUND) -> Query | None:
    """A query without quantifiers that closes ``sequent`` with the help of proven ``facts``, or None."""
    instances = saturated(bench, sequent, facts)
    cites = tuple(dict.fromkeys(i.name for i in instances if i.of == "step"))
    query = Query(cites, instances, equations=False, quantified=False)
    closes = bench.holds(sequent, query, rlimit // 4) or bench.holds_alone(sequent, query, rlimit)
    return query if closes else None


def saturated(bench: Workbench, sequent: Sequent, facts: Iterable[Sequent]) -> tuple[Instance, ...]:
    """The instances, in the order in which they came up."""
    facts = tuple(facts)
    rules = _rules_by_head(sequent, facts)
    told = {p.name for fact in facts if is_app(fact.concl, "=") for p in _patterns(fact.vars, fact.concl)}
    supposed = {name for hyp in sequent.hyps for name in _recursive_heads(bench, hyp)}
    goal = frozenset(_calls(sequent.concl))
    frontier = list(dict.fromkeys(t for part in (sequent.concl, *sequent.hyps) for t in _calls(part)))
    found: dict[Instance, None] = {}
    seen = dict.fromkeys(frontier)
    for _ in range(ROUNDS):
        brought: list[Term] = []
        for call in frontier:
            unfold = call.name not in told and (call in goal or call.name not in supposed)
            for instance, fact in _instances(bench, call, rules, unfold=unfold, goal=call in goal):
                if instance not in found and len(found) < MAX_INSTANCES:
                    found[instance] = None
                    new = _calls(fact)
                    if instance.of == "def":
                        new += [t for result in _results(fact) for t in _around(call, result, seen)]
                    brought += [t for t in new if t not in seen]
                    seen.update(dict.fromkeys(brought))
        if not brought:
            break
        frontier = list(dict.fromkeys(brought))
    return tuple(found)


Rule = tuple[str, str, tuple[Term, ...], Term, Term]
"""Kind and name of an instance, the variables, the pattern, the fact."""


def _rules_by_head(sequent: Sequent, facts: Iterable[Sequent]) -> Mapping[str, list[Rule]]:
    rules: dict[str, list[Rule]] = {}
    for fact in facts:
        body = implies(and_(fact.hyps), fact.concl)
        for pattern in _patterns(fact.vars, fact.concl):
            rules.setdefault(pattern.name, []).append(("step", key_of(fact), fact.vars, pattern, body))
    for number, hyp in enumerate(sequent.hyps):
        if hyp.kind is Kind.FORALL:
            for pattern in _patterns(hyp.binders, hyp.body):
                rules.setdefault(pattern.name, []).append(("hyp", str(number), hyp.binders, pattern, hyp.body))
    return rules


def _patterns(variables: tuple[Term, ...], body: Term) -> Iterator[Term]:
    """The smallest calls that mention all variables: in the left side of an equation, if it does, or in ``body``."""
    wanted = frozenset(variables)
    concl = body.args[-1] if is_app(body, "=>") else body
    if is_app(concl, "=") and wanted <= concl.args[0].free:
        body = concl.args[0]
    whole = [t for t in subterms(body) if t.kind is Kind.APP and t.args and wanted <= t.free and not t.binders]
    for t in whole:
        if not any(wanted <= a.free and a.kind is Kind.APP for a in t.args):
            yield t


def _instances(
    bench: Workbench, call: Term, rules: Mapping[str, list[Rule]], *, unfold: bool, goal: bool
) -> Iterator[tuple[Instance, Term]]:
    for of, name, variables, pattern, body in rules.get(call.name, ()):
        binding = match(pattern, call)
        # Variables of the goal that a hypothesis mentions besides its own stand for themselves.
        if binding is not None and all(v is t for v, t in binding.items() if v not in variables):
            yield Instance(of, name, tuple(binding[v] for v in variables)), substitute(body, binding)
    definition = bench.signature.definition(call.name)
    if definition is None or not unfold:
        return
    built = any(bench.signature.constructor(a.name) for a in call.args if a.kind is Kind.APP)
    built |= is_auxiliary(call.name) and call.args[-1].kind is Kind.VAR
    plain = not definition.recursive and not is_auxiliary(call.name)
    if plain or _unfolds(bench, call) or ((goal or is_auxiliary(call.name)) and (built or call.name in bench.unfolded)):
        body = substitute(definition.body, dict(zip(definition.params, call.args, strict=True)))
        yield Instance("def", call.name, call.args), simplify(body, bench.signature)


def _unfolds(bench: Workbench, call: Term) -> bool:
    """Whether a defining equation whose left side has a constructor applies to ``call`` as it is."""
    return any(
        e.function == call.name and any(a.kind is not Kind.VAR for a in e.lhs.args) and match(e.lhs, call) is not None
        for e in bench.equations
    )


def _recursive_heads(bench: Workbench, hyp: Term) -> Iterator[str]:
    """Functions of the problem that a hypothesis speaks of: it is there so that they need not be unfolded."""
    for t in subterms(hyp):
        definition = bench.signature.definition(t.name) if t.kind is Kind.APP else None
        if definition is not None and definition.recursive and not is_auxiliary(t.name):
            yield t.name


def _results(body: Term) -> list[Term]:
    """What a body may come to: the leaves of its case distinctions."""
    leaves: list[Term] = []
    stack = [body]
    while stack and len(leaves) < MAX_LEAVES:
        t = stack.pop()
        if is_app(t, "ite"):
            stack += t.args[1:]
        else:
            leaves.append(t)
    return leaves


def _around(call: Term, result: Term, seen: Iterable[Term]) -> list[Term]:
    """The terms right above ``call``, with what it comes to in its place."""
    return [rebuild(t, tuple([result if a is call else a for a in t.args])) for t in list(seen) if call in t.args]


def _calls(term: Term) -> list[Term]:
    """Applications outside of quantifiers, and variables do not count."""
    found: dict[Term, None] = {}
    stack = [term]
    while stack:
        t = stack.pop()
        if t in found or t.binders:
            continue
        if t.kind is Kind.APP:
            found[t] = None
            stack.extend(t.args)
    return list(found)


__all__ = ["ground_proof", "saturated"]
