"""Which definitions Lean takes as they stand, and what it has to be told of why they end.

Nothing here is trusted: Lean does not accept a definition of which it does not see that it ends. But it has to be known
before Lean is asked, so this is careful: what is not plainly seen to end is not defined in Lean but *described*, by the
same equations as hypotheses about a function that is left open. That is what SMT-LIB says of it anyway.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from goedels_poetry.kernel.problem import Definition, Signature
from goedels_poetry.kernel.termination.calls import Call
from goedels_poetry.kernel.termination.evidence import Lexicographic, MeasureComponent, TerminationEvidence, calls_in
from goedels_poetry.kernel.termination.sizes import Shapes
from goedels_poetry.kernel.termination.work import TooLarge
from goedels_poetry.kernel.terms import INT, Kind, Term, app, subterms

MAX_CALLS = 60
MAX_PARTS = 200
LINEAR = frozenset({"+", "-", "div", "mod", "<", "<=", ">", ">=", "=", "not", "and", "or", "=>"})


def measures_of(signature: Signature, evidence: TerminationEvidence) -> dict[str, Term | None]:
    """The functions that are defined, recursive ones by the measure that falls; None where Lean needs none."""
    entries = {frozenset(entry.functions): entry for entry in evidence.groups}
    found: dict[str, Term | None] = {}
    for _, members in groupby(signature.definitions, lambda d: d.group):
        group = list(members)
        if not any(d.recursive for d in group):
            found.update({d.name: None for d in group})
            continue
        try:
            calls = calls_in(group, signature)
        except TooLarge:
            continue
        if _goes_down(group, calls, signature):
            found.update({d.name: None for d in group})
            continue
        entry = entries.get(frozenset(d.name for d in group))
        if isinstance(entry, Lexicographic) and len(group) == 1 and len(entry.components) == 1:
            component = entry.components[0]
            if isinstance(component, MeasureComponent):
                measure = component.measure.get(group[0].name)
                if measure is not None and _is_plain(group[0], measure, calls):
                    found[group[0].name] = measure
    return found


def _goes_down(group: Sequence[Definition], calls: Sequence[Call], signature: Signature) -> bool:
    """Whether arguments become parts of what they were, one position after the other."""
    if len(calls) > MAX_CALLS:
        return False
    params = {d.name: d.params for d in group}
    if len(group) > 1:
        places = [i for i, p in enumerate(group[0].params) if signature.datatype(p.sort) is not None]
        return any(all(_below(c, i, params, signature) for c in calls) for i in places) and all(
            len(d.params) == len(group[0].params) for d in group
        )
    left, waiting = set(range(len(group[0].params))), list(calls)
    while waiting:
        for place in sorted(left):
            states = [_below(c, place, params, signature) for c in waiting]
            same = [c.args[place] is params[c.caller][place] for c in waiting]
            if any(states) and all(a or b for a, b in zip(states, same, strict=True)):
                waiting = [c for c, below in zip(waiting, states, strict=True) if not below]
                left.discard(place)
                break
        else:
            return False
    return True


def _below(call: Call, place: int, params: Mapping[str, tuple[Term, ...]], signature: Signature) -> bool:
    """Whether the argument is smaller than the caller's at the same place, as Lean counts: it is built of fewer
    constructors, of parts that are all parts of the caller's."""
    shapes = Shapes(call.path, signature)
    before, after = (_parts(t, shapes, signature) for t in (params[call.caller][place], call.args[place]))
    return after.get(None, 0) < before.get(None, 0) and all(n <= before.get(t, 0) for t, n in after.items() if t)


def _parts(term: Term, shapes: Shapes, signature: Signature) -> Counter[Term | None]:
    """How often terms of unknown shape stand in a value; at None the number of constructors that hold them."""
    found: Counter[Term | None] = Counter()
    stack = [term]
    for _ in range(MAX_PARTS):
        if not stack:
            break
        top = stack.pop()
        entry = signature.constructor(top.name) if top.kind is Kind.APP else None
        if entry is not None:
            found[None] += 1
            stack += top.args
            continue
        known = shapes.constructor(top)
        built = signature.constructor(known) if known is not None else None
        if built is None:
            found[top] += 1
        else:
            found[None] += 1
            stack += [app(selector, (top,), sort) for selector, sort in built[1].fields]
    found.update(stack)
    return found


def _is_plain(definition: Definition, measure: Term, calls: Sequence[Call]) -> bool:
    """Whether linear arithmetic shows that the measure falls, by conditions that Lean sees at the calls."""
    guards = [t for t in subterms(definition.body) if t.name in ("and", "or", "=>")]
    inside = any(t.name == definition.name for g in guards for t in subterms(g))
    wanted = measure.free
    args = [a for c in calls for p, a in zip(definition.params, c.args, strict=True) if p in wanted]
    facts = [f for c in calls for f in c.path]
    quantified = any(len(c.variables) > len(definition.params) for c in calls)
    return measure.sort is INT and not inside and not quantified and all(map(_linear, [measure, *args, *facts]))


def _linear(term: Term) -> bool:
    if term.kind is Kind.VAR:
        return term.sort is INT
    if term.kind is Kind.LIT:
        return True
    if term.kind is not Kind.APP:
        return False
    if term.name in ("div", "mod"):
        left, right = term.args
        return _linear(left) and right.kind is Kind.LIT and right.value != 0
    return term.name in LINEAR and all(map(_linear, term.args))
