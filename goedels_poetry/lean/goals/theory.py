"""What the engine says, in the words of the user's file. Nothing about it is trusted."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Protocol

from goedels_poetry.kernel.equations import constructor_cases, simplify
from goedels_poetry.kernel.problem import Definition, Signature
from goedels_poetry.kernel.sequent import Names
from goedels_poetry.kernel.terms import (
    INT,
    BitVector,
    Kind,
    Sort,
    Term,
    app,
    integer,
    is_app,
    rebuild,
    substitute,
    subterms,
)
from goedels_poetry.lean.goals.expressions import Expr
from goedels_poetry.lean.goals.facts import Facts
from goedels_poetry.lean.goals.library import CONSTRUCTORS
from goedels_poetry.lean.goals.matching import Unreadable
from goedels_poetry.lean.goals.printing import constant, show
from goedels_poetry.lean.goals.script import Reading
from goedels_poetry.lean.statement.names import WORDS, legal
from goedels_poetry.lean.statement.terms import BIT_ORDERS, BITS, ORDERS
from goedels_poetry.lean.statement.vocabulary import NotTranslatable

# -- Functions that a proof of the engine's brings along (sizes, occurrences, orders), as definitions of Lean ------


STEM = "gp_aux_"
COUNTED = ""
"""The name of the size of Lean's natural numbers: it is the number itself, as an integer."""
_SIZE = "size!"
MOST_CASES = 100


class _Text(Protocol):
    """What is asked of the text of the user's file."""

    def sort(self, sort: Sort) -> str: ...

    def binders(self, variables: Sequence[Term]) -> str: ...

    def value(self, term: Term) -> str: ...


def names_of(definitions: Sequence[Definition], text: str, numbers: Collection[str] = ()) -> dict[str, str]:
    """Lean's names of these functions, none of which stands in the user's ``text``; ``numbers``: sorts that are Nat."""
    stem = STEM
    while stem in text:
        stem = stem.replace("aux", "auxi", 1)
    found: dict[str, str] = {}
    for definition in definitions:
        if definition.name in {f"{_SIZE}{sort}" for sort in numbers}:
            found[definition.name] = COUNTED
            continue
        name = stem + legal(re.sub(r"\W", "_", definition.name))
        while name in found.values():
            name += "'"
        found[definition.name] = name
    return found


def written(
    definitions: Sequence[Definition], heads: dict[str, str], outer: Sequence[str], signature: Signature, words: _Text
) -> str:
    """The text of definitions, in order, for ``words`` that take their names from ``heads``.

    ``outer`` are binders for what the file leaves open. A definition has those that it speaks of; where these have to
    be given, ``heads`` has them behind its name from then on.

    Raises:
        NotTranslatable: there is something in them that the file has no words for.
    """
    texts = []
    for _, members in groupby((d for d in definitions if heads[d.name] != COUNTED), lambda d: d.group):
        group = list(members)
        parts = [_parts(d, signature, words) for d in group]
        kept = _spoken_of(" ".join(f"{binders} {body}" for binders, body in parts), outer)
        given = "".join(f" {_name(binder)}" for binder in kept if binder.startswith("("))
        names = [heads[d.name] for d in group]
        if given:
            heads.update({d.name: f"{heads[d.name]}{given}" for d in group})
            parts = [_parts(d, signature, words) for d in group]
        lines = [
            f"noncomputable def {' '.join(filter(None, [name, *kept, binders]))} : {words.sort(d.sort)} :=\n  {body}"
            for d, name, (binders, body) in zip(group, names, parts, strict=True)
        ]
        texts += lines if len(lines) == 1 else ["\n\n".join(["mutual", *lines, "end"])]
    return "".join(f"{text}\n\n" for text in texts)


def _parts(definition: Definition, signature: Signature, words: _Text) -> tuple[str, str]:
    """Binders, and what is defined, by its cases, so that Lean sees what recursion goes down."""
    fresh = Names(definition.body, *definition.params, reserved=signature.names)
    whole = app(definition.name, definition.params, definition.sort)
    cases = [
        case
        for lhs, rhs in constructor_cases(whole, definition.body, definition.params, signature, fresh)
        for case in _taken_apart(lhs, rhs, signature, fresh)
    ]
    split = [i for i, p in enumerate(definition.params) if any(lhs.args[i] is not p for lhs, _ in cases)]
    binders = words.binders(definition.params)
    if not split:
        return binders, words.value(cases[0][1])
    lines = [f"match {', '.join(words.value(definition.params[i]) for i in split)} with"]
    lines += [f"  | {', '.join(words.value(lhs.args[i]) for i in split)} => {words.value(rhs)}" for lhs, rhs in cases]
    return binders, "\n".join(lines)


def _taken_apart(lhs: Term, rhs: Term, signature: Signature, fresh: Names) -> list[tuple[Term, Term]]:
    """The same by the constructors of all variables of which fields are selected: a file has no words for selectors."""
    waiting, done = [(lhs, rhs)], list[tuple[Term, Term]]()
    while waiting:
        lhs, rhs = waiting.pop()
        variable = next((t.args[0] for t in subterms(rhs) if t.args and signature.selector(t.name)), None)
        datatype = signature.datatype(variable.sort) if variable is not None and variable in lhs.free else None
        if variable is None or datatype is None or len(waiting) + len(done) > MOST_CASES:
            done.append((lhs, _without_selectors(rhs, signature)))
            continue
        for constructor in reversed(datatype.constructors):
            fields = [fresh.fresh(variable.name, s) for _, s in constructor.fields]
            case = {variable: app(constructor.name, fields, variable.sort)}
            waiting.append((substitute(lhs, case), simplify(substitute(rhs, case), signature)))
    return done


def _without_selectors(term: Term, signature: Signature) -> Term:
    """What SMT-LIB leaves open, a field of what has no such field, is any value: no proof rests on which it is."""
    memo: dict[Term, Term] = {}
    for part in subterms(term):
        if part.kind is Kind.APP and signature.selector(part.name) is not None:
            datatype = signature.datatype(part.sort)
            constructor = next((c for c in datatype.constructors if not c.fields), None) if datatype else None
            if part.sort is INT or constructor is not None:
                memo[part] = integer(0) if constructor is None else app(constructor.name, (), part.sort)

    def go(t: Term) -> Term:
        if t in memo or not t.args:
            return memo.get(t, t)
        return rebuild(t, tuple(map(go, t.args)))

    return go(term)


def _spoken_of(text: str, outer: Sequence[str]) -> list[str]:
    """The binders of what a text speaks of, of what their types speak of, and of all instances for that alone."""
    kept: set[str] = set()
    names = {_name(binder) for binder in outer}
    for binder in reversed(outer):  # a type speaks of what is bound before it
        if not binder.startswith("[") and _name(binder) in _words(text):
            kept.add(binder)
            text += f" {binder}"
    known = {_name(binder) for binder in kept}
    return [b for b in outer if b in kept or (b.startswith("[") and (_words(b) & names) - {_name(b)} <= known)]


def _name(binder: str) -> str:
    """``x`` of ``(x : T)``."""
    return binder[1:].partition(" : ")[0]


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\s()\[\]{},:]+", text))


# -- What the engine says, in the words of the user's file ---------------------------------------------------------


_FORMULAS = frozenset({"not", "and", "or", "=>", "=", "distinct"})


@dataclass(frozen=True)
class FileTheory:
    """One reading of one goal; see `lean.smt_proofs.writing.Words` for the fields that it shares with `LeanTheory`."""

    header: str
    context: str
    arguments: tuple[str, ...]
    definitions: Mapping[str, str]
    hypotheses: tuple[tuple[str, str], ...]
    equations: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict, init=False)
    outer: tuple[str, ...]
    """Binders for what is in the context, each in its brackets."""
    natural: bool
    """Integers of the engine are natural numbers."""
    unary: bool
    helpers: str
    """Definitions of what the proof brings along, to stand before its lemmas."""
    _facts: Facts = field(repr=False)
    _reading: Reading = field(repr=False)
    _signature: Signature = field(repr=False)
    _called: Mapping[str, str] = field(repr=False)
    """Texts of the free variables of templates."""
    _taken: frozenset[str] = field(repr=False)
    _auxiliaries: Mapping[str, str] = field(repr=False)

    def name(self, symbol: str) -> str:
        """Lean's name of a constructor or function."""
        found = self._signature.constructor(symbol)
        if found is not None:
            return self._constructor(found[0].sort, symbol)
        if symbol in self._reading.symbols:
            return constant(self._reading.symbols[symbol].template.head)
        if symbol in self._auxiliaries:
            return self._auxiliaries[symbol]
        raise NotTranslatable(f"the function {symbol}")

    def sort(self, sort: Sort) -> str:
        """Lean's type for a sort."""
        if sort.name == "Int":
            return "Nat" if self.natural else "Int"
        if sort.name == "Bool":
            return "Bool"
        if sort.name == "BitVec":
            return f"(BitVec {sort.indices[0]})"
        type_ = self._reading.types.get(sort.name)
        if type_ is None:
            raise NotTranslatable(f"the sort {sort}")
        return self._show(type_, {})

    def taken_apart(self, sort: Sort) -> str:
        """The inductive type of Lean's whose values are taken apart by their constructors; "" for numbers."""
        type_ = self._reading.types.get(sort.name)
        return "" if type_ is None or self._is_nat(sort) else constant(type_.head)

    def variable(self, variable: Term) -> str:
        """Lean's name of a variable."""
        name = re.sub(r"\W", "_", variable.name)
        return f"x_{name}" if name in self._taken or name in WORDS or not name[0].isalpha() else name

    def binders(self, variables: Sequence[Term]) -> str:
        """Variables with their types."""
        return " ".join(f"({self.variable(v)} : {self.sort(v.sort)})" for v in variables)

    def prop(self, term: Term) -> str:
        """A formula as a proposition; raises `NotTranslatable`."""
        try:
            return self._prop(term)
        except (Unreadable, RecursionError) as fault:
            raise NotTranslatable(str(fault)) from fault

    def value(self, term: Term) -> str:
        """A term as a value; raises `NotTranslatable`."""
        try:
            return self._value(term)
        except (Unreadable, RecursionError) as fault:
            raise NotTranslatable(str(fault)) from fault

    # -- propositions ------------------------------------------------------------------------------------------

    def _prop(self, term: Term) -> str:
        if term.kind is Kind.LIT:
            return "True" if term.value else "False"
        if term.kind in (Kind.FORALL, Kind.EXISTS):
            sign = "∀" if term.kind is Kind.FORALL else "∃"
            if sign == "∃":
                opening = "".join(f"∃ {self.binders([v])}, " for v in term.binders)
                return f"({opening}{self._prop(term.body)})"
            return f"(∀ {self.binders(term.binders)}, {self._prop(term.body)})"
        if term.kind is Kind.VAR:
            return f"({self.variable(term)} = true)"
        args, name = term.args, term.name
        symbol = self._reading.symbols.get(name)
        if symbol is not None and symbol.prop:
            return self._applied(name, args)
        match name:
            case "not":
                return self._negated(args[0])
            case "and" | "or":
                return f"({(' ∧ ' if name == 'and' else ' ∨ ').join(map(self._prop, args))})"
            case "=>":
                return f"({' → '.join(map(self._prop, args))})"
            case "ite":
                return f"(if {self._prop(args[0])} then {self._prop(args[1])} else {self._prop(args[2])})"
            case "=":
                return self._equal(args[0], args[1])
            case "distinct":
                return f"(¬ {self._equal(args[0], args[1])})"
            case "is":
                return self._test(term)
        if name in ORDERS or name in BIT_ORDERS:
            return (ORDERS.get(name) or BIT_ORDERS[name]).format(self._value(args[0]), self._value(args[1]))
        if self._reading.operations.get(name) == "≤":
            return f"({self._value(args[0])} ≤ {self._value(args[1])})"
        return f"({self._value(term)} = true)"

    def _negated(self, term: Term) -> str:
        if self._is_value(term):
            return f"({self._value(term)} = false)"
        return f"(¬ {self._prop(term)})"

    def _is_value(self, term: Term) -> bool:
        """Whether a formula is a Bool in Lean."""
        if term.kind in (Kind.VAR, Kind.LIT):
            return True
        symbol = self._reading.symbols.get(term.name) if term.kind is Kind.APP else None
        if symbol is not None:
            return not symbol.prop
        if term.name in self._auxiliaries:
            return True
        return term.kind is Kind.APP and self._signature.selector(term.name) is not None

    def _equal(self, left: Term, right: Term) -> str:
        if left.sort.name == "Bool" and not (self._is_value(left) and self._is_value(right)):
            return f"({self._prop(left)} ↔ {self._prop(right)})"
        return f"({self._value(left)} = {self._value(right)})"

    def _test(self, term: Term) -> str:
        name = str(term.indices[0])
        found = self._signature.constructor(name)
        assert found is not None
        values = [f"y{i}" for i, _ in enumerate(found[1].fields)]
        made = " ".join([self._constructor(found[0].sort, name), *values])
        opening = "".join(f"∃ {v}, " for v in values)
        return f"({opening}{self._value(term.args[0])} = {made})"

    # -- values ------------------------------------------------------------------------------------------------

    def _value(self, term: Term) -> str:
        if term.kind is Kind.VAR:
            return self.variable(term)
        if term.kind is Kind.LIT:
            return self._literal(term)
        if term.kind is not Kind.APP:
            return f"(decide {self._prop(term)})"
        name, args = term.name, term.args
        if name in self._reading.symbols:
            if self._reading.symbols[name].prop:
                return f"(decide {self._applied(name, args)})"
            return self._applied(name, args)
        if name in self._auxiliaries:
            head = self._auxiliaries[name]
            shown = [self._value(a) for a in args]
            return f"(({shown[0]} : Nat) : Int)" if head == COUNTED else f"({' '.join([head, *shown])})"
        found = self._signature.constructor(name)
        if found is not None:
            return self._built(found[0].sort, name, args)
        if name in self._reading.operations and self._reading.operations[name] != "≤":
            return self._operation(self._reading.operations[name], args)
        if name in ("+", "*", "-") and len(args) == 1:
            return f"(-{self._value(args[0])})"
        if name in ("+", "*", "-"):
            return f"({f' {name} '.join(map(self._value, args))})"
        if name in ("div", "mod"):
            return f"({self._value(args[0])} {'/' if name == 'div' else '%'} {self._value(args[1])})"
        if name in BITS and term.sort.name == "BitVec":
            return BITS[name].format(*map(self._value, args))
        if name == "ite":
            return f"(if {self._prop(args[0])} then {self._value(args[1])} else {self._value(args[2])})"
        if name == "not" and self._is_value(args[0]):
            return f"(!{self._value(args[0])})"
        if name in ("and", "or") and all(map(self._is_value, args)):
            return f"({(' && ' if name == 'and' else ' || ').join(map(self._value, args))})"
        if term.sort.name == "Bool" and name in {*_FORMULAS, *ORDERS, *self._reading.operations}:
            return f"(decide {self._prop(term)})"
        raise NotTranslatable(f"the function {name}")

    def _literal(self, term: Term) -> str:
        value = term.value
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, BitVector):
            return f"({value.value} : BitVec {value.width})"
        if isinstance(value, int) and not (self.natural and value < 0):
            return f"({value} : {'Nat' if self.natural else 'Int'})"
        raise NotTranslatable("a literal")

    def _applied(self, name: str, args: Sequence[Term]) -> str:
        symbol = self._reading.symbols[name]
        names = dict(zip(symbol.parameters, map(self._value, args), strict=True))
        return self._show(symbol.template, names)

    def _built(self, sort: Sort, name: str, args: Sequence[Term]) -> str:
        called = self._constructor(sort, name)
        shown = [self._value(a) for a in args]
        if called == "Nat.zero":
            return "(0 : Nat)"
        if called == "Nat.succ":
            return f"({shown[0]} + 1)"
        if called == "List.cons":
            return f"({shown[0]} :: {shown[1]})"
        if called in ("List.nil", "Option.none"):
            return f"({called} : {self.sort(sort)})"
        if not shown:
            parameters = self._reading.types[sort.name].operands
            return f"({called} : {self.sort(sort)})" if parameters else called
        return f"({' '.join([called, *shown])})"

    def _constructor(self, sort: Sort, name: str) -> str:
        """Sorts list their constructors in the order of their types."""
        type_ = self._reading.types[sort.name]
        datatype = self._signature.datatype(sort)
        assert datatype is not None
        at = [c.name for c in datatype.constructors].index(name)
        return constant(self._constructors_of(type_)[at])

    def _constructors_of(self, type_: Expr) -> tuple[str, ...]:
        if type_.head == "Nat":
            return ("Nat.zero", "Nat.succ")
        if type_.head in self._facts.constructors:
            return self._facts.constructors[type_.head][1]
        return CONSTRUCTORS[type_.head]

    def _operation(self, sign: str, args: Sequence[Term]) -> str:
        shown = [self._value(a) for a in args]
        if sign in ("max", "min"):
            return f"({sign} {shown[0]} {shown[1]})"
        if sign == "pred":
            return f"({shown[0]} - 1)"
        return f"({shown[0]} {sign} {shown[1]})"

    def _show(self, e: Expr, names: Mapping[str, str]) -> str:
        return show(e, self._facts, {**self._called, **names})

    def is_linear(self, term: Term) -> bool:
        """Whether a formula speaks of sums and the order of numbers alone: Lean's `omega` and `grind` decide it."""
        return all(
            part.kind is not Kind.APP
            or self._reading.operations.get(part.name, part.name) in _LINEAR
            or (self._is_nat(part.sort) and self._signature.type_of(part.name) is None)
            for part in subterms(term)
        )

    def _is_nat(self, sort: Sort) -> bool:
        type_ = self._reading.types.get(sort.name)
        return type_ is not None and type_.head == "Nat"

    def guards(self, term: Term) -> bool:
        """Whether a hypothesis says of a natural number that it is none below 0."""
        return self.natural and is_app(term, ">=") and term.args[0].kind is Kind.VAR and term.args[1].value == 0


def theory_for(
    facts: Facts,
    reading: Reading,
    signature: Signature,
    prefix: str,
    stubs: str,
    unary: bool,
    auxiliary: Sequence[Definition] = (),
) -> FileTheory:
    """The theory of a reading. ``stubs``: lemmas that stand after the file's text; ``auxiliary``: of the signature.

    Raises:
        NotTranslatable: the file has no words for something in the auxiliary definitions.
    """
    called, variables, arguments = {}, [], []
    taken: set[str] = {s.template.head.partition(".")[0] for s in reading.symbols.values()}
    for e in reading.types.values():
        taken |= {c.partition(".")[0] for c in e.constants()}
    for number, (variable, type_, info) in enumerate(reading.variables):
        name = variable.name.partition("\0")[0]
        instance = info == "instImplicit"
        name = name if name.isidentifier() and not instance else f"{'inst' if instance else 'x'}_{number}"
        called[variable.name] = name
        taken.add(name)
        text = f"{name} : {show(type_, facts, called)}"
        if instance:
            variables.append(f"[{text}]")
        elif type_.kind == "sort":
            variables.append(f"{{{text}}}")
        else:
            variables.append(f"({text})")
            arguments.append(name)
    context = f"variable {' '.join(variables)}\n" if variables else ""
    kept = [called[v.name] for v, t, i in reading.variables]
    context += f"include {' '.join(kept)}" if kept else ""
    definitions = {n: constant(s.template.head) for n, s in reading.symbols.items() if s.template.kind != "free"}
    definitions = {
        n: _unfolding(d) for n, d in definitions.items() if d in map(constant, facts.equations) or d in _OPERATIONS
    }
    numbers = {sort for sort, type_ in reading.types.items() if type_.head == "Nat"}
    brought = names_of(auxiliary, f"{prefix}{stubs}", numbers)
    taken.update(brought.values())
    theory = FileTheory(
        f"{prefix}\n{stubs}",
        context,
        tuple(arguments),
        {**{n: d for n, d in definitions.items() if d}, **{n: d for n, d in brought.items() if d != COUNTED}},
        (),
        tuple(variables),
        "Int" not in reading.numbers and not unary,
        unary,
        "",
        facts,
        reading,
        signature,
        called,
        frozenset(taken),
        brought,
    )
    if not auxiliary:
        return theory
    helpers = written(auxiliary, brought, variables, signature, theory)
    return replace(theory, header=f"{theory.header}\n{helpers}", helpers=helpers)


_LINEAR = frozenset({"+", "-", "<", "<=", ">", ">=", "≤", "pred", "max", "min", "=", "distinct", "ite"}) | frozenset(
    {"and", "or", "not", "=>"}
)
"""Signs of operations, and symbols of the engine's."""
_OPERATIONS = {"HAppend.hAppend": "List.append_eq", "Membership.mem": "List.mem_cons"}


def _unfolding(constant_: str) -> str:
    """What rewrites a function by its definition."""
    return _OPERATIONS.get(constant_, constant_)
