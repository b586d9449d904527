"""Functions of Lean in a script: constructors, fields, and what an equation defines, for each choice of its types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    put,
    telescope,
)
from goedels_poetry.languages.bridge.goals.library import PROJECTIONS
from goedels_poetry.languages.bridge.goals.matching import Unreadable
from goedels_poetry.languages.bridge.goals.script import Symbol

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
