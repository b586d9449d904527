"""The JSON logic language: programs as JSON objects whose formulas are written much as in Python."""

from goedels_poetry.languages.json_logic.expressions import ExpressionParser
from goedels_poetry.languages.json_logic.reader import read_json
from goedels_poetry.languages.json_logic.schema import PROGRAM_SCHEMA, STRUCTURED_SCHEMA
from goedels_poetry.languages.json_logic.sorts import SortManager
from goedels_poetry.languages.json_logic.syntax import ExpressionError

__all__ = [
    "PROGRAM_SCHEMA",
    "STRUCTURED_SCHEMA",
    "ExpressionError",
    "ExpressionParser",
    "SortManager",
    "read_json",
]
