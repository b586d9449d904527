"""The Leans that are running for a search, for whoever can do with one that has seen other things before."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from goedels_poetry.languages.lean.runtime.pool import LeanPool
from goedels_poetry.settings.declared import LeanSettings

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
