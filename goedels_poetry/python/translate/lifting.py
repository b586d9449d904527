"""Functions, lambdas and ``:=`` inside of a function, spelled out: a program becomes one that means the same. Trusted.

- A nested function becomes a function of the module: what it captures are further parameters, given by name. It may
  capture parameters that never get another value, so it does not matter when they are looked up.
- A local name of a lambda stands for the lambda.
- ``:=`` that is evaluated first in a statement becomes an assignment before it; in the first condition of a
  comprehension, what it gives is written out (expressions are pure), if nobody else looks at the name.

Each name is bound once, by a statement of the function's own block, above all other statements that mention it. What
does not fit is left as it is, and refused where it is met.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias, TypeVar

from goedels_poetry.python.translate.assignments import without_walrus
from goedels_poetry.python.translate.contracts import Contract
from goedels_poetry.python.translate.faults import OutsideFragment, outside
from goedels_poetry.python.translate.module import is_constant
from goedels_poetry.python.translate.program import Function, Parameter, Program
from goedels_poetry.python.translate.scopes import bound_names, free_names, parameters

MAX_NODES, MAX_WRITTEN = 2_000, 50_000
"""Of a lambda in which other lambdas have been written out; of all that is written out in a function."""
INFIX = "!fn!"
"""Between the names of a function and of one inside of it: no name of Python has it."""

_MEANT = (ast.FunctionDef, ast.Lambda, ast.NamedExpr)
_Node = TypeVar("_Node", bound=ast.AST)
Definition = ast.FunctionDef | ast.Assign


def lifted(program: Program) -> Program:
    """The program without the nested functions, local lambdas and ``:=`` that can be spelled out."""
    functions: dict[str, Function] = {}
    changed: dict[ast.stmt, list[ast.stmt]] = {}
    for name, function in program.functions.items():
        functions[name] = function
        if not any(isinstance(n, _MEANT) for s in function.node.body for n in ast.walk(s)):
            continue
        try:
            own, inner = lift(function.node)
        except OutsideFragment:
            continue  # it is refused when it is needed, by the same reason
        functions[name] = replace(function, node=own)
        changed[function.node] = [own, *inner]
        for made in inner:
            found = tuple(Parameter(a.arg, ast.unparse(a.annotation) if a.annotation else "") for a in parameters(made))
            returns = "" if made.returns is None else ast.unparse(made.returns)
            functions[made.name] = Function(made.name, found, returns, Contract(), made.lineno, made)
    if not changed:
        return program
    body = [part for node in program.tree.body for part in changed.get(node, [node])]
    return replace(program, tree=ast.Module(body, program.tree.type_ignores), functions=MappingProxyType(functions))


def lift(node: ast.FunctionDef) -> tuple[ast.FunctionDef, list[ast.FunctionDef]]:
    """A function without what stands inside of it, and that as functions.

    Raises:
        OutsideFragment: a nested function or lambda does not fit.
    """
    node = without_walrus(copy.deepcopy(node))
    definitions = {_name(d): d for d in node.body if isinstance(d, Definition) and _is_definition(d)}
    for part in ast.walk(node):
        if isinstance(part, ast.FunctionDef) and part is not node and part not in node.body:
            outside("a function in a function that is not in its own block", part, "nested function")
    if not definitions:
        return node, []
    return _Lifting(node, definitions).done()


class _Lifting:
    """The work on one function."""

    def __init__(self, node: ast.FunctionDef, definitions: dict[str, Definition]) -> None:
        self.node, self.definitions = node, definitions
        self.functions = {n: d for n, d in definitions.items() if isinstance(d, ast.FunctionDef)}
        self.lambdas: dict[str, ast.Lambda] = {}
        rest = [s for s in node.body if not isinstance(s, ast.FunctionDef)]
        self.area = Counter([a.arg for a in parameters(node)])  # all that is bound but for the insides of functions
        self.area.update(self.functions.keys())
        for s in rest:
            self.area.update(bound_names(s))
        self.own = {a.arg for a in parameters(node)}
        self.captures: dict[str, set[str]] = {}
        self.written = 0

    def done(self) -> tuple[ast.FunctionDef, list[ast.FunctionDef]]:
        self._check_places()
        for name, definition in self.definitions.items():
            if isinstance(definition, ast.Assign):
                self.lambdas[name] = self._lambda(name, definition)
        for name, function in self.functions.items():
            self._check_head(name, function)
            inside = set(bound_names(function, itself=True))
            for used in free_names(function) & self.lambdas.keys():
                self._unshadowed(free_names(self.lambdas[used]), inside, function)
            body = _Uses({n: self._written_out(n) for n in self.lambdas})
            function.body = [body.visit(s) for s in function.body]
            self.captures[name] = self._captured(name, free_names(function), function)
        self._close_captures()
        for name, function in self.functions.items():
            inside = set(bound_names(function, itself=True))
            for used in free_names(function) & self.functions.keys():
                self._unshadowed(self.captures[used], inside, function)
            annotations = copy.deepcopy({a.arg: a.annotation for a in parameters(self.node)})
            for v in sorted(self.captures[name]):
                function.args.kwonlyargs.append(_at(ast.arg(v, annotations[v]), function))
                function.args.kw_defaults.append(None)
        kept = [s for s in self.node.body if not _is_definition(s)] or [_at(ast.Pass(), self.node)]
        spelled, calls = (_Uses({n: make(n) for n in some}) for make, some in self._makers())
        self.node.body = [calls.visit(spelled.visit(s)) for s in kept]
        for function in self.functions.values():
            function.body = [calls.visit(s) for s in function.body]
        for name, function in self.functions.items():
            function.name = self._new_name(name)
        for made in (self.node, *self.functions.values()):
            ast.fix_missing_locations(made)
        return self.node, list(self.functions.values())

    def _makers(self) -> tuple[tuple[Callable[[str], _Use], Iterable[str]], ...]:
        return (self._written_out, self.lambdas), (self._called, self.functions)

    def _check_places(self) -> None:
        """Nothing mentions one of them before all of them are there."""
        names = self.definitions.keys()
        inner = Counter(n for f in self.functions.values() for n in bound_names(f, itself=True))
        for name, definition in self.definitions.items():
            if self.area[name] != 1 or inner[name]:
                outside(f"`{name}` is a function here and something else there", definition, "nested function")
        last = max(i for i, s in enumerate(self.node.body) if _is_definition(s))
        for s in self.node.body[:last]:
            if not _is_definition(s) and any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(s)):
                outside("a function in a function is mentioned above another one", s, "nested function")

    def _check_head(self, name: str, node: ast.FunctionDef) -> None:
        given = node.args
        if node.decorator_list or given.vararg or given.kwarg:
            outside(f"`{name}`, inside of a function, with a decorator or any number of parameters", node, "nested")
        defaults = [*given.defaults, *(d for d in given.kw_defaults if d is not None)]
        if not all(map(is_constant, defaults)):
            outside(f"`{name}`, inside of a function, with a default that is no constant", node, "nested function")
        for annotation in [a.annotation for a in parameters(node)] + [node.returns]:
            # it is evaluated when the function around runs: only what cannot fail then
            for part in ast.walk(annotation) if annotation is not None else ():
                plain = isinstance(part, ast.Name | ast.Subscript | ast.BinOp | ast.BitOr | ast.Tuple | ast.Load)
                known = isinstance(part, ast.Name) and part.id in self.area
                if known or not (plain or (isinstance(part, ast.Constant) and part.value is None)):
                    outside(f"an annotation of `{name}`, inside of a function", annotation, "annotation")

    def _lambda(self, name: str, definition: ast.Assign) -> ast.Lambda:
        node = definition.value
        assert isinstance(node, ast.Lambda)
        later = free_names(node) & self.definitions.keys() - self.functions.keys() - self.lambdas.keys()
        if later:
            outside(f"`{name}` is a lambda that calls itself, or one below", definition, "lambda")
        made: ast.Lambda = _Uses({n: self._written_out(n) for n in self.lambdas}).visit(copy.deepcopy(node))
        if sum(1 for _ in ast.walk(made)) > MAX_NODES:
            outside(f"`{name}` is too large when other lambdas are written out", definition, "size")
        self._captured(name, free_names(made), definition)
        for v in free_names(made) - self.own - self.functions.keys():
            if self.area[v]:
                outside(
                    f"`{name}` uses `{v}`, which is something else in a part of this function", definition, "lambda"
                )
        return made

    def _captured(self, name: str, free: Iterable[str], node: ast.AST) -> set[str]:
        found = {v for v in free if v in self.area and v not in self.definitions}
        for v in sorted(found):
            if v not in self.own or self.area[v] != 1:
                reason = f"`{name}` uses `{v}`, which is no parameter of `{self.node.name}` that stays as it is"
                outside(reason, node, "nested function")
        return found

    def _close_captures(self) -> None:
        """A function captures what those capture that it mentions, itself or by a lambda."""
        mentioned = {n: free_names(f) & self.functions.keys() for n, f in self.functions.items()}
        while True:
            before = sum(map(len, self.captures.values()))
            for name, others in mentioned.items():
                self.captures[name] = self.captures[name].union(*(self.captures[o] for o in others))
            if sum(map(len, self.captures.values())) == before:
                break
        for name in self.functions:
            self._captured(name, self.captures[name], self.functions[name])

    def _unshadowed(self, names: Iterable[str], inside: set[str], node: ast.FunctionDef) -> None:
        for v in sorted(set(names) & inside):
            outside(f"`{v}` is something else inside of `{node.name}` than around it", node, "nested function")

    def _new_name(self, name: str) -> str:
        return f"{self.node.name}{INFIX}{name}"

    def _written_out(self, name: str) -> _Use:
        def use(node: ast.expr, call: ast.Call | None) -> ast.expr:
            self.written += sum(1 for _ in ast.walk(self.lambdas[name]))
            if self.written > MAX_WRITTEN:
                outside("the lambdas of this function are too large when they are written out", node, "size")
            made = copy.deepcopy(self.lambdas[name])
            return made if call is None else _at(ast.Call(made, call.args, call.keywords), node)

        return use

    def _called(self, name: str) -> _Use:
        function = self.functions[name]
        given, count = function.args, len(function.args.posonlyargs) + len(function.args.args)

        def use(node: ast.expr, call: ast.Call | None) -> ast.expr:
            captured = [ast.keyword(v, ast.Name(v, ast.Load())) for v in sorted(self.captures[name])]
            target = ast.Name(self._new_name(name), ast.Load())
            if call is not None:
                return _at(ast.Call(target, call.args, [*call.keywords, *captured]), node)
            if not captured:
                return _at(target, node)
            if given.defaults or len(given.kwonlyargs) > len(captured):
                outside(f"`{name}` is given away", node, "nested function")
            items = [f"item@{i}" for i in range(count)]
            own = ast.arguments([], [ast.arg(i) for i in items], None, [], [], None, [])
            return _at(ast.Lambda(own, ast.Call(target, [ast.Name(i, ast.Load()) for i in items], captured)), node)

        return use


_Use: TypeAlias = Callable[[ast.expr, ast.Call | None], ast.expr]


class _Uses(ast.NodeTransformer):
    """Puts other expressions for names and calls of them."""

    def __init__(self, uses: dict[str, _Use]) -> None:
        self.uses = uses

    def visit_Call(self, node: ast.Call) -> ast.expr:
        node.args = [self.visit(a) for a in node.args]
        node.keywords = [self.visit(k) for k in node.keywords]
        if isinstance(node.func, ast.Name) and node.func.id in self.uses:
            return self.uses[node.func.id](node, node)
        node.func = self.visit(node.func)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.uses[node.id](node, None) if node.id in self.uses and isinstance(node.ctx, ast.Load) else node


def _is_definition(node: ast.stmt) -> bool:
    if isinstance(node, ast.FunctionDef):
        return True
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return False
    return isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Lambda)


def _name(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef):
        return node.name
    assert isinstance(node, ast.Assign)
    assert isinstance(node.targets[0], ast.Name)
    return node.targets[0].id


def _at(node: _Node, place: ast.AST) -> _Node:
    return ast.fix_missing_locations(ast.copy_location(node, place))
