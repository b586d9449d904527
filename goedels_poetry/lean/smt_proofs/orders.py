"""What falls where functions recurse, in Lean: sizes as the kernel counts them, and the measures of the certificate.

Lean's own `sizeOf` counts numbers in a list, too, so what is known of the sizes of results does not hold of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from goedels_poetry.kernel.problem import Datatype, Signature
from goedels_poetry.kernel.termination import Lexicographic, SizeComponent, TerminationEvidence
from goedels_poetry.kernel.terms import INT, Sort, Term, substitute
from goedels_poetry.lean.smt_proofs.words import Words

COUNT = "_count_"
POSITIVE = "_positive_"
Twice: TypeAlias = tuple[tuple[str, int], ...]
"""Fields, each a constructor and a position, that count twice."""


@dataclass(frozen=True, slots=True)
class Orders:
    """The size functions of one text, and the orders in which its functions recurse."""

    signature: Signature
    theory: Words
    entries: Mapping[str, Lexicographic]
    """What the certificate says of the end of a function."""
    datatypes: tuple[Datatype, ...]
    """Whose values are measured, all with the datatypes of their fields."""
    ways: tuple[Twice, ...]
    """The ways to count."""

    @property
    def text(self) -> str:
        """The size functions, and that no size is zero."""
        parts = []
        for way in self.ways:
            for _, members in groupby(self.datatypes, lambda d: d.group):
                group = list(members)
                texts = [self._function(d, way) for d in group]
                parts.append(texts[0] if len(texts) == 1 else "\n".join(["mutual", *texts, "end"]))
                parts += [self._positive(d, way) for d in group]
        return "\n\n".join(parts) + "\n" if parts else ""

    def _function(self, datatype: Datatype, way: Twice) -> str:
        name = self._name(datatype.sort, way)
        lines = [f"def {name} : {self.theory.sort(datatype.sort)} → Nat"]
        for constructor in datatype.constructors:
            fields, counted = [], ["1"]
            for place, (_, sort) in enumerate(constructor.fields):
                counts = self.is_measured(sort)
                fields.append(f" _x{place}" if counts else " _")
                times = "2 * " if (constructor.name, place) in way else ""
                counted += [f"{times}{self._name(sort, way)} _x{place}"] if counts else []
            lines.append(f"  | {self.theory.name(constructor.name)}{''.join(fields)} => {' + '.join(counted)}")
        return "\n".join(lines)

    def _positive(self, datatype: Datatype, way: Twice) -> str:
        name, sort = self._name(datatype.sort, way), self.theory.sort(datatype.sort)
        lemma = name.replace(COUNT, POSITIVE)
        return f"theorem {lemma} (_x : {sort}) : 0 < {name} _x := by cases _x <;> simp only [{name}] <;> omega"

    def _name(self, sort: Sort, way: Twice) -> str:
        number = next(i for i, d in enumerate(self.datatypes) if d.sort is sort)
        variant = self.ways.index(way)
        return f"{COUNT}{number}_{variant}" if variant else f"{COUNT}{number}"

    @property
    def names(self) -> list[str]:
        """The size functions, for tactics that use their equations."""
        return [self._name(d.sort, way) for way in self.ways for d in self.datatypes]

    @property
    def patterns(self) -> list[str]:
        """Commands that tell `grind` of every size it meets that it is not zero."""
        return [f"local grind_pattern {name.replace(COUNT, POSITIVE)} => {name} _x" for name in self.names]

    def is_measured(self, sort: Sort) -> bool:
        """Whether values of the sort have a size."""
        return any(d.sort is sort for d in self.datatypes)

    def size(self, term: Term, way: Twice = ()) -> str:
        """The size of a term of a datatype."""
        return f"{self._name(term.sort, way)} {self.theory.value(term)}"

    def sum(self, terms: Iterable[Term], way: Twice = ()) -> str:
        """The sizes of those among the terms that have one, added up."""
        return " + ".join(self.size(t, way) for t in terms if self.is_measured(t.sort)) or "0"

    def components(self, function: str, args: Sequence[Term]) -> list[str]:
        """The natural numbers that fall, one after the other, where a function recurses, at these arguments.

        None are known of a function that the certificate has no such evidence for.
        """
        entry, definition = self.entries.get(function), self.signature.definition(function)
        if entry is None or definition is None:
            return []
        found = []
        for component in entry.components:
            if isinstance(component, SizeComponent):
                found.append(self.sum([args[i] for i in component.size.get(function, ())], component.twice))
                continue
            measure = component.measure.get(function)
            if measure is None:
                found.append("0")
                continue
            value = self.theory.value(substitute(measure, dict(zip(definition.params, args, strict=True))))
            found.append(f"Int.toNat ({value} + 1)" if measure.sort is INT else f"BitVec.toNat {value}")
        return found


def orders(
    signature: Signature, theory: Words, evidence: TerminationEvidence, sorts: Iterable[Sort], ways: Iterable[Twice]
) -> Orders:
    """The orders of the functions of a signature.

    Args:
        sorts: those whose values are to have sizes.
        ways: other ways to count than each field once.
    """
    entries = {f: e for e in evidence.groups if isinstance(e, Lexicographic) for f in e.functions}
    counted = [c.twice for e in entries.values() for c in e.components if isinstance(c, SizeComponent)]
    wanted, pending = set[Sort](), list(sorts)
    while pending:
        datatype = signature.datatype(pending.pop())
        if datatype is not None and datatype.sort not in wanted:
            group = [d for d in signature.datatypes if d.group == datatype.group]
            wanted.update(d.sort for d in group)
            pending += [sort for d in group for c in d.constructors for _, sort in c.fields]
    datatypes = tuple(d for d in signature.datatypes if d.sort in wanted)
    return Orders(signature, theory, entries, datatypes, tuple(dict.fromkeys([(), *counted, *ways])))
