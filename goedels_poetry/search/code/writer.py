"""The generator writes a candidate, or takes one that was enumerated; the corrector asks for a better one."""

from __future__ import annotations

import ast
import asyncio
import textwrap
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.models.replies import UnusableReply, blocks, without_thinking
from goedels_poetry.models.requests import Reply
from goedels_poetry.python.synthesis.search import synthesise
from goedels_poetry.python.testing.candidate import test_candidate
from goedels_poetry.search.agents.conversation import Message, correction, note_of, write
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.code.wording import (
    Forbidden,
    candidate_of,
    context_of,
    forbidden_strategies,
    forbidden_words,
    query_of,
    strategy_of,
    why_banned,
)
from goedels_poetry.search.tasks.code import (
    CODE,
    EVIDENCE,
    MODEL,
    SYNTHESIS,
    CodeTask,
    Pair,
    candidates,
    rounds_of,
    set_enumerated,
    set_move,
)
from goedels_poetry.store.state import ProofNode, Queue

ROLE = "formalizer"
NOTE = "(Your last reply could not be used: {}. Answer with the whole function in one block fenced as python.)"
NOTHING_LEFT = "no small function that was found passes every check, and there is no language model to ask"


def task_of(deps: Deps) -> CodeTask:
    """The task that this run is about."""
    if not isinstance(deps.task, CodeTask):
        raise InvalidInput("there is no function to write")
    return deps.task


@agent(queue=Queue.FORMALIZE, name="generator")
async def generator(node: ProofNode, deps: Deps) -> Apply:
    """Enumerate where that may help and has not been done; then ask for a function, with the bans."""
    task, by_model = task_of(deps), deps.has_model(ROLE)
    history = await deps.store.on_thread(deps.store.history, node.id)
    forbidden = forbidden_strategies(task, await deps.store.on_thread(deps.store.bans, node.id))
    failing, past = await deps.load(node, EVIDENCE) or [], candidates(history)
    if may_enumerate(task, rounds_of(history), by_model=by_model):
        digests = frozenset(str(entry.get("digest")) for entry in past)
        found = await enumerated(task, forbidden, Known(deps.settings.seed, digests, tuple(failing)), brief=by_model)
        return lambda txn: set_enumerated(txn, node, found.candidate, found.note, passes=found.passes)
    if not by_model:
        reason = f"{NOTHING_LEFT}; {node.reason}" if node.reason else NOTHING_LEFT
        return lambda txn: set_move(txn, node, "give_up", reason)
    parts = (context_of(task, past, failing), await note_of(deps, node, NOTE))
    message = generate_solution(query_of(task), "\n\n".join(filter(None, parts)), forbidden)
    return await write(node, deps, CODE, message, _reader(task))


@agent(queue=Queue.CORRECT, name="corrector")
async def corrector(node: ProofNode, deps: Deps) -> Apply:
    """One more turn, with the report on the last function."""
    return await write(node, deps, CODE, await correction(deps, node, "code-report", NOTE), _reader(task_of(deps)))


def _reader(task: CodeTask) -> Callable[[Reply], dict[str, Any]]:
    return lambda reply: candidate_of(function_in(reply, task), task, MODEL)


def generate_solution(query: str, context: str = "", forbidden_strategies: Sequence[Forbidden | str] = ()) -> Message:
    """The request for a function."""
    forbidden = [each if isinstance(each, Forbidden) else Forbidden(each) for each in forbidden_strategies]
    return Message(ROLE, "code-generate", {"query": query, "context": context, "forbidden": forbidden_words(forbidden)})


# -- the function in a reply -------------------------------------------------------------------------------------

MAX_CANDIDATE, MAX_REPLY = 30_000, 400_000
"""Characters of a function, with all that comes with it, and of a reply."""
_TAGS = frozenset({"", "python", "py", "python3", "code"})
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def function_in(reply: Reply, task: CodeTask) -> str:
    """The module that the model wrote, as it is to be tested: the last block with the function.

    Raises UnusableReply: it holds no such function, is cut off, too long, or is no Python.
    """
    if len(reply.text) > MAX_REPLY:
        raise UnusableReply(f"the reply is longer than {MAX_REPLY} characters")
    fenced = [block for block in blocks(reply.text) if block.text.strip()]
    if reply.finish == "length" and (not fenced or not fenced[-1].closed):
        raise UnusableReply("the reply is cut off before the end of the function: answer with the function alone")
    pieces = [textwrap.dedent(b.text) for b in fenced if b.tag in _TAGS] or [textwrap.dedent(b.text) for b in fenced]
    if not fenced and f"def {task.function}(" in without_thinking(reply.text):
        pieces = [without_thinking(reply.text)]
    if not pieces:
        raise UnusableReply("the reply holds no Python: put the whole function into one block fenced as python")
    problem = ""
    for piece in reversed(pieces):
        try:
            found = _with_function(piece, task)
        except _UNREADABLE as error:
            told = f"the code is not Python: {error.msg} (line {error.lineno})" if type(error) is SyntaxError else ""
            problem = problem or told or f"the code cannot be read: {str(error) or type(error).__name__}"
            continue
        if found:
            if len(found) > MAX_CANDIDATE:
                raise UnusableReply(f"the function is longer than {MAX_CANDIDATE} characters")
            return found.strip("\n") + "\n"
    raise UnusableReply(problem or f"no block defines the function {task.function}")


def _with_function(source: str, task: CodeTask) -> str:
    """The text without trials, where it defines the function or a method of that name; else ""."""
    tree = ast.parse(source)
    if any(task.function in _names_of(node) for node in tree.body):
        return _without_trials(source, tree, task.function)
    for owner in tree.body:
        if isinstance(owner, ast.ClassDef) and any(task.function in _names_of(node) for node in owner.body):
            call = f"{owner.name}().{task.function}({', '.join(task.parameters)})"
            return f"{_without_trials(source, tree, owner.name)}\n\n\n{task.signature}:\n    return {call}"
    return ""


def _names_of(node: ast.stmt) -> frozenset[str]:
    """Names that a statement binds."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return frozenset({node.name})
    if isinstance(node, ast.Import | ast.ImportFrom):
        return frozenset((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _without_trials(source: str, tree: ast.Module, function: str) -> str:
    """Without assertions, calls and a main part that only try the function out."""
    lines = source.splitlines()
    for node in reversed(tree.body):
        if _is_trial(node, function):
            del lines[node.lineno - 1 : node.end_lineno]
    return "\n".join(lines)


def _is_trial(node: ast.stmt, function: str) -> bool:
    if isinstance(node, ast.If):
        return any(isinstance(n, ast.Name) and n.id == "__name__" for n in ast.walk(node.test))
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return isinstance(node, ast.Assert)
    called = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
    return bool(called & {"print", function, "doctest", "unittest"})


# -- candidates without a model ----------------------------------------------------------------------------------

BRIEF, LONG = 2.0, 6.0
"""Seconds of one enumeration before a model is asked, and where there is none."""
MOST_BRIEF, MOST_LONG = 3, 12
"""Candidates that are tested."""
FEWEST = 4
"""Examples, of fewer of which none is held back."""
ENOUGH = 3
"""Weight of the checks that an enumeration has not seen, below which a model is asked instead."""
MOST_ROUNDS = 4
"""Enumerations without a model: each later one knows the inputs on which earlier candidates failed."""
TOO_LITTLE = "enumeration: too few checks to tell the function that is meant from others that fit"
WEAK = "the function was enumerated to fit the examples, and few other checks speak for it: look at it"


@dataclass(frozen=True, slots=True)
class Known:
    """The outcomes of earlier enumerations and tests."""

    seed: int
    digests: frozenset[str] = frozenset()
    """Candidates that were tried."""
    failing: tuple[Mapping[str, str], ...] = ()
    """Inputs on which one failed."""


@dataclass(frozen=True, slots=True)
class Found:
    """The outcome of an enumeration."""

    candidate: dict[str, Any] | None
    note: str
    passes: bool = False
    """Whether the candidate has passed a quick test."""


def may_enumerate(task: CodeTask, rounds: Sequence[bool], *, by_model: bool) -> bool:
    """Whether small functions are enumerated now; ``rounds``: whether the results of earlier ones passed."""
    if not task.can_be_synthesised or (by_model and task.model_first):
        return False
    return not rounds or (not by_model and rounds[-1] and len(rounds) < MOST_ROUNDS)


async def enumerated(task: CodeTask, forbidden: Sequence[Forbidden], known: Known, *, brief: bool) -> Found:
    """The first candidate that passes a quick test; cancelling ends the search, which has a thread of its own.

    Where a model can be asked (``brief``) more has to speak for it than that it fits; without one the smallest
    candidate is given in any case, so that there is something to show.
    """
    held = task.examples[2::3] if len(task.examples) >= FEWEST else ()
    shown = tuple(pair for pair in task.examples if pair not in held)
    unseen = sum(1 if expected in ("True", "False") else 2 for _, expected in held) + len(task.ensures)
    weak = unseen + ENOUGH * (len(task.tests) + len(task.properties)) < ENOUGH
    if brief and weak:
        return Found(None, TOO_LITTLE)
    most, seconds = (MOST_BRIEF, BRIEF) if brief else (MOST_LONG, LONG)
    failing, tried = [dict(each) for each in known.failing], set(known.digests)
    first, given_up = None, threading.Event()
    try:
        for examples in dict.fromkeys([shown] if brief else [shown, task.examples]):
            fitting = _texts(task, examples, forbidden, seconds, given_up.is_set)
            for _ in range(most):
                text = await asyncio.to_thread(next, fitting, None)
                if text is None:
                    break
                candidate = candidate_of(text, task, SYNTHESIS) | ({"note": WEAK} if weak else {})
                if candidate["digest"] in tried:
                    continue
                tried.add(candidate["digest"])
                first = first or candidate
                if await _passes(task, candidate, known.seed, failing):
                    number = len(tried) - len(known.digests)
                    return Found(candidate, f"enumeration: small function {number} passes a quick test", passes=True)
    finally:
        given_up.set()
    number = len(tried) - len(known.digests)
    return Found(None if brief else first, f"enumeration: {number} small functions fit, none passes every check")


async def _passes(task: CodeTask, candidate: dict[str, Any], seed: int, failing: list[dict[str, str]]) -> bool:
    """A quick test; inputs that fail are added to ``failing``."""
    inputs = [dict(each) for each in failing]
    report = await test_candidate(candidate["source"], task.checks, seed=seed, inputs=inputs, effort="quick")
    failing += [dict(r.input) for r in report.results if not r.passed and r.input and r.input not in failing]
    return report.passed


def _texts(
    task: CodeTask,
    examples: Sequence[Pair],
    forbidden: Sequence[Forbidden],
    seconds: float,
    given_up: Callable[[], bool],
) -> Iterator[str]:
    """The functions of the enumeration that are not banned, until the time is over."""
    deadline = time.monotonic() + seconds
    free = [f"not ({text})" for text in task.requires] + [f"({when})" for _, when in task.raises if when]
    contracts = tuple(" or ".join([*free, f"({text})"]) for text in task.ensures)
    with suppress(InvalidInput):  # types that are not enumerated
        for text in synthesise(
            task.signature, examples, seconds=seconds, contracts=contracts, words=task.task, given_up=given_up
        ):
            if not why_banned(strategy_of(task.whole(text), task.function), forbidden):
                yield text
            if time.monotonic() > deadline:
                return
