"""Putting the questions about one program to solvers within one budget of time: fast first, then with insistence.

Trusted code. Statuses come from separate, killable processes; what was cut off, refused or garbled is "unknown".
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self

from goedels_poetry.languages.logic.posing import Posing
from goedels_poetry.solvers import Answer, Cvc5Process, Limits, Options, Runner, Z3Process, race

MEMORY_MB = 1024
"""Of each solver process."""
FAST = 0.25
"""Seconds for a first try at each question."""
GRACE = 0.04
"""Seconds after which a solver that does not stop itself is killed."""
LEAST = 0.02
"""Seconds that make it worth asking."""
ALONE = 0.3
"""Seconds from which on it is worth having the second solver join in."""
OUTPUT_BYTES = 2_000_000
_SCOPED: Options = {"smt.core.minimize": "true"}
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
    """One process of each solver, started when first asked; for one thread at a time, except ``kill``."""

    z3: Z3Process = field(default_factory=Z3Process)
    cvc5: Cvc5Process = field(default_factory=Cvc5Process)

    def kill(self) -> None:
        """Make what is under way end now; from any thread."""
        self.z3.kill()
        self.cvc5.kill()

    def close(self) -> None:
        """End the processes."""
        self.z3.close()
        self.cvc5.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Asker:
    """Asks about one program until its time is over. An ``extra`` is text of assertions beside the premises."""

    def __init__(self, posing: Posing, solvers: SolverPair, seconds: float, memory_mb: int = MEMORY_MB) -> None:
        self.posing = posing
        self.solvers = solvers
        self.deadline = time.monotonic() + seconds
        self._limits = Limits(memory_mb=memory_mb, output_bytes=OUTPUT_BYTES, grace=GRACE)
        self._scope = solvers.z3.scope(posing.prelude, _SCOPED)

    @property
    def left(self) -> float:
        """Seconds that are left, less what it takes to end a solver that goes on."""
        return self.deadline - time.monotonic() - GRACE

    def quickly(self, extras: Sequence[str]) -> list[Answer]:
        """A first try at each, all in one exchange; of what is unsat with the core in ``output``."""
        seconds = min(FAST, self.left / max(1, len(extras)))
        if seconds <= 0:
            return [Answer("unknown", "timeout") for _ in extras]
        answers = self._scope.ask_each(extras, replace(self._limits, seconds=seconds), "core")
        return [_doubt(answer) for answer in answers]

    def insistently(self, extra: str, seconds: float) -> Answer:
        """Both solvers, each in several ways, in contexts of their own, within so many seconds.

        Of what is sat with a model in ``output``.
        """
        seconds = min(seconds, self.left)
        if seconds < LEAST:
            return Answer("unknown", "timeout")
        script = self.posing.script(extra)
        until = time.monotonic() + seconds
        z3 = Runner(self.solvers.z3, self._answers(self.solvers.z3, script, _Z3_WAYS, until))
        if seconds < ALONE:
            answer = Answer("unknown", "timeout")
            for answer in z3.answers:
                if answer.status != "unknown":
                    break
            return answer
        cvc5 = Runner(self.solvers.cvc5, self._answers(self.solvers.cvc5, script, _CVC5_WAYS, until))
        return race(z3, cvc5).answer

    def _answers(
        self, process: Z3Process | Cvc5Process, script: str, ways: Sequence[tuple[Options, float]], until: float
    ) -> Iterator[Answer]:
        for options, share in ways:
            seconds = (until - time.monotonic()) * share
            if seconds < LEAST:
                return
            yield _doubt(process.ask(script, replace(self._limits, seconds=seconds), "model", options))

    def optimum(self, maximize: bool, term: str, extra: str, seconds: float) -> Answer:
        """What z3's optimizer suggests for a term, beside ``extra``, as ``(objectives …)`` in ``output``."""
        seconds = min(seconds, self.left)
        if seconds < LEAST:
            return Answer("unknown", "timeout")
        scope = self.solvers.z3.scope(f"{self.posing.prelude}\n{extra}")
        return _doubt(scope.optimize(maximize, term, replace(self._limits, seconds=seconds)))

    def models(self, extras: Sequence[str]) -> list[str]:
        """z3's models of questions that are sat, "" where there is none in time."""
        seconds = min(FAST, self.left / max(1, len(extras)))
        if seconds < LEAST:
            return ["" for _ in extras]
        answers = self._scope.ask_each(extras, replace(self._limits, seconds=seconds), "model")
        return [answer.output if answer.status == "sat" else "" for answer in answers]

    def ask_for_values(self, posing: Posing, extra: str, terms: tuple[str, ...]) -> Answer:
        """Whether other premises are satisfiable together with ``extra``, and the values of terms where they are."""
        seconds = min(FAST, self.left)
        if seconds < LEAST:
            return Answer("unknown", "timeout")
        scope = self.solvers.z3.scope(posing.prelude)
        limits = replace(self._limits, seconds=seconds)
        answer = _doubt(scope.ask_each([extra], limits, terms or "none")[0])
        if answer.status == "unknown" and self.left > LEAST:
            limits = replace(self._limits, seconds=min(1.0, self.left))
            answer = _doubt(self.solvers.z3.ask(posing.script(extra), limits, terms or "none"))
        return answer

    def core(self, extra: str) -> tuple[str, ...]:
        """Names of premises that are enough for a question that was seen to be unsat; all of them when in doubt."""
        answer = self.quickly([extra])[0]
        if answer.status != "unsat" and self.left > LEAST:
            limits = replace(self._limits, seconds=min(self.left, 1.0))
            answer = self.solvers.z3.ask(self.posing.script(extra), limits, "core")
        if answer.status != "unsat":
            return tuple(p.name for p in self.posing.premises)
        return self.posing.names(answer.output)

    def confirmed(self, script: str, seconds: float) -> tuple[Answer, Answer]:
        """What a fresh z3 and what cvc5 say to a script that was seen to be unsat."""
        limits = replace(self._limits, seconds=seconds)
        with Z3Process() as fresh:
            again = _doubt(fresh.ask(script, limits))
        more: Mapping[str, str] = {"arrays-exp": "true"} if "(as const " in script else {}
        second = _doubt(self.solvers.cvc5.ask(script, limits, options=more))
        return again, second


def _doubt(answer: Answer) -> Answer:
    """An error is no status: it counts as not decided, with the message as the reason."""
    return Answer("unknown", answer.reason, seconds=answer.seconds) if answer.status == "error" else answer


__all__ = ["FAST", "GRACE", "LEAST", "MEMORY_MB", "Asker", "SolverPair"]
