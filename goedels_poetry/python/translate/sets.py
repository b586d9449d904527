"""Sets: how many elements, whether one is in it, equality, sum, order of its elements, adding and removing some.

A set is the list that it is made of, in which elements may come again, and every function leaves out what comes again.
In which order a set is gone over is nobody's business: what depends on it is refused. Like dicts, sets stand in no
list, tuple, object or dict.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from goedels_poetry.kernel.terms import Term
from goedels_poetry.python.translate.contracts import outside
from goedels_poetry.python.translate.frame import Frame, Value
from goedels_poetry.python.translate.module import Type


def is_set(frame: Frame, node: ast.AST | None) -> bool:
    """Whether an expression makes a set of what can be gone over, or is a variable that has a set."""
    variable = isinstance(node, ast.Name) and node.id in frame.env and frame.env[node.id].kind.kind == "set"
    return variable or is_made(frame, node)


def is_made(frame: Frame, node: ast.AST | None) -> bool:
    """Whether an expression makes a set of what can be gone over."""
    if isinstance(node, ast.SetComp):
        return True
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) != 1 or node.keywords:
        return False
    name = node.func.id
    found = name in ("set", "frozenset") and name not in frame.local and name not in frame.env
    return found and frame.registry.module.is_builtin(name) and not isinstance(node.args[0], ast.Starred)


def elements(frame: Frame, node: ast.expr) -> Value:
    """The elements of a set as a list in which they may come more than once."""
    if isinstance(node, ast.SetComp):
        made = ast.copy_location(ast.ListComp(node.elt, node.generators), node)
        xs = frame.rules.comprehension(frame, made, "list")
    elif isinstance(node, ast.Name):
        xs = as_list(frame.value(node))
    else:
        assert isinstance(node, ast.Call)
        xs = elements(frame, node.args[0]) if is_set(frame, node.args[0]) else frame.rules.listed(frame, node.args[0])
    xs = frame.known(xs)
    if not is_hashed(xs.kind.args[0]):
        outside(f"a set of {xs.kind.args[0]}", node, "a set")
    return xs


def once(frame: Frame, node: ast.expr) -> Value:
    """The elements of a set, each once, in some order."""
    xs = elements(frame, node)
    return Value(xs.kind, frame.library(xs.kind.args[0]).call("once", xs.term), owned=True)


# ------------------------------------------------------------------------------------- sets as values


def as_list(value: Value) -> Value:
    """The elements of a set, some perhaps more than once."""
    return Value(Type("list", value.kind.args), value.term)


def as_set(xs: Value) -> Value:
    """The set of the elements of a list."""
    return Value(Type("set", xs.kind.args), xs.term, owned=True)


def made(frame: Frame, node: ast.expr) -> Value:
    """The value of an expression that makes a set."""
    return as_set(elements(frame, node))


def operand(frame: Frame, node: ast.expr) -> Value:
    """The value of an expression that is only looked at: of one that makes a ``frozenset``, too."""
    return made(frame, node) if is_made(frame, node) else frame.value(node)


def empty(frame: Frame, node: ast.AST) -> Value:
    """``set()``: of what is found out later."""
    return frame.unknown("set", node, 1)


def display(frame: Frame, node: ast.Set) -> Value:
    """``{x, y}``."""
    found = frame.known(frame.value(ast.copy_location(ast.List(node.elts, ast.Load()), node)))
    if not is_hashed(found.kind.args[0]):
        outside(f"a set of {found.kind.args[0]}", node, "a set")
    return as_set(found)


def of(frame: Frame, value: Value, one: Value, node: ast.AST) -> tuple[Value, Term]:
    """A set and what may be one of its elements, of one type.

    Raises:
        OutsideFragment: the types differ, or have no hash. Retry: the type is known now.
    """
    (own,) = value.kind.args
    if own.kind == "unknown":
        frame.unify(own, frame.known(one).kind, node)
    if not is_hashed(own) or not is_hashed(one.kind):
        outside(f"{one.kind} in a set of {own}", node, "a set")
    return value, frame.coerce(one, own, node, "an element").term


def has(frame: Frame, value: Value, one: Value, node: ast.AST) -> Term:
    """``one in value``."""
    value, term = of(frame, value, one, node)
    return frame.library(value.kind.args[0]).member(term, value.term)


def within(frame: Frame, left: Value, right: Value, node: ast.AST) -> Term:
    """``left <= right``."""
    frame.unify(left.kind, right.kind, node, "this comparison")
    left, right = frame.known(left), frame.known(right)
    if left.kind != right.kind:
        outside(f"a {left.kind} is compared with a {right.kind}", node, "a set")
    return frame.library(left.kind.args[0]).call("within", left.term, right.term)


def added(frame: Frame, value: Value, one: Value, node: ast.AST) -> Value:
    """The set after ``value.add(one)``."""
    value, term = of(frame, value, one, node)
    return replace(value, term=frame.library(value.kind.args[0]).cons(term, value.term))


def without(frame: Frame, value: Value, one: Value, node: ast.AST) -> Value:
    """The set after ``value.discard(one)``."""
    value, term = of(frame, value, one, node)
    return replace(value, term=frame.library(value.kind.args[0]).call("without", term, value.term))


def combined(frame: Frame, op: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
    """``left | right``, ``left & right`` and ``left - right``."""
    kind = frame.unify(left.kind, right.kind, node, "this")
    left, right = frame.known(left), frame.known(right)
    library = frame.library(kind.args[0])
    if isinstance(op, ast.BitOr):
        return Value(kind, library.append(left.term, right.term), owned=True)
    if not isinstance(op, ast.BitAnd | ast.Sub):
        outside("this operator on sets", node, "a set")
    name = "both.set" if isinstance(op, ast.BitAnd) else "less.set"
    return Value(kind, library.call(name, left.term, right.term), owned=True)


def is_hashed(kind: Type) -> bool:
    """Whether its values have a hash that goes with equality."""
    return kind.kind in ("int", "bool", "str", "none", "optional", "enum", "tuple") and all(map(is_hashed, kind.args))
