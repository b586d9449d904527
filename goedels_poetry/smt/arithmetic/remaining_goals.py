"""What an induction along the calls of a function of numbers leaves to be shown, as lemmas.

``fexp b n = pow b n``: for even ``n`` the left side is ``fexp (b * b) (n div 2)``, so by the hypothesis
``pow (b * b) (n div 2)``, and what is left is ``pow (b * b) (n div 2) = pow b n`` for even ``n > 0``. That is a
statement of fewer functions, with an induction of its own. For datatypes see
`conjecture.failed_steps`. Using the hypothesis so and then forgetting it is the cross-fertilisation of Boyer and Moore,
"A Computational Logic", 1979.
"""

from __future__ import annotations

from collections.abc import Iterator

from goedels_poetry.kernel.calls import extend
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.sequent import Sequent, make_sequent
from goedels_poetry.kernel.terms import BOOL, Kind, Term, eq, is_app, not_, substitute, subterms
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.rewriting.matching import match
from goedels_poetry.smt.rewriting.replace import replace_subterm

MAX_SIZE = 40
MAX_GOALS = 8


def remaining_goals(context: ProverContext, sequent: Sequent) -> list[Sequent]:
    """The steps of an equation, one side unfolded at one call, with the hypothesis applied; smallest first."""
    concl = sequent.concl
    if not is_app(concl, "=") or len(concl.args) != 2 or concl.args[0].sort is BOOL:
        return []
    if any(t.binders for part in (concl, *sequent.hyps) for t in subterms(part)):
        return []
    goals: dict[Term, Sequent] = {}
    for side, other in (concl.args, concl.args[::-1]):
        for path, stepped in _steps(context, side):
            used = _by_hypothesis(stepped, side, other)
            if used is not None and used is not other:
                candidate = make_sequent(sequent.vars, (*sequent.hyps, *path), eq(used, other))
                if candidate.size <= MAX_SIZE:
                    goals.setdefault(candidate.key, candidate)
    return sorted(goals.values(), key=lambda s: s.size)[:MAX_GOALS]


def _steps(context: ProverContext, side: Term) -> Iterator[tuple[tuple[Term, ...], Term]]:
    """``side`` with one call unfolded, for each branch of the body: under which conditions, and what it is then."""
    for call in dict.fromkeys(subterms(side)):
        definition = context.signature.definition(call.name) if call.kind is Kind.APP else None
        if definition is None or call.name not in context.shape.unfolded:
            continue
        body = substitute(definition.body, dict(zip(definition.params, call.args, strict=True)))
        for path, leaf in _branches(simplify(body, context.signature), ()):
            yield path, replace_subterm(side, call, leaf)


def _branches(body: Term, path: tuple[Term, ...]) -> Iterator[tuple[tuple[Term, ...], Term]]:
    if is_app(body, "ite"):
        condition, then, otherwise = body.args
        yield from _branches(then, extend(path, condition))
        yield from _branches(otherwise, extend(path, not_(condition)))
    else:
        yield path, body


def _by_hypothesis(term: Term, side: Term, other: Term) -> Term | None:
    """``term`` with every smaller instance of ``side`` replaced by that of ``other``; None when there is none."""
    result, changed = term, False
    for part in list(dict.fromkeys(subterms(term))):
        binding = match(side, part)
        if binding is not None and part is not side and other.free <= binding.keys():
            result, changed = replace_subterm(result, part, substitute(other, binding)), True
    return result if changed else None
