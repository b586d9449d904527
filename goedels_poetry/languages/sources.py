"""A theorem's file as the text that is proved: the same one for every caller."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from goedels_poetry.errors import InvalidInput

if TYPE_CHECKING:
    from goedels_poetry.settings.declared import LeanSettings

_IMPORT = re.compile(r"\bimport\b")
FINISHED = "without `sorry`"
"""Of a Lean file in which nothing is left to prove."""


def file_and_theorem(path: str | os.PathLike[str]) -> tuple[Path, str]:
    """A file, and the theorem in it that ``FILE:theorem`` names, else ""; raises IsADirectoryError."""
    if os.path.isdir(path):
        raise IsADirectoryError(f"{path} is a folder: run_many(FOLDER) gives the result of every theorem in it")
    file, _, named = os.fspath(path).rpartition(":")
    return (Path(file), named) if file and not os.path.exists(path) else (Path(path), "")


def file_text(file: str | os.PathLike[str], lean: LeanSettings) -> str:
    """What a file says, see `text_of`; raises InvalidInput, OSError."""
    return text_of(os.fspath(file), Path(file).read_bytes(), lambda: lean)


def text_of(file: str, data: bytes, lean: Callable[[], LeanSettings]) -> str:
    """The text of a file: Python as CPython decodes it, Lean with the modules of its own project, where those are read.

    ``lean``: asked where there may be imports.

    Raises:
        InvalidInput: it is no text, or such a module cannot be read; with the place.
    """
    if file.lower().endswith(".py"):
        return _python(data)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, len(before) - (before.rfind(b"\n") + 1) + 1
        raise InvalidInput(f"not text in UTF-8 (byte {data[error.start]:#04x})", line, column) from None
    return _lean(file, text, lean) if file.lower().endswith(".lean") and _IMPORT.search(text) else text


def passed_over(file: str, language: str, text: str) -> list[str] | None:
    """What of a file that was found in a folder is no theorem, with its place; None where such a file has to state one.

    Of Python what has no contract, of Lean a file in which nothing is left to prove.
    """
    if language == "lean":
        return None if "sorry" in text else [f"{file}: {FINISHED}"]
    if language != "python":
        return None
    from goedels_poetry.python.testing import reading

    over = reading.passed_over(text)
    return None if over is None else [f"{file}:{line}: {name}" for line, name in over]


def _python(data: bytes) -> str:
    from goedels_poetry.python.testing.reading import decode_source  # only where there is Python
    from goedels_poetry.python.translate.contracts import PythonFault

    try:
        return decode_source(data)
    except PythonFault as fault:
        raise InvalidInput(fault.message, fault.line, fault.column, fault.hint) from None


def _lean(file: str, text: str, lean: Callable[[], LeanSettings]) -> str:
    from goedels_poetry.lean.runtime.opening import kind_in_use  # only where there is Lean
    from goedels_poetry.lean.text.modules import with_modules

    return text if kind_in_use(lean()) == "native" else with_modules(Path(file), text)
