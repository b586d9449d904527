"""The commands ``trace`` and ``graph``, and what ``show`` shares with them: looking, never changing anything."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

from goedels_poetry.cli.configure import BadSettings, settings
from goedels_poetry.errors import GoedelsPoetryError, UnknownRun
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.memory import conversation
from goedels_poetry.settings.declared import ModelsSettings
from goedels_poetry.trace import machine, tree
from goedels_poetry.trace.events import told_events
from goedels_poetry.trace.terminal import console, one_line, say
from goedels_poetry.trace.wording import wording_of
from goedels_poetry.tree.results import RunResult
from goedels_poetry.tree.store.reads import StoreReader

NOT_FOUND = 2


def trace_run(run: str, form: str, *, at: int | None) -> int:
    """Events as JSON Lines, the tree as a picture, or the conversation as one JSON list."""

    def body(framework: GoedelsPoetryFramework) -> int:
        run_id = full_id(framework, run)
        with framework.open_store(run_id) as store:
            check_moment(store, at)
            if form == "jsonl":
                for event in told_events(store, at):
                    sys.stdout.write(json.dumps(event | {"run_id": run_id}) + "\n")
                return 0
            if form == "conversation":
                entries = [entry for entry in conversation(store) if at is None or entry["seq"] <= at]
                sys.stdout.write(json.dumps(entries, ensure_ascii=False, indent=1) + "\n")
                return 0
            draw = tree.mermaid if form == "mermaid" else tree.dot
            words = wording_of(str(store.meta("language") or ""))
            sys.stdout.write(draw(store.nodes(as_of=at), str(store.meta("statement") or ""), words))
        return 0

    return looking(body)


def draw_machine(form: str, *, kind: str = "theorem") -> int:
    """How goals travel through the state machine, with plug-ins; one that was left out is named."""
    from goedels_poetry.machine.kinds import KINDS

    if kind not in KINDS:
        say(console(sys.stderr), f"there is no task {kind!a}; there are {', '.join(KINDS)}")
        return NOT_FOUND
    registry = KINDS[kind].registry()
    if form == "text":
        console(sys.stdout).print(machine.text(registry, kind))
    else:
        sys.stdout.write((machine.mermaid if form == "mermaid" else machine.dot)(registry, kind))
    return 0


def check_moment(store: StoreReader, at: int | None) -> None:
    """Refuse a moment that the run has not had.

    Raises:
        GoedelsPoetryError: with the range that there is.
    """
    if at is not None and not 0 <= at <= store.seq:
        raise GoedelsPoetryError(f"--at {at}: this run has {store.seq} commits, so give a number from 0 to {store.seq}")


def full_id(framework: GoedelsPoetryFramework, beginning: str) -> str:
    """The run's whole id; raises `UnknownRun`."""
    with framework.open_store(beginning) as store:
        return str(store.meta("run_id") or beginning)


def stored_result(framework: GoedelsPoetryFramework, run_id: str) -> RunResult | None:
    """The result of a run that has ended; None: it is going on, or was killed."""
    try:
        return framework.result(run_id)
    except UnknownRun:
        return None


def looking(body: Callable[[GoedelsPoetryFramework], int]) -> int:
    """Run ``body`` on a framework; an unknown run or an unreadable one is a line, not a traceback."""
    try:
        without_models = settings().model_copy(
            update={"models": ModelsSettings()}
        )  # nobody is asked, nothing is recorded
        with GoedelsPoetryFramework(without_models) as framework:
            return body(framework)
    except (GoedelsPoetryError, BadSettings) as problem:
        say(console(sys.stderr), one_line(str(problem)))
        return NOT_FOUND
