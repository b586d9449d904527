"""What works in a process of a cluster, and how a run's folder goes there and comes back.

All that comes and goes is JSON and bytes. No secret does: keys are read from the environment of the node.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import platform
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goedels_poetry.errors import GoedelsPoetryError, StoreError
from goedels_poetry.solvers.limits import PROCESSORS
from goedels_poetry.version import __version__

if TYPE_CHECKING:
    from goedels_poetry.search.machine.runner import MachineRunner
    from goedels_poetry.settings.declared import Settings
    from goedels_poetry.solvers.worker_pool import WorkerPool


# The folder of a run as bytes, so that it can go to another machine and come back

Files = dict[str, bytes]
"""Path inside the folder -> content."""

_LEFT = ("lock",)
_TAILS = ("-wal", "-shm")
_AS_BEFORE = ".before"


def packed(folder: Path) -> Files:
    """All files of a run's folder that nobody is writing, but for its lock. A database comes with its log in it."""
    files: Files = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name in _LEFT or name.endswith(_TAILS) or not path.is_file():
            continue
        if path.suffix == ".db" and any(path.with_name(path.name + tail).exists() for tail in _TAILS):
            _take_in_log(path)
        files[name] = path.read_bytes()
    return files


def unpack(files: Files, folder: Path) -> None:
    """Put the files there in the place of what was there, whole or not at all: the card, which says how it ended, last.

    Raises:
        StoreError: a name leads out of the folder. OSError: they cannot be written; the folder is as it was.
    """
    for name in files:
        if name.startswith("/") or ".." in name.split("/"):
            raise StoreError(f"{folder}: a file of the run is called {name!r}")
    beside = folder.with_name(f"{_AS_BEFORE}-{folder.name}")
    shutil.rmtree(beside, ignore_errors=True)
    try:
        for name, content in files.items():
            path = beside / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        for name in sorted(files, key=lambda name: name == "run.json"):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            for tail in _TAILS:
                path.with_name(path.name + tail).unlink(missing_ok=True)
            (beside / name).replace(path)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _take_in_log(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


PACKAGE = Path(__file__).parents[1]


@cache
def code_digest() -> str:
    """Of all our source files here: who works on a copy has the version of others and another program."""
    found = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        found.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()[:12]


def versions() -> dict[str, str]:
    """All that must be the same on every node, so that it does not matter which one answers."""
    from goedels_poetry.solvers.versions import solver_versions

    return {
        "goedels-poetry": f"{__version__} (code {code_digest()})",
        "Python": ".".join(platform.python_version_tuple()[:2]),
        **{name: str(version) for name, version in solver_versions().items()},
    }


class Worker:
    """Made in a process of its own on a node. Its methods are called one after the other, but for the last three."""

    def __init__(self, cpus: int) -> None:
        os.environ[PROCESSORS] = str(cpus)
        self._folder = tempfile.TemporaryDirectory(prefix="goedels-poetry-seat-")
        self._home = Path(self._folder.name)
        self._runners: dict[str, MachineRunner] = {}
        self._pool: WorkerPool | None = None
        self._task: asyncio.Task[Any] | None = None
        self._at_work = False
        self._stopped = ""

    async def versions(self) -> str:
        """See `versions`, as JSON."""
        return json.dumps(await asyncio.to_thread(versions))

    async def run(self, settings: str, store: str, assignment: str, files: Files) -> tuple[str, Files]:
        """Begin a run, or go on with the one in the files; its result as JSON, and the files that it has now.

        The JSON is ``{"result": ..., "seconds": ...}``, or ``{"error": words}``, which say nothing about the theorem.
        """
        from goedels_poetry.search.machine.runner import Assignment

        began = time.monotonic()
        self._at_work = True  # before anything is awaited: whoever interrupts it has asked for it first
        told = Assignment(**json.loads(assignment))
        folder = self._home / "runs" / told.run_id
        try:
            runner = self._runner(settings, store)
            place = runner.place(told.run_id)
            if files:
                await asyncio.to_thread(unpack, files, place.path)
            with runner.together():  # else the run would begin by forgetting an interrupt that came before it
                if self._stopped:
                    runner.interrupt(self._stopped)
                self._task = asyncio.ensure_future(runner.carry_out(place, told))
                result = await self._task
            seconds = round(time.monotonic() - began, 3)
            reply = json.dumps({"result": result.to_json(), "seconds": seconds})
            return reply, await asyncio.to_thread(packed, place.path)
        except (GoedelsPoetryError, OSError) as problem:
            return json.dumps({"error": str(problem)}), {}
        finally:
            self._task, self._stopped, self._at_work = None, "", False
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def job(self, function: str, payload: str, seconds: float, memory_mb: int) -> str:
        """One job of a `WorkerPool`: ``{"result": ...}``, or ``{"error": [class, words, ...]}``, as JSON."""
        from goedels_poetry.solvers.limits import SolverError
        from goedels_poetry.solvers.worker_pool import WorkerPool

        if self._pool is None:
            self._pool = WorkerPool(1)
        self._task = asyncio.ensure_future(self._pool.run(function, json.loads(payload), seconds, memory_mb))
        try:
            return json.dumps({"result": await self._task})
        except SolverError as problem:
            return json.dumps({"error": [type(problem).__name__, *map(str, problem.args)]})
        finally:
            self._task = None

    def _runner(self, settings: str, store: str) -> MachineRunner:
        """One for all runs with the same settings: its solvers are started once.

        Raises:
            StoreError: ``store``, the database as it may be named, is not the one that this node's environment names.
        """
        from goedels_poetry.search.machine.runner import MachineRunner
        from goedels_poetry.settings.declared import Settings

        if settings not in self._runners:
            own = {} if store else {"store_url": None}  # the URL has a password, so it is the node's own
            told = Settings(**{**json.loads(settings), **own, "home": str(self._home)})
            if (here := named_store(told)) != store:
                raise StoreError(
                    f"node {platform.node()} keeps runs in {here or 'files'}, and not in {store}: "
                    "set GOEDELS_POETRY__STORE_URL where its `ray start` is called"
                )
            self._runners[settings] = MachineRunner(told, checkpoint_all=False)
        return self._runners[settings]

    async def interrupt(self, reason: str) -> None:
        """Have the run under way stop at its next step boundary."""
        if not self._at_work:
            return
        self._stopped = reason
        for runner in self._runners.values():
            runner.interrupt(reason)

    async def stop(self) -> None:
        """Break off what is under way at once."""
        if self._task is not None:
            self._task.cancel()

    async def close(self) -> None:
        """End every process that was started here, and remove what lies here."""
        await self.stop()
        for runner in self._runners.values():
            await runner.aclose()
        if self._pool is not None:
            await self._pool.aclose()
        self._folder.cleanup()


def to_json(assignment: Any) -> str:
    """An `Assignment` as it travels."""
    return json.dumps(asdict(assignment))


def named_store(settings: Settings) -> str:
    """The database of the settings without user and password, "" where runs are in files; raises `StoreError`."""
    if settings.store_url is None:
        return ""
    from goedels_poetry.store.postgres import place_of

    return place_of(settings.store_url.get_secret_value())
