"""Names of other modules as those modules have them, whatever they are called here: ``heappop`` for ``pop_best``."""

from __future__ import annotations

import ast


def by_their_own_names(tree: ast.Module) -> ast.Module:
    """The tree with aliases of imported functions replaced: ``from heapq import heappop as x``, ``x = heapq.heappop``.

    A name that is bound elsewhere too, or would be mistaken for something of the file's own, keeps what it has.
    """
    stored = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    stored += [node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)]
    stored += [
        node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    ]
    modules = set[str]()
    meant: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {(name.asname or name.name).partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            meant |= {name.asname: name.name for name in node.names if name.asname and name.asname not in stored}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
            if (
                isinstance(value, ast.Attribute)
                and isinstance(value.value, ast.Name)
                and value.value.id in modules
                and stored.count(name) == 1
                and node not in tree.body
            ):
                meant[name] = value.attr
    kept = {name: original for name, original in meant.items() if original not in stored}
    for node in ast.walk(tree) if kept else ():
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in kept:
            node.id = kept[node.id]
    return tree
