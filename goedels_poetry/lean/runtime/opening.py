"""Which Lean it is to be: by the settings, else by what there is."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal
from weakref import WeakKeyDictionary

from goedels_poetry.lean.runtime.driven import LeanUnavailable
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.settings.declared import LeanSettings

# -- The Leans that are running for a search, for whoever can do with one that has seen other things before --------


_LENT: WeakKeyDictionary[LeanPool, LeanSettings] = WeakKeyDictionary()


def lend(lean: LeanPool, settings: LeanSettings) -> None:
    """Others may ask this Lean things, too, until who has opened it closes it."""
    _LENT[lean] = settings


def at_hand(settings: LeanSettings) -> LeanPool | None:
    """A Lean under these settings that has nothing to do now; None where there is none. It is not to be closed.

    One that a stranger runs is never given: see `LeanPool.trusted`.
    """
    idle = (lean for lean, its in _LENT.items() if its == settings and lean.trusted and lean.started and not lean.busy)
    return next(idle, None)


# -- Which Lean it is to be ----------------------------------------------------------------------------------------


Kind = Literal["embedded", "native", "kimina"]
Progress = Callable[[str, float], None]


def open_lean(
    settings: LeanSettings,
    size: int | None = None,
    *,
    trusted: bool = False,
    progress: Progress = lambda what, part: None,
) -> LeanPool:
    """The Lean that the settings ask for. Blocks where something has to be fetched or asked: call it in a thread.

    Args:
        size: requests at once; by default what the settings say.
        trusted: it is to decide about a proof. A server that others run may not: then it is the embedded one.
        progress: told while the embedded Lean is fetched on its first use.

    Raises:
        LeanUnavailable: there is no such Lean here; the message says what to do.
    """
    kind, size = kind_in_use(settings), size or workers(settings)
    if kind == "kimina" and not trusted:
        from goedels_poetry.lean.runtime.kimina import kimina_pool

        key = settings.kimina_api_key.get_secret_value() if settings.kimina_api_key else None
        return kimina_pool(_address(settings), key or os.environ.get("LEAN_SERVER_API_KEY") or None, size)
    if kind == "native":
        from goedels_poetry.lean.runtime.native import MEMORY_MB as NATIVE_MB
        from goedels_poetry.lean.runtime.native import native_pool

        return native_pool(settings.project, size, memory_mb=settings.memory_mb or NATIVE_MB)
    from goedels_poetry.lean.runtime.embedded import MEMORY_MB, embedded_pool

    return embedded_pool(size, progress, settings.memory_mb or MEMORY_MB)


def kind_in_use(settings: LeanSettings) -> Kind:
    """The kind that ``auto`` stands for here."""
    if settings.kind != "auto":
        return settings.kind
    if settings.kimina_url:
        return "kimina"
    from goedels_poetry.lean.runtime.native import program, project_above

    named = settings.project or os.environ.get("LEAN_PROJECT_PATH")
    return "native" if named or (project_above(Path.cwd()) and program("lake")) else "embedded"


def instead_of(settings: LeanSettings) -> str:
    """Which project's own Lean the embedded one stands in for, in words; "" where none is missing."""
    from goedels_poetry.lean.runtime.native import INSTALL, project_above

    project = project_above(Path.cwd())
    if project is None or settings.kind != "auto" or kind_in_use(settings) != "embedded":
        return ""
    file = project / "lean-toolchain"
    wanted = file.read_text(errors="replace").strip()[:80] if file.is_file() else "a toolchain"
    return f"the project {project} wants {wanted}, and there is no `lake`: {INSTALL.partition(',')[0]}"


def workers(settings: LeanSettings) -> int:
    """How many Lean processes there may be."""
    return settings.workers or (2 if (os.cpu_count() or 1) > 1 else 1)


def _address(settings: LeanSettings) -> str:
    if not settings.kimina_url:
        raise LeanUnavailable(
            "no Kimina server is configured: set lean.kimina_url, or GOEDELS_POETRY__LEAN__KIMINA_URL"
        )
    return settings.kimina_url
