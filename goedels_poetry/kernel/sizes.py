"""How large a datatype value can be: the number of its constructors, from the shape that a path gives to terms.

Sizes are natural numbers because values of datatypes are finite trees, also when some fields count more than once.
Fields of other sorts (arrays among them) count nothing. Besides constructors and selectors, bounds of functions are
used: ``filter`` never gives more than it was given. Such bounds are claimed by certificates, of functions that are
known to terminate, and checked by induction along their calls. Nothing is looked for here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import TypeAlias

from goedels_poetry.kernel.calls import TooLarge, Work, extend
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.faults import BadProof
from goedels_poetry.kernel.problem import Definition, Signature
from goedels_poetry.kernel.terms import Kind, Term, app, is_app, not_, rebuild, substitute, subterms

MAX_BRANCHES = 256
UNFOLDINGS = 3
MAX_STEPS = 2_000_000
"""For all that is asked of the sizes of one signature, where nothing else is said."""


@dataclass(frozen=True)
class Size:
    """``constant`` plus the sizes of terms of unknown shape, each times its (positive) number."""

    constant: int
    unknown: Mapping[Term, int]

    def least_excess(self, other: Size) -> int | None:
        """The least that this can be larger than ``other``; None when it can be smaller without bound.

        A value has at least one constructor.
        """
        difference = dict(self.unknown)
        for term, number in other.unknown.items():
            difference[term] = difference.get(term, 0) - number
        if any(number < 0 for number in difference.values()):
            return None
        return self.constant - other.constant + sum(difference.values())

    def times(self, factor: int) -> Size:
        """``factor`` times as much."""
        return Size(factor * self.constant, {term: factor * number for term, number in self.unknown.items()})


def sum_of(sizes: Iterable[Size], constant: int = 0) -> Size:
    """The sum of sizes."""
    unknown: dict[Term, int] = {}
    for size in sizes:
        constant += size.constant
        for term, number in size.unknown.items():
            unknown[term] = unknown.get(term, 0) + number
    return Size(constant, unknown)


Weights: TypeAlias = Mapping[tuple[str, int], int]
"""How often the field of a constructor at a position counts, 1 or more; once where nothing is said."""


class Shapes:
    """What a path tells about which constructors terms were built by."""

    def __init__(self, path: Iterable[Term], signature: Signature) -> None:
        self._signature = signature
        self._is: dict[Term, str] = {}
        self._is_not: dict[Term, set[str]] = {}
        self.contradictory = False
        for fact in path:
            positive = not is_app(fact, "not")
            atom = fact if positive else fact.args[0]
            found = self._test(atom)
            if found is None:
                continue
            subject, constructor = found
            if positive:
                self.contradictory |= self._is.setdefault(subject, constructor) != constructor
            else:
                self._is_not.setdefault(subject, set()).add(constructor)
        for subject, constructor in self._is.items():
            self.contradictory |= constructor in self._is_not.get(subject, ())

    def _test(self, atom: Term) -> tuple[Term, str] | None:
        if is_app(atom, "is"):
            return atom.args[0], str(atom.indices[0])
        if is_app(atom, "=") and len(atom.args) == 2:
            for subject, value in (atom.args, atom.args[::-1]):
                if value.kind is Kind.APP and not value.args and self._signature.constructor(value.name):
                    return subject, value.name
        return None

    def constructor(self, term: Term) -> str | None:
        """The constructor that ``term`` must have been built by, if the path tells."""
        datatype = self._signature.datatype(term.sort)
        if datatype is None:
            return None
        if term in self._is:
            return self._is[term]
        excluded = self._is_not.get(term, set())
        left = [c.name for c in datatype.constructors if c.name not in excluded]
        return left[0] if len(left) == 1 else None


@dataclass(frozen=True)
class Bound:
    """The result of a function is at most as large as its arguments at ``positions`` together, less ``spare``."""

    positions: tuple[int, ...]
    spare: int = 0


class Sizes:
    """What is known of sizes: under paths by the form of terms, and of functions.

    ``total``: functions that may be unfolded, because they are known to exist. ``bounds``: those on the sizes of what
    they give. With ``weights`` some fields count more than once. Sizes are natural numbers then, too, each at least 1,
    but nothing is known of functions.
    """

    def __init__(
        self,
        signature: Signature,
        bounds: Mapping[str, Bound] = MappingProxyType({}),
        total: Iterable[str] = (),
        weights: Weights = MappingProxyType({}),
    ) -> None:
        self.signature = signature
        self.bounds, self.weights, self.total = dict(bounds), dict(weights), frozenset(total)
        self._shapes: dict[tuple[Term, ...], Shapes] = {}
        self._nodes: dict[str, int] = {}

    def shapes(self, path: tuple[Term, ...]) -> Shapes:
        """The shapes under ``path``."""
        found = self._shapes.get(path)
        if found is None:
            found = self._shapes[path] = Shapes(path, self.signature)
        return found

    def loss(
        self, before: Sequence[Term], after: tuple[Term, ...], path: tuple[Term, ...], work: Work | None = None
    ) -> int | None:
        """The least by which the terms ``after`` are together smaller than the variables ``before``, on ``path``.

        Negative when they can grow by so much; None when they can grow without bound, or too much is unknown, or
        ``work`` (`MAX_STEPS`) is used up.
        """
        work = work or Work(MAX_STEPS)
        losses = []
        try:
            for values, where in self._branches(after, path, UNFOLDINGS, work):
                shapes, known = self.shapes(where), dict[Term, Size]()
                whole = sum_of(self._size(t, shapes, known, work) for t in before)
                losses.append(whole.least_excess(sum_of(self._size(t, shapes, known, work) for t in values)))
                if losses[-1] is None or len(losses) > MAX_BRANCHES:
                    return None
        except TooLarge:
            return None
        return min((loss for loss in losses if loss is not None), default=1)

    def keeps(self, definition: Definition, body: Term, bound: Bound, work: Work) -> bool:
        """Whether ``body`` (equivalent to the definition's own) is no larger than ``bound`` says, given all the bounds
        that are known here: of functions that end this shows theirs, by induction along their calls."""
        loss = self.loss([definition.params[i] for i in bound.positions], (body,), (), work)
        return loss is not None and loss >= bound.spare

    def _size(self, term: Term, shapes: Shapes, known: dict[Term, Size], work: Work) -> Size:
        """The size of ``term``: exact but for bounded functions, where it is an upper bound. ``known``: under these
        shapes."""
        done = known.get(term)
        if done is None:
            done = known[term] = self._measured(term, shapes, known, work)
            work.spend(1 + len(done.unknown))
        return done

    def _measured(self, term: Term, shapes: Shapes, known: dict[Term, Size], work: Work) -> Size:
        if self.signature.datatype(term.sort) is None:
            return Size(0, {})
        if term.kind is Kind.APP and self.signature.constructor(term.name):
            return self._built(term.name, [self._size(a, shapes, known, work) for a in term.args])
        name = shapes.constructor(term)
        entry = self.signature.constructor(name) if name is not None else None
        if entry is not None:
            fields = [app(s, (term,), sort) for s, sort in entry[1].fields]
            return self._built(entry[1].name, [self._size(f, shapes, known, work) for f in fields])
        bound = self.bounds.get(term.name) if term.kind is Kind.APP else None
        if bound is not None:
            return sum_of((self._size(term.args[i], shapes, known, work) for i in bound.positions), -bound.spare)
        return Size(0, {term: 1})

    def _built(self, constructor: str, fields: Sequence[Size]) -> Size:
        weights = [self.weights.get((constructor, i), 1) for i in range(len(fields))]
        return sum_of((f.times(w) for f, w in zip(fields, weights, strict=True)), 1)

    def _branches(
        self, terms: tuple[Term, ...], path: tuple[Term, ...], fuel: int, work: Work
    ) -> Iterable[tuple[tuple[Term, ...], tuple[Term, ...]]]:
        """The values that ``terms`` can have on ``path``, without ``ite`` where sizes are concerned.

        A function is unfolded where its case is decided; a path that contradicts itself is left out.
        """
        work.spend(1 + len(path))
        if self.shapes(path).contradictory:
            return
        parts = self._parts(terms, work)
        choice = next((c for c in parts if is_app(c, "ite")), None)
        if choice is not None:
            condition, then, otherwise = choice.args
            for value, where in ((then, extend(path, condition)), (otherwise, extend(path, not_(condition)))):
                yield from self._branches(_replaced(terms, choice, value), where, fuel, work)
            return
        if fuel:
            for call in [c for c in parts if c.kind is Kind.APP and c.name in self.total]:
                definition = self.signature.definition(call.name)
                assert definition is not None
                work.spend(self._nodes_of(definition))
                at = dict(zip(definition.params, call.args, strict=True))
                unfolded = simplify(substitute(definition.body, at), self.signature)
                decided = list(islice(self._branches((unfolded,), path, 0, work), 2))
                if len(decided) == 1:
                    ((value,), where), *_ = decided
                    yield from self._branches(_replaced(terms, call, value), where, fuel - 1, work)
                    return
        yield terms, path

    def _parts(self, terms: tuple[Term, ...], work: Work) -> list[Term]:
        """The subterms whose size adds to that of ``terms``, each once: below constructors and bounded arguments."""
        found: dict[Term, None] = {}
        stack = list(reversed(terms))
        while stack:
            term = stack.pop()
            if term in found:
                continue
            found[term] = None
            work.spend()
            inner: Sequence[Term] = ()
            if term.kind is Kind.APP and self.signature.constructor(term.name):
                inner = term.args
            elif term.kind is Kind.APP and term.name in self.bounds:
                inner = [term.args[i] for i in self.bounds[term.name].positions]
            stack.extend(part for part in reversed(inner) if self.signature.datatype(part.sort) is not None)
        return list(found)

    def _nodes_of(self, definition: Definition) -> int:
        found = self._nodes.get(definition.name)
        if found is None:
            found = self._nodes[definition.name] = sum(1 for _ in subterms(definition.body))
        return found


def counting_twice(signature: Signature, fields: Iterable[tuple[str, int]]) -> Sizes:
    """Sizes in which these fields, each a constructor and a position, count twice.

    Raises:
        BadProof: there is no such field.
    """
    weights: dict[tuple[str, int], int] = {}
    for name, position in fields:
        entry = signature.constructor(name)
        if entry is None or not 0 <= position < len(entry[1].fields):
            raise BadProof(f"{name} has no field at position {position}")
        weights[name, position] = 2
    return Sizes(signature, weights=weights)


def _replaced(terms: tuple[Term, ...], old: Term, new: Term) -> tuple[Term, ...]:
    """The terms with ``new`` for ``old``, but where a quantifier captures its variables."""
    done = {old: new}

    def go(term: Term) -> Term:
        found = done.get(term)
        if found is None:
            if not term.args or term.size < old.size or (term.binders and not old.free.isdisjoint(term.binders)):
                return term
            found = done[term] = rebuild(term, tuple([go(a) for a in term.args]))
        return found

    return tuple([go(term) for term in terms])
