"""A person takes back what a run decided: it stands again where a step left it, and goes on from there."""

from __future__ import annotations

import itertools
from pathlib import Path

from goedels_poetry.errors import InvalidInput
from goedels_poetry.search.changes.changer import MORE
from goedels_poetry.search.tasks.change_moves import set_back
from goedels_poetry.store.runs import Runs
from goedels_poetry.store.state import ROOT
from goedels_poetry.store.txn import Txn

PERSON = "person"
"""Who commits it."""


def go_back(data_dir: Path, run: str, step: int, patches: tuple[str, ...] = (), reason: str = "") -> str:
    """Record the decision; the run can then be resumed. Returns its id.

    Args:
        data_dir: of the framework.
        run: the run's id, or an unambiguous beginning of it.
        step: the state to go back to; 0 is the file as it was.
        patches: changes to try from there, in this order.
        reason: why; shown in the history.

    Raises:
        UnknownRun, RunLocked. InvalidInput: the run is about no change, or has no such state.
    """
    place = Runs(data_dir).get(run)
    with place.lock():
        store = place.open()
        try:
            if (store.meta("task") or [""])[0] != "change":
                raise InvalidInput(f"run {run} is about no change")
            said = reason or f"a person goes back to the state after step {step}"

            def move(txn: Txn) -> str:
                if patches:
                    txn.remember(MORE, [*(txn.store.meta(MORE) or ()), *patches])
                return set_back(txn, txn.get(ROOT), step, said)

            try:
                store.commit(f"back:{store.seq}", PERSON, ROOT, move)
            except ValueError as problem:
                raise InvalidInput(str(problem)) from None
        finally:
            store.close()
        _set_aside(place.path / "certificate")
        place.write_card(retry=True)
    return place.run_id


def _set_aside(certificate: Path) -> None:
    """What was checked before is kept, and makes room for what will be."""
    if certificate.exists():
        numbers = itertools.count(1)
        certificate.rename(next(p for n in numbers if not (p := certificate.with_name(f"certificate-{n}")).exists()))
