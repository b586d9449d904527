"""A goal in the form the strategies work on: variables, hypotheses, conclusion."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from goedels_poetry.kernel.terms import (
    Kind,
    Sort,
    Term,
    alpha,
    and_,
    forall,
    fresh_name,
    implies,
    is_app,
    substitute,
    subterms,
    symbols,
    var,
)


@dataclass(frozen=True)
class Sequent:
    """``forall vars. hyps_1 and ... and hyps_n => concl``; closed.

    The variables have distinct names that no function symbol and no inner bound variable shares with another
    meaning, so a variable may be declared as a constant when the sequent is given to a solver.
    """

    vars: tuple[Term, ...]
    hyps: tuple[Term, ...]
    concl: Term

    @property
    def formula(self) -> Term:
        """The closed formula that this sequent stands for."""
        return forall(self.vars, implies(and_(self.hyps), self.concl))

    @property
    def size(self) -> int:
        """Number of nodes of hypotheses and conclusion."""
        return self.concl.size + sum(h.size for h in self.hyps)

    @property
    def key(self) -> Term:
        """The formula with canonical bound names: equal for alpha-equivalent sequents."""
        return alpha(self.formula)


def sequent_of(formula: Term, reserved: Iterable[str] = ()) -> Sequent:
    """Split a closed formula into a sequent.

    Leading universal quantifiers, implications and negated conclusions ``(not phi)`` stay as they are except that
    ``forall`` and ``=>`` are peeled off; a variable whose name is taken (``reserved`` or a symbol of the formula)
    is renamed.
    """
    taken = set(reserved) | symbols(formula)
    binders: list[Term] = []
    hyps: list[Term] = []
    concl = formula
    while True:
        if concl.kind is Kind.FORALL:
            renaming = {}
            for bound in concl.binders:
                name = fresh_name(bound.name, taken)
                taken.add(name)
                new = var(name, bound.sort)
                if new is not bound:
                    renaming[bound] = new
                binders.append(new)
            concl = substitute(concl.body, renaming) if renaming else concl.body
        elif is_app(concl, "=>"):
            for hyp in concl.args[:-1]:
                hyps.extend(hyp.args if is_app(hyp, "and") else (hyp,))
            concl = concl.args[-1]
        else:
            return Sequent(tuple(binders), tuple(hyps), concl)


def make_sequent(variables: Iterable[Term], hyps: Iterable[Term], concl: Term) -> Sequent:
    """A sequent that lists just the variables in use and flattens conjunctive hypotheses and implications.

    The given variables must have distinct names.
    """
    flat = dict.fromkeys(part for hyp in hyps for part in (hyp.args if is_app(hyp, "and") else (hyp,)))
    used = concl.free.union(*[h.free for h in flat]) if flat else concl.free
    return Sequent(tuple(v for v in dict.fromkeys(variables) if v in used), tuple(flat), concl)


class Names:
    """Hands out variables whose names are fresh against a sequent and against each other."""

    def __init__(self, *terms: Term, reserved: Iterable[str] = ()) -> None:
        self._taken = set(reserved)
        self._numbers: dict[str, int] = {}
        for term in terms:
            self._taken |= symbols(term)
            self._taken |= {v.name for v in term.free}
            self._collect_bound(term)

    def _collect_bound(self, term: Term) -> None:
        for t in subterms(term):
            self._taken |= {v.name for v in t.binders}

    def fresh(self, base: str, sort: Sort) -> Term:
        """A variable of ``sort`` named ``base``, with a numeral when that is taken."""
        name = base
        if base in self._taken:
            stem = base.rstrip("0123456789") or base
            number = self._numbers.get(stem, 1)  # what is taken stays taken
            while (name := f"{stem}{number}") in self._taken:
                number += 1
            self._numbers[stem] = number + 1
        self._taken.add(name)
        return var(name, sort)
