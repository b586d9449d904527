"""Rules about strings and regular expressions that are no lines of the table."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from goedels_poetry.checker.cpc.reader import Value, a_term
from goedels_poetry.checker.cpc.rewrites import by_pattern, equation, joined, neutral, only
from goedels_poetry.checker.cpc.terms import INT, Rejected, Term, Terms, sides
from goedels_poetry.checker.cpc.theories import polynomial

MAX_STATES = 200_000
"""Parts of expressions at places of a string that are looked at; what needs more is rejected."""


def _literal(term: Term) -> str:
    if term.op[0] != "string":
        raise Rejected("a literal of strings was expected")
    return str(term.op[1])


class _Words:
    """Where the words of expressions end that begin at a place of a text."""

    def __init__(self, text: str) -> None:
        self.text, self.done = text, dict[tuple[Term, int], frozenset[int]]()

    def ends(self, expression: Term, start: int) -> frozenset[int]:
        key = (expression, start)
        if key not in self.done:
            if len(self.done) > MAX_STATES or expression.op not in _ENDS:
                raise Rejected("an expression without a value, or with too long a string")
            self.done[key] = frozenset(_ENDS[str(expression.op)](self, start, *expression.args))
        return self.done[key]

    def all_from(self, start: int) -> range:
        return range(start, len(self.text) + 1)

    def character(self, start: int, low: str, high: str) -> set[int]:
        return {start + 1} if len(low) == len(high) == 1 and low <= self.text[start : start + 1] <= high else set()

    def each(self, starts: Iterable[int], part: Term) -> set[int]:
        return set().union(*[self.ends(part, start) for start in starts])

    def repeated(self, start: int, part: Term) -> set[int]:
        found, more = {start}, {start}
        while more := self.each(more, part) - found:
            found |= more
        return found


_ENDS: dict[str, Callable[..., Iterable[int]]] = {
    "re.none": lambda w, i: (),
    "re.all": _Words.all_from,
    "re.allchar": lambda w, i: w.all_from(i)[1:2],
    "str.to_re": lambda w, i, word: {i + len(_literal(word))} if w.text.startswith(_literal(word), i) else (),
    "re.range": lambda w, i, low, high: w.character(i, _literal(low), _literal(high)),
    "re.union": lambda w, i, *parts: set().union(*[w.ends(part, i) for part in parts]),
    "re.inter": lambda w, i, *parts: frozenset.intersection(*[w.ends(part, i) for part in parts]),
    "re.comp": lambda w, i, part: set(w.all_from(i)) - w.ends(part, i),
    "re.++": lambda w, i, *parts: functools.reduce(w.each, parts, {i}),
    "re.*": _Words.repeated,
}


def str_in_re_eval(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= (str.in_re s r) b)``, ``b`` whether it is a word. Needs: literals and functions of expressions alone."""
    wanted, left, right = equation(arguments, premises)
    word, expression = sides(left, "str.in_re")
    text = _literal(word)
    if right is not (terms.true if len(text) in _Words(text).ends(expression, 0) else terms.false):
        raise Rejected("it is the opposite")
    return wanted


def _length(expression: Term) -> int:
    """The one length of all words of an expression."""
    match expression.op, expression.args:
        case "re.allchar" | "re.range", _:
            return 1
        case "str.to_re", (word,):
            return len(_literal(word))
        case "re.++", parts:
            return sum(map(_length, parts))
        case "re.union" | "re.inter", parts if len(lengths := set(map(_length, parts))) == 1:
            return lengths.pop()
    raise Rejected("words that may have several lengths")


def string_eager_reduction(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """What holds of a function at its arguments (see the table), and of words of an expression their one length."""
    term = only(arguments, premises)
    if term.op != "str.in_re":
        return by_pattern("string_eager_reduction", terms, premises, arguments)
    length = terms.number(_length(term.args[1]), INT)
    return terms.app("=>", term, terms.app("=", terms.app("str.len", term.args[0]), length))


def string_reduction(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """What defines a function (see the table). Needs: no free variables."""
    if only(arguments, premises).free:
        raise Rejected("a closed term was expected")
    return by_pattern("string_reduction", terms, premises, arguments)


def str_in_re_concat_star_char(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= (str.in_re (str.++ s t) (re.* r)) (and (str.in_re s (re.* r)) ...))``. Needs: words of ``r`` of length 1."""
    wanted, left, right = equation(arguments, premises)
    word, expression = sides(left, "str.in_re")
    if word.op != "str.++" or expression.op != "re.*" or _length(expression.args[0]) != 1:
        raise Rejected("a repetition of single characters was expected")
    if right is not terms.app("and", *[terms.app("str.in_re", part, expression) for part in word.args]):
        raise Rejected("these are not the two forms")
    return wanted


def re_unfold_pos(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """Of a word of a concatenation: parts of it, ``@re_unfold_pos_component``, that are words of the parts of that.

    Of one of a repetition: that it is empty, a word of what is repeated, or several, none empty, one after the other.
    """
    (premise,), app = premises, terms.app
    word, expression = sides(premise, "str.in_re")
    if arguments or expression.op not in ("re.++", "re.*"):
        raise Rejected("a word of a concatenation or repetition was expected")
    whole = expression
    if whole.op == "re.*":
        some = app("re.diff", whole.args[0], neutral(terms, "re.++"))
        whole = app("re.++", some, whole, some)
    parts, members = [], list[Term]()
    for i, part in enumerate(whole.args):
        own = part.op == "str.to_re"
        parts.append(part.args[0] if own else app("@re_unfold_pos_component", word, whole, terms.number(i, INT)))
        members += [] if own else [app("str.in_re", parts[-1], part)]
    split = joined(terms, "and", [app("=", word, app("str.++", *parts)), *members])
    if whole is expression:
        return split
    return app("or", app("=", word, terms.string("")), app("str.in_re", word, expression.args[0]), split)


def re_loop_elim(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= ((_ re.loop i j) r) s)``. Needs: ``s`` is the union of the powers of ``r`` from ``i`` to ``j``."""
    wanted, left, right = equation(arguments, premises)
    match left.op:
        case ("re.loop", int() as least, int() as most) if least <= most <= 1_000:
            powers = [joined(terms, "re.++", [*left.args] * i) for i in range(least, most + 1)]
        case _:
            raise Rejected("a loop was expected")
    if right is not joined(terms, "re.union", powers):
        raise Rejected("these are not the powers")
    return wanted


def concat_unify(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """From equal concatenations, and equal lengths of their first parts, or their last ones, that those are equal."""
    (whole, lengths), (reverse,) = premises, arguments
    place = {terms.false: 0, terms.true: -1}[a_term(reverse)]
    parts = [(side.args if side.op == "str.++" else (side,))[place] for side in sides(whole)]
    if terms.string("") in parts or lengths is not terms.app("=", *[terms.app("str.len", part) for part in parts]):
        raise Rejected("lengths of other parts")
    return terms.app("=", *parts)


def arith_string_pred_entail(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= (>= n 0) true)``. Needs: a polynomial over lengths of strings without negative coefficients."""
    wanted, left, right = equation(arguments, premises)
    number, zero = sides(left, ">=")
    found, lengths = polynomial(terms, number), {t.number for t in _within(number) if t.op == "str.len"}
    if right is not terms.true or zero is not terms.number(0, INT):
        raise Rejected("a comparison with zero was expected")
    if any(factor < 0 or not lengths.issuperset(monomial) for monomial, factor in found.items()):
        raise Rejected("it may be negative")
    return wanted


def _within(term: Term) -> Iterator[Term]:
    yield term
    for part in term.args:
        yield from _within(part)


def str_ctn_multiset_subset(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= (str.contains t s) false)``. Needs: but for what both have, ``t`` is literals, ``s`` has another one."""
    wanted, left, right = equation(arguments, premises)
    whole, part = [Counter(_pieces(terms, t, parts=i == 0)) for i, t in enumerate(sides(left, "str.contains"))]
    rest, more = whole - part, part - whole
    known = all(t.is_literal for t in rest) and any(t.is_literal and t not in rest for t in more)
    if right is not terms.false or not known:
        raise Rejected("no character is known not to be in the other")
    return wanted


def _pieces(terms: Terms, term: Term, *, parts: bool) -> Iterator[Term]:
    """Characters, and strings that are not literals, of a string; with ``parts`` those that it has at most."""
    if term.op[0] == "string":
        yield from map(terms.string, _literal(term))
    elif term.op == "str.++" or (parts and term.op == "str.replace"):
        for part in term.args if term.op == "str.++" else term.args[::2]:
            yield from _pieces(terms, part, parts=parts)
    elif parts and term.op == "str.substr":
        yield from _pieces(terms, term.args[0], parts=parts)
    else:
        yield term


RULES = {
    rule.__name__: rule for rule in (string_eager_reduction, string_reduction, re_unfold_pos, concat_unify)
} | {
    rule.__name__.replace("_", "-"): rule
    for rule in (
        str_in_re_eval, str_in_re_concat_star_char, re_loop_elim, arith_string_pred_entail, str_ctn_multiset_subset,
    )
}  # fmt: skip
