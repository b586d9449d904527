"""``match`` to testers and selectors: patterns, coverage, the decision tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from goedels_poetry.kernel.printer import show_sort
from goedels_poetry.kernel.problem import Constructor
from goedels_poetry.kernel.reading.reader import Atom, Group, Lexeme, SExpr
from goedels_poetry.kernel.reading.symbols import Symbols
from goedels_poetry.kernel.terms import Term, app, tester

MAX_DECISIONS = 20_000


@dataclass(frozen=True)
class Pattern:
    """A constructor with patterns for its fields; no constructor: matches everything."""

    at: SExpr
    constructor: Constructor | None = None
    fields: tuple[Pattern, ...] = ()


def cases_in_one_list(expr: Group) -> list[SExpr]:
    """The three parts of a ``match``; the older form ``(match term (case pattern body) ...)`` is brought into it."""
    head, *rest = expr.items
    old = [e for e in rest[1:] if isinstance(e, Group) and len(e.items) == 3 and _is_word(e.items[0], "case")]
    if not old or len(old) != len(rest) - 1:
        return expr.items
    cases = Group(expr.offset)
    for case in old:
        pair = Group(case.offset)
        pair.items = case.items[1:]
        if _is_word(pair.items[0], "default"):
            pair.items[0] = Atom(Lexeme.SYMBOL, "_", pair.items[0].offset)
        cases.items.append(pair)
    return [head, rest[0], cases]


def _is_word(expr: SExpr, word: str) -> bool:
    return isinstance(expr, Atom) and expr.kind is Lexeme.SYMBOL and expr.text == word and not expr.quoted


def read_pattern(symbols: Symbols, expr: SExpr, subject: Term, named: dict[str, Term], depth: int = 0) -> Pattern:
    """The pattern; variables are entered into ``named`` as selector terms over ``subject``.

    Raises:
        InvalidText: not a pattern for the sort of ``subject``.
    """
    fail = symbols.source.fail
    if depth > 50:
        fail("this pattern is nested more than 50 deep", expr)
    constructors = symbols.constructors.get(subject.sort)
    if constructors is None:
        fail(f"match needs a term of a datatype, got {show_sort(subject.sort)}", expr)
    if isinstance(expr, Group):
        head, inner = (expr.items[0], expr.items[1:]) if expr.items else (expr, [])
        if isinstance(head, Group) and _qualified(head):
            head = head.items[1]
        elif _qualified(expr):
            head, inner = expr.items[1], []
    else:
        head, inner = expr, []
    if not isinstance(head, Atom) or head.kind is not Lexeme.SYMBOL:
        fail("a pattern was expected here", expr, "a constructor with variables, a variable, or _")
    constructor = constructors.get(head.text)
    if constructor is None:
        known = symbols.functions.get(head.text)
        if isinstance(expr, Group):
            fail(f"`{head.text}` is not a constructor of {show_sort(subject.sort)}", head)
        if known is not None and any(head.text in cs for cs in symbols.constructors.values()):
            fail(f"`{head.text}` is a constructor of another sort, not of {show_sort(subject.sort)}", head)
        if head.text != "_":
            _name(symbols, head, subject, named)
        return Pattern(expr)
    if len(inner) != len(constructor.fields):
        fail(f"constructor `{head.text}` has {len(constructor.fields)} fields, the pattern {len(inner)}", expr)
    fields = []
    for part, (selector, sort) in zip(inner, constructor.fields, strict=True):
        value = app(selector, (subject,), sort)
        if sort in symbols.constructors:
            fields.append(read_pattern(symbols, part, value, named, depth + 1))
        elif isinstance(part, Atom) and part.kind is Lexeme.SYMBOL:
            if part.text != "_":
                _name(symbols, part, value, named)
            fields.append(Pattern(part))
        else:
            fail("a variable was expected in this pattern", part)
    return Pattern(expr, constructor, tuple(fields))


def _qualified(group: Group) -> bool:
    """``(as nil (List Int))`` or ``(_ nil Int)``: the sort of the subject tells as much."""
    items = group.items
    return len(items) >= 3 and isinstance(items[0], Atom) and items[0].text in ("as", "_") and not items[0].quoted


def _name(symbols: Symbols, at: Atom, value: Term, named: dict[str, Term]) -> None:
    if at.text in named:
        symbols.source.fail(f"variable `{at.text}` stands twice in this pattern", at)
    if at.text in ("true", "false"):
        symbols.source.fail(f"`{at.text}` cannot be a variable", at)
    named[at.text] = value


def decide(symbols: Symbols, subject: Term, cases: Sequence[tuple[Pattern, Term]], at: SExpr) -> Term:
    """Nested ``ite`` that picks the body of the first case that matches.

    The last constructor that is left needs no tester.

    Raises:
        InvalidText: a value that no case covers, or a case that no value reaches.
    """
    reached: set[int] = set()
    steps = 0

    def go(rows: list[tuple[dict[Term, Pattern], int]]) -> Term:
        nonlocal steps
        steps += 1
        if steps > MAX_DECISIONS:
            symbols.source.fail("this match is too large", at, "use fewer nested patterns")
        first, number = rows[0]
        if not first:
            reached.add(number)
            return cases[number][1]
        place = next(iter(first))
        order: dict[str, Constructor] = {}
        for tests, _ in rows:
            if place in tests and tests[place].constructor is not None:
                constructor = tests[place].constructor
                assert constructor is not None
                order.setdefault(constructor.name, constructor)
        every = {c.name: c for c in symbols.constructors[place.sort].values()}
        branches: list[tuple[str, Term]] = []
        for constructor in order.values():
            branches.append((constructor.name, go(_specialise(rows, place, constructor))))
        rest = [c for name, c in every.items() if name not in order]
        if rest:
            default = [row for row in rows if place not in row[0]]
            if not default:
                symbols.source.fail(f"match does not cover constructor `{rest[0].name}`", at, "add a case for it")
            result = go(default)
        else:
            result = branches.pop()[1]
        for name, branch in reversed(branches):
            result = app("ite", (tester(name, place), branch, result), result.sort)
        return result

    rows: list[tuple[dict[Term, Pattern], int]] = []
    for number, (pattern, _) in enumerate(cases):
        rows.append(({subject: pattern} if pattern.constructor is not None else {}, number))
    result = go(rows)
    for number, (pattern, _) in enumerate(cases):
        if number not in reached and pattern.constructor is not None:
            symbols.source.fail("no value reaches this case of match", pattern.at, "an earlier case covers it")
    return result


def _specialise(
    rows: list[tuple[dict[Term, Pattern], int]], place: Term, constructor: Constructor
) -> list[tuple[dict[Term, Pattern], int]]:
    """The rows that apply when ``place`` was built by ``constructor``, with what they ask of its fields."""
    result = []
    for tests, number in rows:
        pattern = tests.get(place)
        if pattern is None:
            result.append((tests, number))
        elif pattern.constructor is not None and pattern.constructor.name == constructor.name:
            left = {p: t for p, t in tests.items() if p is not place}
            for (selector, sort), field in zip(constructor.fields, pattern.fields, strict=True):
                if field.constructor is not None:
                    left[app(selector, (place,), sort)] = field
            result.append((left, number))
    return result
