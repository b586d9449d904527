"""Functions that are not recursive written out.

A solver knows a definition as an equation of an uninterpreted function, and its theories simplify nothing inside of
such a function. So each call becomes a variable that equals the body; the goal follows by congruence.
"""

from __future__ import annotations

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.obligations import is_quantified
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.sequent import Names, Sequent, make_sequent
from goedels_poetry.kernel.terms import BOOL, Kind, Term, app, substitute, subterms
from goedels_poetry.smt.rewriting.plan import key_of
from goedels_poetry.smt.rewriting.replace import replace_subterms

MAX_CALLS = 48
"""Different calls, those that bodies bring included."""


def written_out(signature: Signature, sequent: Sequent) -> tuple[Sequent, Query] | None:
    """The goal about the values of its calls, and the query that proves the goal from that one.

    None where there is no such call outside of quantifiers, or too many.
    """
    plain = {d.name: d for d in signature.definitions if not d.recursive}
    known = frozenset(sequent.vars)
    bodies: dict[Term, Term] = {}
    waiting = [*sequent.hyps, sequent.concl]
    while waiting:
        for term in subterms(waiting.pop()):
            if term.kind is Kind.APP and term.name in plain and term not in bodies and term.free <= known:
                definition = plain[term.name]
                bodies[term] = substitute(definition.body, dict(zip(definition.params, term.args, strict=True)))
                waiting.append(bodies[term])
                if len(bodies) > MAX_CALLS:
                    return None
    if not bodies:
        return None
    names = Names(*sequent.vars, *sequent.hyps, sequent.concl, *bodies.values(), reserved=signature.names)
    values = {call: names.fresh("value", call.sort) for call in bodies}
    meaning = [app("=", (values[call], replace_subterms(body, values)), BOOL) for call, body in bodies.items()]
    hyps = [*meaning, *(replace_subterms(hyp, values) for hyp in sequent.hyps)]
    general = make_sequent((*sequent.vars, *values.values()), hyps, replace_subterms(sequent.concl, values))
    calls = {value: call for call, value in values.items()}
    step = Instance("step", key_of(general), tuple(calls.get(v, v) for v in general.vars))
    definitions = tuple(Instance("def", call.name, call.args) for call in bodies)
    quantified = any(map(is_quantified, sequent.hyps))
    return general, Query((step.name,), (*definitions, step), equations=False, quantified=quantified)
