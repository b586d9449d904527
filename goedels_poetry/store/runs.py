"""Runs on disk: ``<data dir>/runs/<run id>/{proof.db, graph.db, run.json, lock}``, and selections of them."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from goedels_poetry.errors import InvalidInput, RunLocked, UnknownRun, lacks_resources
from goedels_poetry.files import at_once
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.settings.declared import seconds
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.results import ADVICE, ONLY_ADVICE, RunResult, RunSummary

if TYPE_CHECKING:
    from goedels_poetry.store.postgres import Database


_PRESENTATION = ("file",)
"""Options that change messages only; they are no part of a run's identity."""

RESUMABLE = (Verdict.OUT_OF_BUDGET,)
LOCK_PATIENCE = 0.5
"""Seconds: whoever only looks whether a run is locked holds its lock for a moment, which nobody is to fail of."""
LAST = "last"
"""In place of a run's id: the one that was begun last."""
TRASH = ".trash"
"""Folder beside the runs of what is being deleted. No run's id begins so."""


def identity(theorem: str, language: str, options: dict[str, Any]) -> str:
    """First 12 hexadecimal digits of the hash of everything that determines a run. Every byte counts."""
    meant = {name: value for name, value in options.items() if name not in _PRESENTATION}
    h = sha256(theorem.encode("utf-8", "surrogatepass"))
    h.update(b"\0" + json.dumps([language, meant], sort_keys=True, default=str).encode())
    return h.hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class RunDir:
    """The directory of one run."""

    path: Path
    database: Database | None = None
    """Where the tree, the card and the lock are instead of in the folder, which holds the certificate."""

    @property
    def run_id(self) -> str:
        """Its name."""
        return self.path.name

    @property
    def proof_db(self) -> Path:
        """The proof tree: the truth."""
        return self.path / "proof.db"

    @property
    def graph_db(self) -> Path:
        """LangGraph's checkpoints: where the scheduler stood."""
        return self.path / "graph.db"

    def open(self, *, read_only: bool = False) -> ProofStore:
        """The proof tree; raises StoreError."""
        return ProofStore(self.proof_db, read_only=read_only, database=self.database)

    def has_tree(self) -> bool:
        """Whether there is a proof tree."""
        return self.proof_db.exists() if self.database is None else self.database.has_tree(self.run_id)

    def card(self) -> dict[str, Any]:
        """``run.json``, or {} when it was never written."""
        try:
            if self.database is None:
                with open(self.path / "run.json", encoding="utf-8", opener=at_once) as file:
                    written = file.read()
            else:
                written = self.database.card(self.run_id) or "{}"
            card = json.loads(written)
        except ValueError:
            return {}
        except OSError as problem:  # missing, or no file that we may read: then it says nothing, and stops nobody
            if lacks_resources(problem):
                raise
            return {}
        shapes: dict[str, type | tuple[type, ...]] = {
            "started": (int, float),
            "updated": (int, float),
            "result": dict,
            "name": str,
            "language": str,
        }
        damaged = not isinstance(card, dict) or any(
            name in card and not isinstance(card[name], shape) for name, shape in shapes.items()
        )
        return {} if damaged else card

    def write_card(self, **facts: Any) -> None:
        """Update ``run.json``; a reader sees the old one or the new one, never half of it."""
        card = self.card() | facts | {"updated": time.time()}
        if self.database is not None:
            self.database.write_card(self.run_id, card)
            return
        temporary = self.path / f"run.json.{os.getpid()}"
        temporary.write_text(json.dumps(card, indent=1, sort_keys=True) + "\n", "utf-8")
        temporary.replace(self.path / "run.json")

    def result(self) -> RunResult | None:
        """The result that the run had when it last ended or stopped."""
        return _result_of(self.card())

    def is_finished(self) -> bool:
        """Whether there is nothing to resume."""
        result = self.result()
        return result is not None and result.verdict not in RESUMABLE and not self.card().get("retry")

    def is_unanswered(self) -> bool:
        """Whether the run decided nothing while a model could not be asked: then there is nothing to go on with."""
        return bool(self.card().get("unanswered"))

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the run for this process; raises :class:`RunLocked`. The system frees it when the process dies."""
        with contextlib.ExitStack() as held:
            held.enter_context(self._locked_here())
            if self.database is not None:
                held.enter_context(self.database.lock(self.run_id))
            yield

    @contextmanager
    def _locked_here(self) -> Iterator[None]:
        while True:
            self.path.mkdir(parents=True, exist_ok=True)
            try:
                file = os.fdopen(at_once(str(self.path / "lock"), os.O_RDWR | os.O_CREAT), "rb", buffering=0)
            except FileNotFoundError:
                continue  # deleted in between: it begins anew
            with file:
                if not _try_lock(file.fileno(), fcntl.LOCK_EX, LOCK_PATIENCE):
                    raise RunLocked(
                        f"run {self.run_id} is being worked on by another process; wait for it, stop it, "
                        "or begin a separate run with --fresh"
                    )
                if self._is_its_lock(file.fileno()):
                    yield
                    return

    def _is_its_lock(self, fd: int) -> bool:
        """Whether an open file is still the run's lock, and not that of a run of this name that was deleted."""
        try:
            return os.path.samestat(os.fstat(fd), (self.path / "lock").stat())
        except FileNotFoundError:
            return False

    def is_locked(self) -> bool:
        """Whether a process is working on the run now. Looking leaves nothing behind and stops nobody."""
        if self.database is not None:
            return self.database.is_locked(self.run_id)
        try:
            with open(self.path / "lock", "rb", opener=at_once) as file:
                return not _try_lock(file.fileno(), fcntl.LOCK_SH)
        except OSError:
            return False  # no run has ever begun there

    def size(self) -> int:
        """Bytes of all its files."""
        return sum(_sizes(self.path))

    def summary(self) -> RunSummary:
        """One line of ``runs``."""
        card = self.card()
        result = _result_of(card)
        unanswered = bool(card.get("unanswered"))
        kept = not card.get("retry") and not unanswered
        finished = result is not None and result.verdict not in RESUMABLE and kept
        status = "running" if self.is_locked() else "finished" if finished else "stopped"
        metrics = result.metrics if result else {}
        return RunSummary(
            run_id=self.run_id,
            name=card.get("name", ""),
            language=card.get("language", ""),
            status=status,
            verdict=result.verdict if result and status != "running" and not unanswered else None,
            reason=result.reason if result and status != "running" else "",
            started=card.get("started", 0.0),
            updated=card.get("updated", 0.0),
            nodes=int(metrics.get("nodes", 0)),
            steps=int(metrics.get("steps", 0)),
            size=self.size(),
            certificate=str(result.certificate) if result and result.certificate else None,
            gone=bool(result and result.certificate and not result.certificate.exists()),
        )


def _result_of(card: dict[str, Any]) -> RunResult | None:
    stored = card.get("result")
    try:
        return RunResult.from_json(stored) if stored else None
    except (KeyError, TypeError, ValueError):
        return None  # damaged: as if the run had been killed, so that it goes on


def _sizes(folder: Path) -> Iterator[int]:
    """Bytes of each file below a folder; what goes away in the meantime has none. Links are not followed."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    yield from _sizes(Path(entry.path))
                else:
                    yield entry.stat(follow_symlinks=False).st_size


def _try_lock(fd: int, kind: int, patience: float = 0.0) -> bool:
    """Take a lock, within so many seconds."""
    until = time.monotonic() + patience
    while True:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(fd, kind | fcntl.LOCK_NB)
            return True
        if time.monotonic() >= until:
            return False
        time.sleep(0.01)


class Runs:
    """All runs of a data directory, or of a PostgreSQL database, with their certificates in the directory."""

    def __init__(self, data_dir: Path, url: str | None = None) -> None:
        self._base = data_dir / "runs"
        self._database: Database | None = None
        if url is not None:
            from goedels_poetry.store.postgres import Database  # for who has one

            self._database = Database(url)

    @classmethod
    def of(cls, settings: HasStore) -> Runs:
        """Where the settings say."""
        return cls(settings.data_dir, settings.store_url.get_secret_value() if settings.store_url else None)

    def close(self) -> None:
        """Close the connection to a database, where there is one."""
        if self._database is not None:
            self._database.close()

    def place(self, run_id: str) -> RunDir:
        """Where a run of that id is, or would be."""
        return RunDir(self._base / run_id, self._database)

    def all(self) -> list[RunDir]:
        """Every run, latest first."""
        return sorted(self.everywhere(), key=lambda run: run.card().get("started", 0.0), reverse=True)

    def everywhere(self) -> list[RunDir]:
        """Every run, in no order: without reading any."""
        if self._database is not None:
            return list(map(self.place, self._database.begun()))
        return [RunDir(path) for path in self._base.glob("*/") if (path / "run.json").exists()]

    def count(self) -> int:
        """How many there are."""
        return len(self.everywhere())

    def get(self, run_id: str) -> RunDir:
        """The run with that id, the only one whose id begins so, or the latest one (`LAST`); raises `UnknownRun`."""
        if run_id == LAST and (runs := self.all()):
            return runs[0]
        if re.fullmatch(r"[0-9a-f-]+", run_id):
            exact = self.place(run_id)
            if exact.path.is_dir() if self._database is None else exact.card():
                return exact
            found = [run for run in self.all() if run.run_id.startswith(run_id)]
            if len(found) == 1:
                return found[0]
            if found:
                names = ", ".join(run.run_id for run in found[:5])
                raise UnknownRun(f"{run_id!r} is ambiguous: {names}")
        what = "are no runs" if run_id == LAST else f"is no run {run_id!r}"
        raise UnknownRun(f"there {what} in {self._where}; `goedels-poetry runs` lists them")

    def latest(self, prefix: str) -> RunDir | None:
        """The latest run of a theorem, by its :func:`identity`."""
        if self._database is not None:
            there = self._database.run_ids(prefix)
        else:  # of thousands: no object for each
            there = os.listdir(self._base) if self._base.is_dir() else []
        numbers = [n for name in there if name.startswith(prefix) and (n := _number(name, prefix))]
        return self.nth(prefix, max(numbers)) if numbers else None

    def nth(self, prefix: str, number: int) -> RunDir:
        """The ``number``-th run of a theorem, counted from 1."""
        return self.place(prefix if number == 1 else f"{prefix}-{number}")

    def new(self, prefix: str) -> RunDir:
        """A directory for a further run of a theorem, created so that no other process gets the same one."""
        latest = self.latest(prefix)
        number = _number(latest.run_id, prefix) + 1 if latest else 1
        while True:
            run = self.nth(prefix, number)
            try:
                run.path.mkdir(parents=True)
            except FileExistsError:
                number += 1
                continue
            if self._database is None or self._database.reserve(run.run_id):
                return run
            number += 1

    @property
    def _where(self) -> str:
        return str(self._base) if self._database is None else "the database"

    def delete(self, run_id: str, *, updated: float | None = None) -> int:
        """Delete a run that nobody is working on, with the certificate in its folder; returns the bytes that it had.

        It is gone for everybody at once: renamed first, then removed, so no run is ever half there. Certificates in
        other folders stay, and so do lemmas that it gave to the bank: whatever takes one has it checked again.

        Args:
            run_id: the whole id, not a beginning of it.
            updated: when it was changed last; one that has gone on since then stays.

        Raises:
            UnknownRun: there is none. RunLocked: a process is working on it, or has worked on it since ``updated``.
            OSError: it cannot be moved.
        """
        run = self.get(run_id)
        if run.run_id != run_id:
            raise UnknownRun(f"there is no run {run_id!r}: to delete one its whole id is needed, {run.run_id}")
        with run.lock():
            if updated is not None and run.card().get("updated", updated) != updated:
                raise RunLocked(f"run {run_id} has gone on in the meantime")
            size = run.size()
            if self._database is not None:
                self._database.delete(run_id)
            gone = self._into_trash(run)
        shutil.rmtree(gone, ignore_errors=True)
        with contextlib.suppress(OSError):
            gone.parent.rmdir()  # unless there is something else in it
        return size

    def _into_trash(self, run: RunDir) -> Path:
        place = self._base / TRASH / f"{run.run_id}.{secrets.token_hex(4)}"
        while True:
            place.parent.mkdir(exist_ok=True)
            try:
                return run.path.replace(place)
            except FileNotFoundError:  # another process has just tidied up
                if not run.path.exists():
                    raise UnknownRun(f"run {run.run_id} has just been deleted by another process") from None

    def sweep(self) -> None:
        """Remove what deletions that were cut short have left. Nothing in there is a run any more."""
        shutil.rmtree(self._base / TRASH, ignore_errors=True)


class HasStore(Protocol):
    """What is needed of the settings."""

    @property
    def data_dir(self) -> Path:
        """The data directory."""
        ...

    @property
    def store_url(self) -> Any:
        """A secret, or None."""
        ...


def _number(name: str, prefix: str) -> int:
    if name == prefix:
        return 1
    rest = name.removeprefix(f"{prefix}-")
    return int(rest) if rest.isdigit() else 0


# Which runs are meant

RUNNING, STOPPED = "running", "stopped"
"""What stands in place of a verdict while a run goes on, and when it was cut short without one."""
WORDS = (*map(str, Verdict), RUNNING, STOPPED)
"""What a selection by verdict may name."""
BUSY = "it is being worked on"
"""Why a run that was meant stays."""


def outcome(run: RunSummary) -> str:
    """The verdict of a run, or what stands in its place."""
    return str(run.verdict) if run.verdict else run.status


def outcome_text(run: RunSummary) -> str:
    """`outcome`, for people."""
    return ADVICE if run.reason == ONLY_ADVICE else outcome(run)


@dataclass(frozen=True, slots=True)
class Selection:
    """Runs that are meant; each part that is not given selects all."""

    verdicts: tuple[str, ...] = ()
    """Any of :data:`WORDS`."""
    since: float | None = None
    """Started then or later, in seconds since the epoch."""
    before: float | None = None
    """Neither started nor changed since then."""
    language: str | None = None
    match: str = ""
    """Words in the name, the id or the reason, in letters of either case."""

    def __contains__(self, run: RunSummary) -> bool:
        text = f"{run.name}\n{run.run_id}\n{run.reason}".casefold()
        return (
            (not self.verdicts or outcome(run) in self.verdicts)
            and (self.since is None or run.started >= self.since)
            and (self.before is None or max(run.started, run.updated) < self.before)
            and (self.language is None or run.language == self.language)
            and self.match.casefold() in text
        )

    def of(self, runs: Iterable[RunSummary]) -> list[RunSummary]:
        """Those of ``runs`` that are meant, in their order."""
        return [run for run in runs if run in self]


def verdicts_of(words: Iterable[str]) -> tuple[str, ...]:
    """Words for a selection, with or without commas between them; raises `InvalidInput` for one that is none."""
    given = tuple(part.strip().lower().replace("-", "_") for word in words for part in word.split(",") if part.strip())
    for word in given:
        if word not in WORDS:
            raise InvalidInput(f"{word!r} is no verdict; there are {', '.join(WORDS)}")
    return given


def moment(text: str, now: float | None = None) -> float:
    """Seconds since the epoch of ``2d`` (so long ago: s, m, h, d, w) or ``2026-03-01`` (local time, ISO 8601).

    Raises:
        InvalidInput: it is neither.
    """
    given = text.strip()
    with contextlib.suppress(ValueError, OverflowError, OSError):
        return datetime.fromisoformat(given).timestamp()
    with contextlib.suppress(ValueError):
        if given[-1:].isalpha():
            return (time.time() if now is None else now) - seconds(given)
    raise InvalidInput(f"{text!r} is no moment; write 2d, 12h or 3w for so long ago, or a date like 2026-03-01")


class Pruning(NamedTuple):
    """What a deletion of several runs would do, or has done."""

    runs: tuple[RunSummary, ...]
    """Those that go, latest first."""
    kept: tuple[tuple[RunSummary, str], ...] = ()
    """Those that were meant and stay, each with the reason."""

    @property
    def size(self) -> int:
        """Bytes of those that go."""
        return sum(run.size for run in self.runs)


def to_prune(runs: Sequence[RunSummary], selection: Selection, *, keep: int = 0) -> Pruning:
    """What would be deleted: never a run that is under way.

    Args:
        runs: all, latest first.
        selection: which of them are meant.
        keep: the latest so many of those stay.
    """
    meant = selection.of(runs)[keep:]
    busy = tuple((run, BUSY) for run in meant if run.status == RUNNING)
    return Pruning(tuple(run for run in meant if run.status != RUNNING), busy)


def prune(runs: Runs, plan: Pruning) -> Pruning:
    """Delete what is planned; what cannot be deleted now stays and is named."""
    runs.sweep()
    gone, kept = [], list(plan.kept)
    for run in plan.runs:
        try:
            runs.delete(run.run_id, updated=run.updated)
        except UnknownRun:
            continue  # somebody else was faster
        except (RunLocked, OSError) as problem:
            kept.append((run, str(problem)))
        else:
            gone.append(run)
    return Pruning(tuple(gone), tuple(kept))
