"""From a file to the meaning of its names; refused where importing the file may change what names mean."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

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
from goedels_poetry.kernel.python.importing import DANGEROUS, Importing, dotted, may_be_imported
from goedels_poetry.kernel.python.module import Module, bindings, is_constant_expression
from goedels_poetry.kernel.python.program import Program
from goedels_poetry.kernel.python.tables import is_table
from goedels_poetry.kernel.python.types import Annotations, Type

_REACHES = frozenset({"globals", "exec", "eval", "setattr", "delattr", "__builtins__", "__import__", "__globals__"})
"""Names by which a module can change what other names mean; a file that mentions one is not translated."""
_OF_NO_MEANING = frozenset(
    {"__all__", "__author__", "__copyright__", "__date__", "__doc__", "__license__", "__version__"}
)
"""Names with underscores that a module may bind: nothing goes by them when it runs."""
_ENCODING = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")  # as PEP 263 has it


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
    reading = _Reading(module, Importing(module))
    for node in program.tree.body:
        reading.statement(node)
    check_annotations(program.tree, reading.importing)
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
    """A file in UTF-7 is another program for CPython than the text that is read here."""
    for line in program.source.splitlines()[:2]:
        found = _ENCODING.match(line)
        if found and found[1].lower().replace("_", "-") not in ("utf-8", "utf8", "ascii", "us-ascii"):
            outside(f"the file says that it is encoded in {found[1]}", program.tree, "encoding")


def _refuse_reaching(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if isinstance(node, ast.Import | ast.ImportFrom):
            _refuse_dangerous(node)
        reached = {name, *(node.kwd_attrs if isinstance(node, ast.MatchClass) else ())} & _REACHES
        for name in sorted(reached):
            outside(f"the file mentions `{name}`, by which names can get another meaning", node, name)


def _refuse_dangerous(node: ast.Import | ast.ImportFrom) -> None:
    """A module by which names can get another meaning, wherever it is imported."""
    for name in [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]:
        if name.split(".")[0] in DANGEROUS and not getattr(node, "level", 0):
            outside(f"the module `{name}` is imported, and may change anything", node, "import")


def _check_import(node: ast.Import | ast.ImportFrom) -> None:
    modules = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    if isinstance(node, ast.ImportFrom) and node.level:
        outside("a relative import: what that module does is not known", node, "import")
    for name in modules:
        if not may_be_imported(name):
            outside(f"the module `{name}` is imported, and may change anything", node, "import")
    starred = isinstance(node, ast.ImportFrom) and any(a.name == "*" for a in node.names)
    if starred and modules[0] != "goedels_poetry.contracts":
        outside("a star import binds names that are not known", node, "import *")


# ------------------------------------------------------------------------------------------- top level


@dataclass
class _Reading:
    """The statements of a module, one by one, as they run when it is imported."""

    module: Module
    importing: Importing
    typing: dict[str, str] = field(default_factory=dict)
    aliases: list[tuple[str, ast.expr]] = field(default_factory=list)

    def statement(self, node: ast.stmt) -> None:
        """A statement that runs once, at the level of the module."""
        module = self.module
        if isinstance(node, ast.Import):
            _check_import(node)
            for alias in node.names:
                module.imports[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
                if alias.name == "typing" and module.counts[alias.asname or "typing"] == 1:
                    self.typing[alias.asname or "typing"] = ""
        elif isinstance(node, ast.ImportFrom):
            _check_import(node)
            for alias in node.names:
                module.imports[alias.asname or alias.name] = f"{node.module}.{alias.name}"
            self._typing(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            check_head(node, self.importing)
        elif isinstance(node, ast.ClassDef):
            module.classes[node.name] = node
            check_class_head(node, self.importing)
            check_class_body(node, self.importing)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            self._assignment(node)
        else:
            self._other(node)

    def _other(self, node: ast.stmt) -> None:
        if isinstance(node, ast.If) and _is_main(node.test) and not node.orelse:
            return  # is not run on import, and its bindings have been counted
        if isinstance(node, ast.If) and self._is_type_checking(node.test):
            for part in node.body:  # is never run
                if isinstance(part, ast.ImportFrom):
                    self._typing(part)
            for part in node.orelse:
                self.sometimes(part)
        else:
            self.sometimes(node)

    def _typing(self, node: ast.ImportFrom) -> None:
        """Names of ``typing``, as annotations mean them."""
        for alias in node.names:
            local = alias.asname or alias.name
            if node.module in ("typing", "typing_extensions") and self.module.counts.get(local) == 1:
                self.typing[local] = alias.name

    def _is_type_checking(self, test: ast.expr) -> bool:
        return dotted(test, self.module) in ("typing.TYPE_CHECKING", "typing_extensions.TYPE_CHECKING")

    def sometimes(self, node: ast.stmt) -> None:
        """A statement that may run or not, or more than once: of the names that it binds nothing is known."""
        match node:
            case ast.Pass() | ast.Global():
                return
            case ast.AnnAssign() if isinstance(node.target, ast.Name) and node.value is None:
                return
            case ast.Import() | ast.ImportFrom():
                _check_import(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                check_head(node, self.importing)
            case ast.ClassDef():
                check_class_head(node, self.importing)
                check_class_body(node, self.importing)
            case ast.Assign() if all(isinstance(t, ast.Name) for t in node.targets):
                self._quiet(node.value)
            case ast.AnnAssign() if isinstance(node.target, ast.Name) and node.value is not None:
                self._quiet(node.value)
            case ast.AugAssign() if isinstance(node.target, ast.Name) and node.target.id == "__all__":
                self._closed(node.value)
            case ast.Delete() if all(isinstance(t, ast.Name) for t in node.targets):
                return
            case ast.Expr():
                self._closed(node.value)
            case ast.If():
                self._closed(node.test)
                for part in (*node.body, *node.orelse):
                    self.sometimes(part)
            case ast.Try():
                handled = [part for h in node.handlers for part in h.body]
                for part in (*node.body, *handled, *node.orelse, *node.finalbody):
                    self.sometimes(part)
                for handler in node.handlers:
                    if handler.type is not None:
                        self._quiet(handler.type)
            case ast.Raise() if node.exc is not None and node.cause is None:
                self._raised(node.exc)
            case _:
                if node.__class__.__name__ == "TypeAlias":  # Python 3.12
                    outside("a type statement is not covered", node, "type statement")
                outside("the module runs code when it is imported", node, "module-level code")

    def _raised(self, node: ast.expr) -> None:
        """An exception of Python's own: one of the module runs what makes it."""
        name = node.func if isinstance(node, ast.Call) else node
        found = isinstance(name, ast.Name) and self.module.is_builtin(name.id) and self.module.exception(name.id)
        given = [*node.args, *(k.value for k in node.keywords)] if isinstance(node, ast.Call) else []
        if not found or not all(map(self.importing.is_closed, given)):
            outside("the module runs code when it is imported", node, "module-level code")

    def _quiet(self, node: ast.expr) -> None:
        if not self.importing.is_quiet(node):
            outside("the module runs code when it is imported", node, "module-level code")

    def _closed(self, node: ast.expr) -> None:
        if not self.importing.is_closed(node):
            outside("the module runs code when it is imported", node, "module-level code")

    def _assignment(self, node: ast.Assign | ast.AnnAssign) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if len(targets) != 1 or not isinstance(targets[0], ast.Name):
            outside("a module-level assignment to something else than one name", node, "module-level code")
        if node.value is None:
            return
        name, value = targets[0].id, node.value
        self._quiet(value)
        if self.module.counts.get(name) != 1:
            return
        if self.importing.is_closed(value):
            self.importing.closed.add(name)
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


__all__ = ["read_module"]
