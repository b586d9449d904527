"""The best value of a term under the premises: found by z3's optimizer, then shown by questions of our own.

What an optimizer says is a suggestion. An optimum counts when premises and ``term = value`` are satisfiable and
premises and ``term > value`` are not.
Several objectives are lexicographic: each under the optima of those before it. Bit-vectors are compared as unsigned.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from goedels_poetry.kernel.reading.reader import Atom, Group, SExpr, Source, read
from goedels_poetry.kernel.terms import BOOL, INT, REAL, BitVector, Sort, Term, app, lit
from goedels_poetry.questions.entailment.findings import LEAST, Answer, Optimum, Queries
from goedels_poetry.questions.entailment.models import read_model
from goedels_poetry.questions.entailment.program import Objective

FAR = (10**6, 10**12, 10**18)
"""Values beyond which a term has to get, if it is to count as unbounded."""
NEAR = Fraction(1, 10**9)
"""How close a term has to get to a bound that it does not reach."""
_INCONSISTENT = "inconsistent"


@dataclass(frozen=True)
class _Candidate:
    """What an optimizer suggests: a finite value, or (None) none; ``open_``: not reached, only approached."""

    value: Fraction | None
    open_: bool = False


def optimize(queries: Queries, confirm: bool = False) -> tuple[tuple[Optimum, ...], str | None]:
    """The optima of a program's objectives, in their order; what comes after one that there is not is not asked.

    With ``confirm`` and where all of them are shown, the trust level comes with them: that none is exceeded is then
    posed again to a fresh z3 and to cvc5.
    """
    found: list[Optimum] = []
    fixed: list[str] = []
    levels: list[str | None] = []
    objectives = queries.encoder.program.objectives
    for number, objective in enumerate(objectives):
        if found and not found[-1].attained:
            reason = "an objective before it has no optimum"
            found.append(Optimum(objective.maximize, None, False, reason))
            continue
        share = queries.left / (len(objectives) - number)
        search = _Search(queries, objective, fixed, share)
        optimum, value = search.run()
        if value is not None and confirm:
            level, disagreement = queries.trust(queries.encoder.script(search.exceeded(value)), consistent=True)
            levels.append(level)
            if disagreement:
                optimum, value = Optimum(objective.maximize, None, False, disagreement), None
        found.append(optimum)
        if value is not None:
            fixed.append(queries.encoder.assertion(_compare("=", objective.term, value)))
    known = [level for level in levels if level is not None]
    return tuple(found), min(known) if len(known) == len(objectives) else None


class _Search:
    """One objective, among the worlds that ``fixed`` leaves."""

    def __init__(self, queries: Queries, objective: Objective, fixed: list[str], seconds: float) -> None:
        self.queries = queries
        self.objective = objective
        self.fixed = "".join(fixed)
        self.seconds = seconds
        self.sign = 1 if objective.maximize else -1
        self.model = ""  # of the last question that was sat
        self.unanswered = ""  # why the last question that was neither had no answer

    def run(self) -> tuple[Optimum, Fraction | None]:
        """The optimum, and its value when it was shown."""
        base = self._ask(self.fixed)
        if base == "unsat":
            return self._none(_INCONSISTENT), None
        candidate = self._suggested()
        if candidate is not None and candidate.value is not None:
            if candidate.open_:
                return self._approached(candidate.value)
            if self._is_optimum(candidate.value):
                return self._shown(candidate.value)
        elif candidate is not None and self._is_unbounded():
            return self._none("unbounded"), None
        return self._undecided(), None

    # ---------------------------------------------------------------------------------------- questions

    def _ask(self, extra: str) -> str:
        found = self.queries.quickly([extra])[0]
        if found.answer.status == "unknown":
            found = self.queries.insistently(extra, self.seconds / 3)
        self.model = found.model or self.model
        return self._status(found.answer)

    def _status(self, answer: Answer) -> str:
        if answer.status == "unknown":
            self.unanswered = answer.reason
        return answer.status

    def _where(self, relation: str, value: Fraction) -> str:
        return self.fixed + self.queries.encoder.assertion(_compare(relation, self.objective.term, value))

    def _is_optimum(self, value: Fraction) -> bool:
        if not _fits(value, self.objective.term.sort):
            return False
        return self._ask(self._where("=", value)) == "sat" and self._ask(self.exceeded(value)) == "unsat"

    def exceeded(self, value: Fraction) -> str:
        """That the term is better than a value, as assertions."""
        return self._where(">" if self.objective.maximize else "<", value)

    def _is_unbounded(self) -> bool:
        better = ">" if self.objective.maximize else "<"
        return all(self._ask(self._where(better, Fraction(self.sign * far))) == "sat" for far in FAR)

    def _approached(self, bound: Fraction) -> tuple[Optimum, None]:
        at_least, better = (">=", ">") if self.objective.maximize else ("<=", "<")
        near = bound - self.sign * NEAR
        if self._ask(self._where(at_least, bound)) == "unsat" and self._ask(self._where(better, near)) == "sat":
            word = "supremum" if self.objective.maximize else "infimum"
            return self._none(f"not attained ({word} {_number(bound)})"), None
        return self._undecided(), None

    # --------------------------------------------------------------------------------------- candidates

    def _suggested(self) -> _Candidate | None:
        text = self.queries.encoder.encoding.text(self.objective.term)
        answer = self.queries.optimum(self.objective.maximize, text, self.fixed, self.seconds / 3)
        return _read_objectives(answer.output, self.objective.maximize) if self._status(answer) == "sat" else None

    # ------------------------------------------------------------------------------------------ results

    def _shown(self, value: Fraction) -> tuple[Optimum, Fraction]:
        model = read_model(self.model, self.queries.encoder) or {}
        return Optimum(self.objective.maximize, _number(value), True, model=model), value

    def _undecided(self) -> Optimum:
        if self.queries.left < LEAST:
            return self._none("timeout")
        return self._none(f"not decided ({self.unanswered})" if self.unanswered else "not decided")

    def _none(self, reason: str) -> Optimum:
        return Optimum(self.objective.maximize, None, False, reason)


def _number(value: Fraction) -> int | str:
    return int(value) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def _fits(value: Fraction, sort: Sort) -> bool:
    """Whether there is such a value of the sort."""
    if sort is REAL:
        return True
    whole = value.denominator == 1
    return whole and (sort is INT or 0 <= value < 1 << sort.indices[0])


_UNSIGNED = {">": "bvugt", ">=": "bvuge", "<": "bvult", "<=": "bvule", "=": "="}


def _compare(relation: str, term: Term, value: Fraction) -> Term:
    sort = term.sort
    if sort is REAL:
        return app(relation, (term, lit(value, REAL)), BOOL)
    if sort is INT:
        return app(relation, (term, lit(int(value), INT)), BOOL)
    return app(_UNSIGNED[relation], (term, lit(BitVector(int(value), sort.indices[0]), sort)), BOOL)


# ------------------------------------------------------------------------------------------ reading objectives


_WHOLE = re.compile(r"[0-9]+(\.[0-9]+)?")


def _read_objectives(text: str, maximize: bool) -> _Candidate | None:
    """``(objectives (term value))``; value is a number, ``oo``, ``(* (- 1) oo)``, or has a term with ``epsilon``.

    An ``(interval low high)`` says what z3 could not close: its good end is tried.
    """
    try:
        (whole,) = read(Source(text))
        assert isinstance(whole, Group)
        pair = whole.items[1]
        assert isinstance(pair, Group)
        value = pair.items[-1]
        if isinstance(value, Group) and _word(value.items[0]) == "interval":
            value = value.items[2 if maximize else 1]
        finite, epsilon, endless = _linear(value)
    except (ValueError, IndexError, AssertionError):
        return None
    return _Candidate(None if endless else finite, bool(epsilon))


def _word(expr: SExpr) -> str:
    return expr.text if isinstance(expr, Atom) else ""


def _linear(expr: SExpr) -> tuple[Fraction, Fraction, Fraction]:
    """``a + b epsilon + c oo`` as (a, b, c). Raises ValueError."""
    if isinstance(expr, Atom):
        if expr.text in ("epsilon", "oo"):
            return Fraction(0), Fraction(expr.text == "epsilon"), Fraction(expr.text == "oo")
        if expr.text.startswith("#"):
            return Fraction(int(expr.text[2:], 16 if expr.text[1] == "x" else 2)), Fraction(0), Fraction(0)
        if not _WHOLE.fullmatch(expr.text):
            raise ValueError(expr.text)
        return Fraction(expr.text), Fraction(0), Fraction(0)
    head, *rest = expr.items
    parts = [_linear(r) for r in rest]
    match _word(head), parts:
        case "-", [only]:
            return -only[0], -only[1], -only[2]
        case "+", [_, *_]:
            return (
                sum((p[0] for p in parts), Fraction(0)),
                sum((p[1] for p in parts), Fraction(0)),
                sum((p[2] for p in parts), Fraction(0)),
            )
        case "*", [(factor, zero, none), other] if not zero and not none:
            return factor * other[0], factor * other[1], factor * other[2]
        case "/", [(top, zero, none), (bottom, also, nothing)] if not (zero or none or also or nothing) and bottom:
            return top / bottom, Fraction(0), Fraction(0)
    raise ValueError(_word(head))
