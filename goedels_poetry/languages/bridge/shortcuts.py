"""Whole lemmas at once: an induction and automation in place of the cases that the derivation has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from goedels_poetry.kernel.derivation import ByScheme, Query, Step
from goedels_poetry.kernel.inductions import RecursionInduction, StructuralInduction, variable_of
from goedels_poetry.kernel.terms import app
from goedels_poetry.languages.bridge.conditions import nested
from goedels_poetry.languages.bridge.writing import Writing


def shortcuts(writing: Writing, step: Step, steps: Mapping[str, Step]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Tactic blocks with the steps that they cite, for an induction whose cases all are queries."""
    if not isinstance(step.by, ByScheme) or not isinstance(step.by.scheme, (StructuralInduction, RecursionInduction)):
        return
    if nested(step.sequent):
        return
    cases = [steps[c] for c in step.by.cites]
    queries = [case.by for case in cases if isinstance(case.by, Query)]
    if len(queries) != len(cases) or any(not q.equations for q in queries):
        return
    cites = tuple(dict.fromkeys(c for q in queries for c in q.cites))
    sequents = [step.sequent, *(case.sequent for case in cases), *(steps[c].sequent for c in cites)]
    defs = writing.definitions(*(t for s in sequents for t in (*s.hyps, s.concl)))
    scheme, theory = step.by.scheme, writing.theory
    general = [theory.value(v) for v in step.sequent.vars if v.name in scheme.general]
    generalizing = f" generalizing {' '.join(general)}" if general else ""
    grind = "; ".join(writing.grind(cites, defs).split("\n"))
    if isinstance(scheme, StructuralInduction):
        if scheme.depth > 1:
            return
        on = variable_of(step.sequent, scheme.on)
        yield f"induction {theory.value(on)}{generalizing} <;> ({grind})", cites
        return
    definition = writing.problem.signature.definition(scheme.function)
    if definition is not None:
        call = theory.value(app(definition.name, scheme.at, definition.sort))
        yield f"fun_induction {call}{generalizing} <;> ({grind})", cites
