"""SMT-LIB for many tests of a process: its solvers stay, and what was searched for once is remembered."""

from remembered import Remembering

from goedels_poetry.smt.language import SmtLanguage


class KeptSmt(SmtLanguage):
    """Its solver processes serve several tests: starting them takes longer than most of them."""

    def __init__(self, workers: int | None = None) -> None:
        super().__init__(workers)
        self._pool = Remembering(self._pool)

    async def aclose(self) -> None:
        """Not yet."""

    async def finish(self) -> None:
        await super().aclose()
