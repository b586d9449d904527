"""Languages for many tests of a process: starting their processes takes longer than most tests do."""

from collections.abc import Callable
from typing import Any

from remembered import Remembering

from goedels_poetry.questions.language import LogicLanguage
from goedels_poetry.smt.language import SmtLanguage

Ask = Callable[..., Any]


class _Kept:
    async def aclose(self) -> None:
        """Not yet."""

    async def finish(self) -> None:
        await super().aclose()  # type: ignore[misc]


class KeptSmt(_Kept, SmtLanguage):
    """What was searched for once is remembered."""

    def __init__(self, workers: int | None = None) -> None:
        super().__init__(workers)
        self._pool = Remembering(self._pool)


class KeptLogic(_Kept, LogicLanguage):
    """For questions."""
