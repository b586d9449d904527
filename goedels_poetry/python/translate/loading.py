"""From a file to the meaning of its names; refused where importing it may change what names mean. Trusted code."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from goedels_poetry.python.translate.classes import alias_members, class_kind, is_table, read_class
from goedels_poetry.python.translate.faults import outside
from goedels_poetry.python.translate.importing import Importing, is_type_checking, refuse_reaching
from goedels_poetry.python.translate.module import (
    Annotations,
    Module,
    Type,
    bindings,
    is_constant_expression,
)
from goedels_poetry.python.translate.program import Program, encoding_of

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
