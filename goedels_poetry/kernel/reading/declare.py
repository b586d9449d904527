"""Declarations and definitions; polymorphic ones are made monomorphic at the sorts they are used with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from goedels_poetry.kernel.printer import show_sort
from goedels_poetry.kernel.problem import Constructor, Datatype, Definition, Signature, components
from goedels_poetry.kernel.reading.elaborate import Elaborator, Scope
from goedels_poetry.kernel.reading.names import sort_word
from goedels_poetry.kernel.reading.reader import Atom, Group, Lexeme, SExpr
from goedels_poetry.kernel.reading.symbols import (
    MAX_INSTANCES,
    Function,
    Generic,
    SortMacro,
    Symbols,
    Template,
)
from goedels_poetry.kernel.terms import Kind, Sort, Term, subterms

# What declared datatypes are like together


def order_datatypes(datatypes: Mapping[Sort, tuple[Constructor, ...]]) -> tuple[Datatype, ...]:
    """Datatypes in dependency order, numbered by group of mutual recursion."""

    def mentioned(sort: Sort) -> Iterable[Sort]:
        return (part for c in datatypes[sort] for _, s in c.fields for part in sort_parts(s) if part in datatypes)

    return tuple(
        Datatype(sort, datatypes[sort], number)
        for number, group in enumerate(components(datatypes, mentioned))
        for sort in group
    )


def sort_parts(sort: Sort) -> Iterable[Sort]:
    """``sort`` and the sorts that it is made of."""
    yield sort
    for arg in sort.args:
        yield from sort_parts(arg)


Body: TypeAlias = tuple[tuple[Term, ...], Sort, Term]
"""Parameters, sort and value of a definition."""


def order_definitions(bodies: Mapping[str, Body]) -> tuple[Definition, ...]:
    """Definitions in dependency order, numbered by group of mutual recursion."""
    order = {name: i for i, name in enumerate(bodies)}
    calls = {
        name: sorted({t.name for t in subterms(body) if t.kind is Kind.APP and t.name in order}, key=order.__getitem__)
        for name, (_, _, body) in bodies.items()
    }
    return tuple(
        Definition(name, *bodies[name], number, len(group) > 1 or name in calls[name])
        for number, group in enumerate(components(calls, calls.__getitem__))
        for name in group
    )


def uninhabited(datatypes: Iterable[Datatype]) -> Datatype | None:
    """A datatype without a single finite value, or None. Arrays have values when their indices and elements do."""
    empty = {d.sort: d for d in datatypes}

    def has_value(sort: Sort) -> bool:
        return empty.keys().isdisjoint(sort_parts(sort))

    changed = True
    while changed:
        changed = False
        for datatype in list(empty.values()):
            if any(all(has_value(s) for _, s in c.fields) for c in datatype.constructors):
                del empty[datatype.sort]
                changed = True
    return next(iter(empty.values()), None)


def indexed_by_itself(datatypes: Sequence[Datatype]) -> Datatype | None:
    """A datatype that holds arrays over itself, or None: there are more such arrays than it could have values."""
    groups = {d.sort: d.group for d in datatypes}

    def is_indexed(datatype: Datatype) -> bool:
        parts = [part for c in datatype.constructors for _, s in c.fields for part in sort_parts(s)]
        indices = [inner for part in parts if part.name == "Array" for inner in sort_parts(part.args[0])]
        return any(groups.get(sort) == datatype.group for sort in indices)

    return next((d for d in datatypes if is_indexed(d)), None)


@dataclass(frozen=True)
class _Head:
    """``f ((x S) ...) R`` of a definition, polymorphic when it has type parameters."""

    name: str
    params: Group
    result: SExpr
    type_params: tuple[str, ...]
    at: SExpr


class Declarations:
    """Collects what a script declares and defines."""

    def __init__(self, symbols: Symbols, elaborator: Elaborator) -> None:
        self.symbols = symbols
        self.source = symbols.source
        self.elaborator = elaborator
        self.functions: dict[str, tuple[tuple[Sort, ...], Sort]] = {}
        self.definitions: dict[str, Body] = {}
        self._instances: list[tuple[_Head, SExpr, tuple[Sort, ...], Function]] = []
        self._instantiated = 0

    def command(self, expr: Group) -> None:
        """Carry out one ``declare-...`` or ``define-...`` command.

        Raises:
            InvalidText: malformed, ill-sorted, or a name that is taken.
        """
        head = expr.items[0]
        assert isinstance(head, Atom)
        match head.text:
            case "declare-sort":
                self._declare_sort(expr)
            case "define-sort":
                self._define_sort(expr)
            case "declare-datatype":
                self._arity(expr, 2, "(declare-datatype Name (constructors))")
                name = self._name(expr.items[1], "a sort name")
                self._datatypes([(name, expr.items[1], None)], [expr.items[2]])
            case "declare-datatypes":
                self._declare_datatypes(expr)
            case "declare-const":
                self._arity(expr, 2, "(declare-const name Sort)")
                self._declare(expr, [], expr.items[2])
            case "declare-fun":
                self._declare_fun(expr)
            case "define-const":
                self._arity(expr, 3, "(define-const name Sort term)")
                head_of = self._head([expr.items[1], Group(expr.offset), expr.items[2]], expr)
                self._define([head_of], [expr.items[3]], False)
            case "define-fun" | "define-fun-rec":
                self._define_one(expr, head.text == "define-fun-rec")
            case _:
                self._define_many(expr)

    def signature(self) -> Signature:
        """All that was declared, definitions and datatypes in dependency order.

        Raises:
            InvalidText: a datatype without values.
        """
        datatypes = order_datatypes(self.symbols.datatypes())
        empty = uninhabited(datatypes)
        if empty is not None:
            hint = "add a constructor that is not recursive"
            at = self.symbols.places[empty.sort]
            self.source.fail(f"datatype `{show_sort(empty.sort)}` has no finite values", at, hint)
        circular = indexed_by_itself(datatypes)
        if circular is not None:
            at = self.symbols.places[circular.sort]
            name = show_sort(circular.sort)
            self.source.fail(f"datatype `{name}` holds arrays that are indexed by itself", at, "index them by numbers")
        return Signature(
            tuple(self.symbols.declared_sorts),
            datatypes,
            MappingProxyType(self.functions),
            order_definitions(self.definitions),
        )

    # ---------------------------------------------------------------------------------------- helpers

    def _arity(self, expr: Group, count: int, form: str) -> None:
        if len(expr.items) != count + 1:
            self.source.fail("malformed command", expr, f"write {form}")

    def _name(self, expr: SExpr, what: str) -> str:
        name = self.elaborator.symbol(expr, what)
        if not name:
            self.source.fail("an empty name", expr)
        return name

    def _group(self, expr: SExpr, what: str) -> Group:
        if not isinstance(expr, Group):
            self.source.fail(f"{what} was expected here", expr)
        return expr

    # ------------------------------------------------------------------------------------------ sorts

    def _declare_sort(self, expr: Group) -> None:
        if len(expr.items) not in (2, 3):
            self.source.fail("malformed command", expr, "write (declare-sort Name 0)")
        name = self._name(expr.items[1], "a sort name")
        arity = expr.items[2] if len(expr.items) == 3 else None
        if arity is not None and (not isinstance(arity, Atom) or arity.text != "0"):
            self.source.fail("declared sorts cannot have parameters", arity, "declare one sort for each use")
        self.new_sort(name, expr.items[1])

    def new_sort(self, name: str, at: SExpr) -> Sort:
        """An uninterpreted sort."""
        known = self.symbols.sorts.get(name)
        if isinstance(known, Sort) and known in self.symbols.declared_sorts and self.symbols.take_back(name, True):
            return known
        sort = Sort(self.symbols.claim_sort(name, at))
        self.symbols.sorts[name] = sort
        self.symbols.declared_sorts.append(sort)
        return sort

    def _define_sort(self, expr: Group) -> None:
        self._arity(expr, 3, "(define-sort Name (params) Sort)")
        name = self._name(expr.items[1], "a sort name")
        params = self._type_params(expr.items[2])
        self.symbols.claim_sort(name, expr.items[1])
        if not params:
            self.symbols.sorts[name] = self.symbols.sort(expr.items[3])
            return
        self.symbols.sort(expr.items[3], {p: Sort("Int") for p in params})  # report mistakes where they stand
        self.symbols.sorts[name] = SortMacro(params, expr.items[3])

    def _type_params(self, expr: SExpr) -> tuple[str, ...]:
        names = tuple(self._name(e, "a sort parameter") for e in self._group(expr, "a list of sort parameters").items)
        if len(set(names)) != len(names):
            self.source.fail("a sort parameter is listed twice", expr)
        return names

    def _declare_datatypes(self, expr: Group) -> None:
        self._arity(expr, 2, "(declare-datatypes ((Name 0)) ((constructors)))")
        heads = self._group(expr.items[1], "a list of sorts").items
        bodies = self._group(expr.items[2], "a list of constructor lists").items
        if all(isinstance(h, Atom) for h in heads) and bodies:
            self._old_datatypes(expr, bodies)
            return
        named: list[tuple[str, SExpr, int | None]] = []
        for head in heads:
            items = self._group(head, "a sort with its arity, such as (List 1),").items
            if len(items) != 2 or not isinstance(items[1], Atom) or items[1].kind is not Lexeme.NUMERAL:
                self.source.fail("a sort with its arity, such as (List 1), was expected here", head)
            named.append((self._name(items[0], "a sort name"), items[0], int(items[1].text)))
        if len(named) != len(bodies) or not named:
            self.source.fail(f"{len(named)} sorts but {len(bodies)} lists of constructors", expr)
        self._datatypes(named, bodies)

    def _old_datatypes(self, expr: Group, bodies: list[SExpr]) -> None:
        """The form of SMT-LIB 2.5: ``(declare-datatypes (T) ((Name constructor ...) ...))``."""
        params = self._group(expr.items[1], "sort parameters")
        named: list[tuple[str, SExpr, int | None]] = []
        constructors: list[SExpr] = []
        for body in bodies:
            items = self._group(body, "a datatype").items
            if not items:
                self.source.fail("a datatype was expected here", body)
            named.append((self._name(items[0], "a sort name"), items[0], len(params.items)))
            inner = Group(body.offset)
            inner.items = items[1:]
            if params.items:
                par = Group(body.offset)
                par.items = [Atom(Lexeme.SYMBOL, "par", body.offset), params, inner]
                inner = par
            constructors.append(inner)
        self._datatypes(named, constructors)

    def _datatypes(self, named: list[tuple[str, SExpr, int | None]], bodies: list[SExpr]) -> None:
        templates: list[Template] = []
        plain: list[tuple[str, Sort, Template]] = []
        for (name, at, arity), body in zip(named, bodies, strict=True):
            params, constructors = self._par(body)
            if arity is not None and arity != len(params):
                self.source.fail(f"sort `{name}` has arity {arity} but {len(params)} parameters", body)
            template = Template(name, params, self._constructors(constructors), at)
            actual = self.symbols.claim_sort(name, at)
            if params:
                self.symbols.sorts[name] = template
                templates.append(template)
            else:
                sort = Sort(actual)
                self.symbols.sorts[name] = sort
                self.symbols.constructors[sort] = {}
                self.symbols.places[sort] = at
                plain.append((name, sort, template))
        for template in templates:
            self._claim_all(template)
            self.symbols.add_template(template)
        for _, sort, template in plain:
            names = self._claim_all(template)
            built: dict[str, Constructor] = {}
            for constructor, fields in template.constructors:
                typed = tuple((names[s], self.symbols.sort(e)) for s, e in fields)
                built[constructor] = Constructor(names[constructor], typed)
                self.symbols.functions[constructor] = Function(names[constructor], tuple(s for _, s in typed), sort)
                for (written, _), (selector, field_sort) in zip(fields, typed, strict=True):
                    self.symbols.functions[written] = Function(selector, (sort,), field_sort)
            self.symbols.constructors[sort] = built

    def _claim_all(self, template: Template) -> dict[str, str]:
        """Claim constructors and selectors; the names to use for them."""
        names: dict[str, str] = {}
        for constructor, fields in template.constructors:
            for name in (constructor, *[s for s, _ in fields]):
                if name in names:
                    self.source.fail(f"`{name}` is declared twice in `{template.name}`", template.at, "rename one")
                names[name] = self.symbols.claim(name, template.at, "constructor or selector")
        return names

    def _par(self, body: SExpr) -> tuple[tuple[str, ...], Group]:
        group = self._group(body, "a list of constructors")
        items = group.items
        if items and isinstance(items[0], Atom) and items[0].text == "par" and len(items) == 3:
            return self._type_params(items[1]), self._group(items[2], "a list of constructors")
        return (), group

    def _constructors(self, group: Group) -> tuple[tuple[str, tuple[tuple[str, SExpr], ...]], ...]:
        if not group.items:
            self.source.fail("a datatype needs a constructor", group)
        result: list[tuple[str, tuple[tuple[str, SExpr], ...]]] = []
        for item in group.items:
            if isinstance(item, Atom):
                result.append((self._name(item, "a constructor"), ()))
                continue
            if not item.items:
                self.source.fail("a constructor was expected here", item)
            fields: list[tuple[str, SExpr]] = []
            for part in item.items[1:]:
                pair = self._group(part, "a selector with its sort, such as (head Int),").items
                if len(pair) != 2:
                    self.source.fail("a selector with its sort, such as (head Int), was expected here", part)
                fields.append((self._name(pair[0], "a selector"), pair[1]))
            result.append((self._name(item.items[0], "a constructor"), tuple(fields)))
        return tuple(result)

    # -------------------------------------------------------------------------------------- functions

    def _declare_fun(self, expr: Group) -> None:
        if len(expr.items) == 3 and isinstance(expr.items[2], Group) and _is_par(expr.items[2]):
            self.source.fail("polymorphic declared functions are not supported", expr, "declare one for each sort")
        if len(expr.items) == 2 and isinstance(expr.items[1], Group):
            self.source.fail("polymorphic declared functions are not supported", expr, "declare one for each sort")
        self._arity(expr, 3, "(declare-fun f (Sort ...) Sort)")
        self._declare(expr, self._group(expr.items[2], "a list of sorts").items, expr.items[3])

    def _declare(self, expr: Group, params: list[SExpr], result: SExpr) -> None:
        written = self._name(expr.items[1], "a name")
        sorts = tuple(self.symbols.sort(p) for p in params)
        sort = self.symbols.sort(result)
        known = self.symbols.functions.get(written)
        declared = self.functions.get(known.name) if isinstance(known, Function) else None
        if declared == (sorts, sort) and self.symbols.take_back(written, False):
            return
        name = self.symbols.claim(written, expr.items[1], "function")
        self.symbols.functions[written] = Function(name, sorts, sort)
        self.functions[name] = (sorts, sort)

    def _define_one(self, expr: Group, recursive: bool) -> None:
        items = expr.items[1:]
        outer: tuple[str, ...] = ()
        if len(items) == 1 and isinstance(items[0], Group) and _is_par(items[0]):
            # (define-fun (par (a) (f ((x a)) a body)))
            outer = self._type_params(items[0].items[1])
            items = self._group(items[0].items[2], "a definition").items
        elif len(items) == 2 and isinstance(items[1], Group) and _is_par(items[1]):
            # (define-fun f (par (a) (((x a)) a body)))
            outer = self._type_params(items[1].items[1])
            items = [items[0], *self._group(items[1].items[2], "a definition").items]
        elif len(items) == 3 and isinstance(items[1], Group) and _is_par(items[1]):
            # (define-fun f (par (a) (((x a)) a)) body)
            outer = self._type_params(items[1].items[1])
            items = [items[0], *self._group(items[1].items[2], "a function head").items, items[2]]
        if len(items) != 4:
            self.source.fail("malformed definition", expr, "write (define-fun f ((x Sort) ...) Sort term)")
        self._define([self._head(items[:3], expr, outer)], [items[3]], recursive)

    def _define_many(self, expr: Group) -> None:
        self._arity(expr, 2, "(define-funs-rec ((f ((x Sort)) Sort) ...) (term ...))")
        heads = []
        for item in self._group(expr.items[1], "a list of function heads").items:
            items = self._group(item, "a function head").items
            outer: tuple[str, ...] = ()
            if _is_par(item):
                outer = self._type_params(items[1])
                items = self._group(items[2], "a function head").items
            elif len(items) == 2 and _is_par(items[1]):
                par = self._group(items[1], "a function head").items
                outer = self._type_params(par[1])
                items = [items[0], *self._group(par[2], "a function head").items]
            heads.append(self._head(items, item, outer))
        bodies = self._group(expr.items[2], "a list of terms").items
        if len(heads) != len(bodies) or not heads:
            self.source.fail(f"{len(heads)} functions but {len(bodies)} bodies", expr)
        self._define(heads, bodies, True)

    def _head(self, items: list[SExpr], at: SExpr, type_params: tuple[str, ...] = ()) -> _Head:
        if len(items) != 3:
            self.source.fail("malformed function head", at, "write f ((x Sort) ...) Sort")
        name = self._name(items[0], "a function name")
        params = self._group(items[1], "a list of variables such as ((x Int))")
        for param in params.items:
            if len(self._group(param, "a variable with its sort").items) != 2:
                self.source.fail("a variable with its sort, such as (x Int), was expected here", param)
        return _Head(name, params, items[2], type_params, at)

    def _define(self, heads: list[_Head], bodies: list[SExpr], recursive: bool) -> None:
        """Enter the heads (before the bodies are read, if these may use them) and elaborate the bodies."""
        ready: list[tuple[_Head, SExpr, Function]] = []
        for head, body in zip(heads, bodies, strict=True):
            actual = self.symbols.claim(head.name, head.at, "function")
            if head.type_params:
                self.symbols.functions[head.name] = self._generic(head, body, actual)
                continue
            params = tuple(self.symbols.sort(p.items[1]) for p in head.params.items if isinstance(p, Group))
            function = Function(actual, params, self.symbols.sort(head.result))
            if recursive:
                self.symbols.functions[head.name] = function
            ready.append((head, body, function))
        for head, body, function in ready:
            self._body(head, body, function, Scope())
            self.symbols.functions[head.name] = function

    def _body(self, head: _Head, body: SExpr, function: Function, scope: Scope) -> None:
        params, inner = self.elaborator.binders(head.params, scope, least=0)
        term = self.elaborator.closed(body, inner, function.result)
        self.definitions[function.name] = (params, function.result, term)

    def _generic(self, head: _Head, body: SExpr, actual: str) -> Generic:
        made: dict[tuple[Sort, ...], Function] = {}

        def instance(args: tuple[Sort, ...]) -> Function:
            found = made.get(args)
            if found is not None:
                return found
            self._instantiated += 1
            if self._instantiated > MAX_INSTANCES:
                self.source.fail(f"more than {MAX_INSTANCES} instances of polymorphic functions", head.at)
            types = dict(zip(head.type_params, args, strict=True))
            name = self.symbols.new_name("_".join((actual, *map(sort_word, args)))) if made else actual
            params = tuple(self.symbols.sort(p.items[1], types) for p in head.params.items if isinstance(p, Group))
            made[args] = Function(name, params, self.symbols.sort(head.result, types))
            self._instances.append((head, body, args, made[args]))
            return made[args]

        sorts = tuple(p.items[1] for p in head.params.items if isinstance(p, Group))
        return Generic(head.type_params, sorts, head.result, instance)

    def elaborate_instances(self) -> None:
        """Read the bodies of the instances of polymorphic functions that were asked for."""
        while self._instances:
            head, body, args, function = self._instances.pop(0)
            self._body(head, body, function, Scope(types=dict(zip(head.type_params, args, strict=True))))

    def open_type_variables(self, body: SExpr) -> tuple[Scope, SExpr]:
        """``(par (a ...) formula)`` of a goal: the type variables become arbitrary (declared) sorts."""
        if not isinstance(body, Group) or not _is_par(body):
            return Scope(), body
        types = {}
        for name in self._type_params(body.items[1]):
            sort = Sort(self.symbols.new_name(name))
            self.symbols.declared_sorts.append(sort)
            types[name] = sort
        return Scope(types=types), body.items[2]


def _is_par(expr: SExpr) -> bool:
    return (
        isinstance(expr, Group)
        and len(expr.items) == 3
        and isinstance(expr.items[0], Atom)
        and expr.items[0].text == "par"
        and not expr.items[0].quoted
    )
