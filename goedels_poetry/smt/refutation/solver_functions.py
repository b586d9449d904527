"""The functions of a solver's model as terms in the problem's own words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from goedels_poetry.kernel.encoding import safe_symbol, symbol_of
from goedels_poetry.kernel.faults import InvalidText
from goedels_poetry.kernel.printer import show_symbol
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.reading.reader import Atom, Group, SExpr, Source, read

MAX_CHARACTERS = 4_000
"""Of one function."""
_DEPTH = 60


class _Unreadable(Exception):
    """Something in a model that is no term of the problem."""


def functions_of_model(
    output: str, signature: Signature, names: Iterable[str]
) -> Mapping[str, tuple[tuple[str, ...], str]] | None:
    """Parameters and body, as text, of each of the functions; None when the model does not tell one of them."""
    try:
        (model,) = read(Source(output))
        entries = _entries(model)
        found = {}
        for name in names:
            params, _ = signature.functions[name]
            if safe_symbol(name) not in entries:
                return None
            found[name] = _Words(entries, signature).function(safe_symbol(name), len(params))
    except (InvalidText, _Unreadable, ValueError, IndexError, RecursionError):
        return None
    return found


Entry = tuple[list[str], SExpr]


def _entries(model: SExpr) -> dict[str, Entry]:
    """Every ``define-fun`` of a model: names of parameters, body."""
    found: dict[str, Entry] = {}
    for item in model.items if isinstance(model, Group) else ():
        match item:
            case Group(items=[Atom(text="define-fun"), Atom(text=name), Group(items=params), _, body]):
                found[name] = [_first(p) for p in params], body
    return found


def _first(param: SExpr) -> str:
    match param:
        case Group(items=[Atom(text=name), _]):
            return name
    raise _Unreadable


class _Words:
    """Writes expressions of a model; what z3 names there for itself is written out."""

    def __init__(self, entries: Mapping[str, Entry], signature: Signature) -> None:
        self._entries = entries
        self._signature = signature
        self._sorts = {s.name for s in signature.sorts} | {d.sort.name for d in signature.datatypes}

    def function(self, name: str, arity: int) -> tuple[tuple[str, ...], str]:
        """The names of the parameters, and the body."""
        params, body = self._entries[name]
        if len(params) != arity:
            raise _Unreadable
        fresh = [self._parameter(i) for i in range(arity)]
        text = self._text(body, dict(zip(params, fresh, strict=True)), 0)
        if len(text) > MAX_CHARACTERS:
            raise _Unreadable
        return tuple(fresh), text

    def _parameter(self, number: int) -> str:
        name = "xyzuvw"[number] if number < 6 else f"x{number}"
        while name in self._signature.names:
            name += "_"
        return name

    def _text(self, expr: SExpr, bound: Mapping[str, str], depth: int) -> str:
        if depth > _DEPTH:
            raise _Unreadable
        if isinstance(expr, Atom):
            return self._word(expr, bound, depth)
        match expr.items:
            case [Atom(text="let"), Group(items=bindings), body]:
                inner = dict(bound)
                for binding in bindings:
                    if not isinstance(binding, Group):
                        raise _Unreadable
                    inner[_first(binding)] = self._text(binding.items[1], bound, depth + 1)
                return self._text(body, inner, depth + 1)
            case [Atom(text="lambda" | "forall" | "exists" | "as-array"), *_]:
                raise _Unreadable
            case [Atom(text="_"), Atom(text="as-array"), *_]:
                raise _Unreadable
            case [Atom(text=name), *args] if name in self._entries and name not in bound:
                params, body = self._entries[name]
                values = [self._text(a, bound, depth + 1) for a in args]
                return self._text(body, dict(zip(params, values, strict=True)), depth + 1)
        words = [self._text(item, bound, depth + 1) for item in expr.items]
        if sum(map(len, words)) > MAX_CHARACTERS:
            raise _Unreadable
        return f"({' '.join(words)})"

    def _word(self, atom: Atom, bound: Mapping[str, str], depth: int) -> str:
        name = atom.text
        if name in bound:
            return bound[name]
        if name in self._entries:
            params, body = self._entries[name]
            if params:
                raise _Unreadable
            return self._text(body, {}, depth + 1)
        known = symbol_of(name)
        if known != name:
            if known not in self._signature.names and known not in self._sorts:
                raise _Unreadable
            return show_symbol(known)
        return name
