"""A program's text to a decision: its questions put to solvers within one budget of time, fast first, then insistently.

Trusted code. Statuses come from separate, killable processes; what was cut off, refused or garbled is "unknown".
"""

from __future__ import annotations

import math
import re
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from goedels_poetry.questions.entailment import findings as queries
from goedels_poetry.questions.entailment.entailment import decide
from goedels_poetry.questions.entailment.findings import LEAST, MEMORY_MB, Entailment
from goedels_poetry.questions.entailment.models import Encoder
from goedels_poetry.questions.entailment.program import LogicProgram
from goedels_poetry.solvers.child import Child
from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.limits import Answer, Limits, Options
from goedels_poetry.solvers.process import DEFAULT_LIMITS, Runner, race, script_fault, term_fault
from goedels_poetry.solvers.z3_process import ERROR_START, UNSAFE_TO_POP, Z3Process, error_answer, why_unknown

_STATUS = re.compile(r'\s*(sat|unsat|unknown)\s+\(:reason-unknown "?(.*?)"?\)\s*', re.DOTALL)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9.]*")
FAST = 0.25
"""Seconds for a first try at each question; z3 is killed when they are over."""
STEPS = 300_000
"""Steps of z3 for a first try, so that it seldom comes to that."""
GRACE = 0.04
"""Seconds after which a solver that does not stop itself is killed; less where there is little time at all."""
ALONE = 0.3
"""Seconds from which on it is worth having the second solver join in."""
CONFIRMATION = 2.0
"""Seconds for each solver to confirm a verdict."""
DISAGREE = "the solvers disagree: z3 says unsat, {} says sat; nothing is concluded"
OUTPUT_BYTES = 2_000_000
DELETION = 0.05
DELETION_STEPS = 20_000
"""Seconds, and steps of z3, to find out whether a premise of a core can be left out; else it is kept."""
# Several questions about one program in one exchange with z3


@dataclass(frozen=True)
class Evidence:
    """A status with its evidence: the model of ``sat``, the assumptions that ``unsat`` needs, in z3's words."""

    answer: Answer
    model: str = ""
    core: str = ""


class QuestionProcess(Z3Process):
    """A z3 that answers several small questions at once, and looks for optima."""

    def evidence(
        self,
        prelude: str,
        extras: Sequence[str],
        limits: Limits = DEFAULT_LIMITS,
        assuming: Sequence[Sequence[str]] = (),
    ) -> tuple[Evidence, ...]:
        """Check a prelude together with each extra, one after the other, all in one exchange.

        It is z3's incremental solver that answers: fast, and weaker on nonlinear arithmetic and bit-vectors than
        ``ask``. ``limits`` hold for each check; where there is an ``rlimit``, z3 is killed after ``seconds`` instead of
        stopping itself, since a timer for each check costs 0.2 ms. When the process is lost, all answers are those of
        the loss.

        Args:
            assuming: for each extra the Boolean constants that are assumed; those that an ``unsat`` needs are its core.
        """
        assumed = [tuple(names) for names in assuming] or [()] * len(extras)
        texts = (script_fault(text) for text in (prelude, *extras))
        names = (f"no name: {name}" for each in assumed for name in each if not _NAME.fullmatch(name))
        fault = next(filter(None, (*texts, *names)), None)
        if fault:
            return (Evidence(Answer("error", fault)),) * len(extras)
        found: list[Evidence] = []
        questions = list(zip(extras, assumed, strict=True))

        def query(child: Child, deadline: float) -> Answer:
            found[:] = self._evidence(child, prelude, questions, limits, deadline)
            return found[-1].answer

        last = self._guarded(replace(limits, seconds=limits.seconds * len(extras)), query)
        if len(found) < len(extras):
            return (Evidence(last),) * len(extras)
        seconds = last.seconds / len(extras)
        return tuple(replace(each, answer=replace(each.answer, seconds=seconds)) for each in found)

    def optimize(self, prelude: str, maximize: bool, term: str, limits: Limits = DEFAULT_LIMITS) -> Answer:
        """What z3 takes for the optimum of a term over the prelude, in ``output`` as ``(objectives …)``."""
        fault = script_fault(prelude) or term_fault(term)
        if fault:
            return Answer("error", fault)
        script = f"{prelude}\n({'maximize' if maximize else 'minimize'} {term})"
        return self._guarded(
            limits, lambda child, deadline: self._ask(child, script, limits, "objectives", {}, deadline)
        )

    def _evidence(
        self,
        child: Child,
        prelude: str,
        questions: Sequence[tuple[str, tuple[str, ...]]],
        limits: Limits,
        deadline: float,
    ) -> list[Evidence]:
        child = self._renewed(child, limits, deadline)
        stops = replace(limits, seconds=math.inf) if limits.rlimit else limits
        setup = self._set_options(child, stops, {"produce-unsat-assumptions": "true"}, False, deadline)
        mark = secrets.token_hex(16)
        asked = "".join(_question(extra, assumed, f'(echo "{mark}")') for extra, assumed in questions)
        reply = self._talk(child, f"{setup}\n{prelude}{asked}", deadline, limits.output_bytes)
        sections = reply.split(mark)
        if len(sections) != 4 * len(questions) + 1:
            return [Evidence(error_answer(reply.replace(mark, ""), 1))] * len(questions)
        found, spoilt = list[Evidence](), False
        for number in range(len(questions)):
            before, replied, *rest = sections[4 * number : 4 * number + 4]
            found.append(found[-1] if spoilt else _evidence(before, replied, *rest))
            # What was cut off while it was asserted is half there: z3 says unsat of what it was not told.
            spoilt = spoilt or bool(before.strip()) or _STATUS.fullmatch(replied) is None
        self._unsafe = True if any(word in extra for extra, _ in questions for word in UNSAFE_TO_POP) else self._unsafe
        return found


def _question(extra: str, assumed: Sequence[str], echo: str) -> str:
    """One check, and what it gives: status, model, core, with a mark before each."""
    check = f"(check-sat-assuming ({' '.join(assumed)}))" if assumed else "(check-sat)"
    core = "(get-unsat-assumptions)" if assumed else ""
    return f"\n(push){extra}\n{echo}{check}(get-info :reason-unknown){echo}(get-model){echo}{core}{echo}(pop)"


def _evidence(before: str, replied: str, model: str, core: str) -> Evidence:
    """What the parts of a reply amount to. Of what is not there to be got z3 complains, which does not count."""
    shape = _STATUS.fullmatch(replied)
    if before.strip() or shape is None:
        return Evidence(error_answer(before + replied, 1))
    status, reason = shape.groups()
    if status == "unknown":
        return Evidence(Answer("unknown", why_unknown(reason, 0, DEFAULT_LIMITS)))
    if status == "sat":
        return Evidence(Answer("sat"), model="" if ERROR_START.match(model) else model.strip())
    return Evidence(Answer("unsat"), core="" if ERROR_START.match(core) else core.strip())


OPEN = Evidence(Answer("unknown", "timeout"))
_Z3_WAYS: tuple[tuple[Options, float], ...] = (
    ({}, 0.5),
    ({"smt.ematching": "false"}, 0.5),
    ({"auto_config": "false", "smt.mbqi": "false"}, 1.0),
)
"""As it comes; by models alone, which ends loops of instantiation; by instantiation alone. Each with its share of the
time that is left by then."""
_CVC5_WAYS: tuple[tuple[Options, float], ...] = (
    ({}, 0.4),
    ({"finite-model-find": "true"}, 0.6),
    ({"enum-inst": "true"}, 1.0),
)


@dataclass
class SolverPair:
    """One process of each solver, started when first asked; for one thread at a time, except ``stop``."""

    z3: QuestionProcess = field(default_factory=QuestionProcess)
    cvc5: Cvc5Process = field(default_factory=Cvc5Process)
    stopped: bool = False

    def queries(
        self, encoder: Encoder, seconds: float, memory_mb: int = MEMORY_MB, minimal: bool = False
    ) -> QueryRunner:
        """Begin to ask about a program. ``minimal``: make cores minimal."""
        return QueryRunner(encoder, self, seconds, memory_mb, minimal)

    def stop(self) -> None:
        """Make what is under way end soon, as unknown; from any thread. Best said again until it has ended."""
        self.stopped = True
        self.z3.kill()
        self.cvc5.kill()

    def close(self) -> None:
        """End the processes."""
        self.z3.close()
        self.cvc5.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class QueryRunner:
    """Asks about one program until its time is over. An ``extra`` is text of assertions beside the premises."""

    def __init__(
        self, encoder: Encoder, solvers: SolverPair, seconds: float, memory_mb: int = MEMORY_MB, minimal: bool = False
    ) -> None:
        """``minimal``: make cores minimal."""
        self.minimal = minimal
        self.encoder = encoder
        self.solvers = solvers
        self.deadline = time.monotonic() + seconds
        self._grace = min(GRACE, max(seconds, 0.0) / 5)
        self._limits = Limits(memory_mb=memory_mb, output_bytes=OUTPUT_BYTES, grace=self._grace)

    @property
    def left(self) -> float:
        """Seconds that are left, less what it takes to end a solver that goes on."""
        return 0.0 if self.solvers.stopped else self.deadline - time.monotonic() - self._grace

    def quickly(self, extras: Sequence[str]) -> list[Evidence]:
        """A first try at each, all in one exchange."""
        seconds = min(FAST, self.left / max(1, len(extras)))
        if seconds <= 0:
            return [OPEN for _ in extras]
        limits = replace(self._limits, rlimit=STEPS, seconds=seconds)
        found = self.solvers.z3.evidence(self.encoder.guarded, extras, limits, [self.encoder.guards] * len(extras))
        return [replace(e, answer=_doubt(e.answer)) for e in found]

    def insistently(self, extra: str, seconds: float) -> Evidence:
        """Both solvers, each in several ways, in contexts of their own, within so many seconds; without cores."""
        seconds = min(seconds, self.left)
        if seconds < LEAST:
            return OPEN
        script = self.encoder.script(extra)
        until = time.monotonic() + seconds
        z3 = Runner(self.solvers.z3, self._answers(self.solvers.z3, script, _Z3_WAYS, until))
        if seconds < ALONE:
            answer = OPEN.answer
            for answer in z3.answers:
                if answer.status != "unknown":
                    break
            return Evidence(answer, answer.output)
        cvc5 = Runner(self.solvers.cvc5, self._answers(self.solvers.cvc5, script, _CVC5_WAYS, until))
        answer = race(z3, cvc5).answer
        return Evidence(answer, answer.output)

    def _answers(
        self, process: Z3Process | Cvc5Process, script: str, ways: Sequence[tuple[Options, float]], until: float
    ) -> Iterator[Answer]:
        for options, share in ways:
            seconds = min(self.left, (until - time.monotonic()) * share)
            if seconds < LEAST:
                return
            yield _doubt(process.ask(script, replace(self._limits, seconds=seconds), "model", options))

    def optimum(self, maximize: bool, term: str, extra: str, seconds: float) -> Answer:
        """What z3's optimizer suggests for a term, beside ``extra``, as ``(objectives …)`` in ``output``."""
        seconds = min(seconds, self.left)
        if seconds < LEAST:
            return OPEN.answer
        limits = replace(self._limits, seconds=seconds)
        return _doubt(self.solvers.z3.optimize(f"{self.encoder.plain}\n{extra}", maximize, term, limits))

    def ask_for_values(self, encoder: Encoder, extra: str, terms: tuple[str, ...]) -> Answer:
        """Whether other premises are satisfiable together with ``extra``, and the values of terms where they are."""
        seconds = min(FAST, self.left)
        if seconds < LEAST:
            return OPEN.answer
        limits = replace(self._limits, seconds=seconds)
        answer = _doubt(self.solvers.z3.session(encoder.plain).check(extra, limits, terms or "none"))
        if answer.status == "unknown" and self.left > LEAST:
            limits = replace(self._limits, seconds=min(1.0, self.left))
            answer = _doubt(self.solvers.z3.ask(encoder.script(extra), limits, terms or "none"))
        return answer

    def core(self, extra: str, found: queries.Evidence | None = None) -> tuple[str, ...]:
        """Names of premises that are enough for a question that was seen to be unsat; all of them when in doubt.

        ``found``: the evidence, where it is known.
        """
        core = found.core if found is not None and found.core else self.quickly([extra])[0].core
        if not core and self.left > LEAST:
            script = "\n".join(("(set-logic ALL)", self.encoder.named, extra))
            core = self.solvers.z3.ask(script, replace(self._limits, seconds=min(self.left, 1.0)), "core").output
        if not core:
            return tuple(p.name for p in self.encoder.premises)
        return self._minimal(self.encoder.names(core), extra)

    def _minimal(self, core: tuple[str, ...], extra: str) -> tuple[str, ...]:
        """The core without premises that ``extra`` is unsat without, when that is wanted.

        Of 101 small cores that z3 gave of generated programs all were minimal; to see that took a fifth of the time.
        """
        if len(core) < 2 or not self.minimal:
            return core
        guards = dict(zip([p.name for p in self.encoder.premises], self.encoder.guards, strict=True))
        limits = replace(self._limits, rlimit=DELETION_STEPS, seconds=DELETION)

        def without(names: Sequence[str]) -> list[bool]:
            """Of each premise whether the others in the core are enough."""
            if self.left < DELETION * len(names):
                return [False for _ in names]
            others = [[guards[n] for n in core if n != name] for name in names]
            found = self.solvers.z3.evidence(self.encoder.guarded, [extra] * len(names), limits, others)
            return [each.answer.status == "unsat" for each in found]

        loose = [name for name, enough in zip(core, without(core), strict=True) if enough]
        for name in loose:
            if len(loose) == 1 or without([name])[0]:
                core = tuple(n for n in core if n != name)
        return core

    def confirmed(self, script: str) -> tuple[Answer, Answer]:
        """What a fresh z3 and what cvc5 say to a script that was seen to be unsat, as far as time allows."""
        with Z3Process() as fresh:
            again = self._confirmed_by(fresh, script, {})
        more: Options = {"arrays-exp": "true"} if "(as const " in script else {}
        return again, self._confirmed_by(self.solvers.cvc5, script, more)

    def trust(self, script: str, consistent: bool) -> tuple[str | None, str]:
        """The trust level of what a script shows by being unsat, or why nothing is to be concluded from it.

        ``consistent``: the premises are known to have a model, or to be what is contradictory.
        """
        again, second = self.confirmed(script)
        for name, said in (("a fresh z3", again), ("cvc5", second)):
            if said.status == "sat":
                return None, DISAGREE.format(name)
        if again.status != "unsat":
            return "L0", ""
        if not consistent:
            return "L1", ""
        return ("L3" if second.status == "unsat" else "L2"), ""

    def _confirmed_by(self, process: Z3Process | Cvc5Process, script: str, options: Options) -> Answer:
        seconds = min(CONFIRMATION, self.left)
        if seconds < LEAST:
            return OPEN.answer
        return _doubt(process.ask(script, replace(self._limits, seconds=seconds), options=options))


def _doubt(answer: Answer) -> Answer:
    """An error is no status: it counts as not decided, with the message as the reason."""
    return Answer("unknown", answer.reason, seconds=answer.seconds) if answer.status == "error" else answer


def read_program(text: str | bytes, dialect: str) -> LogicProgram:
    """Read a program of the dialect ``smt2`` or ``json``; raises InvalidInput. A reader is imported on first use."""
    if dialect == "json":
        from goedels_poetry.questions.json.reader import read_json

        return read_json(text)
    from goedels_poetry.questions.program.smt2 import read_smt2

    return read_smt2(text)


def decided_by(program: LogicProgram, options: dict[str, Any], solvers: SolverPair) -> Entailment:
    """Decide a program as all options of it say, see `LogicLanguage.read`; its core is minimal."""
    return decide(
        program,
        milliseconds=options["verify_timeout"],
        optimize_milliseconds=options["optimize_timeout"],
        solvers=solvers,
        semantics=options["semantics"],
        world=options["world"],
        minimal_cores=True,
    )
