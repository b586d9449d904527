"""What the engine says, in the words of the user's file. Nothing about it is trusted."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType

from goedels_poetry.kernel.equations import constructor_cases, simplify
from goedels_poetry.kernel.problem import Definition, Signature
from goedels_poetry.kernel.sequent import Names
from goedels_poetry.kernel.terms import (
    INT,
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
from goedels_poetry.lean.goals.facts import CONSTRUCTORS, Expr, Facts, apply, fresh, opened, plain, telescope
from goedels_poetry.lean.goals.sorts import Reading, Unreadable, literal
from goedels_poetry.lean.runtime.protocol import PRIVATE
from goedels_poetry.lean.statement.terms import Writer
from goedels_poetry.lean.statement.vocabulary import WORDS, NotTranslatable, Vocabulary, legal

# -- Lean's expressions as text that Lean reads back as the same ---------------------------------------------------

_INFIX = {
    **{"HAdd.hAdd": "+", "HSub.hSub": "-", "HMul.hMul": "*", "HDiv.hDiv": "/", "HMod.hMod": "%", "HPow.hPow": "^"},
    **{"HAppend.hAppend": "++", "LE.le": "≤", "LT.lt": "<", "GE.ge": "≥", "GT.gt": ">", "BEq.beq": "==", "Eq": "="},
    **{"Ne": "≠", "And": "∧", "Or": "∨", "Iff": "↔", "and": "&&", "or": "||", "List.cons": "::", "Dvd.dvd": "∣"},
}
_EXPLICIT = {
    "List.append": 2,
    "Nat.succ": 1,
    "Option.some": 1,
    "Prod.mk": 2,
    "Sum.inl": 1,
    "Sum.inr": 1,
    "Not": 1,
    "not": 1,
}
"""How many arguments are written of what Lean was not asked about."""


def show(e: Expr, facts: Facts, names: Mapping[str, str]) -> str:
    """The text, in parentheses where it is more than a word. ``names``: texts of free variables.

    Raises:
        Unreadable: there is something in it for which no text is known.
    """
    e = apply(e, ())
    if e.kind == "free":
        return names.get(e.name) or plain(e.name)
    if e.kind == "nat":
        return str(e.number)
    if e.kind == "sort":
        return "Prop" if e.number == 0 else "Type _"
    if e.kind == "text" and e.name.isprintable() and not {'"', "\\", "{"} & set(e.name):
        return f'"{e.name}"'
    if e.kind in ("lam", "pi"):
        return _bound(e, facts, names)
    head, operands = e.head, e.operands
    if e.kind == "app" and e.args[0].kind == "free":
        return f"({' '.join(show(a, facts, names) for a in e.args)})"
    if not head:
        raise Unreadable(f"an expression of the kind {e.kind} as text")
    if head == "OfNat.ofNat" and (number := literal(e)) is not None:
        return f"({number} : {show(operands[0], facts, names)})"
    if head in _INFIX and len(operands) >= 2:
        left, right = (show(o, facts, names) for o in operands[-2:])
        return f"({left} {_INFIX[head]} {right})"
    if head == "Membership.mem" and len(operands) == 5:
        return f"({show(operands[4], facts, names)} ∈ {show(operands[3], facts, names)})"
    if head in ("List.nil", "Option.none"):
        return f"({head} : {show(Expr('app', '', (Expr('const', head.partition('.')[0]), *operands)), facts, names)})"
    if head == "ite" and len(operands) == 5:
        test, yes, no = (show(o, facts, names) for o in (operands[1], *operands[3:]))
        return f"(if {test} then {yes} else {no})"
    if head == "Decidable.decide":
        return f"(decide {show(operands[0], facts, names)})"
    return _application(head, operands, facts, names)


def _bound(e: Expr, facts: Facts, names: Mapping[str, str]) -> str:
    variable = fresh(e.name)
    called = e.name if e.name.isidentifier() else "x"
    while called in names.values():
        called += "'"
    inner = {**names, variable.name: called}
    type_, body = show(e.args[0], facts, names), show(opened(e.args[1], variable), facts, inner)
    if e.kind == "lam":
        return f"(fun ({called} : {type_}) => {body})"
    used = variable.name in opened(e.args[1], variable).free()
    return f"(∀ ({called} : {type_}), {body})" if used else f"({type_} → {body})"


def _application(head: str, operands: tuple[Expr, ...], facts: Facts, names: Mapping[str, str]) -> str:
    name = constant(head)
    type_ = facts.types.get(head)
    if type_ is None:
        count = _EXPLICIT.get(head, len(operands) if head in CONSTRUCTORS else 0)
        shown = [show(o, facts, names) for o in operands[len(operands) - count :]]
        if count == 0 and operands:
            return f"(@{name} {' '.join(show(o, facts, names) for o in operands)})"
        return f"({' '.join([name, *shown])})" if shown else name
    infos = [info for _, _, info in telescope(type_)[0]]
    infos += ["default"] * (len(operands) - len(infos))
    shown = [show(o, facts, names) for o, info in zip(operands, infos, strict=False) if info == "default"]
    if not shown and operands:
        given = [("_" if i == "instImplicit" else show(o, facts, names)) for o, i in zip(operands, infos, strict=False)]
        return f"(@{name} {' '.join(given)})"
    return f"({' '.join([name, *shown])})" if shown else name


def constant(name: str) -> str:
    """A constant as it is written after the file's own text."""
    return name.removeprefix(PRIVATE)


# -- Functions that a proof of the engine's brings along (sizes, occurrences, orders), as definitions of Lean ------


STEM = "gp_aux_"
COUNTED = ""
"""The name of the size of Lean's natural numbers: it is the number itself, as an integer."""
_SIZE = "size!"
MOST_CASES = 100


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


def written(definitions: Sequence[Definition], heads: dict[str, str], words: FileTheory) -> str:
    """The text of definitions, in order, for ``words`` that take their names from ``heads``.

    A definition has those of the file's open things that it speaks of; where these have to be given, ``heads`` has them
    behind its name from then on.

    Raises:
        NotTranslatable: there is something in them that the file has no words for.
    """
    texts = []
    for _, members in groupby((d for d in definitions if heads[d.name] != COUNTED), lambda d: d.group):
        group = list(members)
        parts = [_parts(d, words) for d in group]
        kept = spoken_of(" ".join(f"{binders} {body}" for binders, body in parts), words.outer)
        given = "".join(f" {_name(binder)}" for binder in kept if binder.startswith("("))
        names = [heads[d.name] for d in group]
        if given:
            heads.update({d.name: f"{heads[d.name]}{given}" for d in group})
            words.forget()
            parts = [_parts(d, words) for d in group]
        lines = [
            f"noncomputable def {' '.join(filter(None, [name, *kept, binders]))} : {words.sort(d.sort)} :=\n  {body}"
            for d, name, (binders, body) in zip(group, names, parts, strict=True)
        ]
        texts += lines if len(lines) == 1 else ["\n\n".join(["mutual", *lines, "end"])]
    return "".join(f"{text}\n\n" for text in texts)


def _parts(definition: Definition, words: FileTheory) -> tuple[str, str]:
    """Binders, and what is defined, by its cases, so that Lean sees what recursion goes down."""
    signature = words.signature
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


def spoken_of(text: str, outer: Sequence[str], needs: Collection[str] = ()) -> list[str]:
    """The binders of what a text speaks of or ``needs``, of what their types speak of, and of all instances for that
    alone: `grind` finds no pattern for a lemma that has others, since nothing says what they are."""
    kept: set[str] = set()
    names = {_name(binder) for binder in outer}
    for binder in reversed(outer):  # a type speaks of what is bound before it
        if _name(binder) in needs or (not binder.startswith("[") and _name(binder) in _words(text)):
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


class FileTheory(Writer):
    """One reading of one goal; see `lean.smt_proofs.writing.Words` for what it shares with `LeanTheory`.

    Args:
        prefix: the file's text before the goal.
        stubs: lemmas that stand after it.
        unary: natural numbers are a datatype in the reading.
        auxiliary: functions that a proof brings along, which the signature has.

    Raises:
        NotTranslatable: the file has no words for something in the auxiliary definitions.
    """

    hypotheses: tuple[tuple[str, str], ...] = ()
    equations: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType({})

    def __init__(
        self,
        facts: Facts,
        reading: Reading,
        signature: Signature,
        prefix: str,
        stubs: str,
        unary: bool,
        auxiliary: Sequence[Definition] = (),
    ) -> None:
        super().__init__(Vocabulary(signature, frozenset()), lambda name, args: f"({' '.join([name, *args])})")
        self._facts, self._reading, self.unary = facts, reading, unary
        self.natural = "Int" not in reading.numbers and not unary
        """Integers of the engine are natural numbers."""
        self.arithmetic = bool(reading.operations)
        """The goal speaks of operations on natural numbers."""
        self._called: dict[str, str] = {}
        """Texts of the free variables of templates."""
        self.outer, self.arguments = self._opened()
        """Binders for what is in the context, each in its brackets; of them what a lemma has to be given."""
        self.context = (
            f"variable {' '.join(self.outer)}\ninclude {' '.join(self._called.values())}" if self.outer else ""
        )
        self._auxiliaries = names_of(auxiliary, f"{prefix}{stubs}", {s for s, t in reading.types.items() if _is_nat(t)})
        constants = [c for e in reading.types.values() for c in e.constants()]
        heads = [s.template.head for s in reading.symbols.values()]
        firsts = {name.partition(".")[0] for name in (*constants, *heads)}
        self._taken = frozenset({*firsts, *self._called.values(), *self._auxiliaries.values()})
        known = {constant(name) for name in facts.equations}
        named = {n: constant(s.template.head) for n, s in reading.symbols.items() if s.template.kind != "free"}
        self.definitions = {
            n: _OPERATIONS.get(d, d) for n, d in named.items() if d and (d in known or d in _OPERATIONS)
        }
        self.definitions |= {n: d for n, d in self._auxiliaries.items() if d != COUNTED}
        self.helpers = written(auxiliary, self._auxiliaries, self) if auxiliary else ""
        """Definitions of what the proof brings along, to stand before its lemmas."""
        self.header = "\n".join([prefix, stubs, *([self.helpers] if auxiliary else [])])

    def _opened(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Binders for what the goal is about that is no value, and the names of the explicit ones."""
        binders, arguments = [], []
        for number, (variable, type_, info) in enumerate(self._reading.variables):
            name, instance = variable.name.partition("\0")[0], info == "instImplicit"
            if instance or not name.isidentifier():
                name = f"{'inst' if instance else 'x'}_{number}"
            self._called[variable.name] = name
            text = f"{name} : {self._show(type_, {})}"
            explicit = not instance and type_.kind != "sort"
            binders.append(f"[{text}]" if instance else f"({text})" if explicit else f"{{{text}}}")
            arguments += [name] if explicit else []
        return tuple(binders), tuple(arguments)

    # -- names -------------------------------------------------------------------------------------------------

    def name(self, symbol: str) -> str:
        """Lean's name of a constructor or function."""
        found = self.signature.constructor(symbol)
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
        if sort.name in ("Bool", "BitVec"):
            return self.words.sort(sort)
        type_ = self._reading.types.get(sort.name)
        if type_ is None:
            raise NotTranslatable(f"the sort {sort}")
        return self._show(type_, {})

    def taken_apart(self, sort: Sort) -> str:
        """The inductive type of Lean's whose values are taken apart by their constructors; "" for numbers."""
        type_ = self._reading.types.get(sort.name)
        return "" if type_ is None or _is_nat(type_) else constant(type_.head)

    def variable(self, variable: Term) -> str:
        """Lean's name of a variable."""
        name = re.sub(r"\W", "_", variable.name)
        return f"x_{name}" if name in self._taken or name in WORDS or not name[0].isalpha() else name

    def binders(self, variables: Sequence[Term]) -> str:
        """Variables with their types."""
        return " ".join(f"({self.variable(v)} : {self.sort(v.sort)})" for v in variables)

    def forget(self) -> None:
        """Texts of terms, where something has got another name."""
        self._values.clear()
        self._props.clear()

    def _show(self, e: Expr, names: Mapping[str, str]) -> str:
        return show(e, self._facts, {**self._called, **names})

    # -- terms, where a file says them in another way ----------------------------------------------------------

    def _kept(self, done: dict[Term, str], write: Callable[[Term], str], term: Term) -> str:
        try:
            return super()._kept(done, write, term)
        except (Unreadable, RecursionError) as fault:
            raise NotTranslatable(str(fault)) from fault

    def _prop(self, term: Term) -> str:
        symbol = self._reading.symbols.get(term.name) if term.kind is Kind.APP else None
        if (symbol is not None and symbol.prop) or self._reading.operations.get(term.name) == "≤":
            return self._applied(term.name, [self.value(a) for a in term.args])
        return super()._prop(term)

    def _connective(self, term: Term) -> str:
        if term.name == "not" and self._is_value(term.args[0]):
            return f"({self.value(term.args[0])} = false)"
        return super()._connective(term)

    def _is_value(self, term: Term) -> bool:
        """Whether a formula is a Bool in Lean."""
        symbol = self._reading.symbols.get(term.name) if term.kind is Kind.APP else None
        if symbol is not None:
            return not symbol.prop
        plain = term.kind in (Kind.VAR, Kind.LIT) or term.name in self._auxiliaries
        return plain or (term.kind is Kind.APP and self.signature.selector(term.name) is not None)

    def _formula(self, term: Term) -> bool:
        return not self._is_value(term)

    def _test(self, term: Term) -> str:
        name = str(term.indices[0])
        found = self.signature.constructor(name)
        assert found is not None
        values = [f"y{i}" for i, _ in enumerate(found[1].fields)]
        made = " ".join([self._constructor(found[0].sort, name), *values])
        return f"({''.join(f'∃ {v}, ' for v in values)}{self.value(term.args[0])} = {made})"

    def _value(self, term: Term) -> str:
        return self.variable(term) if term.kind is Kind.VAR else super()._value(term)

    def _truth(self, term: Term) -> str:
        bools = term.name in ("not", "and", "or") and all(map(self._is_value, term.args))
        return super()._truth(term) if bools else self._decided(term)

    def _literal(self, term: Term) -> str:
        if term.sort is not INT or not isinstance(term.value, int):
            return super()._literal(term)
        if self.natural and term.value < 0:
            raise NotTranslatable("a literal")
        return f"({term.value} : {self.sort(INT)})"

    def _arithmetic(self, term: Term, args: list[str]) -> str:
        if term.name in ("div", "mod"):
            return f"({args[0]} {'/' if term.name == 'div' else '%'} {args[1]})"
        return super()._arithmetic(term, args)

    def applied(self, name: str, args: Sequence[str], sort: Sort) -> str:
        """A symbol of the signature at arguments."""
        if self.signature.constructor(name) is not None:
            return self._built(name, args, sort)
        if name in self._auxiliaries:
            head = self._auxiliaries[name]
            return f"(({args[0]} : Nat) : Int)" if head == COUNTED else f"({' '.join([head, *args])})"
        symbol = self._reading.symbols.get(name)
        is_prop = symbol.prop if symbol is not None else self._reading.operations.get(name) == "≤"
        text = self._applied(name, args)
        return f"(decide {text})" if is_prop else text

    def _applied(self, name: str, args: Sequence[str]) -> str:
        """A function of the goal's, or an operation on natural numbers."""
        symbol, sign = self._reading.symbols.get(name), self._reading.operations.get(name)
        if symbol is not None:
            return self._show(symbol.template, dict(zip(symbol.parameters, args, strict=True)))
        if sign is None:
            raise NotTranslatable(f"the function {name}")
        if sign in ("max", "min"):
            return f"({sign} {args[0]} {args[1]})"
        return f"({args[0]} - 1)" if sign == "pred" else f"({args[0]} {sign} {args[1]})"

    def _built(self, name: str, args: Sequence[str], sort: Sort) -> str:
        called = self._constructor(sort, name)
        special = {"Nat.zero": "(0 : Nat)", "Nat.succ": "({} + 1)", "List.cons": "({} :: {})"}
        if called in special:
            return special[called].format(*args)
        if args:
            return f"({' '.join([called, *args])})"
        return f"({called} : {self.sort(sort)})" if self._reading.types[sort.name].operands else called

    def _constructor(self, sort: Sort, name: str) -> str:
        """Sorts list their constructors in the order of their types."""
        head, datatype = self._reading.types[sort.name].head, self.signature.datatype(sort)
        assert datatype is not None
        own = {"Nat": ("Nat.zero", "Nat.succ"), **CONSTRUCTORS}
        constructors = self._facts.constructors[head][1] if head in self._facts.constructors else own[head]
        return constant(constructors[[c.name for c in datatype.constructors].index(name)])

    # -- what Lean knows of itself -----------------------------------------------------------------------------

    def is_linear(self, term: Term) -> bool:
        """Whether a formula speaks of sums and the order of numbers alone: Lean's `omega` and `grind` decide it."""
        return all(
            part.kind is not Kind.APP
            or self._reading.operations.get(part.name, part.name) in _LINEAR
            or self._is_number(part)
            for part in subterms(term)
        )

    def _is_number(self, term: Term) -> bool:
        type_ = self._reading.types.get(term.sort.name)
        return type_ is not None and _is_nat(type_) and self.signature.type_of(term.name) is None

    def guards(self, term: Term) -> bool:
        """Whether a hypothesis says of a natural number that it is none below 0."""
        return self.natural and is_app(term, ">=") and term.args[0].kind is Kind.VAR and term.args[1].value == 0


def _is_nat(type_: Expr) -> bool:
    return type_.head == "Nat"


_LINEAR = frozenset({"+", "-", "<", "<=", ">", ">=", "≤", "pred", "max", "min", "=", "distinct", "ite"}) | frozenset(
    {"and", "or", "not", "=>"}
)
"""Signs of operations, and symbols of the engine's."""
_OPERATIONS = {"HAppend.hAppend": "List.append_eq", "Membership.mem": "List.mem_cons"}
