"""From a file and the name of a function to its fingerprint."""

from __future__ import annotations

import ast
import warnings

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.reading.nearest import nearest
from goedels_poetry.languages.python.fingerprint.choices import is_greedy
from goedels_poetry.languages.python.fingerprint.imports import by_their_own_names
from goedels_poetry.languages.python.fingerprint.looping import bisects, loop_tags, merges_bottom_up
from goedels_poetry.languages.python.fingerprint.plainly import hands_over, of_expression
from goedels_poetry.languages.python.fingerprint.record import Fingerprint
from goedels_poetry.languages.python.fingerprint.recurrences import best_so_far
from goedels_poetry.languages.python.fingerprint.recursion import of_recursion
from goedels_poetry.languages.python.fingerprint.syntax import COMPREHENSIONS, LOOPS, called, walk
from goedels_poetry.languages.python.fingerprint.tables import fills_a_table
from goedels_poetry.languages.python.fingerprint.units import File, Unit, reached
from goedels_poetry.languages.python.fingerprint.words import (
    DIVIDE_AND_CONQUER,
    DYNAMIC_PROGRAMMING,
    GREEDY,
    ITERATION,
    MEMOISATION,
    RECURSION,
)

MAX_CHARACTERS = 60_000
"""A longer text is no candidate."""


def fingerprint(source: str, function: str) -> Fingerprint:
    """The strategy of a function, from the text of the file around it; nothing is run.

    Args:
        source: the whole file.
        function: its name; ``Class.method`` for a method.

    Raises:
        InvalidInput: the text does not parse, is longer than ``MAX_CHARACTERS``, nests too deep, or lacks the function.
    """
    if len(source) > MAX_CHARACTERS:
        raise InvalidInput(f"the text has {len(source)} characters, more than {MAX_CHARACTERS}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the text's own: invalid escapes, `is` with literals
            tree = ast.parse(source)
        return _of_tree(tree, function)
    except SyntaxError as error:
        raise InvalidInput(f"not Python: {error.msg}", line=error.lineno, column=error.offset) from error
    except (RecursionError, MemoryError) as error:
        raise InvalidInput("the text nests too deep, or is too entangled, to be read") from error
    except ValueError as error:  # null bytes
        raise InvalidInput(f"not Python: {error}") from error


def _of_tree(tree: ast.Module, function: str) -> Fingerprint:
    file = File(by_their_own_names(tree))
    unit = file.find(function)
    if unit is None:
        names = sorted({other.name for other in file.units})
        raise InvalidInput(f"there is no function {function!r}", hint=nearest(function, names) or None)
    strategy, tags = _strategy(file, unit)
    return Fingerprint(strategy, frozenset(tags - {strategy}))


def _strategy(file: File, unit: Unit) -> tuple[str, set[str]]:
    """What the function itself does decides; what its helpers do, where it hands over to them or loops around them."""
    helpers = reached(unit)
    units = [unit, *(other for other in helpers if other is not unit)]
    tags = {tag for one in units for tag in loop_tags(one.body)}
    if unit.recursive:
        strategy, more = of_recursion(file, unit)
        return strategy, tags | more
    own = _by_table_or_choice(unit)
    recursive = _recursive(units)
    if own is not None:
        return own[0], tags | own[1] | ({RECURSION} if recursive else set())
    if recursive:
        found = [of_recursion(file, other) for other in recursive]
        best = next((one for name in (MEMOISATION, DIVIDE_AND_CONQUER) for one in found if one[0] == name), found[0])
        return best[0], tags | best[1]
    if _calls_itself_by_parameter(units):
        return RECURSION, tags | {RECURSION}
    for other in units[1:]:
        found_there = _by_table_or_choice(other) if other.is_function else None
        if found_there is not None:
            return found_there[0], tags | found_there[1]
    return _loops_or_not(file, units, tags)


def _by_table_or_choice(unit: Unit) -> tuple[str, set[str]] | None:
    """Strategies of loops that are more than loops; a bisection inside the filling of a table serves the table."""
    body = unit.body
    if (bisects(body) or merges_bottom_up(body)) and not fills_a_table(body):
        return DIVIDE_AND_CONQUER, {"bisection"} if bisects(body) else {"bottom-up"}
    if is_greedy(body):
        return GREEDY, set()
    if fills_a_table(body) or best_so_far(body):
        return DYNAMIC_PROGRAMMING, set()
    return None


def _recursive(units: list[Unit]) -> list[Unit]:
    """One unit of each circle."""
    found: list[Unit] = []
    seen: set[int] = set()
    for unit in units:
        if unit.recursive and id(unit) not in seen and (unit.is_function or isinstance(unit.node, ast.Call)):
            found.append(unit)
            seen |= set(map(id, unit.circle))
    return found


def _calls_itself_by_parameter(units: list[Unit]) -> bool:
    """``g(g)`` where ``g`` is a parameter, or a function that is handed itself: recursion without a name."""
    for unit in units:
        for node in walk(unit.body):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and any(isinstance(part, ast.Name) and part.id == node.func.id for part in node.args)
            ):
                return True
    return False


def _loops_or_not(file: File, units: list[Unit], tags: set[str]) -> tuple[str, set[str]]:
    functions = [unit for unit in units if unit.is_function or unit is units[0]]
    nodes = [node for unit in functions for node in walk(unit.body)]
    comprehensions = [node for node in nodes if isinstance(node, COMPREHENSIONS)]
    if any(isinstance(node, LOOPS) for node in nodes):
        return ITERATION, tags
    if comprehensions and not hands_over(comprehensions, nodes):
        return ITERATION, tags
    if any(called(node) == "iter" and isinstance(node, ast.Call) and len(node.args) == 2 for node in nodes):
        return ITERATION, tags
    strategy, more = of_expression(file, functions)
    return strategy, (
        tags & {"functional", "brute force", "formatting", "sorting", "hashing", "bit manipulation"}
    ) | more
