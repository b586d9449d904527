"""A goal of Lean as an SMT-LIB script: functions of first order for each choice of their types and functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from goedels_poetry.languages.bridge.goals.context import PROOF, Context
from goedels_poetry.languages.bridge.goals.expressions import (
    PROP,
    Expr,
    apply,
    const,
    fresh,
    joined,
    opened,
    plain,
    telescope,
)
from goedels_poetry.languages.bridge.goals.functions import call, unknown_value
from goedels_poetry.languages.bridge.goals.library import (
    ARITHMETIC,
    CLASSES,
    CONNECTIVES,
    HETEROGENEOUS,
    NAT_FUNCTIONS,
    RELATIONS,
)
from goedels_poetry.languages.bridge.goals.matches import match
from goedels_poetry.languages.bridge.goals.matching import Unreadable
from goedels_poetry.languages.bridge.goals.reading import Reading
from goedels_poetry.languages.bridge.goals.script import Symbol
from goedels_poetry.languages.bridge.goals.sorts import NAT, literal


@dataclass(slots=True)
class Translator(Context):
    """One reading of one goal."""

    _declared: dict[str, str] = field(default_factory=dict)
    """Functions that the goal is about, by the variable's name."""

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
        self.instances.note_lawful(statement)
        at = -1
        while rest.kind == "pi":
            at += 1
            type_ = rest.args[0]
            variable = fresh(rest.name)
            if self.kinds.is_proof(type_):
                variable = PROOF
                before = [dict(table) for table in self.tables()]
                try:
                    hypotheses.append(self.term(type_, env))
                except Unreadable:
                    dropped += 1
                    self.restore(before)
            elif rest.info == "instImplicit" or self.kinds.is_type(type_):
                if self.kinds.is_type(type_):
                    self.sorts.declare(variable, rest.name)
                self.kinds.types[variable.name] = type_
                outer.append((variable, type_, rest.info))
            elif self.sorts.unfolded(type_).kind == "pi":
                self._declare(variable, rest.name, self.sorts.unfolded(type_))
                outer.append((variable, type_, rest.info))
            else:
                self.kinds.types[variable.name] = type_
                name = self.names.give(rest.name if rest.name.isidentifier() else "x")
                binders.append(f"({name} {self.sorts.sort(type_)})")
                env[variable.name] = places[at] = name
                if guard := self._guard(name, type_):
                    hypotheses.append(guard)
            rest = opened(rest.args[1], variable)
        goal = self.term(rest, env)
        goal = f"(=> {' '.join(hypotheses)} {goal})" if hypotheses else goal
        goal = f"(forall ({' '.join(binders)}) {goal})" if binders else goal
        lines = [
            "(set-logic ALL)",
            *self.sorts.declarations(),
            *self.script.declarations.values(),
            *self.script.defined(),
        ]
        lines += [f"(assert (not {goal}))", "(check-sat)"]
        return Reading(
            "\n".join(lines) + "\n",
            self.script.symbols,
            self.sorts.types,
            tuple(outer),
            frozenset(self.sorts.integers),
            tuple(self.script.constants),
            dropped,
            self.script.operations,
            places,
        )

    def _declare(self, variable: Expr, name: str, type_: Expr) -> None:
        """A function that the goal is about."""
        domain, result = telescope(type_)
        sorts = [self.sorts.sort(t) for _, t, _ in domain]
        called = self.names.give(name)
        self.script.declarations[called] = f"(declare-fun {called} ({' '.join(sorts)}) {self.sorts.sort(result)})"
        self._declared[variable.name] = called
        self.kinds.types[variable.name] = type_
        parameters = [fresh("x") for _ in domain]
        self.script.symbols[called] = Symbol(
            tuple(p.name for p in parameters), joined(variable, parameters), result == PROP
        )

    def _guard(self, value: str, type_: Expr) -> str:
        return f"(>= {value} 0)" if not self.unary and self.sorts.unfolded(type_).head == "Nat" else ""

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
            return self.numbers.numeral(e.number, NAT)
        if e.kind == "text":
            return unknown_value(self, e, const("String"))
        if e.kind == "pi":
            return self._quantified(e, env)
        head, operands = e.head, e.operands
        if e.kind == "app" and e.args[0].kind == "free":
            return self._applied_variable(e, env)
        if not head:
            raise Unreadable(f"an expression of the kind {e.kind}")
        special = self._special(head, operands, env)
        return special if special is not None else call(self, head, operands, env)

    def _quantified(self, e: Expr, env: Mapping[str, str]) -> str:
        type_ = e.args[0]
        if self.kinds.is_proof(type_):
            return f"(=> {self.term(type_, env)} {self.term(opened(e.args[1], PROOF), env)})"
        return self._binding("forall", "=>", e.name, type_, e.args[1], env)

    def _binding(self, quantifier: str, sign: str, name: str, type_: Expr, body: Expr, env: Mapping[str, str]) -> str:
        variable = fresh(name)
        called = self.names.give(name if name.isidentifier() else "x")
        self.kinds.types[variable.name] = type_
        inner = self.term(opened(body, variable), {**env, variable.name: called})
        guard = self._guard(called, type_)
        inner = f"({sign} {guard} {inner})" if guard else inner
        return f"({quantifier} (({called} {self.sorts.sort(type_)})) {inner})"

    def _applied_variable(self, e: Expr, env: Mapping[str, str]) -> str:
        called = self._declared.get(e.args[0].name)
        if called is None:
            raise Unreadable(f"a function that is a value, {plain(e.args[0].name)}")
        if len(e.operands) != len(self.script.symbols[called].parameters):
            raise Unreadable("a function applied to some of its arguments")
        return f"({called} {self.all(e.operands, env)})"

    def _special(self, head: str, operands: tuple[Expr, ...], env: Mapping[str, str]) -> str | None:
        """What has a meaning of its own; None for everything else."""
        count = len(operands)
        if head in ("True", "Bool.true"):
            return "true"
        if head in ("False", "Bool.false"):
            return "false"
        if head in CONNECTIVES and count:
            return f"({CONNECTIVES[head]} {self.all(operands, env)})"
        if head in ("Eq", "Ne", "bne", "BEq.beq"):
            return self._equation(head, operands, env)
        if head in ("ite", "cond"):
            branches = operands[-2:]
            return f"(ite {self.term(operands[1], env)} {self.all(branches, env)})"
        if head == "dite":
            branches = tuple(apply(b, (PROOF,)) for b in operands[3:5])
            return f"(ite {self.term(operands[1], env)} {self.all(branches, env)})"
        if head == "Decidable.decide":
            return self.term(operands[0], env)
        if head == "Exists":
            return self._exists(operands, env)
        if head in ("id", "namedPattern"):
            return self.term(operands[1] if head == "id" else operands[2], env)
        if head == "Function.comp":
            return self.term(apply(operands[3], (apply(operands[4], operands[5:]),)), env)
        if head == "Membership.mem" and self.sorts.unfolded(operands[1]).head == "List":
            return self._member(operands, env)
        if ".match_" in head:
            return match(self, head, operands, env)
        return self._number_term(head, operands, env)

    def _member(self, operands: tuple[Expr, ...], env: Mapping[str, str]) -> str:
        """Membership in a list; the operation has the list first, what it is defined by the element."""
        type_, *_, collection, element = operands
        text = call(self, "List.Mem", (type_, element, collection), env)
        symbol = self.script.symbols[text[1:].partition(" ")[0]]
        inner, outer = (Expr("free", p) for p in symbol.parameters[-2:])
        template = joined(const("Membership.mem"), (*operands[:3], outer, inner))
        self.script.symbols[text[1:].partition(" ")[0]] = Symbol(symbol.parameters, template, symbol.prop)
        return text

    def _exists(self, operands: tuple[Expr, ...], env: Mapping[str, str]) -> str:
        predicate = operands[1]
        if self.kinds.is_proof(operands[0]):
            return f"(and {self.term(operands[0], env)} {self.term(apply(predicate, (PROOF,)), env)})"
        if predicate.kind == "lam":
            return self._binding("exists", "and", predicate.name, operands[0], predicate.args[1], env)
        body = joined(predicate, (Expr("bound", number=0),))
        return self._binding("exists", "and", "x", operands[0], body, env)

    def _equation(self, head: str, operands: tuple[Expr, ...], env: Mapping[str, str]) -> str | None:
        type_, sides = operands[0], operands[-2:]
        if head in ("BEq.beq", "bne") and not self.instances.is_equality(operands[1]):
            called = self.term(self.instances.operation("BEq.beq", operands[1], sides), env)
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

    # -- numbers ----------------------------------------------------------------------------------------------

    def _number_term(self, head: str, operands: tuple[Expr, ...], env: Mapping[str, str]) -> str | None:
        if head in ("Nat.zero", "Nat.succ"):
            return self.numbers.successor(self.term(operands[0], env)) if operands else self.numbers.numeral(0, NAT)
        if head in NAT_FUNCTIONS and operands:
            return self.numbers.operation(NAT_FUNCTIONS[head], NAT, [self.term(o, env) for o in operands])
        if head in ("Nat.cast", "IntCast.intCast", "Int.ofNat", "Int.toNat", "Int.natAbs") and not self.unary:
            inner = self.term(operands[-1], env)
            wrapped = {"Int.toNat": f"(ite (>= {inner} 0) {inner} 0)", "Int.natAbs": f"(abs {inner})"}
            return wrapped.get(head, inner)
        if head == "Dvd.dvd" and not self.unary and operands[0].head in ("Nat", "Int"):
            number = literal(operands[2])
            if number:
                return f"(= (mod {self.term(operands[3], env)} {number}) 0)"
            raise Unreadable("divisibility by a variable")
        if head not in CLASSES and head not in HETEROGENEOUS and head not in RELATIONS:
            return None
        type_ = self.sorts.unfolded(operands[0])
        if head == "OfNat.ofNat":
            number = literal(operands[1])
            if number is None or type_.head not in ("Nat", "Int", "BitVec"):
                raise Unreadable(f"a numeral of the type {type_.head}")
            return self.numbers.numeral(number, type_)
        sign = RELATIONS.get(head) or ARITHMETIC.get(head)
        if type_.head in ("Nat", "Int", "BitVec") and sign is not None:
            count = 1 if sign == "neg" else 2
            return self.numbers.operation(sign, type_, [self.term(o, env) for o in operands[-count:]])
        if head in ("HAppend.hAppend", "Append.append") and type_.head == "List":
            return call(self, "List.append", (type_.operands[0], *operands[-2:]), env, "HAppend.hAppend", operands)
        if head in ("GE.ge", "GT.gt"):
            base = "LE.le" if head == "GE.ge" else "LT.lt"
            return self._special(base, (*operands[:2], operands[3], operands[2]), env)
        at = next(
            (o for o in operands if o.head.rpartition(".")[2].startswith("inst") or o.head in self.facts.values), None
        )
        if at is None:
            raise Unreadable(f"the operation {head}")
        return self.term(self.instances.operation(head, at, operands[operands.index(at) + 1 :]), env)
