"""Literal lists, dicts and sets of the module that are constants.

One is a constant when the whole file only reads it: the name is bound once, and wherever it is mentioned, something is
read from it that cannot be changed. It is never given away, so nothing else gets hold of it.
"""

from __future__ import annotations

import ast

from goedels_poetry.python.translate.faults import outside
from goedels_poetry.python.translate.frame import Frame
from goedels_poetry.python.translate.importing import may_be_imported
from goedels_poetry.python.translate.module import Module, is_constant, words
from goedels_poetry.python.translate.scopes import bound_names

MAX_ENTRIES = 200
_READERS = words(
    """
    all any dict enumerate frozenset len list max min print repr reversed set sorted str sum tuple zip
    """
)
"""Builtins that give away nothing but elements."""
_METHODS = frozenset({"copy", "count", "get", "index", "items", "keys", "values"})
_REFLECTION = words(
    """
    modules __dict__ vars locals getattr getattr_static attrgetter methodcaller _getframe f_globals f_locals f_back
    tb_frame gi_frame cr_frame ag_frame gi_yieldfrom __reduce__ __reduce_ex__ __getattribute__ __spec__ __loader__
    __closure__ get_objects get_referrers currentframe settrace setprofile mapping
    """
)
"""Names by which a function gets hold of what others see; with one of these in the file no list is constant."""


def is_table(node: ast.expr) -> bool:
    """Whether this is a literal list, set or dict of things that cannot be changed."""
    if isinstance(node, ast.List | ast.Set):
        return 0 < len(node.elts) <= MAX_ENTRIES and all(map(is_constant, node.elts))
    return isinstance(node, ast.Dict) and _has_plain_keys(node) and all(map(is_constant, node.values))


def _has_plain_keys(node: ast.Dict) -> bool:
    kinds = {type(k.value) if isinstance(k, ast.Constant) else None for k in node.keys}
    return 0 < len(node.keys) <= MAX_ENTRIES and kinds in ({int}, {str})


def table(frame: Frame, node: ast.Name) -> ast.expr | None:
    """The literal that a name of the module stands for; None for anything else.

    Raises:
        OutsideFragment: the name stands for one that may be changed.
    """
    if node.id in frame.env or node.id in frame.local:
        return None
    module = frame.registry.module
    if node.id not in module.tables:
        return None
    if node.id not in module.changed:
        module.changed[node.id] = may_change(module, node.id)
    why = module.changed[node.id]
    if why is not None:
        outside(f"`{node.id}` is a list, set or dict of the module that may be changed or given away", why, "constant")
    return module.tables[node.id]


# ------------------------------------------------------------------------------------- who may change it


def may_change(module: Module, name: str) -> ast.AST | None:
    """The place where what a name of the module stands for may be changed or given away, or None."""
    tree = module.program.tree
    above = {child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)}
    bound = frozenset(bound_names(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == name and not _is_read(node, above, bound):
            return node
        word = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if word in _REFLECTION or (isinstance(node, ast.Attribute) and node.attr == name):
            return node
        if isinstance(node, ast.MatchClass) and not {name, *_REFLECTION}.isdisjoint(node.kwd_attrs):
            return node
        if isinstance(node, ast.alias) and (node.name.split(".")[-1] in _REFLECTION or node.name == name):
            return node
        if isinstance(node, ast.Import) and not all(may_be_imported(a.name) for a in node.names):
            return node
        if isinstance(node, ast.ImportFrom) and (node.level or not may_be_imported(node.module or "")):
            return node
    return None


def _is_read(node: ast.Name, above: dict[ast.AST, ast.AST], bound: frozenset[str]) -> bool:
    """Whether the expression around a name only reads what cannot be changed; or binds it, for the first time."""
    parent = above[node]
    if not isinstance(node.ctx, ast.Load):
        return isinstance(parent, ast.Assign | ast.AnnAssign) and isinstance(above[parent], ast.Module)
    match parent:
        case ast.Subscript():
            return parent.value is node and isinstance(parent.ctx, ast.Load)
        case ast.Compare():
            places = [i for i, c in enumerate(parent.comparators) if c is node]
            return bool(places) and all(isinstance(parent.ops[i], ast.In | ast.NotIn) for i in places)
        case ast.For() | ast.AsyncFor() | ast.comprehension():
            return parent.iter is node
        case ast.Call():
            return node in parent.args and _reads(parent, node, above, bound)
        case ast.Attribute():
            call = above[parent]
            return parent.attr in _METHODS and isinstance(call, ast.Call) and call.func is parent
        case ast.Starred():
            return isinstance(above[parent], ast.List | ast.Tuple | ast.Set)
    return isinstance(parent, ast.FormattedValue)


def _reads(call: ast.Call, given: ast.AST, above: dict[ast.AST, ast.AST], bound: frozenset[str]) -> bool:
    """Whether a call of a builtin gives away nothing but elements of what it is given."""
    func = call.func
    if not isinstance(func, ast.Name) or func.id not in _READERS - bound:
        return False
    if func.id in ("max", "min"):  # of several, one of them
        return len(call.args) == 1
    if func.id == "sum":  # the other one is what the sum of nothing is
        return call.args[0] is given
    if func.id not in ("enumerate", "reversed", "zip"):
        return True
    user = above[call]  # a copy of such an object has what it goes over, so nobody may get hold of it
    if isinstance(user, ast.For | ast.AsyncFor | ast.comprehension):
        return True
    return isinstance(user, ast.Call) and call in user.args and _reads(user, call, above, bound)
