"""The layers of a closed world: of which predicates must be known what is false before others can be closed?

A premise is read as rules ``conditions => conclusion``. What the conclusion may make true depends on what the
conditions speak of. A rule whose conclusion makes nothing true, ``(=> (not p) (not q))``, can be read as one for what
its conditions deny: then all of it belongs to one layer, so that no order of declarations prefers one reading.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from goedels_poetry.kernel.components import components
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.terms import Kind, Term, is_app

_BOTH = 0


def layers(signature: Signature, premises: Iterable[Term]) -> list[list[str]]:
    """The declared symbols in layers: each depends on itself and earlier ones alone, as far as premises are rules.

    Constants of declared sorts are left out: they are things, and which of them are the same comes before all else.
    """
    needs: dict[str, set[str]] = {}
    for name, (args, result) in signature.functions.items():
        if signature.definition(name) is None and (args or result not in signature.sorts):
            needs[name] = set()
    for formula in premises:
        for conditions, conclusion in _rules(formula):
            made, denied = _polarities(signature, [(conclusion, 1)], needs.keys())
            assumed, excepted = _polarities(signature, [(c, 1) for c in conditions], needs.keys())
            everything = made | denied | assumed | excepted
            if made or excepted:
                for head in (made | denied) if made else everything:
                    needs[head] |= everything
    return components(needs, lambda name: sorted(needs[name]))


def _rules(formula: Term) -> Iterator[tuple[tuple[Term, ...], Term]]:
    """Conditions and conclusion of each rule that a premise consists of."""
    seen: set[tuple[tuple[Term, ...], Term]] = set()
    waiting: list[tuple[tuple[Term, ...], Term]] = [((), formula)]
    while waiting:
        conditions, conclusion = waiting.pop()
        if (conditions, conclusion) in seen:
            continue
        seen.add((conditions, conclusion))
        if conclusion.kind is Kind.FORALL:
            waiting.append((conditions, conclusion.body))
        elif is_app(conclusion, "and"):
            waiting += [(conditions, part) for part in conclusion.args]
        elif is_app(conclusion, "=>"):
            *more, last = conclusion.args
            waiting.append(((*conditions, *more), last))
        else:
            yield conditions, conclusion


def _polarities(
    signature: Signature, waiting: list[tuple[Term, int]], names: Container[str]
) -> tuple[set[str], set[str]]:
    """Of some names those by which formulas can become true when more, or less, is so; through definitions, too."""
    made: set[str] = set()
    denied: set[str] = set()
    seen: set[tuple[Term, int]] = set()
    while waiting:
        term, sign = waiting.pop()
        if (term, sign) in seen or term.kind in (Kind.VAR, Kind.LIT):
            continue
        seen.add((term, sign))
        if term.kind is not Kind.APP or term.name in ("and", "or"):
            waiting += [(part, sign) for part in term.args]
        elif term.name == "not":
            waiting.append((term.args[0], -sign))
        elif term.name == "=>":
            *conditions, conclusion = term.args
            waiting += [(conclusion, sign), *[(c, -sign) for c in conditions]]
        else:
            if term.name in names:
                made |= {term.name} if sign >= 0 else set()
                denied |= {term.name} if sign <= 0 else set()
            waiting += [(part, _BOTH) for part in term.args]
            definition = signature.definition(term.name)
            if definition is not None:
                waiting.append((definition.body, sign if not definition.recursive else _BOTH))
    return made, denied
