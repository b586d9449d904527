#!/usr/bin/env python3
"""Count the package's lines of Python by folder, against a budget for each.

    python scripts/count_lines.py

*Lines* are all lines; *code* is lines that are neither blank nor comments nor docstrings. A test holds the budgets of
`BUDGETS`: a folder has at most its lines, and at least 95 % of them, so that the table says what is there.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Callable
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "goedels_poetry"
BUDGETS: dict[str, int] = {
    "": 1_230,
    "autoformalizer": 1_010,
    "checker": 8_570,
    "cli": 7_750,
    "cluster": 895,
    "contracts": 660,
    "evaluation": 2_900,
    "interfaces": 2_460,
    "kernel": 9_700,
    "languages": 335,
    "lean": 16_500,
    "models": 2_050,
    "protocol": 980,
    "python": 20_750,
    "questions": 8_450,
    "reasoning": 1_780,
    "sandbox": 2_660,
    "search": 11_350,
    "serve": 850,
    "settings": 380,
    "smt": 17_350,
    "solvers": 2_460,
    "store": 3_470,
    "trace": 2_325,
}
"""Lines of Python, by folder of the package; "" for the modules at its top."""
LONGEST = 600
"""Lines of a file."""
_NO_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)


def folder_of(path: Path) -> str:
    """The folder of the package that a file is in; "" for its top."""
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else ""


def code_lines(text: str) -> int:
    """Lines with code on them: no blank lines, comments or docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    strings: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, documented) and node.body:
            part = node.body[0]
            if (
                isinstance(part, ast.Expr)
                and isinstance(part.value, ast.Constant)
                and isinstance(part.value.value, str)
            ):
                strings.update(range(part.lineno, (part.end_lineno or part.lineno) + 1))
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE and token.type != tokenize.ENDMARKER:
            found.update(range(token.start[0], token.end[0] + 1))
    return len(found - strings)


def counted(lines_of: Callable[[str], int]) -> Counter[str]:
    """The sum of something about each file's text, by folder."""
    found: Counter[str] = Counter()
    for path in sorted(PACKAGE.rglob("*.py")):
        found[folder_of(path)] += lines_of(path.read_text("utf-8"))
    return found


def all_lines(text: str) -> int:
    """Lines of a text."""
    return text.count("\n")


def main() -> int:
    """Print the table; 1 where a folder is over its budget."""
    files, lines, code = counted(lambda text: 1), counted(all_lines), counted(code_lines)
    print(f"{'folder':16} {'files':>6} {'lines':>8} {'code':>8} {'budget':>8}")
    for folder in sorted(lines):
        budget = BUDGETS.get(folder, 0)
        print(f"{folder or '(top)':16} {files[folder]:6} {lines[folder]:8,} {code[folder]:8,} {budget:8,}")
    print(f"{'all':16} {files.total():6} {lines.total():8,} {code.total():8,} {sum(BUDGETS.values()):8,}")
    return int(any(lines[folder] > BUDGETS.get(folder, 0) for folder in lines))


if __name__ == "__main__":
    sys.exit(main())
