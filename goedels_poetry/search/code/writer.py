"""The generator writes a candidate, or takes one that was enumerated; the corrector asks for a better one."""

from __future__ import annotations

import ast
import asyncio
import io
import re
import textwrap
import threading
import time
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.models.replies import Block, UnusableReply, blocks, without_thinking
from goedels_poetry.models.requests import Reply
from goedels_poetry.python.synthesis.search import synthesise
from goedels_poetry.python.testing.candidate import test_candidate
from goedels_poetry.search.agents.conversation import Message, correction, note_of, say
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.code import strategies
from goedels_poetry.search.code.failing import CodeFailure
from goedels_poetry.search.code.strategies import Forbidden, candidate_of, strategy_of, why_banned
from goedels_poetry.search.code.wording import context_of, evidence_words, forbidden_words, history_words, query_of
from goedels_poetry.search.tasks.code import CodeTask, Pair
from goedels_poetry.search.tasks.code_moves import (
    EVIDENCE,
    MODEL,
    SYNTHESIS,
    candidates,
    rounds_of,
    set_enumerated,
    set_move,
    set_unusable_reply,
    set_written,
)
from goedels_poetry.store.state import ProofNode, Queue
from goedels_poetry.store.txn import Txn

# The function in a model's reply, whatever it is wrapped in

MAX_CANDIDATE = 30_000
"""Characters of a function by a model, with all that comes with it."""
MAX_REPLY = 400_000
"""Characters of a reply that is looked into."""
MOST_STARTS, MOST_PROSE, MOST_READ = 20, 40, 4_000_000
"""Of a text without fences: places where it may begin, lines after its end, characters that are parsed in all."""
_TAGS = frozenset({"", "python", "py", "python3", "python2", "pycon", "code", "text"})
_BEGINS = re.compile(r"(?:from|import|def|class) \w|@\w")
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError)


def function_in(reply: Reply, task: CodeTask) -> str:
    """The module that the model wrote, as it is to be tested.

    Raises:
        UnusableReply: it holds no such function, is cut off, too long, or is no Python.
    """
    if len(reply.text) > MAX_REPLY:
        raise UnusableReply(f"the reply is longer than {MAX_REPLY} characters")
    fenced = [block for block in blocks(reply.text) if block.text.strip()]
    _refuse_cut(fenced, reply)
    pieces = [_dedented(block.text) for block in fenced if block.tag in _TAGS] or [_dedented(b.text) for b in fenced]
    if not fenced:
        pieces = list(_bare(without_thinking(reply.text)))
    if not pieces:
        raise UnusableReply("the reply holds no Python: put the whole function into one block fenced as python")
    problem = ""
    for number in range(len(pieces) - 1, -1, -1):
        try:
            tree = ast.parse(pieces[number])
            found = _meant(pieces[number], tree, task)
        except _UNREADABLE as error:
            problem = problem or _words(error)
            continue
        if found:
            return _bounded(_with_earlier(found, pieces[:number]))
    raise UnusableReply(problem or f"no block defines the function {task.function}")


def _refuse_cut(fenced: Sequence[Block], reply: Reply) -> None:
    """A block that nobody closed may be half a function; where the server says that it ended there, it is."""
    if reply.finish == "length" and (not fenced or not fenced[-1].closed):
        raise UnusableReply("the reply is cut off before the end of the function: answer with the function alone")


def _words(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return f"the code is not Python: {error.msg} (line {error.lineno})"
    return f"the code cannot be read: {str(error) or type(error).__name__}"


def _bounded(source: str) -> str:
    if len(source) > MAX_CANDIDATE:
        raise UnusableReply(f"the function is longer than {MAX_CANDIDATE} characters")
    return source.strip("\n") + "\n"


def _dedented(text: str) -> str:
    """Without common indentation, and without the prompts of an interactive session."""
    lines = textwrap.dedent(text.replace("\r\n", "\n")).splitlines()
    if any(line.startswith(">>> def ") for line in lines):
        lines = [line[4:] for line in lines if line.startswith((">>> ", "... "))]
    return "\n".join(lines)


def _bare(text: str) -> Iterator[str]:
    """Of a text without fences what can be read as Python: as it stands, else indented blocks within prose."""
    left = [MOST_READ]
    whole = list(_readable(textwrap.dedent(text).splitlines(), left))
    yield from whole
    for inside in () if whole else _indented(text.splitlines()):
        yield from _readable(inside, left)


def _indented(lines: Sequence[str]) -> Iterator[list[str]]:
    """Blocks that Markdown takes for code because they stand further in than the prose around them."""
    block: list[str] = []
    for line in [*lines, "the end"]:
        if line.startswith(("    ", "\t")) or (block and not line.strip()):
            block.append(line)
        elif block:
            yield textwrap.dedent("\n".join(block)).splitlines()
            block = []


def _readable(lines: Sequence[str], left: list[int]) -> Iterator[str]:
    """What can be read as Python, from each line that looks like its beginning; the longest last.

    ``left``: characters that may still be parsed.
    """
    starts = [number for number, line in enumerate(lines) if _BEGINS.match(line)][:MOST_STARTS]
    for start in reversed(starts):
        for end in range(len(lines), max(start, len(lines) - MOST_PROSE), -1):
            piece = "\n".join(lines[start:end])
            left[0] -= len(piece)
            if left[0] < 0:
                return
            try:
                ast.parse(piece)
            except _UNREADABLE:
                continue
            yield piece
            break


# -- what is meant -----------------------------------------------------------------------------------------------


def _meant(source: str, tree: ast.Module, task: CodeTask) -> str:
    """The text with the wanted function in it; "" when it has none."""
    if _defines(tree, task.function):
        return _without_trials(source, tree, task.function)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and any(
            isinstance(inner, ast.FunctionDef) and inner.name == task.function for inner in node.body
        ):
            return f"{_without_trials(source, tree, task.function)}\n\n\n{_around(node, task)}"
    shaped = [n for n in tree.body if isinstance(n, ast.FunctionDef) and _shape(n) == len(task.parameters)]
    if len(shaped) == 1 and not _calls_only(tree, shaped[0].name):
        return _renamed(_without_trials(source, tree, shaped[0].name), shaped[0].name, task.function)
    return ""


def _calls_only(tree: ast.Module, name: str) -> bool:
    """Whether a function only tests others: then it is none that was asked for."""
    return name.startswith(("test", "main", "check"))


def _shape(node: ast.FunctionDef) -> int:
    return len(node.args.posonlyargs) + len(node.args.args) + len(node.args.kwonlyargs)


def _defines(tree: ast.Module, name: str) -> bool:
    return any(name in _names_of(node) for node in tree.body)


def _names_of(node: ast.stmt) -> frozenset[str]:
    """Names that a statement of a module binds."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return frozenset({node.name})
    if isinstance(node, ast.Import | ast.ImportFrom):
        return frozenset((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    bound = (n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return frozenset(bound)


def _around(owner: ast.ClassDef, task: CodeTask) -> str:
    """A plain function that calls the method of the class."""
    method = next(n for n in owner.body if isinstance(n, ast.FunctionDef) and n.name == task.function)
    kinds = {d.id for d in method.decorator_list if isinstance(d, ast.Name)}
    target = owner.name if kinds & {"staticmethod", "classmethod"} else f"{owner.name}()"
    return f"{task.signature}:\n    return {target}.{task.function}({', '.join(task.parameters)})"


def _renamed(source: str, old: str, new: str) -> str:
    """The text with a function's name changed wherever it stands as a name of its own."""
    lines = source.splitlines(keepends=True)
    places: list[tuple[int, int]] = []
    before = ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME and token.string == old and before != ".":
            places.append(token.start)
        before = token.string
    for row, column in reversed(places):
        line = lines[row - 1]
        lines[row - 1] = line[:column] + new + line[column + len(old) :]
    return "".join(lines)


def _without_trials(source: str, tree: ast.Module, function: str) -> str:
    """Without what stands beside the definitions only to try the function out."""
    lines = source.splitlines()
    for node in reversed(tree.body):
        if _is_trial(node, function):
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            shared = any(n is not node and n.lineno <= last and (n.end_lineno or 0) > first for n in tree.body)
            if not shared:  # two statements on one line stay as they are
                del lines[first:last]
    return "\n".join(lines)


def _is_trial(node: ast.stmt, function: str) -> bool:
    if isinstance(node, ast.Assert):
        return True
    if isinstance(node, ast.If):
        return any(isinstance(n, ast.Name) and n.id == "__name__" for n in ast.walk(node.test))
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    called = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
    return bool(called & {"print", function, "doctest", "unittest"})


# -- helpers of earlier blocks ---------------------------------------------------------------------------------


def _with_earlier(source: str, earlier: Sequence[str]) -> str:
    """The text, with those statements of earlier blocks before it that define what it uses and does not define."""
    known: dict[str, tuple[str, ast.stmt]] = {}
    for piece in earlier:
        try:
            body = ast.parse(piece).body
        except _UNREADABLE:
            continue
        for node in body:
            known |= {name: (ast.get_source_segment(piece, node) or "", node) for name in _names_of(node)}
    if not known:
        return source
    tree = ast.parse(source)
    defined = {name for node in tree.body for name in _names_of(node)}
    needed = list(dict.fromkeys(_used(tree) - defined))
    taken: dict[str, ast.stmt] = {}
    while needed:
        name = needed.pop()
        if name in known and known[name][0] not in taken:
            text, node = known[name]
            taken[text] = node
            needed += sorted(_used(node) - defined)
    ordered = sorted(taken, key=lambda text: list(known.values()).index((text, taken[text])))
    return "\n\n".join([*ordered, source]) if ordered else source


def _used(tree: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


# Candidates without a model

BRIEF, LONG = 2.0, 6.0
"""Seconds of one enumeration before a model is asked, and where there is none."""
MOST_BRIEF, MOST_LONG = 3, 12
"""Candidates that are tested."""
FEWEST = 4
"""Examples, of fewer of which none is held back."""
ENOUGH = 3
"""How much has to speak for a function that was enumerated, where a model could be asked instead."""
TOO_LITTLE = "enumeration: too few checks to tell the function that is meant from others that fit"
MOST_ROUNDS = 4
"""Enumerations without a model: each later one knows the inputs on which earlier candidates failed."""
WEAK = "the function was enumerated to fit the examples, and few other checks speak for it: look at it"


@dataclass(frozen=True, slots=True)
class Known:
    """What earlier enumerations and tests came to."""

    seed: int
    digests: frozenset[str] = frozenset()
    """Candidates that were tried."""
    failing: tuple[Mapping[str, str], ...] = ()
    """Inputs on which one failed."""


@dataclass(frozen=True, slots=True)
class Found:
    """What an enumeration came to."""

    candidate: dict[str, Any] | None
    note: str
    """One line for people."""
    passes: bool = False
    """Whether the candidate has passed a quick test."""


async def enumerated(task: CodeTask, forbidden: Sequence[Forbidden], known: Known, *, brief: bool) -> Found:
    """See `_enumerated`. Who stops waiting for it ends the search, which has a thread of its own."""
    given_up = threading.Event()
    try:
        return await _enumerated(task, forbidden, known, brief=brief, given_up=given_up.is_set)
    finally:
        given_up.set()


async def _enumerated(
    task: CodeTask, forbidden: Sequence[Forbidden], known: Known, *, brief: bool, given_up: Callable[[], bool]
) -> Found:
    """The first candidate that passes a quick test.

    Where a model can be asked (``brief``) more has to speak for it than that it fits; without one the smallest
    candidate is given in any case, so that there is something to show.
    """
    shown, held = _split(task.examples)
    weak = _weight(task, held) < ENOUGH
    if brief and weak:
        return Found(None, TOO_LITTLE)
    failing = [dict(each) for each in known.failing]
    tried, first = set(known.digests), None
    most, seconds = (MOST_BRIEF, BRIEF) if brief else (MOST_LONG, LONG)
    for examples in dict.fromkeys([shown] if brief else [shown, task.examples]):
        fitting = _texts(task, examples, forbidden, seconds, given_up)
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
                return Found(
                    candidate, f"enumeration: small function {_number(tried, known)} passes a quick test", True
                )
    number = _number(tried, known)
    return Found(None if brief else first, f"enumeration: {number} small functions fit, none passes every check")


def _number(tried: set[str], known: Known) -> int:
    return len(tried) - len(known.digests)


async def _passes(task: CodeTask, candidate: dict[str, Any], seed: int, failing: list[dict[str, str]]) -> bool:
    """A quick test; inputs that fail are added to ``failing``."""
    inputs = [dict(each) for each in failing]
    report = await test_candidate(candidate["source"], task.checks, seed=seed, inputs=inputs, effort="quick")
    failing += [dict(r.input) for r in report.results if not r.passed and r.input and r.input not in failing]
    return report.passed


def _split(examples: tuple[Pair, ...]) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    """Examples to fit, and those that are held back."""
    if len(examples) < FEWEST:
        return examples, ()
    held = examples[2::3]
    return tuple(pair for pair in examples if pair not in held), held


def _weight(task: CodeTask, held: Sequence[Pair]) -> int:
    """How much speaks for a function that fits: checks that the enumeration has not seen."""
    guessed = sum(1 if expected in ("True", "False") else 2 for _, expected in held)
    return guessed + len(task.ensures) + ENOUGH * (len(task.tests) + len(task.properties))


def _texts(
    task: CodeTask,
    examples: Sequence[Pair],
    forbidden: Sequence[Forbidden],
    seconds: float,
    given_up: Callable[[], bool],
) -> Iterator[str]:
    """The functions of the enumeration that are not banned, until the time is over."""
    deadline = time.monotonic() + seconds
    with suppress(InvalidInput):  # types that are not enumerated
        found = synthesise(
            task.signature,
            examples,
            seconds=seconds,
            contracts=_contracts(task),
            words=task.task,
            given_up=given_up,
        )
        for text in found:
            if not why_banned(strategy_of(task.whole(text), task.function), forbidden):
                yield text
            if time.monotonic() > deadline:
                return


def _contracts(task: CodeTask) -> tuple[str, ...]:
    """The contract as conditions on every input: nothing is asked where it is not allowed, or where it may raise."""
    free = [f"not ({text})" for text in task.requires] + [f"({when})" for _, when in task.raises if when]
    return tuple(" or ".join([*free, f"({text})"]) for text in task.ensures)


ROLE = "formalizer"
NOTE = "(Your last reply could not be used: {}. Answer with the whole function in one block fenced as python.)"
NOTHING_LEFT = "no small function that was found passes every check, and there is no language model to ask"


def task_of(deps: Deps) -> CodeTask:
    """The task that this run is about."""
    if not isinstance(deps.task, CodeTask):
        raise InvalidInput("there is no function to write")
    return deps.task


@agent(queue=Queue.FORMALIZE, name="generator", on_failure=CodeFailure.UNUSABLE_REPLY)
async def generator(node: ProofNode, deps: Deps) -> Apply:
    """Enumerate where that may help and has not been done; then ask for a function, with what is not allowed."""
    task, by_model = task_of(deps), deps.has_model(ROLE)
    history = await deps.store.on_thread(deps.store.history, node.id)
    bans = await deps.store.on_thread(deps.store.bans, node.id)
    forbidden = strategies.forbidden_strategies(task, bans)
    failing = await deps.load(node, EVIDENCE) or []
    if may_enumerate(task, rounds_of(history), by_model=by_model):
        digests = frozenset(str(entry.get("digest")) for entry in candidates(history))
        known = Known(deps.settings.seed, digests, tuple(failing))
        found = await enumerated(task, forbidden, known, brief=by_model)
        return lambda txn: set_enumerated(txn, node, found.candidate, found.note, passes=found.passes)
    if not by_model:
        reason = f"{NOTHING_LEFT}; {node.reason}" if node.reason else NOTHING_LEFT
        return lambda txn: set_move(txn, node, "give_up", reason)
    known_so_far = (context_of(task), history_words(candidates(history)), evidence_words(task.function, failing))
    context = "\n\n".join(filter(None, (*known_so_far, await note_of(deps, node, NOTE))))
    return await _function(node, deps, generate_solution(query_of(task), context, forbidden))


@agent(queue=Queue.CORRECT, name="corrector", on_failure=CodeFailure.UNUSABLE_REPLY)
async def corrector(node: ProofNode, deps: Deps) -> Apply:
    """One more turn: what came of the last function."""
    return await _function(node, deps, await correction(deps, node, "code-report", NOTE))


def may_enumerate(task: CodeTask, rounds: Sequence[bool], *, by_model: bool) -> bool:
    """Whether small functions are enumerated now; ``rounds``: whether what earlier ones found passed."""
    if not task.can_be_synthesised or (by_model and task.model_first):
        return False
    return not rounds or (not by_model and rounds[-1] and len(rounds) < MOST_ROUNDS)


def generate_solution(query: str, context: str = "", forbidden_strategies: Sequence[Forbidden | str] = ()) -> Message:
    """The request for a function.

    Args:
        query: what is wanted and how it is checked, in words.
        context: code that stands before it, and what is known of earlier attempts.
        forbidden_strategies: what must not be used, each with the evidence where there is some.
    """
    forbidden = [each if isinstance(each, Forbidden) else Forbidden(each) for each in forbidden_strategies]
    variables = {"query": query, "context": context, "forbidden": forbidden_words(forbidden)}
    return Message(ROLE, "code-generate", variables)


async def _function(node: ProofNode, deps: Deps, message: Message) -> Apply:
    task = task_of(deps)

    def read(reply: Reply) -> dict[str, Any]:
        return candidate_of(function_in(reply, task), task, MODEL)

    done = await say(node, deps, message, read)

    def apply(txn: Txn) -> str:
        done.round.log(txn, node)
        if done.value is not None:
            return set_written(txn, node, done.value, done.turns)
        return set_unusable_reply(txn, node, done.round.reason, done.turns)

    return apply
