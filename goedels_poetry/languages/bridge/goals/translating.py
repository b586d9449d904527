"""A goal of Lean as an SMT-LIB script: functions of first order for each choice of their types and functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from goedels_poetry.kernel.components import components
from goedels_poetry.languages.bridge.goals.expressions import (
    PROP,
    Expr,
    apply,
    const,
    fresh,
    joined,
    opened,
    plain,
    put,
    telescope,
)
from goedels_poetry.languages.bridge.goals.facts import Facts
from goedels_poetry.languages.bridge.goals.library import (
    CLASSES,
    HETEROGENEOUS,
    INT_EQUATIONS,
    NAT_EQUATIONS,
    PROJECTIONS,
)
from goedels_poetry.languages.bridge.goals.matching import Case, Row, Unreadable, compiled
from goedels_poetry.languages.bridge.goals.naming import Names
from goedels_poetry.languages.bridge.goals.sorts import NAT, Sorts, literal

MOST_FUNCTIONS = 60
MOST_UNFOLDED = 10
MOST_UNARY = 12
"""The largest number that is written with constructors."""
_DUMMY = const("gp_proof")
_CONNECTIVES = {"And": "and", "Or": "or", "Not": "not", "and": "and", "or": "or", "not": "not", "xor": "xor"}
_CONNECTIVES |= {"Bool.and": "and", "Bool.or": "or", "Bool.not": "not", "Bool.xor": "xor", "Iff": "="}
_RELATIONS = {"LE.le": "<=", "LT.lt": "<", "GE.ge": ">=", "GT.gt": ">"}
_ARITHMETIC = {"HAdd.hAdd": "+", "HSub.hSub": "-", "HMul.hMul": "*", "HDiv.hDiv": "/", "HMod.hMod": "%"}
_ARITHMETIC |= {"HPow.hPow": "^", "Max.max": "max", "Min.min": "min", "Neg.neg": "neg"}
_NAT_FUNCTIONS = {
    **{"Nat.add": "+", "Nat.mul": "*", "Nat.sub": "-", "Nat.pow": "^", "Nat.div": "/", "Nat.mod": "%"},
    **{"Nat.pred": "pred", "Nat.max": "max", "Nat.min": "min", "Nat.ble": "<=", "Nat.le": "<=", "Nat.lt": "<"},
}
_BITS = {"+": "bvadd", "-": "bvsub", "*": "bvmul", "/": "bvudiv", "%": "bvurem", "neg": "bvneg"}
_BITS |= {"<=": "bvule", "<": "bvult", ">=": "bvuge", ">": "bvugt"}
_PROPOSITIONS = frozenset(
    {"Eq", "Ne", "And", "Or", "Not", "Iff", "Exists", "True", "False", *_RELATIONS, "Dvd.dvd", "Membership.mem", "HEq"}
)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function of the script: what it is in Lean."""

    parameters: tuple[str, ...]
    """Names of free variables."""
    template: Expr
    """The application in Lean, over these."""
    prop: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A goal as the engine reads it, and how to say in Lean what the engine says."""

    text: str
    symbols: Mapping[str, Symbol]
    types: Mapping[str, Expr]
    """Of each sort."""
    variables: tuple[tuple[Expr, Expr, str], ...]
    """What the goal is about that is no value: types, instances, functions; with their types and binders."""
    numbers: frozenset[str]
    functions: tuple[str, ...]
    """Constants that have definitions in the script."""
    dropped: int = 0
    """Hypotheses that could not be read."""
    operations: Mapping[str, str] = field(default_factory=dict)
    """Functions of the script that are operations on natural numbers, with their signs."""
    places: Mapping[int, str] = field(default_factory=dict)
    """The variables of the script's goal, by their places among the variables and hypotheses of Lean's."""


@dataclass(slots=True)
class Translator:
    """One reading of one goal."""

    facts: Facts
    unary: bool
    names: Names = field(default_factory=Names)
    symbols: dict[str, Symbol] = field(default_factory=dict)
    definitions: dict[str, str] = field(default_factory=dict)
    """Text of each defined function; "" while it is being made."""
    calls: dict[str, set[str]] = field(default_factory=dict)
    declarations: list[str] = field(default_factory=list)
    operations: dict[str, str] = field(default_factory=dict)
    constants: dict[str, None] = field(default_factory=dict)
    sorts: Sorts = field(init=False)
    _keys: dict[tuple[str, tuple[Expr, ...]], str] = field(default_factory=dict)
    _stack: list[str] = field(default_factory=list)
    _types: dict[str, Expr] = field(default_factory=dict)
    """Of free variables."""
    _declared: dict[str, str] = field(default_factory=dict)
    """Functions that the goal is about, by the variable's name."""
    _lawful: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.sorts = Sorts(self.facts, self.names, self.unary)

    # -- the goal ----------------------------------------------------------------------------------------------

    def read(self, statement: Expr) -> Reading:
        """The script for a statement; raises :class:`Unreadable`."""
        rest = statement
        env: dict[str, str] = {}
        outer: list[tuple[Expr, Expr, str]] = []
        binders: list[str] = []
        hypotheses: list[str] = []
        dropped = 0
        places: dict[int, str] = {}
        self._note_lawful(statement)
        at = -1
        while rest.kind == "pi":
            at += 1
            type_ = rest.args[0]
            variable = fresh(rest.name)
            if self.is_proof(type_):
                variable = _DUMMY
                before = self._state()
                try:
                    hypotheses.append(self.term(type_, env))
                except Unreadable:
                    dropped += 1
                    self._restore(before)
            elif rest.info == "instImplicit" or self._is_type(type_):
                if self._is_type(type_):
                    self.sorts.declare(variable, rest.name)
                self._types[variable.name] = type_
                outer.append((variable, type_, rest.info))
            elif self.sorts.unfolded(type_).kind == "pi":
                self._declare(variable, rest.name, self.sorts.unfolded(type_))
                outer.append((variable, type_, rest.info))
            else:
                self._types[variable.name] = type_
                name = self.names.give(rest.name if rest.name.isidentifier() else "x")
                binders.append(f"({name} {self.sorts.sort(type_)})")
                env[variable.name] = places[at] = name
                if guard := self._guard(name, type_):
                    hypotheses.append(guard)
            rest = opened(rest.args[1], variable)
        goal = self.term(rest, env)
        goal = f"(=> {' '.join(hypotheses)} {goal})" if hypotheses else goal
        goal = f"(forall ({' '.join(binders)}) {goal})" if binders else goal
        lines = ["(set-logic ALL)", *self.sorts.declarations(), *self.declarations, *self._defined()]
        lines += [f"(assert (not {goal}))", "(check-sat)"]
        return Reading(
            "\n".join(lines) + "\n",
            self.symbols,
            self.sorts.types,
            tuple(outer),
            frozenset(self.sorts.integers),
            tuple(self.constants),
            dropped,
            self.operations,
            places,
        )

    def _state(self) -> list[dict[Any, Any]]:
        """All that reading a term may add to."""
        return [dict(d) for d in self._tables()]

    def _restore(self, before: list[dict[Any, Any]]) -> None:
        """As it was: a term that cannot be read leaves nothing behind."""
        for table, old in zip(self._tables(), before, strict=True):
            table.clear()
            table.update(old)
        self._stack.clear()

    def _tables(self) -> list[dict[Any, Any]]:
        own: list[dict[Any, Any]] = [
            self.symbols,
            self.definitions,
            self.calls,
            self.operations,
            self.constants,
            self._keys,
        ]
        return [*own, *self.sorts.tables()]

    def _note_lawful(self, statement: Expr) -> None:
        """Instances whose `==` is equality, as another instance says."""
        rest = statement
        while rest.kind == "pi":
            variable = fresh(rest.name)
            if rest.args[0].head == "LawfulBEq":
                self._lawful.add(plain(rest.args[0].operands[1].name))
            rest = opened(rest.args[1], variable)

    def _declare(self, variable: Expr, name: str, type_: Expr) -> None:
        """A function that the goal is about."""
        domain, result = telescope(type_)
        sorts = [self.sorts.sort(t) for _, t, _ in domain]
        called = self.names.give(name)
        self.declarations.append(f"(declare-fun {called} ({' '.join(sorts)}) {self.sorts.sort(result)})")
        self._declared[variable.name] = called
        self._types[variable.name] = type_
        parameters = [fresh("x") for _ in domain]
        self.symbols[called] = Symbol(tuple(p.name for p in parameters), joined(variable, parameters), result == PROP)

    def _guard(self, value: str, type_: Expr) -> str:
        return f"(>= {value} 0)" if not self.unary and self.sorts.unfolded(type_).head == "Nat" else ""

    def _defined(self) -> list[str]:
        lines = []
        for group in components(list(self.definitions), lambda f: sorted(self.calls.get(f, ()))):
            texts = [self.definitions[f] for f in group]
            if len(group) == 1 and (group[0] in self.calls.get(group[0], ()) or texts[0].startswith("(define-fun-rec")):
                lines.append(texts[0].replace("(define-fun ", "(define-fun-rec ", 1))
            elif len(group) == 1:
                lines.append(texts[0])
            else:
                split = [_parts(text) for text in texts]
                heads, bodies = " ".join(f"({h})" for h, _ in split), " ".join(b for _, b in split)
                lines.append(f"(define-funs-rec ({heads}) ({bodies}))")
        return lines

    # -- terms ------------------------------------------------------------------------------------------------

    def term(self, e: Expr, env: Mapping[str, str]) -> str:
        """A term or formula; ``env``: terms for the variables that are values. Raises :class:`Unreadable`."""
        e = apply(e, ())
        if e.kind == "let":
            return self.term(opened(e.args[2], e.args[1]), env)
        if e.kind == "free":
            if e.name in env:
                return env[e.name]
            if e.name in self._declared:
                return self._declared[e.name]
            raise Unreadable(f"the variable {plain(e.name)} as a value")
        if e.kind == "nat":
            return self._numeral(e.number, NAT)
        if e.kind == "pi":
            return self._quantified(e, env)
        head, operands = e.head, e.operands
        if e.kind == "app" and e.args[0].kind == "free":
            return self._applied_variable(e, env)
        if not head:
            raise Unreadable(f"an expression of the kind {e.kind}")
        special = self._special(head, operands, env)
        return special if special is not None else self._call(head, operands, env)

    def _all(self, es: Sequence[Expr], env: Mapping[str, str]) -> str:
        return " ".join(self.term(e, env) for e in es)

    def _quantified(self, e: Expr, env: Mapping[str, str]) -> str:
        type_ = e.args[0]
        if self.is_proof(type_):
            return f"(=> {self.term(type_, env)} {self.term(opened(e.args[1], _DUMMY), env)})"
        return self._binding("forall", "=>", e.name, type_, e.args[1], env)

    def _binding(self, quantifier: str, sign: str, name: str, type_: Expr, body: Expr, env: Mapping[str, str]) -> str:
        variable = fresh(name)
        called = self.names.give(name if name.isidentifier() else "x")
        self._types[variable.name] = type_
        inner = self.term(opened(body, variable), {**env, variable.name: called})
        guard = self._guard(called, type_)
        inner = f"({sign} {guard} {inner})" if guard else inner
        return f"({quantifier} (({called} {self.sorts.sort(type_)})) {inner})"

    def _applied_variable(self, e: Expr, env: Mapping[str, str]) -> str:
        called = self._declared.get(e.args[0].name)
        if called is None:
            raise Unreadable(f"a function that is a value, {plain(e.args[0].name)}")
        if len(e.operands) != len(self.symbols[called].parameters):
            raise Unreadable("a function applied to some of its arguments")
        return f"({called} {self._all(e.operands, env)})"

    def _special(self, head: str, operands: tuple[Expr, ...], env: Mapping[str, str]) -> str | None:
        """What has a meaning of its own; None for everything else."""
        count = len(operands)
        if head in ("True", "Bool.true"):
            return "true"
        if head in ("False", "Bool.false"):
            return "false"
        if head in _CONNECTIVES and count:
            return f"({_CONNECTIVES[head]} {self._all(operands, env)})"
        if head in ("Eq", "Ne", "bne", "BEq.beq"):
            return self._equation(head, operands, env)
        if head in ("ite", "cond"):
            branches = operands[-2:]
            return f"(ite {self.term(operands[1], env)} {self._all(branches, env)})"
        if head == "dite":
            branches = tuple(apply(b, (_DUMMY,)) for b in operands[3:5])
            return f"(ite {self.term(operands[1], env)} {self._all(branches, env)})"
        if head == "Decidable.decide":
            return self.term(operands[0], env)
        if head == "Exists":
            return self._exists(operands, env)
        if head in ("id", "namedPattern"):
            return self.term(operands[1] if head == "id" else operands[2], env)
        if head == "Function.comp":
            return self.term(apply(operands[3], (apply(operands[4], operands[5:]),)), env)
        if head == "Membership.mem" and operands[0].head in ("List",):
            return self._call("List.Mem", (operands[0], *operands[3:]), env)
        if ".match_" in head:
            return self._match(head, operands, env)
        return self._number_term(head, operands, env)

    def _exists(self, operands: tuple[Expr, ...], env: Mapping[str, str]) -> str:
        predicate = operands[1]
        if self.is_proof(operands[0]):
            return f"(and {self.term(operands[0], env)} {self.term(apply(predicate, (_DUMMY,)), env)})"
        if predicate.kind == "lam":
            return self._binding("exists", "and", predicate.name, operands[0], predicate.args[1], env)
        body = joined(predicate, (Expr("bound", number=0),))
        return self._binding("exists", "and", "x", operands[0], body, env)

    def _equation(self, head: str, operands: tuple[Expr, ...], env: Mapping[str, str]) -> str | None:
        type_, sides = operands[0], operands[-2:]
        if head in ("BEq.beq", "bne") and not self._is_equality(operands[1]):
            called = self._by_instance("BEq.beq", operands[1], sides, env)
            return called if head == "BEq.beq" else f"(not {called})"
        if self.sorts.unfolded(type_).kind == "pi":
            raise Unreadable("an equation of functions")
        self.sorts.sort(type_)
        left, right = (self.term(s, env) for s in sides)
        if right == "true" and left != "true":
            equal = left
        elif right == "false" and head == "Eq":
            equal = f"(not {left})"
        else:
            equal = f"(= {left} {right})"
        return equal if head in ("Eq", "BEq.beq") else f"(not {equal})"

    def _is_equality(self, instance: Expr) -> bool:
        """Whether the `==` of an instance is equality."""
        if instance.head == "instBEqOfDecidableEq":
            return True
        if instance.kind == "free":
            return plain(instance.name) in self._lawful
        if instance.head in ("List.instBEq", "instBEqOption", "Option.instBEq", "instBEqProd"):
            return all(
                self._is_equality(i)
                for i in instance.operands
                if "BEq" in i.head or (i.kind == "free" and "inst" in i.name)
            )
        return False

    def _by_instance(self, operation: str, instance: Expr, operands: Sequence[Expr], env: Mapping[str, str]) -> str:
        """An operation of a class, as its instance says what it is."""
        for _ in range(MOST_UNFOLDED):
            instance = apply(instance, ())
            if instance.head.endswith(".mk") and instance.operands:
                field_ = instance.operands[-1]
                return self.term(apply(field_, operands), env)
            if instance.head in HETEROGENEOUS_INSTANCES and instance.operands:
                instance = instance.operands[-1]
                continue
            value = self.facts.values.get(instance.head)
            if value is None:
                break
            instance = apply(value, instance.operands)
        raise Unreadable(f"the operation {operation} of {instance.head or 'an instance'}")

    # -- numbers ----------------------------------------------------------------------------------------------

    def _number_term(self, head: str, operands: tuple[Expr, ...], env: Mapping[str, str]) -> str | None:
        if head in ("Nat.zero", "Nat.succ"):
            return self._successor(self.term(operands[0], env)) if operands else self._numeral(0, NAT)
        if head in _NAT_FUNCTIONS and operands:
            return self._operation(_NAT_FUNCTIONS[head], NAT, [self.term(o, env) for o in operands])
        if head in ("Nat.cast", "IntCast.intCast", "Int.ofNat", "Int.toNat", "Int.natAbs") and not self.unary:
            inner = self.term(operands[-1], env)
            wrapped = {"Int.toNat": f"(ite (>= {inner} 0) {inner} 0)", "Int.natAbs": f"(abs {inner})"}
            return wrapped.get(head, inner)
        if head == "Dvd.dvd" and not self.unary and operands[0].head in ("Nat", "Int"):
            number = literal(operands[2])
            if number:
                return f"(= (mod {self.term(operands[3], env)} {number}) 0)"
            raise Unreadable("divisibility by a variable")
        if head not in CLASSES and head not in HETEROGENEOUS and head not in _RELATIONS:
            return None
        type_ = self.sorts.unfolded(operands[0])
        if head == "OfNat.ofNat":
            number = literal(operands[1])
            if number is None or type_.head not in ("Nat", "Int", "BitVec"):
                raise Unreadable(f"a numeral of the type {type_.head}")
            return self._numeral(number, type_)
        sign = _RELATIONS.get(head) or _ARITHMETIC.get(head)
        if type_.head in ("Nat", "Int", "BitVec") and sign is not None:
            count = 1 if sign == "neg" else 2
            return self._operation(sign, type_, [self.term(o, env) for o in operands[-count:]])
        if head in ("HAppend.hAppend", "Append.append") and type_.head == "List":
            return self._call("List.append", (type_.operands[0], *operands[-2:]), env, "HAppend.hAppend", operands)
        if head in ("GE.ge", "GT.gt"):
            base = "LE.le" if head == "GE.ge" else "LT.lt"
            return self._special(base, (*operands[:2], operands[3], operands[2]), env)
        at = next(
            (o for o in operands if o.head.rpartition(".")[2].startswith("inst") or o.head in self.facts.values), None
        )
        if at is None:
            raise Unreadable(f"the operation {head}")
        return self._by_instance(head, at, operands[operands.index(at) + 1 :], env)

    def _numeral(self, number: int, type_: Expr) -> str:
        if type_.head == "BitVec":
            width = literal(type_.operands[0]) or 0
            return f"(_ bv{number % (1 << width)} {width})"
        if type_.head == "Int" or not self.unary:
            self.sorts.sort(type_)
            return str(number)
        if number > MOST_UNARY:
            raise Unreadable("a large number")
        zero, _ = (m.name for m in self.sorts.made(NAT))
        text = zero
        for _ in range(number):
            text = self._successor(text)
        return text

    def _successor(self, text: str) -> str:
        if not self.unary:
            return f"(+ {text} 1)"
        return f"({self.sorts.made(NAT)[1].name} {text})"

    def _operation(self, sign: str, type_: Expr, operands: list[str]) -> str:
        if type_.head == "BitVec":
            if sign not in _BITS:
                raise Unreadable(f"the operation {sign} on bit-vectors")
            return f"({_BITS[sign]} {' '.join(operands)})"
        if sign in (">=", ">"):
            return self._operation("<=" if sign == ">=" else "<", type_, operands[::-1])
        if type_.head == "Nat" and self.unary:
            return self._unary_operation(sign, operands)
        if sign in ("+", "*", "<=", "<") or (sign == "-" and type_.head == "Int"):
            return f"({sign} {' '.join(operands)})"
        if sign == "neg":
            return f"(- {operands[0]})"
        if sign == "^" and operands[1].isdigit() and int(operands[1]) <= 4:
            return f"(* {' '.join([operands[0]] * int(operands[1]))})" if int(operands[1]) > 1 else operands[0]
        name = self._defined_operation(sign, INT_EQUATIONS)
        return f"({name} {' '.join(operands)})"

    def _unary_operation(self, sign: str, operands: list[str]) -> str:
        zero, successor = (m.name for m in self.sorts.made(NAT))
        if sign == "+" and operands[1] == f"({successor} {zero})":
            return f"({successor} {operands[0]})"
        if sign == "<":
            return self._unary_operation("≤", [f"({successor} {operands[0]})", operands[1]])
        name = self._defined_operation("≤" if sign == "<=" else sign, NAT_EQUATIONS)
        return f"({name} {' '.join(operands)})"

    def _defined_operation(self, sign: str, table: Mapping[str, str]) -> str:
        name = next((n for n, s in self.operations.items() if s == sign), "")
        if not name:
            if sign not in table:
                raise Unreadable(f"the operation {sign} on natural numbers")
            words = {"+": "plus", "*": "times", "-": "minus", "^": "power", "≤": "leq", "/": "quotient", "%": "modulo"}
            name = self.names.give(words.get(sign, sign))
            self.operations[name] = sign
            self.definitions[name] = ""
            parts = {"N": "Int"}
            if self.unary:
                zero, successor = self.sorts.made(NAT)
                parts = {"N": self.sorts.sort(NAT), "z": zero.name, "s": successor.name, "p": successor.selectors[0][0]}
                for other in ("+", "*"):
                    if f"{{{other}}}" in table[sign]:
                        parts[other] = self._defined_operation(other, table)
                        self.calls.setdefault(name, set()).add(parts[other])
            text = table[sign]
            for key, value in {"0": name, **parts}.items():
                text = text.replace(f"{{{key}}}", value)
            self.definitions[name] = text
        if self._stack:
            self.calls.setdefault(self._stack[-1], set()).add(name)
        return name

    # -- functions --------------------------------------------------------------------------------------------

    def _call(
        self,
        head: str,
        operands: tuple[Expr, ...],
        env: Mapping[str, str],
        shown: str = "",
        shown_operands: tuple[Expr, ...] = (),
    ) -> str:
        """A constructor, a field, or a function that is defined by its equation."""
        built = self.sorts.constructor(head, operands)
        if built is not None:
            type_, made = built
            values = operands[len(operands) - len(made.selectors) :] if made.selectors else ()
            if len(type_.operands) + len(made.selectors) != len(operands):
                raise Unreadable(f"the constructor {head} without all its fields")
            return f"({made.name} {self._all(values, env)})" if values else made.name
        field_ = PROJECTIONS.get(head) or self.facts.fields.get(head)
        if field_ is not None:
            return self._field(head, *field_, operands, env)
        return self._function(head, operands, env, shown, shown_operands)

    def _field(self, head: str, type_: str, number: int, operands: tuple[Expr, ...], env: Mapping[str, str]) -> str:
        """A field of a structure, or of an instance: that is unfolded."""
        count = self.sorts.parameters("", type_)
        made = self._unfolded(operands[count])
        if made.head == f"{type_}.mk" and len(made.operands) > count + number:
            return self.term(apply(made.operands[count + number], operands[count + 1 :]), env)
        if len(operands) > count + 1:
            raise Unreadable(f"the function in a field, {head}")
        (constructor,) = self.sorts.made(joined(const(type_), operands[:count]))
        return f"({constructor.selectors[number][0]} {self.term(operands[count], env)})"

    def _unfolded(self, instance: Expr) -> Expr:
        """An instance as its constructor applied, where definitions of the file say so."""
        for _ in range(MOST_UNFOLDED):
            instance = apply(instance, ())
            value = self.facts.values.get(instance.head)
            if value is None or not _is_instance(instance.head):
                break
            instance = apply(value, instance.operands)
        return instance

    def _function(
        self,
        head: str,
        operands: tuple[Expr, ...],
        env: Mapping[str, str],
        shown: str,
        shown_operands: tuple[Expr, ...],
    ) -> str:
        type_ = self.facts.types.get(head)
        if type_ is None:
            raise Unreadable(f"the constant {head}")
        rest, static, data = type_, [], []  # type: ignore[var-annotated]
        lifted: dict[str, Expr] = {}
        for operand in operands:
            rest = self.sorts.unfolded(rest)
            if rest.kind != "pi":
                raise Unreadable(f"{head} has too many arguments")
            kind = self._kind(rest.args[0], rest.info)
            if kind == "static":
                for name in operand.free():
                    if name in env:
                        lifted.setdefault(name, Expr("free", f"\0{len(lifted)}"))
                static.append(put(operand, lifted))
            else:
                static.append(_DUMMY if kind == "proof" else Expr("bound", number=len(data)))
                if kind == "data":
                    data.append(operand)
            rest = opened(rest.args[1], operand)
        rest = self.sorts.unfolded(rest)
        while rest.kind == "pi" and self.is_proof(rest.args[0]):
            rest = opened(rest.args[1], _DUMMY)
        if rest.kind == "pi":
            raise Unreadable(f"{head} applied to some of its arguments")
        key = (head, tuple(static))
        name = self._keys.get(key) or self._define(head, operands, key, lifted, env, rest)
        if shown:
            self._show_as(name, shown, shown_operands)
        if self._stack:
            self.calls.setdefault(self._stack[-1], set()).add(name)
        arguments = [*(env[n] for n in lifted), *(self.term(d, env) for d in data)]
        return f"({name} {' '.join(arguments)})" if arguments else name

    def _kind(self, type_: Expr, info: str) -> str:
        if self.is_proof(type_) or (info == "instImplicit" and type_.head.startswith("Decidable")):
            return "proof"
        if info == "instImplicit" or self._is_type(type_) or self.sorts.unfolded(type_).kind == "pi":
            return "static"
        return "data"

    def _define(
        self,
        head: str,
        operands: tuple[Expr, ...],
        key: tuple[str, tuple[Expr, ...]],
        lifted: Mapping[str, Expr],
        env: Mapping[str, str],
        result: Expr,
    ) -> str:
        if len(self._keys) >= MOST_FUNCTIONS:
            raise Unreadable("too many functions")
        name = self._keys[key] = self.names.give(head)
        self.constants[head] = None
        locals_ = {old: fresh(plain(old)) for old in lifted}
        parameters: list[tuple[Expr, Expr]] = [(v, self._types[old]) for old, v in locals_.items()]
        given: list[Expr] = []
        rest = self.facts.types[head]
        for operand, fixed in zip(operands, key[1], strict=True):
            rest = self.sorts.unfolded(rest)
            if fixed.kind == "bound":
                variable = fresh(rest.name)
                parameters.append((variable, rest.args[0]))
                given.append(variable)
            else:
                given.append(fixed if fixed == _DUMMY else put(operand, locals_))
            rest = opened(rest.args[1], given[-1])
        rest = self.sorts.unfolded(rest)
        for variable, type_ in parameters:
            self._types[variable.name] = type_
        while rest.kind == "pi":
            rest = opened(rest.args[1], _DUMMY)
        sort = self.sorts.sort(rest)
        template = joined(const(head), given)
        self.symbols[name] = Symbol(tuple(v.name for v, _ in parameters), template, rest == PROP)
        self.definitions[name] = ""
        called = {v.name: f"{_letter(plain(v.name))}!{i}" for i, (v, _) in enumerate(parameters)}
        binders = " ".join(f"({called[v.name]} {self.sorts.sort(t)})" for v, t in parameters)
        self._stack.append(name)
        body = self.term(self._body(head, given), called)
        self._stack.pop()
        self.definitions[name] = f"(define-fun {name} ({binders}) {sort} {body})"
        return name

    def _body(self, head: str, given: Sequence[Expr]) -> Expr:
        """The right side of a function's equation at these arguments."""
        equation = self.facts.equations.get(head)
        if equation is None:
            value = self.facts.values.get(head)
            if value is None or any(".brecOn" in c or ".rec" in c or "WellFounded" in c for c in value.constants()):
                raise Unreadable(f"{head} has no equation")
            return apply(value, given)
        _, result = telescope(equation)
        left, right = result.operands[-2:]
        if result.head == "Iff":
            left, right = result.operands
        values: dict[str, Expr] = {}
        for pattern, value in zip(left.operands, given, strict=False):
            if pattern.kind == "free":
                values[pattern.name] = value
        if left.head != head or any(p.kind != "free" for p in left.operands if p.kind not in ("const", "app", "lam")):
            raise Unreadable(f"{head} has an equation of another form")
        return apply(put(right, values), given[len(left.operands) :])

    def _show_as(self, name: str, head: str, operands: tuple[Expr, ...]) -> None:
        """The function is written in Lean as an operation."""
        symbol = self.symbols[name]
        if symbol.template.head != head:
            parameters = [Expr("free", p) for p in symbol.parameters[-2:]]
            self.symbols[name] = Symbol(symbol.parameters, joined(const(head), (*operands[:-2], *parameters)))

    # -- match ------------------------------------------------------------------------------------------------

    def _match(self, head: str, operands: tuple[Expr, ...], env: Mapping[str, str]) -> str:
        rest = self.facts.types.get(head)
        if rest is None:
            raise Unreadable(f"the match {head}")
        values: list[tuple[str, Expr]] = []
        rows: list[Row] = []
        motive: Expr | None = None
        used = 0
        for operand in operands:
            if rest.kind != "pi":
                break
            used += 1
            if rest.name == "motive" and motive is None:
                motive = fresh("motive")
                rest = opened(rest.args[1], motive)
                continue
            if motive is not None:
                variables, result = telescope(rest.args[0])
                if result.kind == "app" and result.args[0] == motive:
                    rows.append(self._row(operand, variables, result.operands))
                elif self.is_proof(rest.args[0]):
                    raise Unreadable("a match on a proof")
                else:
                    values.append((self.term(operand, env), rest.args[0]))
            rest = opened(rest.args[1], operand)
        extra = operands[used:]
        bound: list[tuple[str, str]] = []
        for i, (value, type_) in enumerate(values):
            if len(value) > 40 and value.count("(") > 2:
                name = self.names.give("m")
                bound.append((name, value))
                values[i] = (name, type_)
        text = compiled(self, values, rows, lambda row: self._leaf(row, extra, env))
        for name, value in reversed(bound):
            text = f"(let (({name} {value})) {text})"
        return text

    def _row(self, operand: Expr, variables: Sequence[tuple[Expr, Expr, str]], patterns: tuple[Expr, ...]) -> Row:
        given = []
        for variable, type_, _ in variables:
            self._types[variable.name] = type_
            given.append(_DUMMY if self.is_proof(type_) else variable)
        if (
            len(variables) == 1
            and variables[0][1].head in ("Unit", "PUnit")
            and variables[0][0].name not in {n for p in patterns for n in p.free()}
        ):
            given = [const("Unit.unit")]
        return Row(patterns, (), apply(operand, given))

    def _leaf(self, row: Row, extra: Sequence[Expr], env: Mapping[str, str]) -> str:
        return self.term(apply(row.result, extra), {**env, **dict(row.found)})

    def cases(self, value: str, type_: Expr) -> tuple[Case, ...]:
        """See `Shapes.cases`."""
        return self.sorts.cases(value, type_)

    def pattern(self, pattern: Expr) -> tuple[str, tuple[Expr, ...]] | None:
        """See `Shapes.pattern`."""
        pattern = apply(pattern, ())
        if pattern.kind == "free":
            return None
        number = literal(pattern)
        if pattern.kind == "nat" or pattern.head in ("OfNat.ofNat", "Nat.zero"):
            if number is None:
                raise Unreadable("a pattern that is a numeral of another type")
            if pattern.head == "OfNat.ofNat" and pattern.operands[0].head == "Int":
                return f"={number}", ()
            if number > MOST_UNARY:
                raise Unreadable("a pattern that is a large number")
            return ("Nat.succ", (Expr("nat", number=number - 1),)) if number else ("Nat.zero", ())
        if pattern.head == "HAdd.hAdd" and (added := literal(pattern.operands[5])):
            below = pattern.operands[4]
            for _ in range(added - 1):
                below = joined(const("Nat.succ"), (below,))
            return "Nat.succ", (below,)
        if pattern.head in ("Bool.true", "Bool.false"):
            return pattern.head, ()
        if pattern.head in ("Nat.succ", "Int.ofNat", "Int.negSucc"):
            return pattern.head, pattern.operands
        if pattern.head == "namedPattern":
            raise Unreadable("a named pattern")
        built = self.sorts.constructor(pattern.head, pattern.operands)
        if built is None:
            raise Unreadable(f"the pattern {pattern.head or pattern.kind}")
        fields = len(built[1].selectors)
        return pattern.head, pattern.operands[len(pattern.operands) - fields :] if fields else ()

    def equals(self, value: str, key: str) -> str:
        """See `Shapes.equals`."""
        return f"(= {value} {key[1:]})"

    # -- types ------------------------------------------------------------------------------------------------

    def _is_type(self, type_: Expr) -> bool:
        """Whether it is the type of types, or of functions to types."""
        while type_.kind == "pi":
            type_ = type_.args[1]
        return type_.kind == "sort" and type_ != PROP

    def is_proof(self, type_: Expr) -> bool:
        """Whether it is a proposition, so that what has this type is a proof."""
        type_ = apply(type_, ())
        while type_.kind == "pi":
            type_ = apply(type_.args[1], ())
        if type_.head in _PROPOSITIONS:
            return True
        known = self.facts.types.get(type_.head)
        if known is not None:
            while known.kind == "pi":
                known = known.args[1]
            return known == PROP
        if type_.kind == "app" and type_.args[0].kind == "free":
            known = self._types.get(type_.args[0].name)
            while known is not None and known.kind == "pi":
                known = known.args[1]
            return known == PROP
        return type_.kind == "free" and self._types.get(type_.name) == PROP


HETEROGENEOUS_INSTANCES = frozenset(
    {"instHAdd", "instHSub", "instHMul", "instHDiv", "instHMod", "instHAppendOfAppend", "instHPow"}
)


def _is_instance(name: str) -> bool:
    return name.rpartition(".")[2].startswith("inst")


def _letter(name: str) -> str:
    return name if name.isidentifier() and name.isascii() else "x"


def _parts(definition: str) -> tuple[str, str]:
    """Head and body of a definition."""
    inner = definition.removeprefix("(define-fun ").removeprefix("(define-fun-rec ").removesuffix(")")
    depth = 0
    spaces = []
    for at, sign in enumerate(inner):
        depth += (sign == "(") - (sign == ")")
        if sign == " " and depth == 0:
            spaces.append(at)
    return inner[: spaces[2]], inner[spaces[2] + 1 :]


__all__ = ["Reading", "Symbol", "Translator"]
