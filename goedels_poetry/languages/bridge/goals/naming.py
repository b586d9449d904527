"""Names of SMT-LIB for what has names in Lean."""

from __future__ import annotations

import re

from goedels_poetry.kernel.printer import RESERVED
from goedels_poetry.kernel.reading.theory import is_theory_symbol

_WORDS = RESERVED | {"true", "false"}
_OTHER = re.compile(r"[^A-Za-z0-9_.~!@$%^&*+<>?/-]")


class Names:
    """Hands out names, each once."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def give(self, wanted: str) -> str:
        """The last part of a name of Lean, or something like it."""
        stem = _OTHER.sub("_", wanted.rpartition(".")[2] or wanted)
        if not stem or stem[0].isdigit() or stem in _WORDS or stem[0] in ".@" or is_theory_symbol(stem):
            stem = f"x_{stem}"
        name, number = stem, self._taken.get(stem, 1)
        while name in self._taken:
            number += 1
            name = f"{stem}_{number}"
        self._taken[stem] = number
        self._taken[name] = 1
        return name
