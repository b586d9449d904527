"""From a file to the meaning of its names; refused where importing the file may change what names mean."""

from __future__ import annotations

import ast
import re
import sys

from goedels_poetry.kernel.python.classes import (
    alias_members,
    check_annotations,
    check_class_body,
    check_class_head,
    check_head,
    class_kind,
    read_class,
)
from goedels_poetry.kernel.python.faults import outside
from goedels_poetry.kernel.python.module import Module, bindings, is_constant
from goedels_poetry.kernel.python.program import Program
from goedels_poetry.kernel.python.types import Annotations, Type

_REACHES = frozenset({"globals", "exec", "eval", "setattr", "delattr", "__builtins__", "__import__", "__globals__"})
"""Names by which a module can change what other names mean; a file that mentions one is not translated."""
_OF_NO_MEANING = frozenset(
    {"__all__", "__author__", "__copyright__", "__date__", "__doc__", "__license__", "__version__"}
)
"""Names with underscores that a module may bind: nothing goes by them when it runs."""
_ENCODING = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")  # as PEP 263 has it
_DANGEROUS_MODULES = frozenset({"builtins", "importlib", "ctypes", "gc", "inspect", "code", "codeop", "runpy"})
_TRUSTED_MODULES = frozenset({"goedels_poetry", "deal", "icontract", "typing_extensions"})


def read_module(program: Program) -> Module:
    """The meaning of a module's names.

    Raises:
        OutsideFragment: the module runs code when it is imported, or can change what names mean.
    """
    counts = bindings(program.tree)
    _refuse_encoding(program)
    _refuse_reaching(program.tree)
    for name in counts:
        if name.startswith("__") and name.endswith("__") and name not in _OF_NO_MEANING:
            outside(f"the module binds `{name}`, by which names can get another meaning", program.tree, name)
    module = Module(program, counts, Annotations({}, {}, frozenset(counts)))
    typing: dict[str, str] = {}
    aliases: list[tuple[str, ast.expr]] = []
    for node in program.tree.body:
        _top_level(node, module, typing, aliases)
    check_annotations(program.tree)
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
    """A file in UTF-7 is another program for CPython than the text that is read here."""
    for line in program.source.splitlines()[:2]:
        found = _ENCODING.match(line)
        if found and found[1].lower().replace("_", "-") not in ("utf-8", "utf8", "ascii", "us-ascii"):
            outside(f"the file says that it is encoded in {found[1]}", program.tree, "encoding")


def _refuse_reaching(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if name in _REACHES:
            outside(f"the file mentions `{name}`, by which names can get another meaning", node, name)
        if isinstance(node, ast.Import | ast.ImportFrom):
            _check_import(node)


def _check_import(node: ast.Import | ast.ImportFrom) -> None:
    modules = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    if isinstance(node, ast.ImportFrom) and node.level:
        outside("a relative import", node, "import")
    for name in modules:
        root = name.split(".")[0]
        if root in _DANGEROUS_MODULES or (root not in sys.stdlib_module_names and root not in _TRUSTED_MODULES):
            outside(f"the module `{name}` is imported, and may change anything", node, "import")
    starred = isinstance(node, ast.ImportFrom) and any(a.name == "*" for a in node.names)
    if starred and modules[0] != "goedels_poetry.contracts":
        outside("a star import binds names that are not known", node, "import *")


# ------------------------------------------------------------------------------------------- top level


def _top_level(node: ast.stmt, module: Module, typing: dict[str, str], aliases: list[tuple[str, ast.expr]]) -> None:
    if isinstance(node, ast.Import):
        for alias in node.names:
            module.imports[alias.asname or alias.name.split(".")[0]] = alias.name
            if alias.name == "typing" and module.counts[alias.asname or "typing"] == 1:
                typing[alias.asname or "typing"] = ""
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            local = alias.asname or alias.name
            module.imports[local] = f"{node.module}.{alias.name}"
            if node.module in ("typing", "typing_extensions") and module.counts.get(local) == 1:
                typing[local] = alias.name
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        check_head(node, module)
    elif isinstance(node, ast.Pass):
        return
    elif isinstance(node, ast.ClassDef):
        module.classes[node.name] = node
        check_class_head(node, module)
        check_class_body(node, module)
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        _top_assignment(node, module, aliases)
    elif isinstance(node, ast.If) and _is_main(node.test) and not node.orelse:
        return  # is not run on import, and its bindings have been counted
    elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        if node.__class__.__name__ == "TypeAlias":  # Python 3.12
            outside("a type statement is not covered", node, "type statement")
        outside("the module runs code when it is imported", node, "module-level code")


def _is_main(test: ast.expr) -> bool:
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and len(test.ops) == 1
        and isinstance(test.ops[0], ast.Eq)
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value == "__main__"
    )


def _top_assignment(node: ast.Assign | ast.AnnAssign, module: Module, aliases: list[tuple[str, ast.expr]]) -> None:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if len(targets) != 1 or not isinstance(targets[0], ast.Name):
        outside("a module-level assignment to something else than one name", node, "module-level code")
    if node.value is None:
        return
    name = targets[0].id
    if name == "__all__" and isinstance(node.value, ast.List) and all(map(is_constant, node.value.elts)):
        return  # says what a star import binds elsewhere
    if is_constant(node.value):
        annotation = node.annotation if isinstance(node, ast.AnnAssign) else None
        if isinstance(annotation, ast.Name | ast.Attribute) and ast.unparse(annotation).endswith(
            ("TypeAlias", "Final")
        ):
            annotation = None
        if module.counts.get(name) == 1:
            module.constants[name] = (node.value, annotation)
        if isinstance(node.value, ast.Constant) and not isinstance(node.value.value, str):
            return
    elif not all(
        isinstance(
            n, ast.Name | ast.Subscript | ast.BinOp | ast.BitOr | ast.Load | ast.Constant | ast.Tuple | ast.Attribute
        )
        for n in ast.walk(node.value)
    ):
        outside("the module runs code when it is imported", node, "module-level code")
    aliases.append((name, node.value))


__all__ = ["read_module"]
