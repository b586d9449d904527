"""The symbol table of a script: what each written name stands for; polymorphic things on demand.

A written name and the name used from there on can differ: further instances of a polymorphic symbol get a name of
their own here. Behind the parser everything prints and compares as is; what solvers are told is not the user's name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property

from goedels_poetry.kernel.problem import Constructor, Signature
from goedels_poetry.kernel.reading.names import legible, sort_word
from goedels_poetry.kernel.reading.reader import Atom, Group, Lexeme, SExpr, Source, symbols_in
from goedels_poetry.kernel.terms import (
    BOOL,
    INT,
    REAL,
    REGLAN,
    STRING,
    Sort,
    array,
    bitvec,
)
from goedels_poetry.kernel.theory import MAX_BITS, THEORY_SYMBOLS, is_theory_symbol

MAX_INSTANCES = 1_000
MAX_SORT = 1_000
"""Parts of a sort when all that define-sort abbreviates is written out; also of one inside a parametric datatype."""
MAX_EXPANSIONS = 100_000
"""Of define-sort with parameters, in one text."""
MAX_TRIES = 100
"""Suffixes of a name that are tried anew each time."""
BASIC_SORTS = {s.name: s for s in (BOOL, INT, REAL, STRING, REGLAN)}


@dataclass(frozen=True)
class Function:
    """A monomorphic symbol under the name that terms carry."""

    name: str
    params: tuple[Sort, ...]
    result: Sort


@dataclass(frozen=True)
class Generic:
    """A polymorphic symbol: sorts as written, and how to get the instance for given sorts."""

    type_params: tuple[str, ...]
    params: tuple[SExpr, ...]
    result: SExpr
    instance: Callable[[tuple[Sort, ...]], Function]


@dataclass(frozen=True)
class Template:
    """A parametric datatype as written: constructors with (selector, sort) pairs."""

    name: str
    type_params: tuple[str, ...]
    constructors: tuple[tuple[str, tuple[tuple[str, SExpr], ...]], ...]
    at: SExpr


@dataclass(frozen=True)
class SortMacro:
    """``define-sort``."""

    params: tuple[str, ...]
    body: SExpr


class NeedsSort(Exception):
    """A polymorphic constant whose instance the context does not tell (yet)."""

    def __init__(self, name: str, at: SExpr) -> None:
        super().__init__(name)
        self.name = name
        self.at = at


@dataclass
class Symbols:
    """Everything declared so far; ``commands`` are those of the text, as far as it has any."""

    source: Source
    commands: list[SExpr] = field(default_factory=list)
    reserved: set[str] = field(default_factory=set)  # what a bound variable may not be called
    sorts: dict[str, Sort | SortMacro | Template] = field(default_factory=dict)
    functions: dict[str, Function | Generic] = field(default_factory=dict)
    constructors: dict[Sort, dict[str, Constructor]] = field(default_factory=dict)
    declared_sorts: list[Sort] = field(default_factory=list)
    instances: dict[tuple[str, tuple[Sort, ...]], Sort] = field(default_factory=dict)
    origin: dict[Sort, tuple[str, tuple[Sort, ...]]] = field(default_factory=dict)
    selector_instances: dict[tuple[Sort, str], Function] = field(default_factory=dict)
    places: dict[Sort, SExpr] = field(default_factory=dict)  # where datatypes are declared
    claimed: list[tuple[bool, str]] = field(default_factory=list)  # names in order of declaration; True: a sort
    sizes: dict[Sort, int] = field(default_factory=dict)  # of sorts with arguments, written out
    expanded: int = 0  # macros of sorts
    remarks: dict[str, str] = field(default_factory=dict)  # why a name of the text means nothing in terms
    given_up: set[tuple[bool, str]] = field(default_factory=set)  # they keep their meaning until declared again
    _numbers: dict[tuple[str, int], int] = field(default_factory=dict)
    _waiting: list[tuple[Template, tuple[Sort, ...], Sort]] = field(default_factory=list)

    @cached_property
    def written(self) -> set[str]:
        """All symbols of the text: generated names avoid them, and are entered here."""
        return symbols_in(self.commands)

    @classmethod
    def of(cls, signature: Signature, source: Source) -> Symbols:
        """The table for terms over a finished signature."""
        known = _finished(signature)
        return cls(
            source,
            reserved=set(known.reserved),
            sorts=dict(known.sorts),
            functions=dict(known.functions),
            constructors=dict(known.constructors),
        )

    # ------------------------------------------------------------------------------------------ names

    def claim(self, name: str, at: SExpr, what: str) -> str:
        """Check that ``name`` is free for a new function, constructor or selector; give the name to use."""
        if name in self.functions and (False, name) not in self.given_up:
            self.source.fail(f"`{name}` is declared twice", at, f"declare it once, or rename this {what}")
        return self._claim(name, at, False)

    def claim_sort(self, name: str, at: SExpr) -> str:
        """The same for a sort."""
        if name in self.sorts and (True, name) not in self.given_up:
            self.source.fail(f"sort `{name}` is declared twice", at, "declare it once, or rename it")
        return self._claim(name, at, True)

    def _claim(self, name: str, at: SExpr, is_sort: bool) -> str:
        self._refuse_theory(name, at)
        self.claimed.append((is_sort, name))
        if (is_sort, name) in self.given_up:
            self.given_up.remove((is_sort, name))
            return self.new_name(legible(name))
        return self.safe_name(name)

    def give_up(self, first: int) -> None:
        """Names claimed from position ``first`` of `claimed` on may be declared anew."""
        self.given_up.update(self.claimed[first:])
        del self.claimed[first:]

    def take_back(self, name: str, is_sort: bool) -> bool:
        """Declare a name again as what it was, when it was given up."""
        if (is_sort, name) not in self.given_up:
            return False
        self.given_up.remove((is_sort, name))
        self.claimed.append((is_sort, name))
        return True

    def _refuse_theory(self, name: str, at: SExpr) -> None:
        if is_theory_symbol(name):
            self.source.fail(f"`{name}` is a symbol of SMT-LIB and cannot be declared anew", at, "rename it")

    def safe_name(self, name: str) -> str:
        """``name``, or a new one where nobody could read it."""
        shown = legible(name)
        return name if shown == name else self.new_name(shown)

    def new_name(self, base: str) -> str:
        """A name that nothing in the script has, and no theory: instances of ``to`` at ``int`` are not ``to_int``."""
        name = self._fresh(base, (self.reserved, self.written, THEORY_SYMBOLS), frozenset())
        self.reserved.add(name)
        return name

    def variable_name(self, base: str, avoid: Set[str]) -> str:
        """A name for a bound variable: nothing that is declared has it, and it is not in ``avoid``."""
        name = self._fresh(base, (self.reserved,), avoid)
        self.written.add(name)
        return name

    def _fresh(self, base: str, growing: tuple[Set[str], ...], avoid: Set[str]) -> str:
        """``base`` with a small numeral suffix that is in none of the sets.

        Numbers that are in the sets that only grow are not tried again, so that many names cost no more than they are.
        """
        if base not in avoid and not any(base in names for names in growing):
            return base
        stem = base.rstrip("0123456789") or base
        key = stem, len(growing)
        number = self._numbers.get(key, 1)
        while any(f"{stem}{number}" in names for names in growing):
            number += 1
        self._numbers[key] = number
        taken = (*growing, avoid)
        while any(f"{stem}{number}" in names for names in taken):
            number += 1
        if number - self._numbers[key] > MAX_TRIES:
            self._numbers[key] = number
        return f"{stem}{number}"

    # ------------------------------------------------------------------------------------------ sorts

    def sort(self, expr: SExpr, bound: Mapping[str, Sort] | None = None) -> Sort:
        """The sort that ``expr`` denotes, with type variables ``bound``.

        Raises:
            InvalidText: unknown sort, wrong number of arguments.
        """
        return self._sort(expr, bound or {}, 0)

    def _sort(self, expr: SExpr, bound: Mapping[str, Sort], depth: int) -> Sort:
        fail = self.source.fail
        args: tuple[Sort, ...] = ()
        if depth > 50:
            fail("this sort is nested more than 50 deep", expr)
        if isinstance(expr, Atom):
            name = expr.text
            if expr.kind is not Lexeme.SYMBOL:
                fail("a sort was expected here", expr)
            if name in bound:
                return bound[name]
            if name in BASIC_SORTS:
                return BASIC_SORTS[name]
        else:
            items = expr.items
            if not items or not isinstance(items[0], Atom) or items[0].kind is not Lexeme.SYMBOL:
                fail("a sort was expected here", expr, "for example Int or (Array Int Bool)")
            name = items[0].text
            if name == "_":
                return self._bit_vector(expr)
            args = tuple(self._sort(e, bound, depth + 1) for e in items[1:])
            if name == "Array":
                if len(args) != 2:
                    fail(f"sort `Array` takes 2 arguments, got {len(args)}", expr)
                sort = array(args[0], args[1])
                self.sizes[sort] = self._size(args, expr)
                return sort
            if name in BASIC_SORTS or name in bound:
                fail(f"sort `{name}` takes no arguments", expr)
        entry = self.sorts.get(name)
        if isinstance(entry, Sort):
            if args:
                fail(f"sort `{name}` takes no arguments", expr)
            return entry
        if entry is None:
            self.refuse_unsupported("sort", name, expr)
            from goedels_poetry.kernel.reading import hints  # for a refusal alone: not trusted

            fail(f"unknown sort `{name}`", expr, hints.of_sort(name, (*self.sorts, *BASIC_SORTS), self.reserved))
        wanted = len(entry.params if isinstance(entry, SortMacro) else entry.type_params)
        if len(args) != wanted:
            fail(f"sort `{name}` takes {wanted} argument{'s' if wanted != 1 else ''}, got {len(args)}", expr)
        if isinstance(entry, SortMacro):
            self.expanded += 1
            if self.expanded > MAX_EXPANSIONS:
                fail("the sorts take too much work", expr, "define them without parameters")
            return self._sort(entry.body, dict(zip(entry.params, args, strict=True)), depth + 1)
        return self.instantiate(entry, args)

    def _size(self, args: tuple[Sort, ...], at: SExpr) -> int:
        """The parts of a sort with these arguments; fails when they are too many."""
        size = 1 + sum(self.sizes.get(arg, 1) for arg in args)
        if size > MAX_SORT:
            self.source.fail(f"this sort has more than {MAX_SORT:,} parts", at, "declare a sort of its own for a part")
        return size

    def _bit_vector(self, expr: Group) -> Sort:
        items = expr.items
        if len(items) == 3 and isinstance(items[1], Atom) and isinstance(items[2], Atom):
            name, width = items[1], items[2]
            if name.text == "BitVec" and width.kind is Lexeme.NUMERAL:
                if len(width.text) <= 6 and 1 <= int(width.text) <= MAX_BITS:
                    return bitvec(int(width.text))
                self.source.fail(f"a bit-vector has 1 to {MAX_BITS:,} bits", width)
        if len(items) > 1 and isinstance(items[1], Atom):
            self.refuse_unsupported("sort", items[1].text, expr)
        return self.source.fail("unknown indexed sort", expr, "the only one is (_ BitVec n)")

    def refuse_unsupported(self, kind: str, name: str, at: SExpr) -> None:
        """Fail when a name that nothing declares belongs to a theory that is not supported."""
        from goedels_poetry.kernel.reading import hints  # for a refusal alone: not trusted

        theory = hints.unsupported(name) if name not in self.reserved else ""
        if theory:
            self.source.fail(f"{kind} `{name}` is not supported: there are no {theory} here", at, hints.SUPPORTED)

    def unify(self, pattern: SExpr, sort: Sort, params: Iterable[str], bindings: dict[str, Sort]) -> bool:
        """Match a written sort with type parameters against a sort; extends ``bindings``."""
        if isinstance(pattern, Atom):
            if pattern.text in params:
                return bindings.setdefault(pattern.text, sort) is sort
            return self.sort(pattern) is sort
        head = pattern.items[0] if pattern.items else None
        if isinstance(head, Atom) and head.text == "Array" and sort.name == "Array":
            args = sort.args
        elif isinstance(head, Atom) and sort in self.origin and self.origin[sort][0] == head.text:
            args = self.origin[sort][1]
        else:
            return not _mentions(pattern, params) and self.sort(pattern) is sort
        rest = pattern.items[1:]
        if len(rest) != len(args):
            return False
        return all(self.unify(p, a, params, bindings) for p, a in zip(rest, args, strict=True))

    # --------------------------------------------------------------------------------------- datatypes

    def add_template(self, template: Template) -> None:
        """Declare the constructors and selectors of a parametric datatype (its sort is known already)."""
        params = template.type_params
        itself = Group(template.at.offset)
        itself.items = [Atom(Lexeme.SYMBOL, n, template.at.offset) for n in (template.name, *params)]
        for constructor, fields in template.constructors:
            self.functions[constructor] = Generic(
                params, tuple(s for _, s in fields), itself, self._constructor_instance(template, constructor)
            )
            for selector, sort in fields:
                self.functions[selector] = Generic(params, (itself,), sort, self._selector_instance(template, selector))

    def _constructor_instance(self, template: Template, name: str) -> Callable[[tuple[Sort, ...]], Function]:
        def instance(args: tuple[Sort, ...]) -> Function:
            sort = self.instantiate(template, args)
            found = self.constructors[sort][name]
            return Function(found.name, tuple(s for _, s in found.fields), sort)

        return instance

    def _selector_instance(self, template: Template, name: str) -> Callable[[tuple[Sort, ...]], Function]:
        return lambda args: self.selector_instances[self.instantiate(template, args), name]

    def instantiate(self, template: Template, args: tuple[Sort, ...]) -> Sort:
        """The monomorphic copy of a parametric datatype; made, with all that it mentions, at the first use."""
        key = (template.name, args)
        found = self.instances.get(key)
        if found is not None:
            return found
        if len(self.instances) >= MAX_INSTANCES:
            self.source.fail(
                f"more than {MAX_INSTANCES} instances of polymorphic sorts",
                template.at,
                "polymorphic recursion?",
            )
        size = self._size(args, template.at)
        sort = Sort(self.new_name("_".join((template.name, *map(sort_word, args)))))
        self.instances[key] = sort
        self.sizes[sort] = size
        self.places[sort] = template.at
        self.origin[sort] = key
        self._waiting.append((template, args, sort))
        if len(self._waiting) == 1:  # the outermost call works through all; fields only add to the list
            while self._waiting:
                self._fill(*self._waiting[0])
                self._waiting.pop(0)
        return sort

    def _fill(self, template: Template, args: tuple[Sort, ...], sort: Sort) -> None:
        first = sum(1 for name, _ in self.instances if name == template.name) == 1
        bound = dict(zip(template.type_params, args, strict=True))
        suffix = "_".join(map(sort_word, args))
        constructors = {}
        for name, fields in template.constructors:
            names = [name, *[s for s, _ in fields]]
            actual = [self.safe_name(n) if first else self.new_name(f"{n}_{suffix}") for n in names]
            typed = tuple((a, self.sort(s, bound)) for a, (_, s) in zip(actual[1:], fields, strict=True))
            constructors[name] = Constructor(actual[0], typed)
            for (written, _), (selector, field_sort) in zip(fields, typed, strict=True):
                self.selector_instances[sort, written] = Function(selector, (sort,), field_sort)
        self.constructors[sort] = constructors

    def add_constructors(self, sort: Sort, constructors: dict[str, Constructor]) -> None:
        """Enter the constructors (by written name) of a monomorphic datatype; selectors under their own names."""
        self.constructors[sort] = constructors
        for written, constructor in constructors.items():
            self.functions[written] = Function(constructor.name, tuple(s for _, s in constructor.fields), sort)
            for selector, field_sort in constructor.fields:
                self.functions.setdefault(selector, Function(selector, (sort,), field_sort))

    def datatypes(self) -> dict[Sort, tuple[Constructor, ...]]:
        """All monomorphic datatypes in order of declaration."""
        return {sort: tuple(constructors.values()) for sort, constructors in self.constructors.items()}


_latest: list[tuple[Signature, Symbols]] = []  # one at most


def _finished(signature: Signature) -> Symbols:
    """What `Symbols.of` copies. The latest is kept: a proof is read term by term, each over the same signature."""
    for known, table in _latest:
        if known is signature:
            return table
    table = Symbols(Source(""))
    table.sorts.update({s.name: s for s in signature.sorts})
    for datatype in signature.datatypes:
        table.sorts[datatype.sort.name] = datatype.sort
        table.add_constructors(datatype.sort, {c.name: c for c in datatype.constructors})
    for name, (params, result) in signature.functions.items():
        table.functions[name] = Function(name, params, result)
    for d in signature.definitions:
        table.functions[d.name] = Function(d.name, tuple(v.sort for v in d.params), d.sort)
    table.reserved.update(table.functions)
    _latest[:] = [(signature, table)]
    return table


def _mentions(expr: SExpr, names: Iterable[str]) -> bool:
    if isinstance(expr, Atom):
        return expr.text in names
    return any(_mentions(e, names) for e in expr.items)
