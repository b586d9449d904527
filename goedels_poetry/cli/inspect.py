"""The commands `show`, `trace` and `graph`: looking at runs and at the machine, never changing anything."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from goedels_poetry.cli.configure import settings
from goedels_poetry.cli.report import Report, dollars, show, spent_lines, write_whole
from goedels_poetry.cli.run_errors import Unusable
from goedels_poetry.cli.tools import Trace
from goedels_poetry.errors import GoedelsPoetryError, UnknownRun
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.protocol.trials import NOT_APPLIED, Status, Trial
from goedels_poetry.search.agents.deps import FAULT, Fault
from goedels_poetry.search.machine.kinds import task_of
from goedels_poetry.search.memory import conversation
from goedels_poetry.search.tasks.question import Question
from goedels_poetry.settings.declared import ModelsSettings
from goedels_poetry.store.derivation import model_metrics
from goedels_poetry.store.reads import HistoryEntry, StoreReader
from goedels_poetry.store.results import RunResult
from goedels_poetry.store.state import ProofNode
from goedels_poetry.trace import events as machine
from goedels_poetry.trace import tree
from goedels_poetry.trace.events import LISTS, compare, parting_lines, rows, told_events
from goedels_poetry.trace.explain import (
    Explanation,
    RunFacts,
    explain,
    formula,
    nearest_line,
    open_leaves,
    tried_in_short,
)
from goedels_poetry.trace.explain import rows as trial_rows
from goedels_poetry.trace.page.data import render, run_data
from goedels_poetry.trace.terminal import console, counted, one_line, printable, say
from goedels_poetry.trace.wording import wording_of

if TYPE_CHECKING:  # most runs are not about questions
    from goedels_poetry.reasoning.steps import QueryResult

NOT_FOUND = 2


def trace(request: Trace) -> int:
    """Two runs side by side, or of one its page, events, picture or conversation."""
    if request.compare:
        return compare_runs(request.compare, as_json=request.as_json)
    run = request.run_id or ""
    if request.html:
        return write_page(run, request.html)
    return trace_run(run, request.form.value if request.form else "jsonl", at=request.at)


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
            words = wording_of(str(store.meta("language") or ""))
            drawn = tree.picture(store.nodes(as_of=at), str(store.meta("statement") or ""), words)
            sys.stdout.write(drawn.mermaid() if form == "mermaid" else drawn.dot())
        return 0

    return looking(body)


def draw_machine(form: str, *, kind: str = "theorem") -> int:
    """How goals travel through the state machine, with plug-ins; one that was left out is named."""
    from goedels_poetry.search.machine.kinds import KINDS

    if kind not in KINDS:
        say(console(sys.stderr), f"there is no task {kind!a}; there are {', '.join(KINDS)}")
        return NOT_FOUND
    registry = KINDS[kind].registry()
    if form == "text":
        console(sys.stdout).print(machine.text(registry, kind))
    else:
        drawn = machine.picture(registry, kind)
        sys.stdout.write(drawn.mermaid() if form == "mermaid" else drawn.dot())
    return 0


def check_moment(store: StoreReader, at: int | None) -> None:
    """Refuse a moment that the run has not had. Raises GoedelsPoetryError: with the range that there is."""
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
        without_models = settings().model_copy(update={"models": ModelsSettings()})  # no request, no recording
        with GoedelsPoetryFramework(without_models) as framework:
            return body(framework)
    except (GoedelsPoetryError, Unusable) as problem:
        say(console(sys.stderr), one_line(str(problem)))
        return NOT_FOUND


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
    answer = _answer(store, result) if at is None else None
    return {
        "schema": 1,
        "run_id": run_id,
        "input": store.meta("name"),
        "statement": store.meta("statement"),
        "at": at if at is not None else store.seq,
        "result": result.to_json() if result is not None and at is None else None,
        "answer": answer.to_json() if answer is not None else None,
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
        answer = _answer(store, result)
        if answer is not None:
            from goedels_poetry.cli.ask import page

            for line in page(answer):
                say(out, line)
        show(out, Report(result, theorem))
        return
    moment = f"after commit {at} of {store.seq}" if at is not None else "not ended"
    spent = store.spent(as_of=at)
    _say_lines(out, model_lines(model_metrics(spent)))
    _say_lines(out, [f"spent: {', '.join(spent_lines(spent))}"])
    say(out, f"run {run_id}  {printable(str(store.meta('name')))}  {moment}")


def _answer(store: StoreReader, result: RunResult | None) -> QueryResult | None:
    """Of a run about a question that has ended: the answer with its program and all that it rests on."""
    task = task_of(store) if result is not None else None
    if result is None or not isinstance(task, Question) or task.task != "answer":
        return None
    from goedels_poetry.reasoning.solving import answer_of

    return answer_of(task, result, store)


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
        told = trial_rows(chosen, language)
        named = max((len(strategy) for strategy, *_ in told), default=0)
        table.add_column("    strategy", overflow="fold", min_width=min(named, LONGEST_NAME) + 4)
        table.add_column("what", overflow="fold")
        table.add_column("result", overflow="fold")
        table.add_column("seconds", justify="right", no_wrap=True)
        for strategy, what, result, seconds in told:
            table.add_row(Text(f"    {strategy}"), Text(what), Text(result), Text(seconds))
        out.print(table)
    else:
        for strategy, what, result, seconds in trial_rows(chosen, language):
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


STDOUT = Path("-")
MOST_LISTED = 10
"""Goals of a kind that a terminal gets."""
MOST_CHARACTERS = 160


def write_page(run: str, file: Path) -> int:
    """Write a run's page to a file, or to standard output for ``-``."""

    def body(framework: GoedelsPoetryFramework) -> int:
        with framework.open_store(full_id(framework, run)) as store:
            data = run_data(store)
        name = Path(data["run"]["name"]).name or data["run"]["id"]
        _write(file, render(data, title=f"{name} – {data['run']['id']}"))
        return 0

    return looking(body)


def compare_runs(runs: tuple[str, str], *, as_json: bool) -> int:
    """Two runs side by side: a table, or one JSON object."""

    def body(framework: GoedelsPoetryFramework) -> int:
        first, second = (full_id(framework, run) for run in runs)
        results = stored_result(framework, first), stored_result(framework, second)
        with framework.open_store(first) as a, framework.open_store(second) as b:
            comparison = compare(a, b, results)
        if as_json:
            sys.stdout.write(json.dumps(comparison) + "\n")
        else:
            _print(comparison)
        return 0

    return looking(body)


def _print(comparison: dict[str, Any]) -> None:
    out = console(sys.stdout)
    first, second = comparison["a"], comparison["b"]
    if not comparison["same_theorem"]:
        say(out, "the two runs are about different theorems", style="yellow")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("", f"A  {first['run_id']}", f"B  {second['run_id']}"):
        table.add_column(title, overflow="fold")
    for row in rows(first, second):
        table.add_row(*(Text(one_line(cell)) for cell in row))
    out.print(table)
    for name, title in LISTS.items():
        statements, count = comparison[name]["statements"], comparison[name]["count"]
        if count:
            out.print()
            say(out, f"{title} ({count}):", style="bold")
        for statement in statements[:MOST_LISTED]:
            say(out, f"  {one_line(statement, MOST_CHARACTERS)}")
        if count > MOST_LISTED:
            say(out, f"  and {count - MOST_LISTED} more; --json has them", style="dim")
    out.print()
    for line in parting_lines(comparison["parting"]):
        say(out, printable(line))


def _write(file: Path, text: str) -> None:
    """The whole file or none of it; raises `GoedelsPoetryError` where it cannot be written."""
    if file == STDOUT:
        sys.stdout.buffer.write(text.encode())
        return
    try:
        write_whole(file, text)
    except OSError as problem:
        raise GoedelsPoetryError(f"cannot write {file}: {problem.strerror or problem}") from problem


Spent = Mapping[str, float]

_KINDS = {"generation": "replies", "verification": "verdicts", "validation": "readings"}
"""The kinds of caches, and what each of them keeps."""


def model_lines(models: Mapping[str, Any]) -> list[str]:
    """The lines of a run, see `model_metrics`: the sum, one line for each role, one for the caches; [] without any."""
    if not models.get("calls") and not models.get("replies"):
        return []
    lines = [f"models: {_amounts(models)}"]
    lines += [f"  {role}: {_amounts(spent)}" for role, spent in sorted(models.get("by_role", {}).items())]
    kept = models.get("cache") or {}
    found = [rate for kind, name in _KINDS.items() if (rate := _rate(kept, kind, name))]
    return [*lines, *([f"caches: {', '.join(found)}"] if found else [])]


def goal_line(cost: Spent) -> str:
    """What the models cost for one goal; "" when none was asked."""
    models = model_metrics(cost)
    return f"models: {_amounts(models)}" if models.get("calls") or models.get("replies") else ""


def _amounts(spent: Spent) -> str:
    def count(name: str) -> int:
        return int(spent.get(name, 0))

    cached = f" ({count('tokens_cached'):,} cached)" if count("tokens_cached") else ""
    parts = [f"{count('calls'):,} calls", f"{count('tokens_in'):,} tokens in{cached}", f"{count('tokens_out'):,} out"]
    parts += [dollars(spent.get("money", 0), spent.get("unpriced", 0)), f"{spent.get('latency', 0):.1f} s waited"]
    further = {"replies_from_cache": "replies from the cache", "faults": "replies of no use"}
    return ", ".join([*parts, *(f"{count(name):,} {what}" for name, what in further.items() if count(name))])


def _rate(kept: Mapping[str, float], kind: str, name: str) -> str:
    hits, misses = int(kept.get(f"{kind}_hits", 0)), int(kept.get(f"{kind}_misses", 0))
    return f"{hits} of {hits + misses} {name} found ({hits / (hits + misses):.0%})" if hits + misses else ""
