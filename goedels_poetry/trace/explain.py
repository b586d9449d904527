"""Why a goal is open: what was tried on it, how near that came, and what would help. Read from a run's store.

`explain` is data for whatever shows it; `explain_lines` is a few lines of it for people. Nothing is guessed: every
piece of advice names the fact that it rests on.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from goedels_poetry.protocol.trials import ENOUGH, HINT, NOT_APPLIED, TACTICS, UNTRANSLATED, Status, Trial
from goedels_poetry.search.memory import tried_on
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.state import NodeStatus, ProofNode
from goedels_poetry.trace.terminal import counted, one_line
from goedels_poetry.trace.wording import worded, worded_detail, worded_points

MOST_CHARACTERS = 240
"""Of a formula in a line for people."""
MOST_ADVICE = 4
DECIDED = (NodeStatus.PROVED, NodeStatus.REFUTED)
"""Of such a goal there is nothing to explain."""
MOST_LEMMAS = 2
_NUMBERED = re.compile(r"\b[a-z]+[0-9]+\b")
MOST_LINES = 6
_LARGER = "a larger budget"
_FLAGS = (
    (r"([\d.]+) s of wall time", "--timeout"),
    (r"([\d.]+) s of solver time", "--max-solver-seconds"),
    (r"(\d+) agent steps are used up", "--max-steps"),
    (r"the run may create (\d+) nodes", "--max-nodes"),
    (r"(\d+) model calls are used up", "--max-model-calls"),
    (r"(\d+) model tokens are used up", "--max-model-tokens"),
)
"""How a reason says which budget has ended a run, and the flag that enlarges it."""
_WITHOUT_PROOF = ("does not follow", "does not hold")
"""How the reason of a run begins whose theorem nothing proves, whatever is tried."""
_ENDLESS = ("not shown to be well-founded: ", "definitions were not shown to terminate")
"""How a reason says that a recursive definition counts for nothing."""
_LIMITS = {"depth": "--max-depth", "attempts": "--max-attempts"}


@dataclass(frozen=True, slots=True)
class Nearest:
    """How near the search came."""

    node: str
    """The goal whose trial came nearest: the explained one or one below it."""
    statement: str
    """The simplest open subgoal, as a text of the language; it need not be a goal of the tree."""
    by: str
    """What has left it open: a strategy with what it was applied to; "" when nothing was reduced."""
    proved: int
    """Goals of the best partial proof that are proved, at and below the explained one."""
    goals: int
    """Goals of the best partial proof."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one goal is open."""

    node: str
    status: str
    reason: str
    """The last failure, one line."""
    tried: tuple[Trial, ...]
    """Strategies, tactics, lemmas, queries, plug-ins and models, oldest first; at most `trials.MOST_KEPT`."""
    more: int
    """How many further things were tried."""
    nearest: Nearest | None
    """None for a goal that is proved or refuted."""
    advice: tuple[str, ...]
    """What would help, the likeliest first, one line each; () for a goal that is proved or refuted."""

    def to_json(self) -> dict[str, Any]:
        """A JSON object with every field; formulas are texts of the language."""
        tried = [trial.to_json() for trial in self.tried]
        return {**asdict(self), "tried": tried, "advice": list(self.advice)}


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What is the same for all goals of a run; to be read once for many of them."""

    models_asked: bool
    ending: str
    """The reason that the run has ended for; "" while it goes on."""

    @classmethod
    def of(cls, store: StoreReader, as_of: int | None = None) -> RunFacts:
        """As they were after a commit; None: now."""
        last = store.seq if as_of is None else as_of
        events = [event for event in store.events(after=last - 1) if event.seq == last]
        ended = bool(events) and events[-1].outcome.startswith("verdict")
        return cls(bool(store.history_counts()["model"]), events[-1].reason if ended else "")


def explain(
    store: StoreReader, node: str | ProofNode, as_of: int | None = None, *, facts: RunFacts | None = None
) -> Explanation:
    """Why a goal is open, or what was tried on one that is not; raises KeyError: there is no such goal."""
    goal = store.get(node, as_of=as_of) if isinstance(node, str) else node
    tried = tried_on(store, goal.id, as_of=as_of)
    about = goal.id, str(goal.status), goal.reason, tried.trials, tried.more
    if goal.status in DECIDED:
        return Explanation(*about, None, ())
    near = _nearest(store, goal, tried.trials, as_of)
    advice = dict.fromkeys(_advice(goal, tried.trials, near, facts or RunFacts.of(store, as_of)))
    return Explanation(*about, near, tuple(advice)[:MOST_ADVICE])


def open_leaves(nodes: Sequence[ProofNode]) -> list[ProofNode]:
    """The goals without subgoals that are neither proved nor refuted, in order."""
    inner = {node.parent for node in nodes}
    return [node for node in nodes if node.status not in DECIDED and node.id not in inner]


def explain_lines(store: StoreReader, node: str | ProofNode, as_of: int | None = None) -> list[str]:
    """At most six lines for people about an open goal: tried, nearest, what would help; [] where nothing is to be said.

    Before them hints that are not proved. Of a goal that is decided it is what the checker misses, if that is known.
    """
    return [*hint_lines(store, node, as_of), *_explained(store, node, as_of)]


def hint_lines(store: StoreReader, node: str | ProofNode, as_of: int | None = None) -> list[str]:
    """Hints of the file that are false or not proved, a line each, with what is wrong."""
    tried = tried_on(store, node if isinstance(node, str) else node.id, as_of=as_of).trials
    failed = (t for t in tried if t.strategy == HINT and t.status is not Status.PROVED)
    return list(dict.fromkeys(f"hint not used: {t.what}: {t.result}" for t in failed))


def _explained(store: StoreReader, node: str | ProofNode, as_of: int | None) -> list[str]:
    facts = RunFacts.of(store, as_of)
    goal = store.get(node, as_of=as_of) if isinstance(node, str) else node
    explanation = explain(store, goal, as_of, facts=facts)
    if goal.parent is None and facts.ending.startswith(_WITHOUT_PROOF):
        return []  # why there is no proof is the reason of the run
    if explanation.status in DECIDED:  # which is not the verdict where the checker does not accept it
        return [f"would help: {text}" for text in _definitions(goal, facts.ending)]
    near = explanation.nearest
    if near is not None and near.node != explanation.node:  # where it was decomposed, the obstacle is further down
        below = explain(store, near.node, as_of, facts=facts)
        lines, advice = [f"tried on goal {near.node}: {in_short(below)}"], below.advice or explanation.advice
    else:
        lines, advice = [f"tried: {tried_in_short(explanation, goal)}"], explanation.advice
    if near is not None and near.by:
        lines.append(f"nearest: {nearest_line(near, goal.language)}")
    return [*lines, *(f"would help: {text}" for text in advice)][:MOST_LINES]


def tried_in_short(explanation: Explanation, goal: ProofNode) -> str:
    """What was tried, counted; of a language that does not say what it tries, how often."""
    return counted(goal.attempts, "proof attempt") if goal.attempts and not explanation.tried else in_short(explanation)


# -- how near it came ----------------------------------------------------------------------------------------------


def _nearest(store: StoreReader, goal: ProofNode, trials: Sequence[Trial], as_of: int | None) -> Nearest:
    """The simplest subgoal that anything has left open at an open leaf at or below a goal."""
    nodes = [goal]  # with its present descendants, where it is decomposed
    if goal.pending or goal.status is NodeStatus.PROVED:
        there = store.subtree(goal.id) if as_of is None else store.nodes(as_of=as_of)
        inside = [n for n in there if n.id == goal.id or n.id.startswith(f"{goal.id}.")]
        nodes = [n for n in inside if as_of is not None or not store.is_cut(n.id)] or [goal]
    inner = {node.parent for node in nodes}
    leaves = [node for node in nodes if node.id not in inner and node.status is not NodeStatus.PROVED] or [goal]
    found: list[tuple[str, str, str]] = []
    for leaf in leaves:
        known = trials if leaf.id == goal.id else tried_on(store, leaf.id, as_of=as_of).trials
        found += [(leaf.id, each.left, f"{each.strategy} {each.what}".strip()) for each in known if each.left]
    found = found or [(leaf.id, leaf.statement, "") for leaf in leaves]
    proved = sum(node.status is NodeStatus.PROVED for node in nodes)
    return Nearest(*min(found, key=lambda entry: len(entry[1])), proved, len(nodes))


# -- what would help -----------------------------------------------------------------------------------------------


HELPFUL_LEMMA = "this lemma, from which the goal follows and which holds in every test: "
"""How advice begins that states one; of SMT-LIB the command follows that states it in a file."""


def _advice(goal: ProofNode, trials: Sequence[Trial], near: Nearest, facts: RunFacts) -> Iterator[str]:
    if goal.parent is None and facts.ending.startswith(_WITHOUT_PROOF):
        return
    interrupted = facts.ending.startswith("interrupted")
    if interrupted:
        yield "time: the search was interrupted, and the same command goes on where it was"
    definitions = list(_definitions(goal, facts.ending))
    yield from definitions
    yield from _larger_budget(goal, trials, facts.ending)
    for trial in trials:
        if trial.status is Status.ERROR:
            yield f"mending what raised an exception: {trial.strategy} {trial.result}"
    lemmas = [trial.what for trial in trials if trial.status is Status.FAILED and trial.result == ENOUGH]
    whole = sorted((what for what in lemmas if not what.endswith("...") and "!" not in what), key=len)
    alike = {_NUMBERED.sub("_", what): what for what in reversed(whole)}  # the shortest of those that differ in names
    for what in sorted(alike.values(), key=len)[:MOST_LEMMAS]:
        stated = f"(prove {what})" if goal.language == "smt" else formula(what, goal.language)
        yield f"{HELPFUL_LEMMA}{stated}"
    if not lemmas and near.by and near.statement and goal.language not in ("smt", "python"):
        yield f"a lemma from which this follows: {formula(near.statement, goal.language)}"
    if not facts.models_asked and not interrupted and not definitions:  # then nobody knows yet what is lacking
        yield "a language model, which may have another idea: none was asked in this run (--model NAME --base-url URL)"


def _definitions(goal: ProofNode, ending: str) -> Iterator[str]:
    """What to do about definitions that nothing is built on because they may not end."""
    if goal.parent is None and goal.language == "smt" and any(words in ending for words in _ENDLESS):
        yield "recursion that is seen to end: on a part of an argument, or on a number towards a bound"
        yield "leaving such a definition out, where the theorem does not speak of it"
        yield "--assume-definitions, which takes it on trust: the trust level is at most L1"


def _larger_budget(goal: ProofNode, trials: Sequence[Trial], ending: str) -> Iterator[str]:
    if goal.reason.startswith(UNTRANSLATED):
        return
    name, _, value = goal.limit.partition(" ")
    if name in _LIMITS:
        yield f"{_LARGER}: {_LIMITS[name]} {2 * int(value)} (it was stopped by the limit of {value})"
    stopped = next((trial for trial in reversed(trials) if trial.status is Status.UNDER_WAY), None)
    for pattern, flag in _FLAGS:
        spent = re.search(pattern, ending)
        if spent:
            was = f"; {stopped.strategy} was under way" if stopped is not None else ""
            yield f"{_LARGER}: {flag} {2 * float(spent[1]):g} --resume ({spent[0]}{was})"


# -- for people ----------------------------------------------------------------------------------------------------


def in_short(explanation: Explanation) -> str:
    """What was tried, counted: "6 strategies, 14 lemmas (3 proved), 2 replies of models in 12.3 s"."""
    worked = [trial for trial in explanation.tried if trial.result != NOT_APPLIED]
    others, kinds = len(explanation.tried) - len(worked), Counter(map(_kind, worked))
    proved = sum(_kind(trial) == "lemma" and trial.status is Status.PROVED for trial in worked)
    kinds["further attempt"] += explanation.more
    many = {"strategy": "strategies", "reply of a model": "replies of models"}
    parts = [counted(number, kind, many.get(kind, "")) for kind, number in kinds.items() if number]
    parts = [f"{part} ({proved} proved)" if proved and part.endswith(("lemma", "lemmas")) else part for part in parts]
    if not parts:
        return "nothing"
    steps = (trial for trial in explanation.tried if not trial.what or trial.status is Status.UNDER_WAY)
    seconds = sum(trial.seconds or 0 for trial in steps)  # those of the others are part of these
    beside = f"; {others} other strategies do not apply" if others > 1 else ""
    return ", ".join(parts) + (f" in {seconds:.1f} s" if seconds >= 0.05 else "") + beside


def _kind(trial: Trial) -> str:
    if trial.strategy.startswith("model "):
        return "reply of a model"
    if trial.status is Status.ERROR:
        return "exception"
    if trial.lemma:
        return "lemma"
    if trial.what and trial.strategy in TACTICS:
        return "tactic"
    return "attempt" if trial.what and not trial.left and trial.seconds is None else "strategy"


def nearest_line(near: Nearest, language: str = "") -> str:
    """The simplest open subgoal, with what has left it."""
    part = f"; {near.proved} of {near.goals} goals are proved" if near.goals > 1 else ""
    return f"{one_line(worded_in(near.by, language))} leaves {formula(near.statement, language)}{part}"


def formula(text: str, language: str = "") -> str:
    """A formula as people write it, on one line, cut when it is long."""
    return one_line(worded(text, language), MOST_CHARACTERS)


def worded_in(text: str, language: str = "") -> str:
    """``strategy (formula)`` with the formula as people write it."""
    strategy, _, rest = text.partition(" ")
    if (words := worded_points(strategy, rest, language)) != rest:
        return f"{strategy} {words}"
    name, space, what = text.partition(" (")
    return f"{name}{space[:-1]}{worded(f'({what}', language)}" if what else text


def rows(trials: Iterable[Trial], language: str = "") -> list[tuple[str, str, str, str]]:
    """A table for people: strategy, what it was applied to, result, seconds."""
    return [
        (
            one_line(trial.strategy),
            one_line(worded_detail(trial.strategy, trial.what, language), MOST_CHARACTERS),
            one_line(trial.result + (f" ({trial.times} times)" if trial.times > 1 else ""), MOST_CHARACTERS),
            "" if trial.seconds is None else f"{trial.seconds:.2f}",
        )
        for trial in trials
    ]
