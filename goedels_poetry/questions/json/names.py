"""Names: which may be declared, what was probably meant, and what they are called in SMT-LIB."""

from __future__ import annotations

import re

from goedels_poetry.kernel.printer import show_symbol
from goedels_poetry.kernel.theory import is_theory_symbol

MAX_LENGTH = 200
_IDENTIFIER = re.compile(r"[^\W\d]\w*")


def is_identifier(name: str) -> bool:
    """Whether an expression can speak of ``name``: letters, digits and underscores, no digit in front."""
    return len(name) <= MAX_LENGTH and _IDENTIFIER.fullmatch(name) is not None


def identifier_hint(name: str) -> str:
    """What a name that is no identifier could be replaced by."""
    words = re.sub(r"\W+", "_", name[:MAX_LENGTH]).strip("_")
    if words[:1].isdigit():
        words = f"n{words}"
    return f"for example `{words}`" if is_identifier(words) else "use letters, digits and underscores"


def smt_name(name: str) -> str:
    """``name`` as a symbol of SMT-LIB text; names that mean something there get a dash behind them.

    Injective on identifiers, since no identifier has a dash.
    """
    return f"{name}-" if is_theory_symbol(name) else show_symbol(name)
