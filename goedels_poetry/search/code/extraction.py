"""The function in a model's reply, whatever it is wrapped in.

The last block counts that defines the function. What it needs and an earlier block defines comes along; what only tries
the function out (prints, asserts, a main guard) is left out; a method of a class and a function of another name and the
right shape are taken for what is meant. Nothing is mended beyond that: the checks say what is wrong.
"""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
from collections.abc import Iterator, Sequence

from goedels_poetry.models.replies import Block, UnusableReply, blocks, without_thinking
from goedels_poetry.models.requests import Reply
from goedels_poetry.search.tasks.code import CodeTask

MAX_CANDIDATE = 30_000
"""Characters of a function by a model, with all that comes with it."""
MAX_REPLY = 400_000
"""Characters of a reply that is looked into."""
MOST_STARTS, MOST_PROSE, MOST_READ = 20, 40, 4_000_000
"""Of a text without fences: places where it may begin, lines after its end, characters that are parsed in all."""
_TAGS = frozenset({"", "python", "py", "python3", "python2", "pycon", "code", "text"})
_BEGINS = re.compile(r"(?:from|import|def|class) \w|@\w")
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError)


def function_in(reply: Reply, task: CodeTask) -> str:
    """The module that the model wrote, as it is to be tested.

    Raises:
        UnusableReply: it holds no such function, is cut off, too long, or is no Python.
    """
    if len(reply.text) > MAX_REPLY:
        raise UnusableReply(f"the reply is longer than {MAX_REPLY} characters")
    fenced = [block for block in blocks(reply.text) if block.text.strip()]
    _refuse_cut(fenced, reply)
    pieces = [_dedented(block.text) for block in fenced if block.tag in _TAGS] or [_dedented(b.text) for b in fenced]
    if not fenced:
        pieces = list(_bare(without_thinking(reply.text)))
    if not pieces:
        raise UnusableReply("the reply holds no Python: put the whole function into one block fenced as python")
    problem = ""
    for number in range(len(pieces) - 1, -1, -1):
        try:
            tree = ast.parse(pieces[number])
            found = _meant(pieces[number], tree, task)
        except _UNREADABLE as error:
            problem = problem or _words(error)
            continue
        if found:
            return _bounded(_with_earlier(found, pieces[:number]))
    raise UnusableReply(problem or f"no block defines the function {task.function}")


def _refuse_cut(fenced: Sequence[Block], reply: Reply) -> None:
    """A block that nobody closed may be half a function; where the server says that it ended there, it is."""
    if reply.finish == "length" and (not fenced or not fenced[-1].closed):
        raise UnusableReply("the reply is cut off before the end of the function: answer with the function alone")


def _words(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return f"the code is not Python: {error.msg} (line {error.lineno})"
    return f"the code cannot be read: {str(error) or type(error).__name__}"


def _bounded(source: str) -> str:
    if len(source) > MAX_CANDIDATE:
        raise UnusableReply(f"the function is longer than {MAX_CANDIDATE} characters")
    return source.strip("\n") + "\n"


def _dedented(text: str) -> str:
    """Without common indentation, and without the prompts of an interactive session."""
    lines = textwrap.dedent(text.replace("\r\n", "\n")).splitlines()
    if any(line.startswith(">>> def ") for line in lines):
        lines = [line[4:] for line in lines if line.startswith((">>> ", "... "))]
    return "\n".join(lines)


def _bare(text: str) -> Iterator[str]:
    """Of a text without fences what can be read as Python: as it stands, else indented blocks within prose."""
    left = [MOST_READ]
    whole = list(_readable(textwrap.dedent(text).splitlines(), left))
    yield from whole
    for inside in () if whole else _indented(text.splitlines()):
        yield from _readable(inside, left)


def _indented(lines: Sequence[str]) -> Iterator[list[str]]:
    """Blocks that Markdown takes for code because they stand further in than the prose around them."""
    block: list[str] = []
    for line in [*lines, "the end"]:
        if line.startswith(("    ", "\t")) or (block and not line.strip()):
            block.append(line)
        elif block:
            yield textwrap.dedent("\n".join(block)).splitlines()
            block = []


def _readable(lines: Sequence[str], left: list[int]) -> Iterator[str]:
    """What can be read as Python, from each line that looks like its beginning; the longest last.

    ``left``: characters that may still be parsed.
    """
    starts = [number for number, line in enumerate(lines) if _BEGINS.match(line)][:MOST_STARTS]
    for start in reversed(starts):
        for end in range(len(lines), max(start, len(lines) - MOST_PROSE), -1):
            piece = "\n".join(lines[start:end])
            left[0] -= len(piece)
            if left[0] < 0:
                return
            try:
                ast.parse(piece)
            except _UNREADABLE:
                continue
            yield piece
            break


# -- what is meant -----------------------------------------------------------------------------------------------


def _meant(source: str, tree: ast.Module, task: CodeTask) -> str:
    """The text with the wanted function in it; "" when it has none."""
    if _defines(tree, task.function):
        return _without_trials(source, tree, task.function)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and any(
            isinstance(inner, ast.FunctionDef) and inner.name == task.function for inner in node.body
        ):
            return f"{_without_trials(source, tree, task.function)}\n\n\n{_around(node, task)}"
    shaped = [n for n in tree.body if isinstance(n, ast.FunctionDef) and _shape(n) == len(task.parameters)]
    if len(shaped) == 1 and not _calls_only(tree, shaped[0].name):
        return _renamed(_without_trials(source, tree, shaped[0].name), shaped[0].name, task.function)
    return ""


def _calls_only(tree: ast.Module, name: str) -> bool:
    """Whether a function only tests others: then it is none that was asked for."""
    return name.startswith(("test", "main", "check"))


def _shape(node: ast.FunctionDef) -> int:
    return len(node.args.posonlyargs) + len(node.args.args) + len(node.args.kwonlyargs)


def _defines(tree: ast.Module, name: str) -> bool:
    return any(name in _names_of(node) for node in tree.body)


def _names_of(node: ast.stmt) -> frozenset[str]:
    """Names that a statement of a module binds."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return frozenset({node.name})
    if isinstance(node, ast.Import | ast.ImportFrom):
        return frozenset((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    bound = (n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return frozenset(bound)


def _around(owner: ast.ClassDef, task: CodeTask) -> str:
    """A plain function that calls the method of the class."""
    method = next(n for n in owner.body if isinstance(n, ast.FunctionDef) and n.name == task.function)
    kinds = {d.id for d in method.decorator_list if isinstance(d, ast.Name)}
    target = owner.name if kinds & {"staticmethod", "classmethod"} else f"{owner.name}()"
    return f"{task.signature}:\n    return {target}.{task.function}({', '.join(task.parameters)})"


def _renamed(source: str, old: str, new: str) -> str:
    """The text with a function's name changed wherever it stands as a name of its own."""
    lines = source.splitlines(keepends=True)
    places: list[tuple[int, int]] = []
    before = ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME and token.string == old and before != ".":
            places.append(token.start)
        before = token.string
    for row, column in reversed(places):
        line = lines[row - 1]
        lines[row - 1] = line[:column] + new + line[column + len(old) :]
    return "".join(lines)


def _without_trials(source: str, tree: ast.Module, function: str) -> str:
    """Without what stands beside the definitions only to try the function out."""
    lines = source.splitlines()
    for node in reversed(tree.body):
        if _is_trial(node, function):
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            shared = any(n is not node and n.lineno <= last and (n.end_lineno or 0) > first for n in tree.body)
            if not shared:  # two statements on one line stay as they are
                del lines[first:last]
    return "\n".join(lines)


def _is_trial(node: ast.stmt, function: str) -> bool:
    if isinstance(node, ast.Assert):
        return True
    if isinstance(node, ast.If):
        return any(isinstance(n, ast.Name) and n.id == "__name__" for n in ast.walk(node.test))
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    called = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
    return bool(called & {"print", function, "doctest", "unittest"})


# -- helpers of earlier blocks ---------------------------------------------------------------------------------


def _with_earlier(source: str, earlier: Sequence[str]) -> str:
    """The text, with those statements of earlier blocks before it that define what it uses and does not define."""
    known: dict[str, tuple[str, ast.stmt]] = {}
    for piece in earlier:
        try:
            body = ast.parse(piece).body
        except _UNREADABLE:
            continue
        for node in body:
            known |= {name: (ast.get_source_segment(piece, node) or "", node) for name in _names_of(node)}
    if not known:
        return source
    tree = ast.parse(source)
    defined = {name for node in tree.body for name in _names_of(node)}
    needed = list(dict.fromkeys(_used(tree) - defined))
    taken: dict[str, ast.stmt] = {}
    while needed:
        name = needed.pop()
        if name in known and known[name][0] not in taken:
            text, node = known[name]
            taken[text] = node
            needed += sorted(_used(node) - defined)
    ordered = sorted(taken, key=lambda text: list(known.values()).index((text, taken[text])))
    return "\n\n".join([*ordered, source]) if ordered else source


def _used(tree: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
