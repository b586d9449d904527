"""A goal of Lean as an SMT-LIB script: functions of first order for each choice of their types and functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from goedels_poetry.lean.goals.context import PROOF, Context, Row, compiled
from goedels_poetry.lean.goals.facts import (
    ARITHMETIC,
    CLASSES,
    CONNECTIVES,
    HETEROGENEOUS,
    NAT_FUNCTIONS,
    PROJECTIONS,
    PROP,
    RELATIONS,
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
from goedels_poetry.lean.goals.sorts import NAT, Reading, Symbol, Unreadable, literal

# -- Functions of Lean in a script ---------------------------------------------------------------------------------


MOST_FUNCTIONS = 60


def unknown_value(context: Context, e: Expr, type_: Expr) -> str:
    """A value of a type about whose values nothing is known."""
    sort = context.sorts.sort(type_)
    key = (f"a value of {type_.head}", (e,))
    if key not in context.script.names:
        name = context.script.names[key] = context.names.give("value")
        context.script.declarations[name] = f"(declare-fun {name} () {sort})"
        context.script.symbols[name] = Symbol((), e)
    return context.script.names[key]


def call(
    context: Context,
    head: str,
    operands: tuple[Expr, ...],
    env: Mapping[str, str],
    shown: str = "",
    shown_operands: tuple[Expr, ...] = (),
) -> str:
    """A constructor, a field, or a function that is defined by its equation."""
    built = context.sorts.constructor(head, operands)
    if built is not None:
        type_, made = built
        values = operands[len(operands) - len(made.selectors) :] if made.selectors else ()
        if len(type_.operands) + len(made.selectors) != len(operands):
            raise Unreadable(f"the constructor {head} without all its fields")
        return f"({made.name} {context.all(values, env)})" if values else made.name
    field_ = PROJECTIONS.get(head) or context.facts.fields.get(head)
    if field_ is not None:
        return _field(context, head, *field_, operands, env)
    return _function(context, head, operands, env, shown, shown_operands)


def _field(
    context: Context, head: str, type_: str, number: int, operands: tuple[Expr, ...], env: Mapping[str, str]
) -> str:
    """A field of a structure, or of an instance: that is unfolded."""
    count = context.sorts.parameters("", type_)
    made = context.instances.unfolded(operands[count])
    if made.head == f"{type_}.mk" and len(made.operands) > count + number:
        return context.term(apply(made.operands[count + number], operands[count + 1 :]), env)
    if len(operands) > count + 1:
        raise Unreadable(f"the function in a field, {head}")
    (constructor,) = context.sorts.made(joined(const(type_), operands[:count]))
    return f"({constructor.selectors[number][0]} {context.term(operands[count], env)})"


def _function(
    context: Context,
    head: str,
    operands: tuple[Expr, ...],
    env: Mapping[str, str],
    shown: str,
    shown_operands: tuple[Expr, ...],
) -> str:
    """A call; what is fixed in it (types, functions, instances) is part of the function that is called."""
    type_ = context.facts.types.get(head)
    if type_ is None:
        raise Unreadable(f"the constant {head}")
    result = telescope(type_)[1]
    if context.sorts.is_opaque(result) and not joined(const(head), operands).free():
        return unknown_value(context, joined(const(head), operands), result)
    rest, static, data = type_, [], []  # type: ignore[var-annotated]
    lifted: dict[str, Expr] = {}
    for operand in operands:
        rest = context.sorts.unfolded(rest)
        if rest.kind != "pi":
            raise Unreadable(f"{head} has too many arguments")
        kind = context.kinds.of(rest.args[0], rest.info)
        if kind == "static":
            for name in operand.free():
                if name in env:
                    lifted.setdefault(name, Expr("free", f"\0{len(lifted)}"))
            static.append(put(operand, lifted))
        else:
            static.append(PROOF if kind == "proof" else Expr("bound", number=len(data)))
            if kind == "data":
                data.append(operand)
        rest = opened(rest.args[1], operand)
    rest = context.sorts.unfolded(rest)
    while rest.kind == "pi" and context.kinds.is_proof(rest.args[0]):
        rest = opened(rest.args[1], PROOF)
    if rest.kind == "pi":
        raise Unreadable(f"{head} applied to some of its arguments")
    key = (head, tuple(static))
    name = context.script.names.get(key) or _define(context, head, operands, key, lifted)
    if shown:
        _show_as(context, name, shown, shown_operands)
    context.script.call(name)
    arguments = [*(env[n] for n in lifted), *(context.term(d, env) for d in data)]
    return f"({name} {' '.join(arguments)})" if arguments else name


def _define(
    context: Context,
    head: str,
    operands: tuple[Expr, ...],
    key: tuple[str, tuple[Expr, ...]],
    lifted: Mapping[str, Expr],
) -> str:
    """The name of a function that was not met before; ``lifted``: variables in what is fixed, as parameters."""
    if len(context.script.names) >= MOST_FUNCTIONS:
        raise Unreadable("too many functions")
    name = context.script.names[key] = context.names.give(head)
    context.script.constants[head] = None
    locals_ = {old: fresh(plain(old)) for old in lifted}
    parameters: list[tuple[Expr, Expr]] = [(v, context.kinds.types[old]) for old, v in locals_.items()]
    given: list[Expr] = []
    rest = context.facts.types[head]
    for operand, fixed in zip(operands, key[1], strict=True):
        rest = context.sorts.unfolded(rest)
        if fixed.kind == "bound":
            variable = fresh(rest.name)
            parameters.append((variable, rest.args[0]))
            given.append(variable)
        else:
            given.append(fixed if fixed == PROOF else put(operand, locals_))
        rest = opened(rest.args[1], given[-1])
    rest = context.sorts.unfolded(rest)
    for variable, type_ in parameters:
        context.kinds.types[variable.name] = type_
    while rest.kind == "pi":
        rest = opened(rest.args[1], PROOF)
    sort = context.sorts.sort(rest)
    template = joined(const(head), given)
    context.script.symbols[name] = Symbol(tuple(v.name for v, _ in parameters), template, rest == PROP)
    called = {v.name: f"{_letter(plain(v.name))}!{i}" for i, (v, _) in enumerate(parameters)}
    binders = " ".join(f"({called[v.name]} {context.sorts.sort(t)})" for v, t in parameters)
    before = [dict(table) for table in context.tables()]
    try:
        with context.script.defining(name):
            body = context.term(_body(context, head, given), called)
    except Unreadable:
        # Nothing is known of it then but that it is a function: what holds for every one holds for this one.
        context.restore(before)
        context.script.definitions.pop(name, None)
        sorts = " ".join(context.sorts.sort(t) for _, t in parameters)
        context.script.declarations[name] = f"(declare-fun {name} ({sorts}) {sort})"
        return name
    context.script.definitions[name] = f"(define-fun {name} ({binders}) {sort} {body})"
    return name


def _body(context: Context, head: str, given: Sequence[Expr]) -> Expr:
    """The right side of a function's equation at these arguments."""
    equation = context.facts.equations.get(head)
    if equation is None:
        value = context.facts.values.get(head)
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


def _show_as(context: Context, name: str, head: str, operands: tuple[Expr, ...]) -> None:
    """The function is written in Lean as an operation."""
    symbol = context.script.symbols[name]
    if symbol.template.head != head:
        parameters = [Expr("free", p) for p in symbol.parameters[-2:]]
        context.script.symbols[name] = Symbol(symbol.parameters, joined(const(head), (*operands[:-2], *parameters)))


def _letter(name: str) -> str:
    return name if name.isidentifier() and name.isascii() else "x"


# -- A `match` of Lean in a script ---------------------------------------------------------------------------------


def match(context: Context, head: str, operands: tuple[Expr, ...], env: Mapping[str, str]) -> str:
    """Nested tests on the values that are matched, the first fitting row first. Raises :class:`Unreadable`."""
    rest = context.facts.types.get(head)
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
                rows.append(_row(context, operand, variables, result.operands))
            elif context.kinds.is_proof(rest.args[0]):
                raise Unreadable("a match on a proof")
            else:
                values.append((context.term(operand, env), rest.args[0]))
        rest = opened(rest.args[1], operand)
    extra = operands[used:]
    bound: list[tuple[str, str]] = []
    for i, (value, type_) in enumerate(values):
        if len(value) > 40 and value.count("(") > 2:
            name = context.names.give("m")
            bound.append((name, value))
            values[i] = (name, type_)
    text = compiled(context.sorts, values, rows, lambda row: _leaf(context, row, extra, env))
    for name, value in reversed(bound):
        text = f"(let (({name} {value})) {text})"
    return text


def _row(
    context: Context, operand: Expr, variables: Sequence[tuple[Expr, Expr, str]], patterns: tuple[Expr, ...]
) -> Row:
    given = []
    for variable, type_, _ in variables:
        context.kinds.types[variable.name] = type_
        given.append(PROOF if context.kinds.is_proof(type_) else variable)
    if (
        len(variables) == 1
        and variables[0][1].head in ("Unit", "PUnit")
        and variables[0][0].name not in {n for p in patterns for n in p.free()}
    ):
        given = [const("Unit.unit")]
    return Row(patterns, (), apply(operand, given))


def _leaf(context: Context, row: Row, extra: Sequence[Expr], env: Mapping[str, str]) -> str:
    return context.term(apply(row.result, extra), {**env, **dict(row.found)})


# -- A goal of Lean as an SMT-LIB script ---------------------------------------------------------------------------


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
