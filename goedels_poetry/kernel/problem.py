"""What a theorem is made of, its text once read: signature, definitions, premises, goal; what they rest on."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

from goedels_poetry.kernel.terms import Kind, Sort, Term, substitute, subterms, symbols


@dataclass(frozen=True)
class Constructor:
    """A datatype constructor with its selectors, in order."""

    name: str
    fields: tuple[tuple[str, Sort], ...]


@dataclass(frozen=True)
class Datatype:
    """An inductive datatype (monomorphic). ``group`` numbers the ``declare-datatypes`` block it came from."""

    sort: Sort
    constructors: tuple[Constructor, ...]
    group: int


@dataclass(frozen=True)
class Definition:
    """``define-fun``, ``define-fun-rec`` or a member of ``define-funs-rec`` (they share ``group``).

    ``recursive`` is true when the symbol occurs, through its group, in its own body.
    """

    name: str
    params: tuple[Term, ...]
    sort: Sort
    body: Term
    group: int
    recursive: bool

    def at(self, args: Iterable[Term]) -> Term:
        """The body at these arguments."""
        return substitute(self.body, dict(zip(self.params, args, strict=True)))


@dataclass(frozen=True)
class Premise:
    """An asserted formula (closed) that is not the goal; ``name`` from ``:named`` or ``premise-1`` and so on."""

    name: str
    formula: Term
    line: int


@dataclass(frozen=True)
class Signature:
    """All that may be spoken of. ``functions`` are the declared ones: name to (argument sorts, result sort)."""

    sorts: tuple[Sort, ...] = ()
    datatypes: tuple[Datatype, ...] = ()
    functions: Mapping[str, tuple[tuple[Sort, ...], Sort]] = field(default_factory=lambda: MappingProxyType({}))
    definitions: tuple[Definition, ...] = ()

    def datatype(self, sort: Sort) -> Datatype | None:
        """The datatype of ``sort``, or None when it is not one."""
        return self._by_sort.get(sort)

    def constructor(self, name: str) -> tuple[Datatype, Constructor] | None:
        """The constructor called ``name`` with its datatype."""
        return self._constructors.get(name)

    def selector(self, name: str) -> tuple[Datatype, Constructor, int] | None:
        """The constructor and position that selector ``name`` reads."""
        return self._selectors.get(name)

    def definition(self, name: str) -> Definition | None:
        """The definition of ``name``."""
        return self._definitions.get(name)

    def unfolded(self, call: Term) -> Term:
        """The body of the function of ``call``, which has a definition, at its arguments."""
        return self._definitions[call.name].at(call.args)

    def type_of(self, name: str) -> tuple[tuple[Sort, ...], Sort] | None:
        """Argument sorts and result sort of a declared or defined function."""
        definition = self._definitions.get(name)
        if definition is not None:
            return tuple(p.sort for p in definition.params), definition.sort
        return self.functions.get(name)

    @property
    def names(self) -> frozenset[str]:
        """Every symbol: functions, constructors, selectors."""
        return frozenset((*self.functions, *self._definitions, *self._constructors, *self._selectors))

    @cached_property
    def literals(self) -> Mapping[Sort, tuple[Any, ...]]:
        """The literals of the definitions by sort, in order: tests are to have such values."""
        found: dict[Sort, set[Any]] = {}
        for definition in self.definitions:
            for term in subterms(definition.body):
                if term.kind is Kind.LIT:
                    found.setdefault(term.sort, set()).add(term.value)
        return {sort: tuple(sorted(values)) for sort, values in found.items()}

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "_by_sort", {d.sort: d for d in self.datatypes})
        put(self, "_constructors", {c.name: (d, c) for d in self.datatypes for c in d.constructors})
        put(
            self,
            "_selectors",
            {s: (d, c, i) for d in self.datatypes for c in d.constructors for i, (s, _) in enumerate(c.fields)},
        )
        put(self, "_definitions", {d.name: d for d in self.definitions})

    _by_sort: Mapping[Sort, Datatype] = field(init=False, repr=False, compare=False)
    _constructors: Mapping[str, tuple[Datatype, Constructor]] = field(init=False, repr=False, compare=False)
    _selectors: Mapping[str, tuple[Datatype, Constructor, int]] = field(init=False, repr=False, compare=False)
    _definitions: Mapping[str, Definition] = field(init=False, repr=False, compare=False)


Measures: TypeAlias = Mapping[str, tuple[Term, ...]]
"""For a function, integer terms over its parameters that are meant to fall at its calls, see `guards`."""


@dataclass(frozen=True)
class Problem:
    """A theorem as read from its text. ``goal`` is closed; ``source_sha256`` is of the text's bytes.

    ``goal_marker`` says how the goal was marked: ``prove``, ``assert-not`` or ``assert (not ...)``. ``measures`` are
    no part of the text: proofs choose them for functions that are not seen to terminate. ``defined`` are declared
    functions with the names of the premises that became their definitions, see `reading.defining`. ``goals`` are all
    that the text marks with ``prove``, by name; ``goal`` is the last of them, and nothing follows from those before it.
    """

    signature: Signature
    premises: tuple[Premise, ...]
    goal: Term
    goal_line: int
    goal_marker: str
    source_sha256: str
    warnings: tuple[str, ...] = ()
    measures: Measures = field(default_factory=lambda: MappingProxyType({}))
    defined: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    goals: tuple[Premise, ...] = ()


# What a formula rests on


def reached(signature: Signature, terms: Iterable[Term]) -> set[str]:
    """Names of functions, constructors and selectors that an evaluation of ``terms`` could meet."""
    found: set[str] = set()
    pending = list(terms)
    while pending:
        for name in (symbols(pending.pop()) & signature.names) - found:
            found.add(name)
            definition = signature.definition(name)
            pending += [] if definition is None else [definition.body]
    return found


def recursion_is_open(signature: Signature) -> bool:
    """Whether a recursive definition leads to a declared function."""
    declared = {n for n, (params, _) in signature.functions.items() if params and signature.definition(n) is None}
    return not declared.isdisjoint(reached(signature, [d.body for d in signature.definitions if d.recursive]))


Node = TypeVar("Node", bound=Hashable)


def components(nodes: Iterable[Node], successors: Callable[[Node], Iterable[Node]]) -> list[list[Node]]:
    """Tarjan's components, dependencies first; members in the order of ``nodes``. Iterative."""
    order = {node: i for i, node in enumerate(nodes)}
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    on_stack: set[Node] = set()
    stack: list[Node] = []
    result: list[list[Node]] = []
    for root in order:
        if root in index:
            continue
        work: list[tuple[Node, Iterator[Node]]] = []

        def enter(node: Node, work: list[tuple[Node, Iterator[Node]]] = work) -> None:
            index[node] = low[node] = len(index)
            stack.append(node)
            on_stack.add(node)
            work.append((node, iter(dict.fromkeys(successors(node)))))

        enter(root)
        while work:
            node, following = work[-1]
            for after in following:
                if after not in index:
                    enter(after)
                    break
                if after in on_stack:
                    low[node] = min(low[node], index[after])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    component = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        component.append(member)
                        if member == node:
                            break
                    result.append(sorted(component, key=order.__getitem__))
    return result
