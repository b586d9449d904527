"""What is refused: a text that is no program, a contract that cannot be read, and Python that is not translated."""

from __future__ import annotations

import ast
from typing import NoReturn


class PythonFault(Exception):
    """A text that is no Python program, or a contract that cannot be read.

    ``line`` and ``column`` are counted from 1; ``hint`` says what would make it right, where we know.
    """

    def __init__(
        self, message: str, line: int | None = None, column: int | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.message, self.line, self.column, self.hint = message, line, column, hint

    def __str__(self) -> str:
        where = ":".join(str(n) for n in (self.line, self.column) if n is not None)
        hint = f" ({self.hint})" if self.hint else ""
        return f"{where}: {self.message}{hint}" if where else f"{self.message}{hint}"


class OutsideFragment(Exception):
    """Python that means something, but that the translation does not cover.

    ``message`` says why in one line; ``construct`` names what it is, for statistics.
    """

    def __init__(self, message: str, line: int | None = None, column: int | None = None, construct: str = "") -> None:
        super().__init__(message)
        self.message, self.line, self.column, self.construct = message, line, column, construct

    def __str__(self) -> str:
        where = ":".join(str(n) for n in (self.line, self.column) if n is not None)
        return f"{where}: {self.message}" if where else self.message


def outside(message: str, node: ast.AST | None = None, construct: str = "") -> NoReturn:
    """Raise `OutsideFragment` for a node.

    Raises:
        OutsideFragment: always.
    """
    kind = construct or (type(node).__name__ if node is not None else "")
    raise OutsideFragment(message, *_place(node), kind)


def fault(message: str, node: ast.AST | None = None, hint: str | None = None) -> NoReturn:
    """Raise `PythonFault` for a node.

    Raises:
        PythonFault: always.
    """
    raise PythonFault(message, *_place(node), hint)


def _place(node: ast.AST | None) -> tuple[int | None, int | None]:
    column = getattr(node, "col_offset", None)
    return getattr(node, "lineno", None), None if column is None else column + 1
