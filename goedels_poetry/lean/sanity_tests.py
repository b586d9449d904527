"""Is a statement that a model wrote worth proving? Forbidden commands, empty statements, instances, cheap proofs."""

from __future__ import annotations

from dataclasses import dataclass

from goedels_poetry.lean.refute import refute
from goedels_poetry.lean.runtime.protocol import CheckRequest, CheckResult, HoleGoal, LeanRuntime
from goedels_poetry.lean.runtime.tokens import Token, tokenize
from goedels_poetry.lean.text.scan import scan
from goedels_poetry.lean.text.source import Target, lemma_task
from goedels_poetry.lean.text.task import lemma_statement
from goedels_poetry.protocol.base import FAILED, PASSED, WARNING, Outcome

SECONDS = 20.0
WITNESS_SECONDS = 3.0
HEARTBEATS = 20_000
MOST_FINDINGS = 3
REDEFINING = frozenset({"instance", "default_instance", "coe"})
"""Words of commands and attributes that may give an operation on known types another meaning than it is read with."""
PLAIN_NAME = "statement"

_LOGIC = "true_or, or_true, and_self, implies_true, forall_const, true_implies, iff_self"
_EMPTY = f"first | (repeat intro _); exact True.intro | (intros; simp only [{_LOGIC}]; done)"
_CONTRADICTION = "intros; exfalso; first | contradiction | omega | (simp_all; done) | grind"
_CHEAP = {
    "`decide` alone proves it": "decide",
    "`rfl` alone proves it": "intros; rfl",
    "`simp` alone proves it": "intros; simp; done",
}
"""What makes a true statement look trivial, most telling first."""


@dataclass(frozen=True, slots=True)
class Test:
    """What one test of a statement has shown."""

    test: str
    outcome: str
    text: str

    def to_json(self) -> dict[str, str]:
        """As the result of a run tells it."""
        return {"test": self.test, "outcome": self.outcome, "words": self.text}


async def sanity_tests(lean: LeanRuntime, target: Target, given: str) -> Outcome:
    """See `Examinable`. Takes two or three calls of Lean, and a few seconds where it searches for instances."""
    tests = [_text(target, given)]
    if tests[0].outcome != FAILED:
        tests += await _statement(lean, target)
    failed = next((test.text for test in tests if test.outcome == FAILED), "")
    return Outcome(not failed, {"tests": [test.to_json() for test in tests]}, failed)


def plain(target: Target) -> str:
    """The file without comments, with a name for the theorem that tells nothing. See `Examinable.plain`."""
    name = target.name.removeprefix("_root_.")
    head = [PLAIN_NAME if token.kind == "word" and token.text == name else token.text for token in _code(target.head)]
    before = target.prefix
    for token in reversed(tokenize(before)):
        if token.kind in ("comment", "doc"):
            before = before[: token.start] + before[token.end :]
    kept = "\n".join(line.rstrip() for line in before.splitlines() if line.strip())
    return f"{kept}\n\n{' '.join(head)}".strip()


def _renamed(target: Target, name: str) -> str:
    """The declaration up to its proof, under another name."""
    tokens = _code(target.head)
    keyword = next(n for n, token in enumerate(tokens) if token.text in ("theorem", "lemma"))
    old = tokens[keyword + 1]
    return f"{target.head[: old.start]}{name}{target.head[old.end :]}"


def _code(text: str) -> list[Token]:
    return [token for token in tokenize(text) if token.kind not in ("comment", "doc") and not token.inner]


def _text(target: Target, given: str) -> Test:
    """Nothing may stand there that changes how Lean reads the statement, or that assumes something."""
    text = f"{target.prefix}{target.head}{target.suffix}"
    found = [str(finding) for finding in scan(text, given)]
    own = _code(text.removeprefix(given))
    found += [f"`{token.text}`: define functions" for token in own if token.text in REDEFINING]
    if not found:
        return Test("commands", PASSED, "only definitions and the theorem")
    verdict = "; ".join(found[:MOST_FINDINGS])
    return Test("commands", FAILED, f"it may not stand in a formal statement: {verdict}")


async def _statement(lean: LeanRuntime, target: Target) -> list[Test]:
    """What cheap proofs and small instances show about the statement where it stands."""
    proofs = [_EMPTY, _CONTRADICTION, *_CHEAP.values(), "intros; sorry", "intros; exfalso; sorry"]
    seen, holds = await _try(lean, target, proofs)
    if seen.status != "done":
        return [Test("says something", FAILED, f"Lean gives no answer about it: {seen.error or seen.status}")]
    empty, contradiction, *cheap, _, _ = holds
    goals = [goal for hole in seen.holes for goal in hole.goals]
    negative = bool(goals) and goals[0].goal.rpartition("⊢")[2].strip() == "False"
    hole = goals[-1] if goals else None
    if empty:
        return [Test("says something", FAILED, "it says nothing: it is `True` by its definitions, or by logic alone")]
    found = [Test("says something", PASSED, "neither definitions nor logic make it `True`")]
    if contradiction and not negative:
        return [*found, Test("hypotheses", FAILED, "its hypotheses contradict each other: it says nothing")]
    if hole is not None and await _has_hypotheses(lean, target, hole):
        found.append(await _witness(lean, target, hole))
    trivial = next((verdict for verdict, proved in zip(_CHEAP, cheap, strict=True) if proved), "")
    verdict = f"it is trivial: {trivial}" if trivial else "no cheapest tactic proves it"
    return [*found, Test("triviality", WARNING if trivial else PASSED, verdict)]


async def _has_hypotheses(lean: LeanRuntime, target: Target, hole: HoleGoal) -> bool:
    """Whether one of the things that the statement assumes is a proposition."""
    # Unhygienic `intros` keeps the names, and shows those that an `include` brings in, too.
    names = dict.fromkeys(binder.name for binder in hole.binders if not binder.hidden)
    if not names:
        return False
    _, holds = await _try(lean, target, [f"intros; have _claim : (_ : Prop) := {name}; sorry" for name in names])
    return any(holds)


async def _witness(lean: LeanRuntime, target: Target, hole: HoleGoal) -> Test:
    """Small values for which all hypotheses hold: these refute that they lead to `False`."""
    if hole.statement:
        task = lemma_task(target, lemma_statement(hole.statement, hole.levels)[1])
        found = await refute(lean, task, seconds=WITNESS_SECONDS)
        if found is not None:
            return Test("hypotheses", PASSED, f"they hold, e.g. for {found.text.partition(': ')[0]}")
    return Test("hypotheses", WARNING, "no small instance was found for which its hypotheses hold")


async def _try(lean: LeanRuntime, target: Target, proofs: list[str]) -> tuple[CheckResult, list[bool]]:
    """Which tactics are accepted as proofs of the statement; each is tried, whatever becomes of the others."""
    before = target.prefix if target.prefix.endswith("\n") or not target.prefix else f"{target.prefix}\n"
    line = before.count("\n") + 1
    code, ranges = "", []
    for number, proof in enumerate(proofs):
        text = f"{_renamed(target, f'gp_test_{number}')} := by {proof}\n\n"
        ranges.append((line, line + text.count("\n")))
        line += text.count("\n")
        code += text
    options: dict[str, bool | int] = {"maxHeartbeats": HEARTBEATS, "tactic.hygienic": False}
    seen = await lean.check(CheckRequest(code, prefix=before, seconds=SECONDS, options=options, holes=True))
    if seen.status != "done":
        return seen, [False] * len(proofs)
    errors = [error.line for error in seen.errors]
    return seen, [not any(start <= error < end for error in errors) for start, end in ranges]
