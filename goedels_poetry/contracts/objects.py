"""Invariants of classes and values at entry, checked at run time."""

from __future__ import annotations

import ast
import copy
import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

CHECKED = True
"""Whether invariants of objects are checked, where contracts are."""
_NOT_CHECKED = frozenset(
    {"__new__", "__repr__", "__str__", "__del__", "__getattribute__", "__init_subclass__", "__hash__"}
)
_inside: ContextVar[frozenset[int]] = ContextVar("goedels_poetry_objects", default=frozenset())


@contextmanager
def _within(thing: object) -> Iterator[None]:
    before = _inside.set(_inside.get() | {id(thing)})
    try:
        yield
    finally:
        _inside.reset(before)


def keep(cls: type, predicate: Callable[[Any], Any], check: Callable[[Callable[[Any], Any], Any], None]) -> type:
    """Check a predicate of objects after ``__init__`` and around each public method that is called from outside.

    Args:
        cls: the class; those that inherit from it keep the invariant as well.
        check: raises for a predicate and an object that does not satisfy it.
    """
    cls.__invariants__ = (*getattr(cls, "__invariants__", ()), predicate)  # type: ignore[attr-defined]

    def verify(thing: Any) -> None:
        with _within(thing):
            for each in type(thing).__invariants__:
                check(each, thing)

    def wrapped(function: Callable[..., Any], entry: bool) -> Callable[..., Any]:
        @functools.wraps(function)
        def checked(self: Any, *args: Any, **kwargs: Any) -> Any:
            if not CHECKED or id(self) in _inside.get():
                return function(self, *args, **kwargs)
            if entry:
                verify(self)
            with _within(self):
                try:
                    return_value = function(self, *args, **kwargs)
                except Exception:
                    if entry:
                        verify(self)
                    raise
            verify(self)
            return return_value

        checked.__keeps__ = True  # type: ignore[attr-defined]
        return checked

    def guard(one: type) -> None:
        names = {name for base in one.__mro__[:-1] for name in vars(base)} | {"__init__"}
        for name in names:
            found = inspect.getattr_static(one, name)
            public = not name.startswith("_") or (name.endswith("__") and name not in _NOT_CHECKED)
            if isinstance(found, property) and public:
                parts: list[Any] = [found.fget, found.fset]
                parts = [f and (f if hasattr(f, "__keeps__") else wrapped(f, True)) for f in parts]
                setattr(one, name, property(parts[0], parts[1], found.fdel, found.__doc__))
            elif public and (inspect.isfunction(found) or name == "__init__") and not hasattr(found, "__keeps__"):
                setattr(one, name, wrapped(found, name != "__init__"))

    above = cls.__init_subclass__

    def init_subclass(sub: type, **keywords: Any) -> None:
        above(**keywords)
        guard(sub)

    cls.__init_subclass__ = classmethod(init_subclass)  # type: ignore[assignment, arg-type]
    guard(cls)
    return cls


def at_entry(
    predicate: Callable[..., Any], text: str, is_old: Callable[[Any], bool]
) -> tuple[Callable[..., Any], tuple[Callable[..., Any], ...]]:
    """A predicate with ``old(...)`` as one over the values at entry, which come first, and what computes them.

    Raises:
        TypeError: its text cannot be read.
    """
    names = list(inspect.signature(predicate).parameters)
    outer = dict(inspect.getclosurevars(predicate).nonlocals)
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise TypeError("old(...) needs a lambda whose text can be read") from None
    parts: list[ast.expr] = []

    class Olds(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            if not is_old(predicate.__globals__.get(node.func.id) if isinstance(node.func, ast.Name) else None):
                return self.generic_visit(node)
            parts.append(node.args[0])
            getter = ast.Subscript(ast.Name("old_", ast.Load()), ast.Constant(len(parts) - 1), ast.Load())
            return ast.Call(getter, [], [])

    body = Olds().visit(tree)

    def made(parameters: list[str], expression: ast.expr) -> Callable[..., Any]:
        inner = ast.Lambda(ast.arguments([], [ast.arg(n) for n in parameters], None, [], [], None, []), expression)
        around = ast.Lambda(ast.arguments([], [ast.arg(n) for n in outer], None, [], [], None, []), inner)
        code = compile(ast.fix_missing_locations(ast.Expression(around)), "<contract>", "eval")
        found: Callable[..., Any] = eval(code, predicate.__globals__)(*outer.values())  # noqa: S307  the user's own text
        return found

    wanted = [n for n in names if n != "result"]
    return made(["old_", *names], body), tuple(made(wanted, part) for part in parts)


def capture(compute: Callable[..., Any], values: dict[str, Any]) -> Callable[[], Any]:
    """What gives a copy of a value as it is now, or raises what computing it raises."""
    names = inspect.signature(compute).parameters
    try:
        value = copy.deepcopy(compute(**{n: values[n] for n in names}))
    except Exception as error:  # noqa: BLE001  counts where the predicate asks for it
        failure = error

        def fail() -> Any:
            raise failure

        return fail
    return lambda: value
