"""Files that say what function is wanted: TOML of ours, and problems of data sets."""

from __future__ import annotations

import ast
import difflib
import doctest
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.search.tasks.code import DEFAULT_ATTEMPTS, CodeTask, Pair, check_code

if TYPE_CHECKING:
    from goedels_poetry.python.datasets import CodeProblem

MAX_FILE = 1_000_000
"""Characters."""
KEYS = (
    *("name", "task", "signature", "examples", "tests", "properties", "requires", "ensures", "raises", "doctests"),
    *("bans", "context", "limits", "max_attempts", "language"),
)
LIMITS = ("seconds", "memory_mb")
_PLACE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")
_UNREADABLE = (SyntaxError, ValueError, TypeError, RecursionError, MemoryError)


def code_task(text: str, path: str = "") -> CodeTask:
    """The task that a TOML text states; see `docs/code.md` for its keys; raises InvalidInput."""
    if len(text) > MAX_FILE:
        raise InvalidInput(f"the task is longer than {MAX_FILE} characters")
    read = _Reader(_toml(text), text)
    limits = _Reader(read.of(dict, "limits", {}), text)
    read.refuse_unknown(KEYS, "key")
    limits.refuse_unknown(LIMITS, "limit")
    pairs, tests = read.doctests()
    task = CodeTask(
        task=read.string("task", needed=True),
        signature=" ".join(read.string("signature", needed=True).split()).rstrip(":").rstrip(),
        name=read.string("name") or PurePath(path).stem,
        examples=(*read.examples(), *pairs),
        tests=(*read.strings("tests", "exec"), *tests),
        properties=read.strings("properties", "exec"),
        requires=read.strings("requires", "eval"),
        ensures=read.strings("ensures", "eval"),
        raises=read.raises(),
        bans=read.strings("bans"),
        context="\n".join(read.strings("context", "exec")),
        seconds=float(limits.of((int, float), "seconds", 10.0)),
        memory_mb=limits.of(int, "memory_mb", 512),
        max_attempts=read.of(int, "max_attempts", DEFAULT_ATTEMPTS),
        language=read.string("language") or "python",
    )
    try:
        check_code(task)
    except InvalidInput as error:
        lines = list(enumerate(text.splitlines(), 1))
        named = sorted((error.message.index(key), key) for key in (*KEYS, *LIMITS) if key in error.message)
        found = (n for _, key in named for n, line in lines if re.match(rf"\s*[\"']?{key}[\"']?\s*=", line))
        line = error.line or next(found, None) or _line(text, error.message)
        raise InvalidInput(error.message, line, hint=error.hint) from None
    return task


def task_of_problem(problem: CodeProblem, **fields: Any) -> CodeTask:
    """A problem of a data set as a task; ``fields`` are further ones of `CodeTask`; raises InvalidInput."""
    pairs = [(text, _example(text, problem.function)) for text in problem.assertions]
    rest = tuple(text for text, pair in pairs if pair is None)
    setup, before = problem.setup.strip(), ""
    for node in _parsed(f"{problem.prompt.rstrip()}\n    pass\n"):
        if isinstance(node, ast.FunctionDef) and node.name == problem.function:  # imports and helpers stand before it
            before = "\n".join(problem.prompt.splitlines()[: node.lineno - 1]).strip("\n")
    task = CodeTask(
        task=problem.task.strip() or problem.prompt.strip(),
        signature=problem.signature or _signature(problem.function, problem.assertions),
        name=problem.name,
        examples=tuple(pair for _, pair in pairs if pair is not None),
        tests=tuple(f"{setup}\n{text}" for text in rest) if setup else rest,
        context="\n".join(filter(None, (setup, before))),
        **fields,
    )
    check_code(task)
    return task


def _parsed(text: str) -> list[ast.stmt]:
    """The statements of a text; [] when it is no Python."""
    try:
        return ast.parse(text).body
    except _UNREADABLE:
        return []


def _signature(function: str, assertions: tuple[str, ...]) -> str:
    """A signature with as many parameters as the first call in the tests has arguments."""
    nodes = (node for text in assertions for statement in _parsed(text) for node in ast.walk(statement))
    for node in nodes:
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == function:
            return f"def {function}({', '.join(f'x{number + 1}' for number in range(len(node.args)))})"
    raise InvalidInput(f"it cannot be told how {function} is called")


def _example(text: str, function: str) -> Pair | None:
    """``assert f(...) == literal`` as an example; None for any other assertion."""
    match _parsed(text.strip()):
        case [ast.Assert(test=test)] if (pair := _halves(ast.unparse(test))) is not None:
            match ast.parse(pair[0], mode="eval").body:
                case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name == function:
                    values = (pair[1], *map(ast.unparse, (*args, *(keyword.value for keyword in keywords))))
                    return pair if all(map(_is_literal, values)) else None
    return None


def _halves(text: str) -> Pair | None:
    """``f(3) == 6`` or ``f(3) is True`` as its two sides; None when it is no such comparison."""
    match _parsed(text.strip()):
        case [ast.Expr(ast.Compare(left, [ast.Eq()], [right]))]:
            return ast.unparse(left), ast.unparse(right)
        case [ast.Expr(ast.Compare(left, [ast.Is()], [ast.Constant(None | True | False) as right]))]:
            return ast.unparse(left), ast.unparse(right)
    return None


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except _UNREADABLE:
        return False
    return True


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.search(str(error))
        message = f"not TOML: {_PLACE.sub('', str(error))}"
        if found is None or found[1] is None:
            raise InvalidInput(message, text.count("\n") + 1 if found else None) from None
        raise InvalidInput(message, int(found[1]), int(found[2])) from None
    except RecursionError:
        raise InvalidInput("not TOML: nested too deep") from None


def _line(text: str, part: str) -> int | None:
    """The first line that holds a part of the text, 1-based; None when none does."""
    first = next((line.strip() for line in part.splitlines() if line.strip()), "")
    return next((number for number, line in enumerate(text.splitlines(), 1) if first and first in line), None)


class _Reader:
    """Reads the keys of one table; raises `InvalidInput` with the line."""

    def __init__(self, data: Mapping[str, Any], text: str) -> None:
        self._data, self._text = data, text

    def refuse_unknown(self, names: tuple[str, ...], what: str) -> None:
        for name in self._data.keys() - set(names):
            near = difflib.get_close_matches(name, names, 1, 0.5)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
            raise self._refused(f"{name!r} is no {what} of a task", name, hint)

    def of(self, kind: Any, name: str, default: Any) -> Any:
        value = self._data.get(name, default)
        if not isinstance(value, kind) or isinstance(value, bool):
            wanted = {str: "a text", dict: "a table", int: "a whole number", list: "a list"}.get(kind, "a number")
            raise self._refused(f"{name} must be {wanted}, not {value!r:.60}", name)
        return value

    def string(self, name: str, *, needed: bool = False) -> str:
        value: str = self.of(str, name, "")
        if needed and not value.strip():
            raise InvalidInput(f"the task has no {name}", hint=f'{name} = "..."')
        return value.strip()

    def strings(self, name: str, mode: str = "") -> tuple[str, ...]:
        """A list of texts, or one; ``mode``: of `ast.parse`, where they are Python."""
        value = self._data.get(name, [])
        texts = []
        for item in [value] if isinstance(value, str) else self.of(list, name, []):
            if not isinstance(item, str):
                raise self._refused(f"{name} must hold texts, not {item!r:.60}", name)
            if item.strip():
                texts.append(" ".join(item.split()) if mode == "eval" else item.strip("\n"))
                self._must_be_python(texts[-1], name, mode)
        return tuple(texts)

    def examples(self) -> tuple[Pair, ...]:
        listed = [(_halves(item) if isinstance(item, str) else item, item) for item in self.of(list, "examples", [])]
        found = [self._pair(*each, "examples", "an example", 'write ["f(3)", "6"] or "f(3) == 6"') for each in listed]
        for part in (part for pair in found for part in pair):
            self._must_be_python(part, "examples", "eval")
        return tuple(found)

    def raises(self) -> tuple[Pair, ...]:
        """``"ValueError"``, ``["ValueError", "n < 0"]`` or ``{exception = "ValueError", when = "n < 0"}``."""
        found: list[Pair] = []
        for item in self.of(list, "raises", []):
            pair: Any = (item, "") if isinstance(item, str) else item
            if isinstance(item, dict) and set(item) <= {"exception", "when"}:
                pair = (item.get("exception"), item.get("when", ""))
            hint = 'write "ValueError" or ["ValueError", "n < 0"]'
            name, when = self._pair(pair, item, "raises", "a raises clause", hint)
            if not name.replace(".", "_").isidentifier():
                raise self._refused(f"{name!r:.60} is no exception", name)
            if when:
                self._must_be_python(when, "raises", "eval")
            found.append((name, " ".join(when.split())))
        return tuple(found)

    def _pair(self, pair: Any, item: Any, key: str, what: str, hint: str) -> Pair:
        if not (isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(p, str) for p in pair)):
            raise self._refused(f"{what} cannot be read: {item!r:.80}", item if isinstance(item, str) else key, hint)
        return pair[0].strip(), pair[1].strip()

    def doctests(self) -> tuple[tuple[Pair, ...], tuple[str, ...]]:
        """Examples of a text as in a docstring: those with a literal value, and the others as tests."""
        text = "\n".join(self.strings("doctests"))
        try:
            listed = doctest.DocTestParser().get_examples(text)
        except ValueError as error:
            raise self._refused(f"doctests: {error}", "doctests") from None
        if text and not listed:
            raise self._refused("doctests holds no example", "doctests", ">>> f(3)\n6")
        pairs: list[Pair] = []
        tests: list[str] = []
        setup = ""
        for example in listed:
            source, want = example.source.strip(), example.want.strip()
            self._must_be_python(source, "doctests", "exec")
            if example.exc_msg is not None:
                name = example.exc_msg.partition(":")[0].strip()
                tests.append(f"{setup}try:\n    {source}\nexcept {name}:\n    pass\nelse:\n    raise AssertionError")
            elif not want:
                setup += f"{source}\n"
            elif not setup and _is_literal(want):
                pairs.append((source, want))
            else:
                compared = f"({source}) == ({want})" if _is_literal(want) else f"repr({source}) == {want!r}"
                tests.append(f"{setup}assert {compared}")
        return tuple(pairs), tuple(tests)

    def _must_be_python(self, source: str, name: str, mode: str) -> None:
        read: Callable[..., object] = ast.parse
        try:
            read(source, mode=mode) if mode else None
        except _UNREADABLE as error:
            within = (getattr(error, "lineno", None) or 1) - 1 if mode == "exec" else 0
            line, shown = _line(self._text, source), (source.strip().splitlines() or [repr(source)])[0]
            message = f"{name}: {shown:.80} is not Python: {getattr(error, 'msg', error)}"
            raise InvalidInput(message, None if line is None else line + within) from None

    def _refused(self, message: str, part: str, hint: str | None = None) -> InvalidInput:
        return InvalidInput(message, _line(self._text, part), hint=hint)
