"""Lean terms as trees: read from what Lean prints without notation, matched, and shown as people write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from goedels_poetry.languages.lean.symbolic.types import NotSimple, Tokens, Type

_TOKEN = re.compile(r"\s*(«[^»]*»(?:\.\w+)*|[()\[\]{}⦃⦄,@]|:(?!=)|→|×|=>|↦|[^\s()\[\]{}⦃⦄,:@→×]+)")
_CLOSE = {"(": ("default", ")"), "{": ("implicit", "}"), "[": ("inst", "]"), "⦃": ("strict", "⦄")}
INFIX = {
    "HAdd.hAdd": "+",
    "HSub.hSub": "-",
    "HMul.hMul": "*",
    "HDiv.hDiv": "/",
    "HMod.hMod": "%",
    "HPow.hPow": "^",
    "HAppend.hAppend": "++",
    "List.cons": "::",
    "Eq": "=",
    "Ne": "≠",
    "LE.le": "≤",
    "LT.lt": "<",
    "And": "∧",
    "Or": "∨",
    "Iff": "↔",
    "BEq.beq": "==",
    "Bool.and": "&&",
    "Bool.or": "||",
    "and": "&&",
    "or": "||",
}


@dataclass(frozen=True, slots=True)
class Term:
    """A head applied to arguments. Heads of their own: "fun" and "∀" (``names`` bound in the last argument), "→",
    "@" (the first argument is applied to the others), and numerals."""

    head: str
    args: tuple[Term, ...] = ()
    names: tuple[str, ...] = ()
    infos: tuple[str, ...] = ()
    """Of a "∀": "default", "implicit", "strict" or "inst"."""

    @property
    def size(self) -> int:
        """Heads in it; a numeral or constructor constant counts as one."""
        return 1 + sum(a.size for a in self.args)

    def parts(self) -> Iterator[Term]:
        """It and everything below, outermost first; not below binders."""
        yield self
        if self.head not in ("fun", "∀"):
            for a in self.args:
                yield from a.parts()

    def heads(self) -> Iterator[str]:
        """Every head, outermost first, with repetition, below binders too."""
        yield self.head
        for a in self.args:
            yield from a.heads()

    def put(self, values: Mapping[str, Term]) -> Term:
        """With terms for names; the caller sees to it that no binder captures one."""
        if not self.args:
            return values.get(self.head, self)
        inner = {k: v for k, v in values.items() if k not in self.names} if self.names else values
        args = tuple(a.put(inner) for a in self.args)
        if self.head in inner:
            new = inner[self.head]
            return Term(new.head, (*new.args, *args)) if new.head != "fun" else Term("@", (new, *args))
        return Term(self.head, args, self.names, self.infos)


class _Reader(Tokens):
    def __init__(self, text: str) -> None:
        super().__init__(_TOKEN.findall(text))

    def expect(self, token: str) -> None:
        if self.next() != token:
            raise NotSimple(f"{token} expected")

    def term(self) -> Term:
        token = self.peek()
        if token == "∀":
            self.next()
            bound = self.binders(",")
            body = self.term()
            for name, info, type_ in reversed(bound):
                body = Term("∀", (type_, body), (name,), (info,))
            return body
        if token == "fun":
            self.next()
            names = [name for name, _, _ in self.binders("=>")]
            return Term("fun", (self.term(),), tuple(names))
        left = self.product()
        if self.peek() == "→":
            self.next()
            return Term("→", (left, self.term()))
        return left

    def binders(self, stop: str) -> list[tuple[str, str, Term]]:
        bound: list[tuple[str, str, Term]] = []
        plain: list[str] = []
        while self.peek() not in (stop, "↦", ":"):
            token = self.next()
            if token not in _CLOSE:
                plain.append(token)
                continue
            info, close = _CLOSE[token]
            names = []
            start = self.at
            while self.peek() not in ("", ":", close):
                names.append(self.next())
            if self.peek() == ":":
                self.next()
            else:
                self.at, names = start, [f"inst{len(bound)}"]
            type_ = self.term()
            self.expect(close)
            bound += [(name, info, type_) for name in names]
        type_ = Term("_")
        if self.peek() == ":":
            self.next()
            type_ = self.term()
        bound += [(name, "default", type_) for name in plain]
        self.next()
        return bound

    def product(self) -> Term:
        left = self.application()
        if self.peek() == "×":
            self.next()
            return Term("Prod", (left, self.product()))
        return left

    def application(self) -> Term:
        parts = []
        while (token := self.peek()) not in ("", ")", "]", "}", "⦄", ",", ":", "→", "×", "=>", "↦"):
            if token in ("fun", "∀"):
                parts.append(self.term())
                break
            parts.append(self.atom())
        if not parts:
            raise NotSimple(self.peek())
        head, *args = parts
        if not args:
            return head
        return Term("@", tuple(parts)) if head.names or head.head == "@" else Term(head.head, (*head.args, *args))

    def atom(self) -> Term:
        token = self.next()
        if token == "(":
            inner = self.term()
            if self.peek() == ":":
                self.next()
                self.term()
            self.expect(")")
            return inner
        if token in ("@", "[", "{", "⦃", "⋯") or token.startswith('"'):
            raise NotSimple(token)
        return Term(token)


def read_term(text: str) -> Term:
    """A term printed with ``pp.notation false``; raises :class:`NotSimple` for what the trees do not have."""
    reader = _Reader(text)
    found = reader.term()
    if reader.peek():
        raise NotSimple(text)
    return found


def as_type(term: Term) -> Type:
    """A type read as a term."""
    if term.head in ("∀", "fun", "@"):
        raise NotSimple(term.head)
    return Type(term.head, tuple(as_type(a) for a in term.args))


def show(term: Term, inner: bool = False) -> str:
    """As Lean reads it; in parentheses when it is an argument that needs them."""
    args = term.args
    if term.head == "List.nil" and not args:
        return "[]"
    if term.head == "fun":
        text = f"fun {' '.join(term.names)} => {show(args[-1])}"
    elif term.head == "∀":
        text = f"∀ ({term.names[0]} : {show(args[0])}), {show(args[1])}"
    elif term.head == "→":
        text = f"{show(args[0], True)} → {show(args[1])}"
    elif term.head == "@":
        text = " ".join(show(a, True) for a in args)
    elif term.head == "Prod.mk" and len(args) == 2:
        return f"({show(args[0])}, {show(args[1])})"
    elif term.head in INFIX and len(args) == 2:
        text = f"{show(args[0], True)} {INFIX[term.head]} {show(args[1], True)}"
    elif args:
        text = " ".join((term.head, *(show(a, True) for a in args)))
    else:
        return term.head
    return f"({text})" if inner else text


def match(pattern: Term, term: Term, free: frozenset[str] | set[str], found: dict[str, Term]) -> bool:
    """Whether ``pattern`` becomes ``term`` with terms for its ``free`` names, which are entered into ``found``."""
    if pattern.head in free and not pattern.args:
        if pattern.head in found:
            return found[pattern.head] == term
        found[pattern.head] = term
        return True
    if pattern.head != term.head or len(pattern.args) != len(term.args) or pattern.names != term.names:
        return False
    return all(match(p, t, free, found) for p, t in zip(pattern.args, term.args, strict=True))


def replace(term: Term, old: Term, new: Term) -> Term:
    """Every occurrence of ``old`` outside binders exchanged."""
    if term == old:
        return new
    if not term.args or term.head in ("fun", "∀"):
        return term
    return Term(term.head, tuple(replace(a, old, new) for a in term.args), term.names, term.infos)


def opened_forall(term: Term) -> tuple[list[tuple[str, str, Term]], Term]:
    """The binders (name, info, type) in front of a statement, arrows included under the name "", and the rest."""
    bound = []
    while term.head in ("∀", "→"):
        if term.head == "∀":
            bound.append((term.names[0], term.infos[0], term.args[0]))
        else:
            bound.append(("", "default", term.args[0]))
        term = term.args[1]
    return bound, term
