"""From a file and the name of a function to its fingerprint; what its loops do besides going round."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.reading.hints import nearest
from goedels_poetry.python.fingerprint.ban import (
    CLOSED_FORM,
    DIVIDE_AND_CONQUER,
    DYNAMIC_PROGRAMMING,
    GREEDY,
    ITERATION,
    LIBRARY_CALL,
    MEMOISATION,
    RECURSION,
    Fingerprint,
)
from goedels_poetry.python.fingerprint.functions import (
    COMPREHENSIONS,
    LOOPS,
    File,
    Function,
    called,
    canonical,
    loads,
    of_recursion,
    reached,
    root,
    stores,
    text,
    walk,
    words,
)

# What a loop does besides going round

_CHOICES = ("min", "max", "sum", "any", "all")
_Assigned = list[tuple[ast.expr, ast.expr]]


def _assigned(nodes: Iterable[ast.AST]) -> _Assigned:
    """Targets and values of the assignments."""
    return [(node.targets[0], node.value) for node in nodes if isinstance(node, ast.Assign)]


def _tests(nodes: Iterable[ast.AST]) -> list[tuple[ast.If | ast.While, ast.Compare]]:
    """Conditional statements, each with the inequalities of its test."""
    found = [node for node in nodes if isinstance(node, ast.If | ast.While)]
    return [
        (node, part) for node in found for part in walk(node.test) if _is_order(part) and isinstance(part, ast.Compare)
    ]


def _is_order(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Lt | ast.LtE)


def _is_best(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and called(node) in ("max", "min") and len(node.args) > 1


def _is_argbest(node: ast.AST) -> bool:
    """The best by a key, or among those that pass a comparison."""
    one = isinstance(node, ast.Call) and called(node) in ("max", "min") and len(node.args) == 1
    return one and (bool(node.keywords) or any(map(_is_order, walk(node))))  # type: ignore[attr-defined]


def bisects(loop: ast.AST) -> bool:
    """``middle = (low + high) // 2``, and each end may become the middle."""
    nodes = list(walk(loop))
    for node in nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv) and text(node.right) == "2":
            ends = [stores(target) & loads(node) for target, value in _assigned(nodes) if text(node) in text(value)]
            if len(set().union(*ends)) > 1:
                return True
    return False


def merges(loop: ast.AST) -> bool:
    """Runs of a width that doubles each time."""
    nodes = list(walk(loop))
    doubled = {text(t) for t, value in _assigned(nodes) if text(value) in (f"{text(t)} * 2", f"2 * {text(t)}")}
    return any(called(node) == "range" and loads(node) & doubled for node in nodes)


def fills_table(loop: ast.AST) -> bool:
    """An entry of a table from two others, or from the best of others and something; or a row from another."""
    nodes = list(walk(loop.body))  # type: ignore[attr-defined]
    meanings = {text(target): value for target, value in _assigned(nodes)}
    guards = [(node, node.test) for node in nodes if isinstance(node, ast.If)]
    for target, value in _assigned(nodes):
        is_entry = isinstance(target, ast.Subscript)
        table = text(target.value) if isinstance(target, ast.Subscript) else text(target)
        tests = [test for guard, test in guards if is_entry and any(value is part for part in walk(guard.body))]
        known = [meanings[name] for name in sorted(loads(value)) if is_entry and name in meanings]
        parts = [part for one in (value, *known, *tests) for part in walk(one)]
        reads = {text(p) for p in parts if isinstance(p, ast.Subscript) and text(p.value) == table}
        others = reads - {text(target)}
        if not others or not (is_entry or any(isinstance(part, COMPREHENSIONS) for part in parts)):
            continue
        if text(value) == "True" and text(target) not in map(text, tests):
            return True
        chooses = any(called(p) in _CHOICES or isinstance(p, ast.IfExp | ast.BoolOp) for p in parts)
        works = any(isinstance(p, ast.BinOp | ast.BoolOp) and others & {text(q) for q in walk(p)} for p in parts)
        if works and (chooses or len(reads) > 1):
            return True
    return False


def keeps_best(loop: ast.AST) -> bool:
    """Best values in a few variables that are worked out from earlier ones: names that depend on each other."""
    assigned = [(t.id, value) for t, value in _assigned(walk(loop.body)) if isinstance(t, ast.Name)]  # type: ignore[attr-defined]
    uses: dict[str, set[str]] = {name: set() for name, _ in assigned}
    for name, value in assigned:
        uses[name] |= loads(value) & uses.keys()
    known: dict[str, set[str]] = {}
    while known != uses:
        known = uses
        uses = {name: found.union(*(known[other] for other in found)) for name, found in known.items()}
    for name in uses:
        circle = {other for other in uses if other in uses[name] and name in uses[other]}
        inside = [p for t, value in assigned if t in circle for p in walk(value) if loads(p) & circle]
        works = any(isinstance(p, ast.BinOp) and isinstance(p.op, ast.Add | ast.Mult | ast.Sub) for p in inside)
        best = any(map(_is_best, inside))
        kept = any(_is_best(p) and loads(p) & circle for t, v in assigned if t not in circle for p in walk(v))
        chosen = kept and any(isinstance(p, ast.IfExp) for p in inside)
        if works and (best or chosen) and (kept or len(circle) > 1):
            return True
    return False


def is_greedy(loop: ast.AST, ordered: set[str]) -> bool:
    """Whether a loop takes the locally best and never comes back to it; ``ordered``: sequences that were sorted."""
    nodes = list(walk(loop))
    assigned = _assigned(nodes)
    names = {called(node) for node in nodes}
    if {"heappop", "heappush"} <= names or "heapreplace" in names:
        return True
    over: ast.AST | None = getattr(loop, "iter", None)
    through = stores(getattr(loop, "target", []))
    places = [node.value for node in nodes if isinstance(node, ast.Subscript) and loads(node.slice)]
    if any(is_sorted(part, ordered) for part in [*places, *([over] if over is not None else [])]):
        state = {root(target) for target, _ in assigned} - through
        if any(loads(order) & state for _, order in _tests(nodes)) or _joins(loop):
            return True
    elements = through if over is not None and called(over) != "range" else set[str]()
    return _takes_best(nodes) or _uses_up(nodes, elements) or _reaches(nodes, through) or _gains(nodes, through)


def is_sorted(value: ast.AST, names: set[str]) -> bool:
    """Whether a sequence is, or is made of, a sorted one."""
    return any(called(part) == "sorted" or getattr(part, "id", "") in names for part in walk(value))


def _joins(loop: ast.AST) -> bool:
    """Entries that a test of them finds free, or different, are set; or sums of sums are kept."""
    nodes = list(walk(loop.body))  # type: ignore[attr-defined]
    for node in nodes:
        if isinstance(node, ast.If) and any(isinstance(t, ast.Subscript) for t, _ in _assigned(walk(node.body))):
            return True
    sums = {text(t): loads(value) for t, value in _assigned(nodes) if text(value).startswith(f"{text(t)} + ")}
    return any(sums[one] & {other} for one in sums for other in sums if one != other)


def _takes_best(nodes: list[ast.AST]) -> bool:
    """The best of a collection is taken out of it."""
    best = [
        loads(part) | stores(node)
        for node in nodes
        if isinstance(node, ast.Assign)
        for part in walk(node.value)
        if _is_argbest(part)
    ]
    for node in nodes:
        match node:
            case ast.Assign(targets=[target], value=ast.BinOp(left=left, op=ast.Sub(), right=taken)) if text(
                target
            ) == text(left):
                pass
            case ast.Call(func=ast.Attribute(value=left, attr="remove" | "discard"), args=[taken]):
                pass
            case _:
                continue
        at_once = any(_is_argbest(part) and loads(part) & loads(left) for part in walk(taken))
        if at_once or any(loads(left) & one and loads(taken) & one for one in best):
            return True
    return False


def _uses_up(nodes: list[ast.AST], elements: set[str]) -> bool:
    """An amount is divided by elements one after the other, and the rest goes on; or their multiples are taken off."""
    for target, value in _assigned(nodes):
        rest = {
            text(part.right) for part in walk(value) if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mod)
        }
        rest |= {text(part.args[1]) for part in walk(value) if isinstance(part, ast.Call) and called(part) == "divmod"}
        if any(set(re.findall(r"\w+", one)) & elements for one in rest) and stores(target) & loads(value):
            return True
    for node, order in _tests(nodes):
        taken = [
            t
            for t, value in _assigned(walk(node.body))
            if text(value).startswith(f"{text(t)} - ") and loads(value) & elements
        ]
        if isinstance(node, ast.While) and any(loads(order) & stores(target) for target in taken):
            return True
    return False


def _reaches(nodes: list[ast.AST], through: set[str]) -> bool:
    """The furthest place that can be reached so far, compared with the place that the loop is at."""
    assigned = _assigned(nodes)
    at = through | {text(target) for target, value in assigned if text(value) == f"{text(target)} + 1"}
    far = set[str]()
    for target, value in assigned:
        given = value.args if isinstance(value, ast.Call) and _is_best(value) else []
        further = loads(value) & at or any(isinstance(part, ast.Subscript) for part in given)
        if isinstance(target, ast.Name) and text(target) in map(text, given) and further:
            far.add(target.id)
    far |= {text(target) for target, value in assigned if text(value) in far}
    for node in nodes:
        if isinstance(node, ast.Compare):
            sides = {text(node.left), text(node.comparators[0])}
            if sides & far and sides & at:
                return True
    back = [(order, target, value) for node, order in _tests(nodes) for target, value in _assigned(walk(node.body))]
    return any(
        text(value) in at and text(target) == text(o.left) and loads(value) <= loads(o.comparators[0])
        for o, target, value in back
    )


def _gains(nodes: list[ast.AST], through: set[str]) -> bool:
    """Every rise is taken; or what has become negative is given up, and begun anew behind it."""
    for node, order in _tests(nodes):
        less, more = text(order.left), text(order.comparators[0])
        inside = _assigned(walk(node.body))
        if any(text(value) == f"{text(target)} + ({more} - {less})" for target, value in inside):
            return True
        anew = any(isinstance(value, ast.BinOp) and loads(value) & through for _, value in inside)
        if more == "0" and anew and any(loads(order) & stores(target) for target, _ in inside):
            return True
    return False


MAX_CHARACTERS = 60_000
"""A longer text is no candidate."""
_ELEMENTARY = words(
    """
    abs round int float bool str len pow min max divmod complex isinstance type ord chr repr tuple list bytes
    range hash id sqrt isqrt cbrt log log2 log10 log1p exp expm1 sin cos tan asin acos atan atan2 sinh cosh tanh
    floor ceil trunc radians degrees fabs copysign hypot fmod bit_length Fraction Decimal is_integer format
    super isfinite isnan isinf cast get append dataclass namedtuple
    """
)
"""Functions that stand in formulas like operators: alone they are a library call, beside arithmetic part of it."""
_HEAVY = words(
    """
    permutations combinations product accumulate groupby chain reduce factorial comb perm prod gcd lcm mean
    median mode stdev Counter most_common findall sub search match fullmatch nsmallest nlargest bisect_left
    bisect_right bisect insort strptime strftime zip_longest starmap takewhile dropwhile from_iterable
    combinations_with_replacement multimode quantiles loads dumps
    """
)
"""What goes through the data by itself, whatever a comprehension hands to it."""
_TAGS_BY_CALL = {
    "sorting": ("sort", "sorted"),
    "heap": ("heappop", "heappush", "heapify", "heapreplace"),
    "brute force": ("product", "permutations", "combinations", "combinations_with_replacement"),
    "hashing": ("set", "dict", "Counter", "defaultdict"),
    "functional": ("map", "filter", "reduce", "accumulate"),
}
_MAX_NODES = 2_000
"""Of a loop that is looked at."""
_TAGS_BY_NODE: dict[str, tuple[type[ast.AST], ...]] = {
    "functional": COMPREHENSIONS,
    "generator": (ast.Yield, ast.YieldFrom),
    "hashing": (ast.Set, ast.Dict, ast.SetComp, ast.DictComp),
    "bit manipulation": (ast.BitAnd, ast.BitXor, ast.LShift, ast.RShift),
}


def fingerprint(source: str, function: str) -> Fingerprint:
    """The strategy of a function (``Class.method`` for a method) in the text of its file; nothing is run.

    Raises:
        InvalidInput: the text does not parse, is longer than ``MAX_CHARACTERS``, nests too deep, or lacks the function.
    """
    if len(source) > MAX_CHARACTERS:
        raise InvalidInput(f"the text has {len(source)} characters, more than {MAX_CHARACTERS}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the text's own: invalid escapes, `is` with literals
            tree = ast.parse(source)
        return _of_tree(canonical(tree), function)
    except SyntaxError as error:
        raise InvalidInput(f"not Python: {error.msg}", line=error.lineno, column=error.offset) from error
    except (RecursionError, MemoryError) as error:
        raise InvalidInput("the text nests too deep, or is too entangled, to be read") from error
    except ValueError as error:  # null bytes
        raise InvalidInput(f"not Python: {error}") from error


def _of_tree(tree: ast.Module, name: str) -> Fingerprint:
    file = File(tree)
    function = file.find(name)
    if function is None:
        names = sorted({other.name for other in file.functions})
        raise InvalidInput(f"there is no function {name!r}", hint=nearest(name, names) or None)
    strategy, tags = _strategy(file, function)
    return Fingerprint(strategy, frozenset(tags - {strategy}))


def _strategy(file: File, function: Function) -> tuple[str, set[str]]:
    """What the function itself does decides; what its helpers do, where it hands over to them or loops around them."""
    functions = [function, *(other for other in reached(function) if other is not function)]
    tags = _tags(functions)
    if function.circle:
        strategy, more = of_recursion(file, function)
        return strategy, tags | more
    own = _of_loops(function)
    circles = {frozenset(one.circle): one for one in reversed(functions) if one.circle}
    recursive = list(circles.values())[::-1]
    if own is not None:
        return own[0], tags | own[1] | ({RECURSION} if recursive else set())
    if recursive:
        found = [of_recursion(file, one) for one in recursive]
        best = next((one for name in (MEMOISATION, DIVIDE_AND_CONQUER) for one in found if one[0] == name), found[0])
        return best[0], tags | best[1]
    if _calls_itself_by_parameter(functions):
        return RECURSION, tags | {RECURSION}
    for other in functions[1:]:
        elsewhere = _of_loops(other) if other.is_definition else None
        if elsewhere is not None:
            return elsewhere[0], tags | elsewhere[1]
    return _plain(file, [one for one in functions if one.is_definition or one is function]), tags


def _calls_itself_by_parameter(functions: list[Function]) -> bool:
    """``g(g)``: recursion without a name."""
    calls = [node for one in functions for node in walk(one.body) if isinstance(node, ast.Call)]
    return any(isinstance(c.func, ast.Name) and c.func.id in [getattr(a, "id", "") for a in c.args] for c in calls)


def _tags(functions: list[Function]) -> set[str]:
    nodes = [node for one in functions for node in walk(one.body)]
    names = {called(node) for node in nodes}
    tags = {tag for tag, calls in _TAGS_BY_CALL.items() if names & set(calls)}
    tags |= {tag for tag, kinds in _TAGS_BY_NODE.items() if any(isinstance(node, kinds) for node in nodes)}
    squares = [node for node in nodes if isinstance(node, ast.Assign) and re.fullmatch(r"(\w+) = \1 \* \1", text(node))]
    if squares:
        tags.add("squaring")
    if any(isinstance(node, ast.Call) and text(node).startswith(("range(1 <<", "range(2 **")) for node in nodes):
        tags.add("brute force")
    loops = [node for node in nodes if isinstance(node, LOOPS)]
    if any(isinstance(node, LOOPS) for loop in loops for node in walk(loop.body)):
        tags.add("nested loops")
    if any(_tries_all(loop, set(), 0) for loop in loops):
        tags.add("brute force")
    if any(isinstance(loop, ast.While) and _pops(loop) & loads(loop.test) for loop in loops):
        tags.add("stack")
    return tags


def _pops(loop: ast.While) -> set[str]:
    calls = [node for node in walk(loop.body) if called(node) in ("pop", "popleft")]
    return {root(call.func.value) for call in calls if isinstance(call.func, ast.Attribute)}  # type: ignore[attr-defined]


def _tries_all(loop: ast.AST, through: set[str], depth: int) -> bool:
    """Three loops inside each other with a test of all their elements in the innermost."""
    if not isinstance(loop, (ast.For, ast.AsyncFor)):
        return False
    names = through | stores(loop.target)
    tested = [node.test for node in loop.body if isinstance(node, ast.If)]
    if depth >= 2 and any(names <= loads(test) for test in tested):
        return True
    return any(_tries_all(inner, names, depth + 1) for inner in loop.body)


def _of_loops(function: Function) -> tuple[str, set[str]] | None:
    """Strategies of loops that are more than loops; a bisection inside the filling of a table serves the table."""
    loops = [loop for loop in walk(function.body) if isinstance(loop, LOOPS)]
    loops = [loop for loop in loops if sum(1 for _ in walk(loop)) <= _MAX_NODES]
    table = any(map(fills_table, loops))
    if not table and any(map(bisects, loops)):
        return DIVIDE_AND_CONQUER, {"bisection"}
    if not table and any(map(merges, loops)):
        return DIVIDE_AND_CONQUER, set()
    ordered = _sorted_names(function.body)
    if any(is_greedy(loop, ordered) for loop in loops):
        return GREEDY, set()
    return (DYNAMIC_PROGRAMMING, set()) if table or any(map(keeps_best, loops)) else None


def _sorted_names(body: list[ast.stmt]) -> set[str]:
    """Names of sequences that were sorted, and of what was made of them."""
    names = {root(n.func.value) for n in walk(body) if called(n) == "sort" and isinstance(n.func, ast.Attribute)}  # type: ignore[attr-defined]
    for node in walk(body):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and is_sorted(node.value, names):
            names.add(node.targets[0].id)
    return names


def _plain(file: File, functions: list[Function]) -> str:
    nodes = [node for one in functions for node in walk(one.body)]
    if any(isinstance(node, LOOPS) or (called(node) == "iter" and len(node.args) > 1) for node in nodes):  # type: ignore[attr-defined]
        return ITERATION
    if any(isinstance(node, COMPREHENSIONS) for node in nodes) and not any(called(node) in _HEAVY for node in nodes):
        return ITERATION
    return LIBRARY_CALL if _delegates(file, functions, nodes) else CLOSED_FORM


def _delegates(file: File, functions: list[Function], nodes: list[ast.AST]) -> bool:
    """Whether a library function, or a built-in operation on a whole sequence, does the work."""
    own = {one.name for one in file.functions if one.is_definition and not one.owner} | set(file.classes)
    own |= {name for one in functions for name in one.parameters}
    own |= {f".{one.name}" for one in file.functions if one.owner}
    if any(isinstance(node, ast.Slice) and node.step is not None and text(node.step) != "1" for node in nodes):
        return True
    calls = [
        node
        for node in nodes
        if isinstance(node, ast.Call) and not hasattr(node, "made") and called(node)
        if ("." * isinstance(node.func, ast.Attribute)) + called(node) not in own
    ]
    if any(called(node) not in _ELEMENTARY or _goes_through(node) for node in calls):
        return True
    if calls:
        works = (ast.BinOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.If)
        return not any(isinstance(node, works) for node in nodes)
    first = functions[0]
    value = getattr(first.body[0], "value", None) if not first.is_definition and first.body else None
    return isinstance(value, ast.Attribute | ast.Name) and root(value) not in own


def _goes_through(call: ast.AST) -> bool:
    """``max(xs)``: one argument that is a sequence, or a key."""
    assert isinstance(call, ast.Call)
    name = called(call)
    if name in ("max", "min"):
        return len(call.args) == 1 or bool(call.keywords)
    if name in ("list", "tuple"):
        return any(called(part) and called(part) not in _ELEMENTARY - {"range"} for part in call.args)
    return name == "pow" and len(call.args) == 3
