"""From a file to the meaning of its names; refused where importing the file may change what names mean. Trusted code.

Functions inside of a function become functions of the module: the program means the same. What a nested function
captures are further parameters, given by name. It may capture parameters that never get another value, so it does not
matter when they are looked up. Each nested function is bound once, by a statement of the function's own block, above
all other statements that mention it. What does not fit is left as it is, and refused where it is met.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeVar

from goedels_poetry.python.translate.classes import alias_members, class_kind, is_table, read_class
from goedels_poetry.python.translate.contracts import Contract
from goedels_poetry.python.translate.faults import OutsideFragment, outside
from goedels_poetry.python.translate.importing import Importing, is_type_checking, refuse_reaching
from goedels_poetry.python.translate.liveness import bound_names, free_names, parameters
from goedels_poetry.python.translate.module import (
    Annotations,
    Module,
    Type,
    bindings,
    is_constant,
    is_constant_expression,
)
from goedels_poetry.python.translate.program import Function, Parameter, Program, encoding_of

INFIX = "!fn!"
"""Between the names of a function and of one inside of it: no name of Python has it."""
_Node = TypeVar("_Node", bound=ast.AST)


def lifted(program: Program) -> Program:
    """The program without the nested functions that can be made functions of the module."""
    functions: dict[str, Function] = {}
    changed: dict[ast.stmt, list[ast.stmt]] = {}
    for name, function in program.functions.items():
        functions[name] = function
        try:
            own, inner = lift(function.node)
        except OutsideFragment:
            continue  # it is refused when it is needed, by the same reason
        if not inner:
            continue
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
    """A function without the functions inside of it, and these.

    Raises:
        OutsideFragment: a nested function does not fit.
    """
    for part in ast.walk(node):
        if isinstance(part, ast.FunctionDef) and part is not node and part not in node.body:
            outside("a function in a function that is not in its own block", part, "nested function")
    if not any(isinstance(part, ast.FunctionDef) for part in node.body):
        return node, []
    return _Lifting(copy.deepcopy(node)).done()


class _Lifting:
    """The work on one function."""

    def __init__(self, node: ast.FunctionDef) -> None:
        self.node = node
        self.functions = {part.name: part for part in node.body if isinstance(part, ast.FunctionDef)}
        self.rest = [part for part in node.body if not isinstance(part, ast.FunctionDef)]
        self.own = {a.arg for a in parameters(node)}
        self.area = Counter([*(a.arg for a in parameters(node)), *(n for s in self.rest for n in bound_names(s))])
        self.area.update(part.name for part in node.body if isinstance(part, ast.FunctionDef))
        self.captures: dict[str, set[str]] = {}

    def done(self) -> tuple[ast.FunctionDef, list[ast.FunctionDef]]:
        self._check_places()
        for name, function in self.functions.items():
            self._check_head(name, function)
            self.captures[name] = {v for v in free_names(function) if v in self.area and v not in self.functions}
        self._close_captures()
        annotations = {a.arg: a.annotation for a in parameters(self.node)}
        for function in self.functions.values():
            for v in sorted(self.captures[function.name]):
                function.args.kwonlyargs.append(_at(ast.arg(v, copy.deepcopy(annotations[v])), function))
                function.args.kw_defaults.append(None)
        calls = _Calls(self.captures, f"{self.node.name}{INFIX}")
        self.node.body = [calls.visit(s) for s in self.rest] or [_at(ast.Pass(), self.node)]
        for function in self.functions.values():
            function.body = [calls.visit(s) for s in function.body]
            function.name = calls.prefix + function.name
        for made in (self.node, *self.functions.values()):
            ast.fix_missing_locations(made)
        return self.node, list(self.functions.values())

    def _check_places(self) -> None:
        """Each name is bound once, and nothing mentions one of them before all of them are there."""
        inner = Counter(n for f in self.functions.values() for n in bound_names(f, itself=True))
        for name, function in self.functions.items():
            if self.area[name] != 1 or inner[name]:
                outside(f"`{name}` is a function here and something else there", function, "nested function")
        last = max(i for i, s in enumerate(self.node.body) if isinstance(s, ast.FunctionDef))
        for s in self.node.body[:last]:
            if s in self.rest and any(isinstance(n, ast.Name) and n.id in self.functions for n in ast.walk(s)):
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

    def _close_captures(self) -> None:
        """A function captures what those capture that it mentions; all of it parameters that stay as they are."""
        mentioned = {n: free_names(f) & self.functions.keys() for n, f in self.functions.items()}
        for _ in self.functions:
            for name, others in mentioned.items():
                self.captures[name] = self.captures[name].union(*(self.captures[o] for o in others))
        for name, function in self.functions.items():
            for v in sorted(self.captures[name]):
                if v not in self.own or self.area[v] != 1:
                    reason = f"`{name}` uses `{v}`, which is no parameter of `{self.node.name}` that stays as it is"
                    outside(reason, function, "nested function")
            inside = set(bound_names(function, itself=True))
            self._unshadowed((v for used in mentioned[name] for v in self.captures[used]), inside, function)

    def _unshadowed(self, names: Iterable[str], inside: set[str], node: ast.FunctionDef) -> None:
        for v in sorted(set(names) & inside):
            outside(f"`{v}` is something else inside of `{node.name}` than around it", node, "nested function")


class _Calls(ast.NodeTransformer):
    """Calls of nested functions as calls of those of the module, with what they capture."""

    def __init__(self, captures: dict[str, set[str]], prefix: str) -> None:
        self.captures, self.prefix = captures, prefix

    def visit_Call(self, node: ast.Call) -> ast.expr:
        node.args = [self.visit(a) for a in node.args]
        node.keywords = [self.visit(k) for k in node.keywords]
        if not isinstance(node.func, ast.Name) or node.func.id not in self.captures:
            node.func = self.visit(node.func)
            return node
        captured = [ast.keyword(v, ast.Name(v, ast.Load())) for v in sorted(self.captures[node.func.id])]
        target = ast.Name(self.prefix + node.func.id, ast.Load())
        return _at(ast.Call(target, node.args, [*node.keywords, *captured]), node)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.captures:
            return node
        if self.captures[node.id]:
            outside(f"`{node.id}`, which uses what is around it, is given away", node, "nested function")
        return _at(ast.Name(self.prefix + node.id, ast.Load()), node)


def _at(node: _Node, place: ast.AST) -> _Node:
    return ast.fix_missing_locations(ast.copy_location(node, place))


_OF_NO_MEANING = frozenset(
    {"__all__", "__author__", "__copyright__", "__date__", "__doc__", "__license__", "__version__"}
)
"""Names with underscores that a module may bind: nothing goes by them when it runs."""


def read_module(program: Program) -> Module:
    """The meaning of a module's names.

    Raises:
        OutsideFragment: the module runs code when it is imported, or can change what names mean.
    """
    counts = bindings(program.tree)
    _refuse_encoding(program)
    refuse_reaching(program.tree)
    for name in counts:
        if name.startswith("__") and name.endswith("__") and name not in _OF_NO_MEANING:
            outside(f"the module binds `{name}`, by which names can get another meaning", program.tree, name)
    module = Module(program, counts, Annotations({}, {}, frozenset(counts)))
    reading = _Reading(module)
    for node in program.tree.body:
        reading.statement(node)
    Importing(module).block(program.tree.body)
    typing, aliases = reading.typing, reading.aliases
    named: dict[str, Type | ast.expr] = {}
    once = [n for n in module.classes if counts[n] == 1]
    for name in once:
        kind = class_kind(module.classes[name], module)
        if kind is not None:
            named[name] = Type(kind, (), name)
    for name, value in aliases:
        members = alias_members(value, named, typing) if counts[name] == 1 else None
        if members is not None:
            union = Type("union", members, name)
            for m in members:
                if module.union_of(m.name):
                    outside(f"`{m.name}` is in two unions", value, "union")
            named[name] = module.unions[name] = union
        elif counts[name] == 1 and name not in module.constants:
            named[name] = value
    module.annotations = Annotations(named, typing, frozenset(counts))
    for name in once:
        if isinstance(named.get(name), Type):
            read_class(module.classes[name], module)
    for fields in module.fields.values():
        for f in fields:
            if f.kind.kind == "class" and module.union_of(f.kind.name):
                outside(
                    f"a field of type `{f.kind}`, which is a member of a union", module.classes[f.kind.name], "union"
                )
    return module


def _refuse_encoding(program: Program) -> None:
    """Refuse a text that says of its file what makes it another program for CPython than the one that is read here."""
    data = program.source.encode("utf-8", "surrogatepass")
    try:
        encoding = encoding_of(data)
        same = data.decode(encoding) == program.source
    except (SyntaxError, LookupError, ValueError):
        encoding, same = "something else", False
    if not same:
        outside(f"the file says that it is encoded in {encoding}: save it in UTF-8", program.tree, "encoding")


# ------------------------------------------------------------------------------------------- top level


@dataclass
class _Reading:
    """What the statements of a module bind, one by one."""

    module: Module
    typing: dict[str, str] = field(default_factory=dict)
    aliases: list[tuple[str, ast.expr]] = field(default_factory=list)

    def statement(self, node: ast.stmt) -> None:
        """What a statement at the level of the module binds; see `Importing` for what it may be."""
        module = self.module
        if isinstance(node, ast.Import):
            for alias in node.names:
                module.imports[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
                if alias.name == "typing" and module.counts[alias.asname or "typing"] == 1:
                    self.typing[alias.asname or "typing"] = ""
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                module.imports[alias.asname or alias.name] = f"{node.module}.{alias.name}"
            self._typing(node)
        elif isinstance(node, ast.ClassDef):
            module.classes[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            self._assignment(node)
        elif isinstance(node, ast.If) and is_type_checking(node.test, module):
            for part in node.body:  # names of `typing` mean what they say though this is never run
                if isinstance(part, ast.ImportFrom):
                    self._typing(part)

    def _typing(self, node: ast.ImportFrom) -> None:
        """Names of ``typing``, as annotations mean them."""
        for alias in node.names:
            local = alias.asname or alias.name
            if node.module in ("typing", "typing_extensions") and self.module.counts.get(local) == 1:
                self.typing[local] = alias.name

    def _assignment(self, node: ast.Assign | ast.AnnAssign) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if len(targets) != 1 or not isinstance(targets[0], ast.Name) or node.value is None:
            return
        name, value = targets[0].id, node.value
        if self.module.counts.get(name) != 1:
            return
        annotation = node.annotation if isinstance(node, ast.AnnAssign) else None
        if isinstance(annotation, ast.Name | ast.Attribute) and ast.unparse(annotation).endswith(
            ("TypeAlias", "Final")
        ):
            annotation = None
        if is_constant_expression(value, self.module):
            self.module.constants[name] = (value, annotation)
        elif is_table(value):
            self.module.tables[name] = value
        if not (isinstance(value, ast.Constant) and not isinstance(value.value, str)):
            self.aliases.append((name, value))
