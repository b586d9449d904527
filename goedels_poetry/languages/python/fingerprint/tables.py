"""Dynamic programming: tables whose entries are computed from other entries, rows from rows."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from goedels_poetry.languages.python.fingerprint.flow import Source, loop_targets, opened, sources
from goedels_poetry.languages.python.fingerprint.syntax import (
    COMPREHENSIONS,
    Loop,
    called,
    dumped,
    flat,
    loads,
    loops_with_depth,
    pairs,
    root,
    walk,
)

_BEST = ("min", "max", "sum", "any", "all")


def fills_a_table(body: list[ast.stmt]) -> bool:
    """Whether a loop computes entries from other entries of the same table."""
    same_table = _aliases(body)
    added: dict[str, set[str]] = {}
    inside: dict[int, dict[str, list[Source]]] = {}
    searching: dict[int, bool] = {}
    for statement, around in loops_with_depth(body):
        for loop in around:
            if id(loop) not in searching:
                searching[id(loop)] = _searches_a_graph(loop)
        if not around or any(searching[id(loop)] for loop in around):
            continue
        if id(around[0]) not in inside:
            inside[id(around[0])] = sources(around[0].body)
        for table, place, value, update in _entries(statement):
            tables = same_table.get(table, {table}) | {table}
            if update and isinstance(value, ast.Subscript) and root(value) in tables:
                added.setdefault(table, set()).add(dumped(value))
                if len(added[table]) > 1:  # ways[i] += ways[i - 1], and under a condition ways[i] += ways[i - 2]
                    return True
            if _computed(table, tables, place, value, update, around, inside[id(around[0])]):
                return True
        if isinstance(statement, ast.If) and _spreads(statement, around):
            return True
    return _rows_from_rows(body) or _sets_from_sets(body)


def _entries(statement: ast.stmt) -> Iterator[tuple[str, str, ast.expr, bool]]:
    """Table, place, value and whether it is an update, for each entry that a simple statement writes."""
    for target, value in pairs(statement):
        for part in flat(target):
            if isinstance(part, ast.Subscript):
                yield root(part), dumped(part), value, isinstance(statement, ast.AugAssign)
    if isinstance(statement, ast.Expr) and called(statement.value) in ("append", "appendleft", "insert"):
        call = statement.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args:
            yield root(call.func.value), "", call.args[-1], False


def _computed(
    table: str,
    tables: set[str],
    place: str,
    value: ast.expr,
    update: bool,
    around: tuple[Loop, ...],
    local: dict[str, list[Source]],
) -> bool:
    """Whether a value is worked out from entries at other places; copies, counts and running sums are not."""
    parts = [part for part in opened(value, local) if not _makes_a_call_of(part, "heappop")]
    reads = [node for part in parts for node in _reads(part, tables, local) if dumped(node) != place]
    if not reads:
        return False
    named = {
        name
        for name, several in local.items()
        if any(_reads(s.value, tables, local) for s in several if s.how != "for")
    }
    reads += [ast.Name(id=name, ctx=ast.Load()) for name in sorted(named - set(tables))]
    worked = update or any(_works_on(part, reads) for part in parts)
    if not worked:
        return False
    if update and isinstance(value, ast.Subscript) and len(around) > 1:
        return True  # row[j] += row[j - 1] in every round
    best = any(_best_of_worked(part, reads) for part in parts)
    if best:
        return True
    distinct = {dumped(read) for read in reads if not isinstance(read, ast.Name)}
    if len(distinct) == 1 and len(around) == 1 and not _in_comprehension(parts, reads):
        return place != "" and not _takes_elements(value, tables, around) and not update
    return not (update and _eliminates(around, table))


def _reads(part: ast.expr, tables: set[str], local: dict[str, list[Source]]) -> list[ast.expr]:
    """The entries of the table that an expression reads: outermost subscripts, ``get``, slices."""
    found: list[ast.expr] = []
    stack: list[ast.AST] = [part]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Subscript) and root(node) in tables:
            found.append(node)
            continue
        if (
            isinstance(node, ast.Call)
            and called(node) == "get"
            and isinstance(node.func, ast.Attribute)
            and root(node.func.value) in tables
            and node.args
        ):
            found.append(ast.Subscript(value=node.func.value, slice=node.args[0], ctx=ast.Load()))
            continue
        stack.extend(ast.iter_child_nodes(node))
    return found


def _works_on(part: ast.expr, reads: list[ast.expr]) -> bool:
    """Whether an operation, a choice of the best or a comparison stands around a read."""
    texts = {dumped(read) for read in reads}
    for node in walk(part):
        if (isinstance(node, (ast.BinOp, ast.BoolOp, ast.Compare)) or called(node) in _BEST) and any(
            _holds(child, texts) for child in ast.iter_child_nodes(node)
        ):
            return True
    return False


def _holds(node: ast.AST, texts: set[str]) -> bool:
    """Whether one of the reads stands below and not merely as a place in another table."""
    if isinstance(node, ast.Subscript):
        return dumped(node) in texts or (isinstance(node.value, ast.Name) and node.value.id in texts)
    if isinstance(node, ast.Name):
        return node.id in texts
    if (
        isinstance(node, ast.Call)
        and called(node) == "get"
        and isinstance(node.func, ast.Attribute)
        and node.args
        and f"{ast.unparse(node.func.value)}[{ast.unparse(node.args[0])}]" in texts
    ):
        return True
    return any(_holds(child, texts) for child in ast.iter_child_nodes(node))


def _best_of_worked(part: ast.expr, reads: list[ast.expr]) -> bool:
    """``max(x, t[i - 1] + x)``, ``t[i - 1] or t[i - 2]``: a choice among ways to get there."""
    texts = {dumped(read) for read in reads}
    for node in walk(part):
        if (called(node) in _BEST or isinstance(node, (ast.IfExp, ast.BoolOp))) and any(
            isinstance(inner, (ast.BinOp, ast.BoolOp)) and _holds(inner, texts) for inner in walk(node)
        ):
            return True
    return False


def _in_comprehension(parts: list[ast.expr], reads: list[ast.expr]) -> bool:
    texts = {dumped(read) for read in reads}
    return any(isinstance(node, COMPREHENSIONS) and _holds(node, texts) for part in parts for node in walk(part))


def _takes_elements(value: ast.expr, tables: set[str], around: tuple[Loop, ...]) -> bool:
    """Whether an element of another sequence goes in: then one earlier entry makes a running sum."""
    through: set[str] = set()
    for loop in around:
        if isinstance(loop, (ast.For, ast.AsyncFor)) and called(loop.iter) != "range":
            through |= loop_targets([loop])
    others = [node for node in walk(value) if isinstance(node, ast.Subscript) and root(node) not in tables]
    return bool(others) or bool(loads(value) & through)


def _makes_a_call_of(part: ast.AST, name: str) -> bool:
    return any(called(node) == name for node in walk(part))


def _eliminates(around: tuple[Loop, ...], table: str) -> bool:
    """Rows taken off rows, as in Gauss's elimination: a factor worked out from the table by division."""
    return any(
        isinstance(node, ast.BinOp)
        and isinstance(node.op, (ast.Div, ast.FloorDiv))
        and root(node.left) == table
        and root(node.right) == table
        for node in walk(around[0])
    )


def _searches_a_graph(loop: Loop) -> bool:
    """A loop that takes from a queue, stack or heap: distances there are a search's, not a table's."""
    if not isinstance(loop, ast.While):
        return False
    for node in walk(loop.body):
        if isinstance(node, ast.Call):
            if called(node) in ("popleft", "heappop", "pop"):
                return True
            if called(node) in ("min", "max") and any(word.arg == "key" for word in node.keywords):
                return True
    return False


def _aliases(body: list[ast.stmt]) -> dict[str, set[str]]:
    """Names that stand for the same table in different rounds: ``prev = cur``, ``dp = new[:]``."""
    groups: dict[str, set[str]] = {}
    for statement, around in loops_with_depth(body):
        if not around:
            continue
        for target, value in pairs(statement):
            inner: ast.expr = value
            while isinstance(inner, (ast.Subscript, ast.Call)):
                if isinstance(inner, ast.Subscript):
                    inner = inner.value
                elif called(inner) in ("list", "copy", "tuple", "deepcopy") and inner.args:
                    inner = inner.args[0]
                elif called(inner) == "copy" and isinstance(inner.func, ast.Attribute):
                    inner = inner.func.value
                else:
                    break
            if isinstance(target, ast.Name) and isinstance(inner, ast.Name):
                if isinstance(value, ast.Subscript) and not isinstance(value.slice, ast.Slice):
                    continue
                group = groups.get(target.id, {target.id}) | groups.get(inner.id, {inner.id})
                for name in group:
                    groups[name] = group
    return groups


def _spreads(statement: ast.If, around: tuple[Loop, ...]) -> bool:
    """``if reach[j] and ...: reach[i] = True``: what holds is passed on; a sieve takes away and is none.

    ``if d[u] + w < d[v]: d[v] = d[u] + w`` is seen through its value already.
    """
    places = {dumped(node): root(node) for node in _alleged(statement.test) if isinstance(node, ast.Subscript)}
    if not places:
        return False
    for inner in walk(statement.body):
        for target, value in pairs(inner):
            if (
                isinstance(target, ast.Subscript)
                and root(target) in places.values()
                and dumped(target) not in places
                and isinstance(value, ast.Constant)
                and value.value in (True, 1)
            ):
                return True
    return False


def _alleged(test: ast.expr) -> Iterator[ast.expr]:
    """The parts of a condition that are not negated."""
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _alleged(value)
    else:
        yield test


def _rows_from_rows(body: list[ast.stmt]) -> bool:
    """``row = [1] + [a + b for a, b in zip(row, row[1:])] + [1]`` in a loop."""
    groups = _aliases(body)
    for statement, around in loops_with_depth(body):
        if not around:
            continue
        for target, value in pairs(statement):
            if not isinstance(target, ast.Name):
                continue
            names = groups.get(target.id, {target.id}) | {target.id}
            for node in walk(value):
                if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and _neighbours(node, names):
                    return True
    return False


def _neighbours(node: ast.ListComp | ast.GeneratorExp, names: set[str]) -> bool:
    """Whether each element is worked out from two or more entries of the row before."""
    works = any(isinstance(inner, ast.BinOp) or called(inner) in _BEST for inner in walk(node.elt))
    places = {dumped(inner) for inner in walk(node.elt) if isinstance(inner, ast.Subscript) and root(inner) in names}
    iterable = node.generators[0].iter
    zipped = isinstance(iterable, ast.Call) and called(iterable) in ("zip", "pairwise", "zip_longest")
    shifted = zipped and len(node.generators) == 1 and loads(iterable) & names
    return works and (len(places) >= 2 or bool(shifted))


def _sets_from_sets(body: list[ast.stmt]) -> bool:
    """``sums |= {s + x for s in sums}`` and ``bits |= bits << x`` in a loop: every total that can be reached."""
    for statement, around in loops_with_depth(body):
        if not around:
            continue
        for target, value in pairs(statement):
            if not isinstance(target, ast.Name):
                continue
            joined = isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.BitOr)
            joined = joined or (
                isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr) and target.id in loads(value)
            )
            for node in walk(value) if joined else ():
                if isinstance(node, ast.SetComp) and target.id in loads(node) and isinstance(node.elt, ast.BinOp):
                    return True
                if (
                    isinstance(node, ast.BinOp)
                    and isinstance(node.op, ast.LShift)
                    and target.id in loads(node.left)
                    and loads(node.right)
                ):
                    return True
    return False
