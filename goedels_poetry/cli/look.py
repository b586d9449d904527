"""The commands ``runs``, ``show``, ``trace`` and ``graph``: looking, never changing anything."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from goedels_poetry.agents.registry import FAULT, Fault
from goedels_poetry.cli.configure import BadSettings, settings
from goedels_poetry.cli.costs import goal_line, model_lines
from goedels_poetry.cli.report import Report, readable, show, spent_lines
from goedels_poetry.errors import GoedelsPoetryError, UnknownRun
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.memory import conversation
from goedels_poetry.settings import ModelsSettings
from goedels_poetry.trace import machine, tree
from goedels_poetry.trace.terminal import console, one_line, printable, say
from goedels_poetry.tree.derivation import model_metrics
from goedels_poetry.tree.results import RunResult, RunSummary
from goedels_poetry.tree.state import ProofNode
from goedels_poetry.tree.store import HistoryEntry, StoreReader

NOT_FOUND = 2


def list_runs(*, as_json: bool, limit: int) -> int:
    """All runs, latest first."""

    def body(framework: GoedelsPoetryFramework) -> int:
        found = framework.runs()
        shown = found[:limit] if limit else found
        if as_json:
            for run in shown:
                sys.stdout.write(json.dumps(asdict(run), default=str) + "\n")
            return 0
        out = console(sys.stdout)
        if not found:
            say(out, f"no runs in {framework.settings.data_dir}; begin one with: goedels-poetry prove FILE")
            return 0
        out.print(_table(shown))
        if len(found) > len(shown):
            say(out, f"{len(found) - len(shown)} older runs; --limit 0 shows all")
        return 0

    return _looking(body)


def _table(shown: Sequence[RunSummary]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("run", "started", "verdict", "goals", "steps", "theorem"):
        table.add_column(title, overflow="fold", justify="right" if title in ("goals", "steps") else "left")
    for run in shown:
        started = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.started))
        verdict = str(run.verdict) if run.verdict else run.status
        cells = (run.run_id, started, verdict, str(run.nodes), str(run.steps), printable(run.name))
        table.add_row(*map(Text, cells))
    return table


def show_run(run: str, *, as_json: bool, at: int | None) -> int:
    """A run's tree with what happened to each goal."""

    def body(framework: GoedelsPoetryFramework) -> int:
        run_id = _full_id(framework, run)
        with framework.open_store(run_id) as store:
            nodes = store.nodes(as_of=at)
            if as_json:
                sys.stdout.write(json.dumps(_page(framework, run_id, store, nodes, at), default=str) + "\n")
                return 0
            _print_page(framework, run_id, store, nodes, at)
        return 0

    return _looking(body)


def _page(
    framework: GoedelsPoetryFramework, run_id: str, store: StoreReader, nodes: Sequence[ProofNode], at: int | None
) -> dict[str, Any]:
    result = _result(framework, run_id)
    costs = store.costs(as_of=at)
    return {
        "schema": 1,
        "run_id": run_id,
        "input": store.meta("name"),
        "statement": store.meta("statement"),
        "at": at if at is not None else store.seq,
        "result": result.to_json() if result is not None and at is None else None,
        "spent": store.spent(as_of=at),
        "costs": costs,
        "nodes": [
            node.to_row()
            | {
                "statement": node.statement,
                "status": str(node.status),
                "models": model_metrics(costs.get(node.id, {})),
                "bans": list(store.bans(node.id, as_of=at).values()),
                "history": [{"seq": h.seq, "kind": h.kind, **h.entry} for h in store.history(node.id, as_of=at)],
            }
            for node in nodes
        ],
    }


def _print_page(
    framework: GoedelsPoetryFramework, run_id: str, store: StoreReader, nodes: Sequence[ProofNode], at: int | None
) -> None:
    out = console(sys.stdout)
    theorem = str(store.meta("statement") or store.meta("name") or "")
    result = _result(framework, run_id) if at is None else None
    if result is not None:
        show(out, Report(result), (), theorem)
        _say_lines(out, model_lines(result.metrics.get("models", {})))
        out.print()
    else:
        moment = f"after commit {at} of {store.seq}" if at is not None else "not ended"
        say(out, f"run {run_id}  {printable(str(store.meta('name')))}  {moment}")
        spent = store.spent(as_of=at)
        say(out, f"  spent: {', '.join(spent_lines(spent))}")
        _say_lines(out, model_lines(model_metrics(spent)))
    costs = store.costs(as_of=at)
    out.print(tree.tree(nodes, theorem, readable, lambda node: _notes(node, store, costs.get(node.id, {}), at)))


def _say_lines(out: Console, lines: Sequence[str]) -> None:
    for line in lines:
        say(out, f"  {line}")


def _notes(node: ProofNode, store: StoreReader, cost: Mapping[str, float], at: int | None) -> list[str]:
    """Attempts, failed sketches, costs, bans with their evidence, and what the goal last failed of."""
    lines = [line for line in (goal_line(cost),) if line]
    if node.attempts or node.decomposition_attempts:
        lines.append(f"{node.attempts} proof attempts, {node.decomposition_attempts} failed sketches")
    lines.extend(_story(store.history(node.id, as_of=at)))
    for fingerprint, ban in store.bans(node.id, as_of=at).items():
        evidence = f": {ban['reason']}" if ban.get("reason") else ""
        lines.append(f"banned {ban.get('strategy', '')} ({fingerprint}){evidence}")
    if node.reason and str(node.status) != "proved":
        lines.append(f"obstacle: {node.reason}")
    return lines


def _story(history: Sequence[HistoryEntry]) -> list[str]:
    """Rejected sketches, backtracks and exceptions; the attempts are counted above, the bans follow."""
    titles = {"rejected": "sketch rejected", "backtrack": "backtracked", "lift": "ban lifted"}
    titles |= {"formalization": "formalization rejected"}
    lines = []
    for entry in history:
        if entry.kind == FAULT:
            lines.append(Fault.of(entry.entry).words)
        if entry.kind in titles:
            strategy = f" {entry.entry['strategy']}" if entry.entry.get("strategy") else ""
            reason = f": {entry.entry['reason']}" if entry.entry.get("reason") else ""
            lines.append(f"{titles[entry.kind]}{strategy}{reason}")
    return lines


def trace_run(run: str, form: str, *, at: int | None) -> int:
    """Events as JSON Lines, the tree as a picture, or the conversation as one JSON list."""

    def body(framework: GoedelsPoetryFramework) -> int:
        run_id = _full_id(framework, run)
        with framework.open_store(run_id) as store:
            if form == "jsonl":
                for event in store.events():
                    if at is None or event.seq <= at:
                        sys.stdout.write(json.dumps(event.to_json() | {"run_id": run_id}) + "\n")
                return 0
            if form == "conversation":
                entries = [entry for entry in conversation(store) if at is None or entry["seq"] <= at]
                sys.stdout.write(json.dumps(entries, ensure_ascii=False, indent=1) + "\n")
                return 0
            draw = tree.mermaid if form == "mermaid" else tree.dot
            sys.stdout.write(draw(store.nodes(as_of=at), str(store.meta("statement") or ""), readable))
        return 0

    return _looking(body)


def draw_machine(form: str, *, questions: bool = False) -> int:
    """The state machine with plug-ins; one that was left out is named."""
    from goedels_poetry.machine.kinds import KINDS

    registry = KINDS["question" if questions else "theorem"].registry()
    if form == "text":
        console(sys.stdout).print(machine.text(registry))
    else:
        sys.stdout.write(machine.mermaid(registry) if form == "mermaid" else machine.dot(registry))
    return 0


def _full_id(framework: GoedelsPoetryFramework, beginning: str) -> str:
    """The run's whole id; raises `UnknownRun`."""
    with framework.open_store(beginning) as store:
        return str(store.meta("run_id") or beginning)


def _result(framework: GoedelsPoetryFramework, run_id: str) -> RunResult | None:
    try:
        return framework.result(run_id)
    except UnknownRun:
        return None  # it is going on, or was killed


def _looking(body: Callable[[GoedelsPoetryFramework], int]) -> int:
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
