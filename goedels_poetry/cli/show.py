"""The command ``show``: a run's tree, and of each open goal what was tried, how near it came and what would help."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from goedels_poetry.agents.deps import FAULT, Fault
from goedels_poetry.cli.costs import goal_line, model_lines
from goedels_poetry.cli.look import check_moment, full_id, looking, stored_result
from goedels_poetry.cli.report import Report, show, spent_lines
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.languages.trials import NOT_APPLIED, Status, Trial
from goedels_poetry.trace import tree
from goedels_poetry.trace.explain import Explanation, RunFacts, explain, formula, nearest_line, rows, tried_in_short
from goedels_poetry.trace.terminal import console, counted, printable, say
from goedels_poetry.trace.wording import wording_of
from goedels_poetry.tree.derivation import model_metrics
from goedels_poetry.tree.state import NodeStatus, ProofNode
from goedels_poetry.tree.store.reads import HistoryEntry, StoreReader

MOST_EXPLAINED = 8
"""Open goals that a page for people explains; ``--json`` has all of them."""
MOST_ROWS = 16
"""Trials of a goal that a page for people lists."""
LONGEST_NAME = 24
"""Characters of a strategy's name that are never broken."""
ROOM_FOR_TABLE = 72
"""Columns of a terminal that a table needs; on narrower ones each trial is a line."""


def show_run(run: str, *, as_json: bool, at: int | None) -> int:
    """A run's tree with what happened to each goal."""

    def body(framework: GoedelsPoetryFramework) -> int:
        run_id = full_id(framework, run)
        with framework.open_store(run_id) as store:
            check_moment(store, at)
            nodes = store.nodes(as_of=at)
            if as_json:
                sys.stdout.write(json.dumps(_page(framework, run_id, store, nodes, at), default=str) + "\n")
                return 0
            _print_page(framework, run_id, store, nodes, at)
        return 0

    return looking(body)


# -- for programs --------------------------------------------------------------------------------------------------


def _page(
    framework: GoedelsPoetryFramework, run_id: str, store: StoreReader, nodes: Sequence[ProofNode], at: int | None
) -> dict[str, Any]:
    result = stored_result(framework, run_id)
    costs, facts = store.costs(as_of=at), RunFacts.of(store, at)
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
        "explanations": [explain(store, node, at, facts=facts).to_json() for node in open_leaves(nodes)],
    }


def open_leaves(nodes: Sequence[ProofNode]) -> list[ProofNode]:
    """The goals without subgoals that are neither proved nor refuted, in order."""
    inner = {node.parent for node in nodes}
    decided = (NodeStatus.PROVED, NodeStatus.REFUTED)
    return [node for node in nodes if node.status not in decided and node.id not in inner]


# -- for people ----------------------------------------------------------------------------------------------------


def _print_page(
    framework: GoedelsPoetryFramework, run_id: str, store: StoreReader, nodes: Sequence[ProofNode], at: int | None
) -> None:
    out = console(sys.stdout)
    theorem = str(store.meta("statement") or store.meta("name") or "")
    costs = store.costs(as_of=at)
    result = stored_result(framework, run_id) if at is None else None
    tested = "tested" if result is not None and result.verdict is Verdict.TESTED else ""
    words = wording_of(str(store.meta("language") or ""))
    out.print(tree.tree(nodes, theorem, words, lambda node: _notes(node, store, costs.get(node.id, {}), at), tested))
    if not (tested and len(nodes) == 1):  # a task, not a contract that was to be proved
        _explain(out, store, open_leaves(nodes), theorem, at)
    out.print()
    if result is not None:
        _say_lines(out, model_lines(result.metrics.get("models", {})))
        show(out, Report(result, theorem))
        return
    moment = f"after commit {at} of {store.seq}" if at is not None else "not ended"
    spent = store.spent(as_of=at)
    _say_lines(out, model_lines(model_metrics(spent)))
    _say_lines(out, [f"spent: {', '.join(spent_lines(spent))}"])
    say(out, f"run {run_id}  {printable(str(store.meta('name')))}  {moment}")


def _say_lines(out: Console, lines: Sequence[str]) -> None:
    for line in lines:
        say(out, f"  {line}")


def _explain(out: Console, store: StoreReader, leaves: Sequence[ProofNode], theorem: str, at: int | None) -> None:
    """Of each open goal: what was tried, what came nearest, what would help."""
    facts = RunFacts.of(store, at)
    for node in leaves[:MOST_EXPLAINED]:
        explanation = explain(store, node, at, facts=facts)
        out.print()
        say(out, f"open goal {node.id}: {formula(node.statement or theorem, node.language)}", style="bold")
        say(out, f"  tried: {tried_in_short(explanation, node)}")
        _say_trials(out, explanation, node.language)
        if explanation.nearest is not None and explanation.nearest.by:
            say(out, f"  nearest: {nearest_line(explanation.nearest, node.language)}")
        for advice in explanation.advice:
            say(out, f"  would help: {advice}", style="cyan")
    if len(leaves) > MOST_EXPLAINED:
        out.print()
        say(out, f"{len(leaves) - MOST_EXPLAINED} further open goals; show --json explains all of them")


def _say_trials(out: Console, explanation: Explanation, language: str) -> None:
    chosen = telling(explanation.tried, MOST_ROWS)
    if out.width >= ROOM_FOR_TABLE:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        told = rows(chosen, language)
        named = max((len(strategy) for strategy, *_ in told), default=0)
        table.add_column("    strategy", overflow="fold", min_width=min(named, LONGEST_NAME) + 4)
        table.add_column("what", overflow="fold")
        table.add_column("result", overflow="fold")
        table.add_column("seconds", justify="right", no_wrap=True)
        for strategy, what, result, seconds in told:
            table.add_row(Text(f"    {strategy}"), Text(what), Text(result), Text(seconds))
        out.print(table)
    else:
        for strategy, what, result, seconds in rows(chosen, language):
            took = f" ({seconds} s)" if seconds else ""
            say(out, f"    {' '.join(filter(None, (strategy, what)))}: {result}{took}")
    idle = sum(trial.result == NOT_APPLIED for trial in explanation.tried)
    others = len(explanation.tried) - idle - len(chosen) + explanation.more
    if others:
        say(out, f"    and {others} more (show --json lists {len(explanation.tried)})", style="dim")


def telling(trials: Sequence[Trial], most: int) -> list[Trial]:
    """The most telling trials that applied, in their order; lemmas that are false or proved give way first."""

    def rank(trial: Trial) -> tuple[int, int]:
        if trial.status is Status.REFUTED:
            return 3, len(trial.what)
        if trial.lemma:
            return (1 if trial.status is Status.FAILED else 2), len(trial.what)
        return 0, len(trial.what)

    applied = [trial for trial in trials if trial.result != NOT_APPLIED]
    kept = {id(trial) for trial in sorted(applied, key=rank)[:most]}
    return [trial for trial in trials if id(trial) in kept]


def _notes(node: ProofNode, store: StoreReader, cost: Mapping[str, float], at: int | None) -> list[str]:
    """Attempts, failed sketches, costs, bans with their evidence, and what the goal last failed of."""
    lines = [line for line in (goal_line(cost),) if line]
    if node.attempts or node.decomposition_attempts:
        attempts, sketches = node.attempts, node.decomposition_attempts
        tried = counted(attempts, "proof attempt")
        lines.append(f"{tried}, {counted(sketches, 'failed sketch', 'failed sketches')}")
    lines.extend(_story(store.history(node.id, as_of=at)))
    for fingerprint, ban in store.bans(node.id, as_of=at).items():
        evidence = f": {ban['reason']}" if ban.get("reason") else ""
        lines.append(f"banned {ban.get('strategy', '')} ({fingerprint}){evidence}")
    if node.reason and str(node.status) != "proved":
        lines.append(f"obstacle: {node.reason}")
    return lines


def _story(history: Sequence[HistoryEntry]) -> list[str]:
    """Rejected sketches and refutations, backtracks and exceptions; the attempts are counted above, the bans follow."""
    titles = {"rejected": "sketch rejected", "backtrack": "backtracked", "lift": "ban lifted"}
    titles |= {"formalization": "formalization rejected", "refutation": "refutation by a model rejected"}
    lines = []
    for entry in history:
        if entry.kind == FAULT:
            lines.append(Fault.of(entry.entry).words)
        if entry.kind in titles:
            strategy = f" {entry.entry['strategy']}" if entry.entry.get("strategy") else ""
            reason = f": {entry.entry['reason']}" if entry.entry.get("reason") else ""
            lines.append(f"{titles[entry.kind]}{strategy}{reason}")
    return lines
