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
    "name",
    "task",
    "signature",
    "examples",
    "tests",
    "properties",
    "requires",
    "ensures",
    "raises",
    "doctests",
    "bans",
    "context",
    "limits",
    "max_attempts",
    "language",
)
LIMITS = ("seconds", "memory_mb")
_PLACE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")


def code_task(text: str, path: str = "") -> CodeTask:
    """The task that a TOML text states.

    Args:
        text: see `docs/code.md` for its keys.
        path: of the file; the task's name where the text has none.

    Raises:
        InvalidInput: with the line where it can be told.
    """
    if len(text) > MAX_FILE:
        raise InvalidInput(f"the task is longer than {MAX_FILE} characters")
    data = _toml(text)
    _known(data, KEYS, text, "key")
    limits = _of(dict, data, "limits", text, {})
    _known(limits, LIMITS, text, "limit")
    read = _Reader(data, text)
    pairs, tests = read.doctests()
    task = CodeTask(
        task=read.string("task", needed=True),
        signature=" ".join(read.string("signature", needed=True).split()).rstrip(":").rstrip(),
        name=read.string("name") or PurePath(path).stem,
        examples=(*read.examples(), *pairs),
        tests=(*read.programs("tests"), *tests),
        properties=read.programs("properties"),
        requires=read.conditions("requires"),
        ensures=read.conditions("ensures"),
        raises=read.raises(),
        bans=read.strings("bans"),
        context=read.program("context"),
        seconds=float(_of((int, float), limits, "seconds", text, 10.0)),
        memory_mb=_of(int, limits, "memory_mb", text, 512),
        max_attempts=_of(int, data, "max_attempts", text, DEFAULT_ATTEMPTS),
        language=read.string("language") or "python",
    )
    try:
        check_code(task)
    except InvalidInput as error:
        raise (
            error if error.line else InvalidInput(error.message, _place(text, error.message), hint=error.hint)
        ) from None
    return task


def task_of_problem(problem: CodeProblem, **fields: Any) -> CodeTask:
    """A problem of a data set as a task; ``fields`` are further ones of `CodeTask`.

    Raises:
        InvalidInput: it cannot be told how the function is called.
    """
    examples, rest = _as_examples(problem.assertions, problem.function)
    setup = problem.setup.strip()
    task = CodeTask(
        task=problem.task.strip() or problem.prompt.strip(),
        signature=problem.signature or _signature(problem.function, problem.assertions),
        name=problem.name,
        examples=examples,
        tests=tuple(f"{setup}\n{text}" for text in rest) if setup else rest,
        context="\n".join(filter(None, (setup, _before(problem.prompt, problem.function)))),
        **fields,
    )
    check_code(task)
    return task


def _before(prompt: str, function: str) -> str:
    """What stands before the function in a text that breaks off in its body: imports and helpers."""
    try:
        body = ast.parse(f"{prompt.rstrip()}\n    pass\n").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    node = next((n for n in body if isinstance(n, ast.FunctionDef) and n.name == function), None)
    return "\n".join(prompt.splitlines()[: node.lineno - 1]).strip("\n") if node is not None else ""


def _signature(function: str, assertions: tuple[str, ...]) -> str:
    """A signature with as many parameters as the first call in the tests has arguments."""
    for text in assertions:
        try:
            nodes = list(ast.walk(ast.parse(text)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        calls = [n for n in nodes if isinstance(n, ast.Call) and getattr(n.func, "id", "") == function]
        if calls:
            return f"def {function}({', '.join(f'x{number + 1}' for number in range(len(calls[0].args)))})"
    raise InvalidInput(f"it cannot be told how {function} is called")


def _as_examples(assertions: tuple[str, ...], function: str) -> tuple[tuple[Pair, ...], tuple[str, ...]]:
    """Assertions of the form ``assert f(...) == literal`` as examples, and the others as they are."""
    examples: list[Pair] = []
    rest: list[str] = []
    for text in assertions:
        pair = _example(text, function)
        (examples.append(pair) if pair is not None else rest.append(text))
    return tuple(examples), tuple(rest)


def _example(text: str, function: str) -> Pair | None:
    try:
        body = ast.parse(text.strip()).body
        if len(body) != 1 or not isinstance(body[0], ast.Assert) or not isinstance(body[0].test, ast.Compare):
            return None
        compared = body[0].test
        call = compared.left
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == function):
            return None
        if len(compared.ops) != 1 or not isinstance(compared.ops[0], ast.Eq):
            return None
        for given in (*call.args, *(keyword.value for keyword in call.keywords), compared.comparators[0]):
            ast.literal_eval(given)
        return ast.unparse(call), ast.unparse(compared.comparators[0])
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.search(str(error))
        message = _PLACE.sub("", str(error))
        if found is None or found[1] is None:
            line = text.count("\n") + 1 if found else None
            raise InvalidInput(f"not TOML: {message}", line) from None
        raise InvalidInput(f"not TOML: {message}", int(found[1]), int(found[2])) from None
    except RecursionError:
        raise InvalidInput("not TOML: nested too deep") from None


def _known(data: Mapping[str, Any], names: tuple[str, ...], text: str, what: str) -> None:
    for name in data:
        if name not in names:
            near = difflib.get_close_matches(name, names, 1, 0.5)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
            raise InvalidInput(f"{name!r} is no {what} of a task", _line(text, name), hint=hint)


def _line(text: str, part: str) -> int | None:
    """The first line that holds a part of the text, 1-based; None when none does."""
    first = next((line.strip() for line in part.splitlines() if line.strip()), "")
    lines = text.splitlines()
    return next((number for number, line in enumerate(lines, 1) if first and first in line), None)


def _place(text: str, message: str) -> int | None:
    """The line of the key that a message is about: the first that it names; else as `_line`."""
    named = sorted((message.index(key), key) for key in (*KEYS, *LIMITS) if key in message)
    for _, key in named:
        for number, line in enumerate(text.splitlines(), 1):
            if re.match(rf"\s*[\"']?{key}[\"']?\s*=", line):
                return number
    return _line(text, message)


def _of(kind: Any, data: Mapping[str, Any], name: str, text: str, default: Any) -> Any:
    value = data.get(name, default)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        wanted = {str: "a text", dict: "a table", int: "a whole number", list: "a list"}.get(kind, "a number")
        raise InvalidInput(f"{name} must be {wanted}, not {value!r:.60}", _line(text, name))
    return value


class _Reader:
    """Reads the keys of one task; what is wrong is an `InvalidInput` with its line."""

    def __init__(self, data: Mapping[str, Any], text: str) -> None:
        self._data = data
        self._text = text

    def string(self, name: str, *, needed: bool = False) -> str:
        value: str = _of(str, self._data, name, self._text, "")
        if needed and not value.strip():
            raise InvalidInput(f"the task has no {name}", hint=f'{name} = "..."')
        return value.strip()

    def strings(self, name: str) -> tuple[str, ...]:
        """A text alone stands for a list of one."""
        value = self._data.get(name, [])
        listed = [value] if isinstance(value, str) else _of(list, self._data, name, self._text, [])
        for item in listed:
            if not isinstance(item, str):
                raise InvalidInput(f"{name} must hold texts, not {item!r:.60}", _line(self._text, name))
        return tuple(item.strip("\n") for item in listed if item.strip())

    def program(self, name: str) -> str:
        value = str(_of(str, self._data, name, self._text, "")).strip("\n")
        self._parsed(value, name, "exec")
        return value

    def programs(self, name: str) -> tuple[str, ...]:
        values = self.strings(name)
        for value in values:
            self._parsed(value, name, "exec")
        return values

    def conditions(self, name: str) -> tuple[str, ...]:
        values = tuple(" ".join(value.split()) for value in self.strings(name))
        for value in values:
            self._parsed(value, name, "eval")
        return values

    def examples(self) -> tuple[Pair, ...]:
        found: list[Pair] = []
        for item in _of(list, self._data, "examples", self._text, []):
            pair = _halves(item) if isinstance(item, str) else item
            if not (isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(p, str) for p in pair)):
                raise InvalidInput(
                    f"an example cannot be read: {item!r:.80}",
                    _line(self._text, str(item) if isinstance(item, str) else "examples"),
                    hint='write ["f(3)", "6"] or "f(3) == 6"',
                )
            for part in pair:
                self._parsed(part, "examples", "eval")
            found.append((pair[0].strip(), pair[1].strip()))
        return tuple(found)

    def raises(self) -> tuple[Pair, ...]:
        """``"ValueError"``, ``["ValueError", "n < 0"]`` or ``{exception = "ValueError", when = "n < 0"}``."""
        found: list[Pair] = []
        for item in _of(list, self._data, "raises", self._text, []):
            pair: Any = (item, "") if isinstance(item, str) else item
            if isinstance(item, dict) and set(item) <= {"exception", "when"}:
                pair = (item.get("exception"), item.get("when", ""))
            if not (isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(p, str) for p in pair)):
                raise InvalidInput(
                    f"a raises clause cannot be read: {item!r:.80}",
                    _line(self._text, "raises"),
                    hint='write "ValueError" or ["ValueError", "n < 0"]',
                )
            if not pair[0].replace(".", "_").isidentifier():
                raise InvalidInput(f"{pair[0]!r:.60} is no exception", _line(self._text, pair[0]))
            if pair[1]:
                self._parsed(pair[1], "raises", "eval")
            found.append((pair[0], " ".join(pair[1].split())))
        return tuple(found)

    def doctests(self) -> tuple[tuple[Pair, ...], tuple[str, ...]]:
        """Examples of a text as in a docstring: those with a literal value, and the others as tests."""
        text = "\n".join(self.strings("doctests"))
        try:
            listed = doctest.DocTestParser().get_examples(text)
        except ValueError as error:
            raise InvalidInput(f"doctests: {error}", _line(self._text, "doctests")) from None
        if text and not listed:
            raise InvalidInput("doctests holds no example", _line(self._text, "doctests"), hint=">>> f(3)\n6")
        pairs: list[Pair] = []
        tests: list[str] = []
        setup = ""
        for example in listed:
            source, want = example.source.strip(), example.want.strip()
            self._parsed(source, "doctests", "exec")
            if example.exc_msg is not None:
                name = example.exc_msg.partition(":")[0].strip()
                tests.append(f"{setup}try:\n    {source}\nexcept {name}:\n    pass\nelse:\n    raise AssertionError")
            elif not want:
                setup += f"{source}\n"
            elif not setup and _is_literal(want):
                pairs.append((source, want))
            elif _is_literal(want):
                tests.append(f"{setup}assert ({source}) == ({want})")
            else:
                tests.append(f"{setup}assert repr({source}) == {want!r}")
        return tuple(pairs), tuple(tests)

    def _parsed(self, source: str, name: str, mode: str) -> None:
        read: Callable[..., object] = ast.parse
        try:
            read(source, mode=mode)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            within = (getattr(error, "lineno", None) or 1) - 1 if mode == "exec" else 0
            line = _line(self._text, source)
            raise InvalidInput(
                f"{name}: {source.strip().splitlines()[0] if source.strip() else source!r:.80} is not Python: "
                f"{getattr(error, 'msg', error)}",
                None if line is None else line + within,
            ) from None


def _halves(text: str) -> Pair | None:
    """``f(3) == 6`` as its two sides; None when it is no such comparison."""
    try:
        compared = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(compared, ast.Compare) or len(compared.ops) != 1:
        return None
    right = compared.comparators[0]
    constant = isinstance(right, ast.Constant) and (right.value is None or isinstance(right.value, bool))
    if not (isinstance(compared.ops[0], ast.Eq) or (constant and isinstance(compared.ops[0], ast.Is))):
        return None
    return ast.unparse(compared.left), ast.unparse(right)


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return False
    return True
