"""Questions to models behind a real HTTP server with scripted replies."""

from collections.abc import Callable
from typing import Any

from goedels_poetry.questions.language import LogicLanguage

Ask = Callable[..., Any]


class KeptLanguage(LogicLanguage):
    """Its processes serve all questions of a file: starting them takes longer than deciding a small program."""

    async def aclose(self) -> None:
        """Not yet."""

    async def finish(self) -> None:
        await super().aclose()
