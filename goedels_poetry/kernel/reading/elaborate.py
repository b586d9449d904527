"""Written terms to `Term`: scoping, typing, ``let`` and ``match`` expanded, bound variables renamed apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from goedels_poetry.kernel.printer import show_sort
from goedels_poetry.kernel.reading.literals import atom_literal, indexed_literal, minus_literal, number_literal
from goedels_poetry.kernel.reading.names import legible
from goedels_poetry.kernel.reading.reader import Atom, Group, Lexeme, SExpr
from goedels_poetry.kernel.reading.symbols import Function, Generic, NeedsSort, Symbols
from goedels_poetry.kernel.terms import (
    BOOL,
    FALSE,
    INT,
    REAL,
    TRUE,
    Index,
    Kind,
    Sort,
    Term,
    app,
    distinct,
    quantifier,
    tester,
    var,
)
from goedels_poetry.kernel.theory import RULES, TypingError, apply_rule, as_real, is_theory_symbol

MAX_TERM_DEPTH = 250
MAX_TERM_SIZE = 2_000_000
"""Distinct nodes: what let names once counts once, however often it is used."""


@dataclass(frozen=True)
class Scope:
    """What names mean at one place: ``env`` has variables and let-bound terms, ``path`` the binders above.

    ``types`` are the sorts that type variables stand for. With ``renaming`` a binder gets another name when one
    above it has the same; without, only when a term bound by let would be captured.
    """

    env: Mapping[str, Term] = field(default_factory=dict)
    path: frozenset[str] = frozenset()
    types: Mapping[str, Sort] = field(default_factory=dict)
    renaming: bool = True
    depth: int = 0

    def bind(self, names: Mapping[str, Term], path: frozenset[str] | None = None) -> Scope:
        """The scope inside a binder."""
        return Scope({**self.env, **names}, self.path if path is None else path, self.types, self.renaming, self.depth)


class Elaborator:
    """Terms over a symbol table.

    ``term`` raises InvalidText for whatever is not a well-sorted term, and NeedsSort for a polymorphic
    constant in a place that does not tell its sort. With ``mixed``, as in the logics of SMT-LIB that mix them, any
    term of sort Int stands for its real where a Real is needed; without, literals only. With it ``-1`` is a number,
    too, unless something is called so: as solvers read it. The attributes ``outermost`` are those of whole assertions.
    """

    def __init__(
        self, symbols: Symbols, mixed: bool = False, outermost: frozenset[str] = frozenset({":named"})
    ) -> None:
        self.symbols = symbols
        self.mixed = mixed
        self.outermost = outermost
        self.source = symbols.source
        self.warnings: list[str] = []

    # -------------------------------------------------------------------------------------- entry points

    def closed(self, expr: SExpr, scope: Scope, expected: Sort | None) -> Term:
        """A term whose polymorphic constants are all determined, and that is not too large to handle."""
        try:
            term = self.term(expr, scope, expected)
        except NeedsSort as need:
            self.source.fail(f"the sort of `{need.name}` is not clear here", need.at, f"write (as {need.name} SORT)")
        if expected is not None:
            term = self.coerce(term, expected)
            if term.sort is not expected:
                self.source.fail(f"a term of sort {show_sort(expected)} was expected, got {show_sort(term.sort)}", expr)
        if _is_too_large(term):
            self.source.fail(f"this term has more than {MAX_TERM_SIZE:,} nodes", expr)
        if _depth_exceeds(term, MAX_TERM_DEPTH):
            self.source.fail(f"this term is nested more than {MAX_TERM_DEPTH} deep", expr)
        return term

    def binders(self, expr: SExpr, scope: Scope, least: int = 1) -> tuple[tuple[Term, ...], Scope]:
        """Sorted variables ``((x Int) ...)`` and the scope in which they are visible."""
        fail = self.source.fail
        if not isinstance(expr, Group) or len(expr.items) < least:
            fail("a list of variables such as ((x Int)) was expected here", expr)
        named: dict[str, Term] = {}
        path = set(scope.path)
        avoid = path
        if not scope.renaming:  # only what a let-bound term speaks of must stay free
            avoid = {v.name for n, t in scope.env.items() if t.name != n or t.kind is not Kind.VAR for v in t.free}
        for item in expr.items:
            if not isinstance(item, Group) or len(item.items) != 2:
                fail("a variable with its sort, such as (x Int), was expected here", item)
            name = self.symbol(item.items[0], "a variable")
            if name in named:
                fail(f"variable `{name}` is bound twice here", item)
            if name in ("true", "false"):
                fail(f"`{name}` cannot be a variable", item)
            sort = self.symbols.sort(item.items[1], scope.types)
            actual = self._variable_name(legible(name) if scope.renaming else name, avoid)
            avoid.add(actual)
            path.add(actual)
            named[name] = var(actual, sort)
        return tuple(named.values()), scope.bind(named, frozenset(path))

    def _variable_name(self, name: str, avoid: set[str]) -> str:
        """``name``, or another where a symbol or a variable that must stay visible has it."""
        if is_theory_symbol(name):
            name = f"{name}_"
        if name in avoid or name in self.symbols.reserved:
            return self.symbols.variable_name(name, avoid)
        return name

    def symbol(self, expr: SExpr, what: str) -> str:
        """The text of a symbol.

        Raises:
            InvalidText: ``expr`` is something else, or a reserved word that is not quoted.
        """
        if not isinstance(expr, Atom) or expr.kind is not Lexeme.SYMBOL:
            self.source.fail(f"{what} was expected here", expr)
        return expr.text

    # ------------------------------------------------------------------------------------------- terms

    def term(self, expr: SExpr, scope: Scope, expected: Sort | None = None) -> Term:
        """The term; ``expected`` is a wish that decides polymorphic constants, not a check.

        At most three Python frames a level, so that `MAX_TERM_DEPTH` is reached before the recursion limit.
        """
        if isinstance(expr, Atom):
            return self._atom(expr, scope, expected)
        if scope.depth > MAX_TERM_DEPTH:
            self.source.fail(f"this term is nested more than {MAX_TERM_DEPTH} deep", expr, "name parts with define-fun")
        if not expr.items:
            self.source.fail("a term was expected here, got ()", expr)
        head = expr.items[0]
        if isinstance(head, Group):
            return self._qualified(expr, head, expr.items[1:], scope, expected)
        if head.kind is not Lexeme.SYMBOL:
            self.source.fail(f"`{head.text}` is not a function", head)
        if not head.quoted:
            form = _FORMS.get(head.text)
            if form is not None:
                return form(self, expr, scope, expected)
        if len(expr.items) == 1:
            self.source.fail(f"`{head.text}` stands in parentheses without arguments", expr, "remove them")
        literal = number_literal(expr)
        if literal is not None:
            return self.coerce(literal, expected) if expected is REAL else literal
        if head.text in scope.env:
            self.source.fail(f"`{head.text}` is a variable here, not a function", head)
        return self._apply(expr, head, (), expr.items[1:], scope, expected)

    def _atom(self, expr: Atom, scope: Scope, expected: Sort | None) -> Term:
        if expr.kind is not Lexeme.SYMBOL:
            literal = atom_literal(self.source, expr)
            assert literal is not None
            return self.coerce(literal, expected) if expected is REAL else literal
        found = scope.env.get(expr.text)
        if found is not None:
            return found
        if expr.text in ("true", "false"):
            return TRUE if expr.text == "true" else FALSE
        if self.mixed and expr.text not in self.symbols.functions:
            number = minus_literal(expr)
            if number is not None:
                return self.coerce(number, expected) if expected is REAL else number
        return self._apply(expr, expr, (), [], scope, expected)

    def _let(self, expr: Group, scope: Scope, expected: Sort | None) -> Term:
        items = expr.items
        if len(items) != 3 or not isinstance(items[1], Group) or not items[1].items:
            self.source.fail("malformed let", expr, "write (let ((x term) ...) body)")
        named: dict[str, Term] = {}
        inner = self._deeper(scope)
        for item in items[1].items:
            if not isinstance(item, Group) or len(item.items) != 2:
                self.source.fail("a binding such as (x term) was expected here", item)
            name = self.symbol(item.items[0], "a name")
            if name in named or name in ("true", "false"):
                self.source.fail(f"`{name}` is bound twice here", item)
            named[name] = self.term(item.items[1], inner)
        return self.term(items[2], inner.bind(named), expected)

    def _quantifier(self, expr: Group, scope: Scope, expected: Sort | None) -> Term:
        items = expr.items
        word = self.symbol(items[0], "forall")
        if len(items) != 3:
            self.source.fail(f"malformed {word}", expr, f"write ({word} ((x Int) ...) body)")
        bound, inner = self.binders(items[1], self._deeper(scope))
        body = self.term(items[2], inner, BOOL)
        self._check_sort(body, BOOL, items[2])
        return quantifier(Kind.FORALL if word == "forall" else Kind.EXISTS, bound, body)

    def _check_sort(self, term: Term, sort: Sort, at: SExpr) -> None:
        if term.sort is not sort:
            self.source.fail(f"a term of sort {show_sort(sort)} was expected, got {show_sort(term.sort)}", at)

    def _annotated(self, expr: Group, scope: Scope, expected: Sort | None) -> Term:
        if len(expr.items) < 4 or len(expr.items) % 2:
            self.source.fail("malformed annotation", expr, "write (! term :attribute value)")
        for key in expr.items[2::2]:
            if not isinstance(key, Atom) or key.kind is not Lexeme.KEYWORD:
                self.source.fail("an attribute such as :pattern was expected here", key)
            if key.text in self.outermost:
                self.source.fail(f"{key.text} may stand only around a whole assertion", key)
        inner = self._deeper(scope)
        for key, value in zip(expr.items[2::2], expr.items[3::2], strict=True):
            if isinstance(key, Atom) and key.text == ":pattern":
                self._check_pattern(value, inner)
            elif isinstance(key, Atom) and key.text not in _FOR_SOLVERS:
                self.warnings.append(f"line {self.source.position(key.offset)[0]}: {key.text} is ignored")
        return self.term(expr.items[1], inner, expected)

    def _check_pattern(self, pattern: SExpr, scope: Scope) -> None:
        """Patterns steer solvers and mean nothing, but what they mention must exist."""
        if not isinstance(pattern, Group) or not pattern.items:
            self.source.fail(":pattern takes a list of terms", pattern, "write :pattern ((f x))")
        for item in pattern.items:
            self.term(item, scope)

    def _match(self, expr: Group, scope: Scope, expected: Sort | None) -> Term:
        from goedels_poetry.kernel.reading import matching  # many texts have no match

        items = matching.cases_in_one_list(expr)
        if len(items) != 3 or not isinstance(items[2], Group) or not items[2].items:
            self.source.fail("malformed match", expr, "write (match term ((pattern term) ...))")
        inner = self._deeper(scope)
        subject = self.term(items[1], inner)
        rows: list[tuple[matching.Pattern, SExpr, Scope]] = []
        for case in items[2].items:
            if not isinstance(case, Group) or len(case.items) != 2:
                self.source.fail("a case such as (pattern term) was expected here", case)
            named: dict[str, Term] = {}
            pattern = matching.read_pattern(self.symbols, case.items[0], subject, named)
            rows.append((pattern, case.items[1], inner.bind(named)))
        bodies = self.alike([(body, place) for _, body, place in rows], expected, expr, "the cases of match")
        cases = [(pattern, body) for (pattern, _, _), body in zip(rows, bodies, strict=True)]
        return matching.decide(self.symbols, subject, cases, expr)

    def alike(self, parts: Sequence[tuple[SExpr, Scope]], expected: Sort | None, at: SExpr, what: str) -> list[Term]:
        """Terms that must have one sort; what one part tells helps the others."""
        terms: dict[int, Term] = {}
        known = expected
        missing: NeedsSort | None = None
        for second in (False, True):
            for i, (expr, scope) in enumerate(parts):
                if i in terms:
                    continue
                try:
                    terms[i] = self.term(expr, scope, known)
                except NeedsSort as need:
                    if second or known is not None:
                        raise
                    missing = need
                else:
                    known = known or (None if terms[i].sort is INT else terms[i].sort)
            if missing is None:
                break
            if known is None:  # nothing was learnt: a second round would fail in the same way
                raise missing
        done = [terms[i] for i in range(len(parts))]
        if any(t.sort is REAL for t in done):
            done = [self._real(t) for t in done]
        for (expr, _), term in zip(parts, done, strict=True):
            if term.sort is not done[0].sort:
                first, other = show_sort(done[0].sort), show_sort(term.sort)
                self.source.fail(f"{what} have different sorts: {first} and {other}", expr)
        return done

    def coerce(self, term: Term, sort: Sort) -> Term:
        """``term`` for a place of sort ``sort``: integers become Real there."""
        return self._real(term) if sort is REAL else term

    def _real(self, term: Term) -> Term:
        real = as_real(term)
        return app("to_real", (real,), REAL) if self.mixed and real.sort is INT else real

    def _mixed(self, name: str, terms: list[Term]) -> list[Term]:
        """The arguments of a theory symbol, integers made Real where it takes a Real beside."""
        if name in _REAL or (name in _ARITHMETIC and any(t.sort is REAL for t in terms)):
            return [self._real(t) for t in terms]
        if name in ("select", "store") and terms and terms[0].sort.name == "Array":
            return [terms[0], *map(self.coerce, terms[1:3], terms[0].sort.args), *terms[3:]]
        return terms

    def _deeper(self, scope: Scope) -> Scope:
        return Scope(scope.env, scope.path, scope.types, scope.renaming, scope.depth + 1)

    # ------------------------------------------------------------------------------------- applications

    def _qualified(self, expr: SExpr, head: Group, args: list[SExpr], scope: Scope, expected: Sort | None) -> Term:
        """``(_ f i ...)`` and ``(as f S)`` with or without arguments."""
        items = head.items
        word = items[0].text if items and isinstance(items[0], Atom) and not items[0].quoted else ""
        if word == "as" and len(items) == 3:
            sort = self.symbols.sort(items[2], scope.types)
            if isinstance(items[1], Atom) and items[1].text == "const":
                return self._constant_array(expr, sort, args, scope)
            if not isinstance(items[1], Atom) or items[1].text in scope.env:
                self.source.fail("a function or constructor was expected after `as`", head)
            term = self._apply(expr, items[1], (), args, scope, sort)
            if term.sort is not sort:
                self.source.fail(f"`{items[1].text}` gives {show_sort(term.sort)}, not {show_sort(sort)}", head)
            return term
        if word == "_" and len(items) >= 3 and isinstance(items[1], Atom):
            name = items[1]
            if name.text == "is" and len(items) == 3:
                return self._tester(expr, items[2], args, scope)
            generic = self.symbols.functions.get(name.text)
            if isinstance(generic, Generic):
                return self._explicit(expr, name, generic, items[2:], args, scope)
            indices = []
            for item in items[2:]:
                if not isinstance(item, Atom) or item.kind is not Lexeme.NUMERAL or len(item.text) > 9:
                    self.source.fail("a numeral index was expected here", item)
                indices.append(int(item.text))
            return self._apply(expr, name, tuple(indices), args, scope, expected)
        return self.source.fail("a function was expected here", head, "write (f x), ((_ f 1) x) or ((as f S) x)")

    def _explicit(
        self, expr: SExpr, name: Atom, generic: Generic, sorts: list[SExpr], args: list[SExpr], scope: Scope
    ) -> Term:
        if len(sorts) != len(generic.type_params):
            self.source.fail(f"`{name.text}` takes {len(generic.type_params)} sorts, got {len(sorts)}", name)
        function = generic.instance(tuple(self.symbols.sort(s, scope.types) for s in sorts))
        return self._call(expr, name, function, args, scope)

    def _index_or_as(self, expr: Group, scope: Scope, expected: Sort | None) -> Term:
        """``(_ bv5 8)``, ``(_ char #x41)``, ``(as nil (List Int))`` in the place of a term."""
        literal = indexed_literal(self.source, expr) if self.symbol(expr.items[0], "_") == "_" else None
        return literal if literal is not None else self._qualified(expr, expr, [], scope, expected)

    def _constant_array(self, expr: SExpr, sort: Sort, args: list[SExpr], scope: Scope) -> Term:
        if sort.name != "Array" or len(args) != 1:
            self.source.fail("a constant array has an array sort and one element", expr)
        element = self.coerce(self.term(args[0], self._deeper(scope), sort.args[1]), sort.args[1])
        self._check_sort(element, sort.args[1], args[0])
        return app("const", (element,), sort)

    def _tester(self, expr: SExpr, constructor: SExpr, args: list[SExpr], scope: Scope) -> Term:
        name = self.symbol(constructor, "a constructor")
        if len(args) != 1:
            self.source.fail(f"`(_ is {name})` takes 1 argument, got {len(args)}", expr)
        subject = self.term(args[0], self._deeper(scope))
        found = self.symbols.constructors.get(subject.sort, {}).get(name)
        if found is None:
            self.source.fail(f"`{name}` is not a constructor of {show_sort(subject.sort)}", constructor)
        return tester(found.name, subject)

    def _apply(
        self,
        expr: SExpr,
        head: Atom,
        indices: tuple[Index, ...],
        args: list[SExpr],
        scope: Scope,
        expected: Sort | None,
    ) -> Term:
        name = head.text
        found = self.symbols.functions.get(name)
        if found is not None:
            if indices:
                self.source.fail(f"`{name}` takes no indices", head)
            if isinstance(found, Generic):
                return self._infer(expr, head, found, args, scope, expected)
            return self._call(expr, head, found, args, scope)
        if name.startswith("is-") and len(args) == 1 and not indices:
            return self._tester(expr, Atom(Lexeme.SYMBOL, name[3:], head.offset), args, scope)
        if name in _OTHER_WORDS:
            name = _OTHER_WORDS[name]
        elif name not in RULES:
            self._unknown(head, scope)
        inner = self._deeper(scope) if args else scope
        if name in ("=", "distinct"):
            terms = self.alike([(a, inner) for a in args], None, expr, f"the arguments of `{name}`") if args else []
            if name != head.text and any(t.sort is not BOOL for t in terms):
                self.source.fail(f"`{head.text}` takes 2 or more Bool", expr)
        elif name == "ite" and len(args) == 3:
            branches = self.alike([(a, inner) for a in args[1:]], expected, expr, "the branches of `ite`")
            terms = [self.term(args[0], inner, BOOL), *branches]
        else:
            terms = []
            hint = expected if name in ("+", "-", "*", "/") else None
            for arg in args:
                terms.append(self.term(arg, inner, hint))
                if len(terms) == 1 and name in ("select", "store") and terms[0].sort.name == "Array":
                    hint = terms[0].sort.args[0]
                elif len(terms) == 2 and name == "store" and terms[0].sort.name == "Array":
                    hint = terms[0].sort.args[1]
        if self.mixed:
            terms = self._mixed(name, terms)
        try:
            term = apply_rule(name, indices, tuple(terms))
        except TypingError as error:
            self.source.fail(str(error), expr)
        return term

    def _unknown(self, head: Atom, scope: Scope) -> NoReturn:
        from goedels_poetry.kernel.reading import hints  # for a refusal alone: not trusted

        known = self.symbols
        known.refuse_unsupported("function", head.text, head)
        hint = hints.of_symbol(head.text, (*scope.env, *known.functions), known.sorts, known.reserved, known.remarks)
        self.source.fail(f"unknown symbol `{head.text}`", head, hint)

    def _call(self, expr: SExpr, head: Atom, function: Function, args: list[SExpr], scope: Scope) -> Term:
        params = function.params
        if len(args) != len(params):
            wanted = f"{len(params)} argument{'s' if len(params) != 1 else ''}"
            self.source.fail(f"`{head.text}` takes {wanted}, got {len(args)}", expr)
        if not args:
            return app(function.name, (), function.result)
        inner = self._deeper(scope)
        terms: list[Term] = []
        for arg, sort in zip(args, params, strict=True):
            terms.append(self.coerce(self.term(arg, inner, sort), sort))
        return self._applied(expr, head, function, terms)

    def _applied(self, expr: SExpr, head: Atom, function: Function, terms: list[Term]) -> Term:
        for term, sort in zip(terms, function.params, strict=True):
            if term.sort is not sort:
                takes = " ".join(map(show_sort, function.params))
                got = " ".join(show_sort(t.sort) for t in terms)
                got = got if len(terms) == 1 else f"({got})"
                self.source.fail(f"`{head.text}` takes ({takes}), got {got}", expr)
        return app(function.name, terms, function.result)

    def _infer(
        self,
        expr: SExpr,
        head: Atom,
        generic: Generic,
        args: list[SExpr],
        scope: Scope,
        expected: Sort | None,
    ) -> Term:
        """An application of a polymorphic symbol: its sorts come from the context and the arguments."""
        if len(args) != len(generic.params):
            self.source.fail(f"`{head.text}` takes {len(generic.params)} arguments, got {len(args)}", expr)
        unify, params = self.symbols.unify, generic.type_params
        bindings: dict[str, Sort] = {}
        if expected is not None and not unify(generic.result, expected, params, bindings):
            bindings = {}
        inner = self._deeper(scope)
        terms: dict[int, Term] = {}
        missing: NeedsSort | None = None
        for i, (arg, pattern) in enumerate(zip(args, generic.params, strict=True)):
            if len(bindings) == len(params):
                break
            try:
                terms[i] = self.term(arg, inner)
            except NeedsSort as need:
                missing = need
                continue
            if not unify(pattern, terms[i].sort, params, bindings):
                self.source.fail(f"`{head.text}` does not take an argument of sort {show_sort(terms[i].sort)}", arg)
        if len(bindings) < len(params):
            raise missing or NeedsSort(head.text, head)
        function = generic.instance(tuple(bindings[p] for p in params))
        for i, (arg, sort) in enumerate(zip(args, function.params, strict=True)):
            terms[i] = self.coerce(terms[i] if i in terms else self.term(arg, inner, sort), sort)
        return self._applied(expr, head, function, [terms[i] for i in range(len(args))])


_ARITHMETIC = frozenset({"+", "-", "*", "<", "<=", ">", ">="})
_REAL = frozenset({"/", "to_int", "is_int"})
_FOR_SOLVERS = frozenset({":no-pattern", ":weight", ":qid", ":skolemid"})
_OTHER_WORDS = {"implies": "=>", "iff": "="}
"""Words of z3 for symbols of SMT-LIB, where the script does not declare them."""

_Form = Callable[[Elaborator, Group, Scope, Sort | None], Term]


def _no_lambda(elaborator: Elaborator, expr: Group, scope: Scope, expected: Sort | None) -> NoReturn:
    elaborator.source.fail("`par` may stand only at the top of a declaration or goal", expr)


_FORMS: dict[str, _Form] = {
    "let": Elaborator._let,
    "forall": Elaborator._quantifier,
    "exists": Elaborator._quantifier,
    "match": Elaborator._match,
    "!": Elaborator._annotated,
    "_": Elaborator._index_or_as,
    "as": Elaborator._index_or_as,
    "par": _no_lambda,
}


def _is_too_large(term: Term) -> bool:
    return term.size > MAX_TERM_SIZE and distinct(term, MAX_TERM_SIZE + 1) > MAX_TERM_SIZE


def _depth_exceeds(term: Term, limit: int) -> bool:
    """Whether a chain of more than ``limit`` nested nodes exists; level by level, each node once a level."""
    if term.size <= limit:
        return False
    level = {term}
    for _ in range(limit):
        level = {a for t in level for a in t.args if a.args}
        if not level:
            return False
    return True
