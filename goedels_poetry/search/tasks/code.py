"""The task to write a Python function that passes given checks: what is wanted, and what a candidate has to pass.

The text of a task is canonical: two files that ask for the same are one task, whatever their layout. How files are read
stands in `code_file`, the moves of a run in `code_moves`.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from goedels_poetry.errors import InvalidInput
from goedels_poetry.models.client import Models
from goedels_poetry.protocol.base import Language, Theorem
from goedels_poetry.search.tasks.base import Session, Stop, Task, frozen
from goedels_poetry.search.tasks.code_moves import accept_passed, conclude_code, has_passed, solution_of
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.results import RunResult
from goedels_poetry.store.state import ROOT

if TYPE_CHECKING:
    from goedels_poetry.python.testing.checks import Checks

DEFAULT_ATTEMPTS = 10
MAX_TASK = 200_000
"""Characters of a task in its canonical form."""
TITLE_LENGTH = 80
NO_CHECKS = "there is nothing that a candidate could be tested with: give examples, tests, properties or ensures"
NO_MODEL = (
    "without a language model only functions can be looked for whose task has examples or an ensures clause: give "
    "--model NAME and, unless it is OpenAI's, --base-url ADDRESS, or set GOEDELS_POETRY__MODELS__FORMALIZER__MODEL"
)

Pair = tuple[str, str]


@dataclass(frozen=True)
class CodeTask(Task):
    """What function is wanted. Everything that determines the result, but for the model."""

    kind: ClassVar[str] = "code"

    task: str
    """What the function is to do, in words."""
    signature: str
    """``def f(n: int) -> int``."""
    name: str = ""
    examples: tuple[Pair, ...] = ()
    """(expression, expected expression): ``("f(3)", "6")``."""
    tests: tuple[str, ...] = ()
    """Texts of Python with ``assert`` statements."""
    properties: tuple[str, ...] = ()
    """Texts of Python that define Hypothesis tests, functions named ``test_...``."""
    requires: tuple[str, ...] = ()
    ensures: tuple[str, ...] = ()
    """Conditions over the parameters' names, and ``result`` in ``ensures``."""
    raises: tuple[Pair, ...] = ()
    """(exception, when): the function may raise it; ``when`` is "" for always."""
    bans: tuple[str, ...] = ()
    """Strategies that are not wanted, e.g. ``recursion and not memoisation``."""
    context: str = ""
    """Python that stands before the function: imports, classes and helpers that it may use."""
    seconds: float = 10.0
    """Processor time for one call."""
    memory_mb: int = 512
    max_attempts: int = DEFAULT_ATTEMPTS
    """Candidates of a model, replies without one included."""
    language: str = "python"
    model_first: bool = False
    """Whether a model is asked before the enumeration of small functions."""
    prosecuted: bool = True
    """Whether somebody tries to break a candidate that has passed."""

    # -- what is asked of it ---------------------------------------------------------------------------------
    @cached_property
    def function(self) -> str:
        """Name of the function."""
        return self._node.name

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names of its parameters, in order; those behind ``*`` included."""
        given = self._node.args
        return tuple(a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs))

    @cached_property
    def defaults(self) -> dict[str, ast.expr]:
        """Default values by parameter, as they stand in the signature."""
        given = self._node.args
        positional = [a.arg for a in (*given.posonlyargs, *given.args)]
        last = dict(zip(reversed(positional), reversed(given.defaults), strict=False))
        named = {
            a.arg: value for a, value in zip(given.kwonlyargs, given.kw_defaults, strict=True) if value is not None
        }
        return {**last, **named}

    @cached_property
    def _node(self) -> ast.FunctionDef:
        return signature_node(self.signature)

    @property
    def checks(self) -> Checks:
        """What a candidate has to pass."""
        from goedels_poetry.python.testing.checks import checks_of_task

        return checks_of_task(self.text)

    @property
    def can_be_synthesised(self) -> bool:
        """Whether the enumeration of small functions has something to go by."""
        return bool(self.examples or self.ensures)

    @property
    def has_contract(self) -> bool:
        """Whether the task says something about every input, so that inputs can be looked for that break it."""
        return bool(self.ensures or self.properties or self.raises or self.requires)

    def whole(self, candidate: str) -> str:
        """The module that is tested: the given context, then the candidate."""
        if not self.context.strip():
            return candidate
        future = [line for line in candidate.splitlines() if line.startswith("from __future__ ")]
        rest = "\n".join(line for line in candidate.splitlines() if not line.startswith("from __future__ "))
        return "\n".join([*future, self.context.strip("\n"), "", "", rest.strip("\n"), ""])

    # -- Task ------------------------------------------------------------------------------------------------
    @cached_property
    def text(self) -> str:  # type: ignore[override]
        """See `Task`: its canonical form, JSON with every field that is not the default."""
        default = CodeTask("", "")
        facts = {f.name: getattr(self, f.name) for f in fields(self)}
        kept = {name: value for name, value in facts.items() if value != getattr(default, name)}
        return json.dumps(kept, indent=1, sort_keys=True, ensure_ascii=False)

    @property
    def title(self) -> str:
        """See `Task`: its name, or its beginning."""
        line = " ".join((self.name or self.task or self.signature).split())
        return line if len(line) <= TITLE_LENGTH else f"{line[: TITLE_LENGTH - 1]}…"

    @property
    def identity(self) -> dict[str, Any]:
        """See `Task`: all of it stands in the text."""
        return {}

    @classmethod
    def again(cls, text: str, identity: Mapping[str, Any]) -> CodeTask:
        """The task of a run that goes on."""
        return cls(**{name: frozen(value) for name, value in json.loads(text).items()})

    def check(self, language: Language, models: Models | None) -> None:
        """See `Task`."""
        check_code(self)
        if (models is None or not models.has("formalizer")) and not self.can_be_synthesised:
            raise InvalidInput(NO_MODEL)

    async def read(self, language: Language, options: dict[str, Any]) -> Theorem:
        """See `Task`."""
        words = " ".join(self.task.split())
        return Theorem(language.name, self.text, options, f"{self.signature}: {words}"[:500])

    async def settle(self, stop: Stop, session: Session) -> Stop:
        """See `Task`: a budget that ends after a candidate has passed every check ends with that one."""
        if stop.status != "out_of_budget" or session.interrupted:
            return stop
        store = session.store
        if store.verdict() is not None or not await store.on_thread(has_passed, store):
            return stop
        why = f"it passed every check before {stop.reason}"
        checks = self.checks.to_json()
        await session.commit("accept", lambda txn: accept_passed(txn, txn.get(ROOT), checks, self.text, why))
        session.warn(f"{stop.reason}: nobody went on to break the function, which had passed every check by then")
        return Stop("finished")

    def submission(self, store: StoreReader) -> str:
        """See `Task`: the module that passed every check."""
        return solution_of(store)

    def conclude(self, result: RunResult, store: StoreReader, theorem: Theorem, suffix: str) -> RunResult:
        """See `Task`: with the attempts, the bans, and the function or the best one that there was."""
        return conclude_code(result, store, self.function)

    def with_bans(self, bans: tuple[str, ...]) -> CodeTask:
        """The same task with further strategies that are not wanted."""
        return replace(self, bans=tuple(dict.fromkeys((*self.bans, *bans))))


def signature_node(signature: str) -> ast.FunctionDef:
    """A signature as Python reads it.

    Raises:
        InvalidInput: it is none.
    """
    line = " ".join(signature.split()).rstrip(":").rstrip()
    try:
        body = ast.parse(f"{line}: ...").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InvalidInput(
            f"the signature {line[:80]!r} cannot be read: {getattr(error, 'msg', error)}",
            hint="write it as in Python, e.g. def f(n: int) -> int",
        ) from None
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef) or body[0].decorator_list:
        raise InvalidInput(f"the signature {line[:80]!r} is not that of a plain function (def f(...) -> ...)")
    return body[0]


def check_code(task: CodeTask) -> None:
    """Raise InvalidInput, with what to do about it, when nothing can be made of the task."""
    if not task.task.strip():
        raise InvalidInput("the task says nothing: task = what the function is to do, in words")
    function = signature_node(task.signature).name
    if not (task.examples or task.tests or task.properties or task.ensures):
        raise InvalidInput(NO_CHECKS)
    if len(task.text) > MAX_TASK:
        raise InvalidInput(f"the task is longer than {MAX_TASK} characters")
    if task.max_attempts < 1 or not 0 < task.seconds <= 600 or not 16 <= task.memory_mb <= 65_536:
        raise InvalidInput("max_attempts must be at least 1, seconds in 0..600, memory_mb in 16..65536")
    if task.language != "python":
        raise InvalidInput(f"the language {task.language!r} is not known here", hint="python")
    if not any(function in "\n".join(texts) for texts in _checked_texts(task)) and not task.ensures:
        raise InvalidInput(f"no check calls {function}: a candidate could not fail")
    if task.bans:
        from goedels_poetry.python.fingerprint.ban import parse_ban

        for ban in task.bans:
            parse_ban(ban)


def _checked_texts(task: CodeTask) -> tuple[tuple[str, ...], ...]:
    return tuple(call for call, _ in task.examples), task.tests, task.properties
