"""The toy language with a library to be searched."""

import json
from collections.abc import Sequence

from toy_language import ToyLanguage

from goedels_poetry.protocol.base import Citable, Goal

LIBRARY = [Citable("reverse_reverse", statement="reverse"), Citable("append_nil", statement="append")]


class Searched(ToyLanguage):
    """Toy goals whose symbols are their words."""

    asked_for_library = 0
    library_name = ""

    async def library_id(self, goal: Goal) -> str:
        return self.library_name

    async def library(self, goal: Goal) -> list[Citable] | None:
        self.asked_for_library += 1
        return LIBRARY

    async def local_context(self, goal: Goal) -> tuple[Citable, list[Citable]]:
        statement = goal.statement or json.loads(goal.theorem)["root"]
        return Citable("root", tuple(statement.split())), [Citable("near", statement="append", source="file")]

    async def stated(self, goal: Goal, names: Sequence[str]) -> dict[str, str]:
        return {name: f"states {name}" for name in names}
