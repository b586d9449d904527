"""What the engine says, in the words of the user's file. Nothing about it is trusted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from goedels_poetry.kernel.bridge.names import WORDS
from goedels_poetry.kernel.bridge.vocabulary import NotTranslatable
from goedels_poetry.kernel.problem import Definition, Signature
from goedels_poetry.kernel.terms import BitVector, Kind, Sort, Term, is_app, subterms
from goedels_poetry.languages.bridge.goals.auxiliaries import COUNTED, names_of, written
from goedels_poetry.languages.bridge.goals.expressions import Expr
from goedels_poetry.languages.bridge.goals.facts import Facts
from goedels_poetry.languages.bridge.goals.library import CONSTRUCTORS
from goedels_poetry.languages.bridge.goals.matching import Unreadable
from goedels_poetry.languages.bridge.goals.printing import constant, show
from goedels_poetry.languages.bridge.goals.reading import Reading

_ORDERS = {"<": "<", "<=": "≤", ">": ">", ">=": "≥"}
_BITS = {"bvadd": "+", "bvsub": "-", "bvmul": "*", "bvudiv": "/", "bvurem": "%", "bvult": "<", "bvule": "≤"}


@dataclass(frozen=True)
class FileTheory:
    """One reading of one goal; see `bridge.writing.Words` for the fields that it shares with `LeanTheory`."""

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
        if name in _ORDERS:
            return f"({self._value(args[0])} {_ORDERS[name]} {self._value(args[1])})"
        if name in ("bvult", "bvule"):
            return f"({self._value(args[0])} {_BITS[name]} {self._value(args[1])})"
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
        if name in _BITS and term.sort.name == "BitVec":
            return f"({self._value(args[0])} {_BITS[name]} {self._value(args[1])})"
        if name == "ite":
            return f"(if {self._prop(args[0])} then {self._value(args[1])} else {self._value(args[2])})"
        if name == "not" and self._is_value(args[0]):
            return f"(!{self._value(args[0])})"
        if name in ("and", "or") and all(map(self._is_value, args)):
            return f"({(' && ' if name == 'and' else ' || ').join(map(self._value, args))})"
        if term.sort.name == "Bool" and name in (
            "not",
            "and",
            "or",
            "=>",
            "=",
            "distinct",
            *_ORDERS,
            *self._reading.operations,
        ):
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
