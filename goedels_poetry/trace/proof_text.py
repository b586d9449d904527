"""The proof that a certificate holds, as text for people: Lean source, or an outline of steps and what closed each.

Only the certificate's files are read: what is shown is what the checker has accepted, not what a search remembers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goedels_poetry.kernel.faults import InvalidText
from goedels_poetry.kernel.reading.reader import Group, Source, read
from goedels_poetry.store.results import RunResult
from goedels_poetry.trace.wording import in_words, worded_definition, worded_name

LEAN, OUTLINE = "lean", "outline"
MAX_BYTES = 8_000_000
"""Of a file of a certificate that is read for this; what is larger nobody reads on a page."""
MAX_LINES = 2_000
MOST_INSTANCES = 6
"""Facts at given values that are named for one step."""

_Step = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ProofText:
    """A proof to be read."""

    kind: str
    """`LEAN`: source; `OUTLINE`: words, indented by depth."""
    lines: tuple[str, ...]
    of: str = "proof"
    """What it is: a proof, or one of the negation or of a contradiction."""

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join(self.lines)


def proof_text(result: RunResult, statement: str = "") -> ProofText | None:
    """The proof behind a result; None where there is none, or no certificate that can be read."""
    folder = result.certificate
    if folder is None:
        return None
    try:
        manifest = json.loads(_read(folder / "manifest.json"))
        language = manifest["language"]
        if language == "smt":
            return _outline(folder, str(manifest["claim"]), result.trust_level)
        if language == "python":
            inner = _outline(folder / "proof", str(manifest["claim"]), result.trust_level, language)
            return inner and ProofText(OUTLINE, (f"contract: {statement}", *inner.lines), inner.of)
        if language == "lean":
            return _lean(folder, str(manifest["claim"]), str(manifest["theorem"]))
        if language == "logic":
            return _core(result)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, InvalidText):
        return None  # not a certificate of ours, or not one any more: the checker is who judges that
    return None


def _read(file: Path) -> str:
    with file.open("rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"{file} is too large to be shown")
    return data.decode("utf-8")


# -- Lean ------------------------------------------------------------------------------------------------------------


def _lean(folder: Path, claim: str, theorem: str) -> ProofText | None:
    original, proof = (_read(folder / name) for name in ("original.lean", "proof.lean"))
    if claim == "proved":
        lemmas, declaration = lean_pieces(original, proof, theorem)
        return ProofText(LEAN, (*lemmas.splitlines(), *declaration.splitlines()))
    start = proof.rfind("\n", 0, _common(original, proof)) + 1
    return ProofText(LEAN, tuple(proof[start:].strip().splitlines()), "proof of the negation")


def lean_pieces(original: str, proof: str, theorem: str) -> tuple[str, str]:
    """What a finished Lean file has more than the one it proves: lemmas before the theorem, and the theorem proved."""
    for hole in re.finditer(r" := sorry", original):
        before, after = original[: hole.start()], original[hole.end() :]
        if not proof.endswith(after):
            continue
        middle = proof[: len(proof) - len(after)]
        line = _common(before, middle)
        if middle.startswith(f"{before} := "):  # then nothing says where the declaration begins but its name
            name = re.escape(theorem.rpartition(".")[2])
            heads = list(re.finditer(rf"\b(?:theorem|lemma)\s+\S*{name}", before))
            line = heads[-1].start() if heads else len(before)
        start = before.rfind("\n", 0, line) + 1
        head, body = before[start:], middle[start:]
        lemmas, found, tactics = body.rpartition(f"{head} := ")
        if found:
            return lemmas, f"{head} := {tactics}"
    return "", proof.strip()


def _common(one: str, other: str) -> int:
    """How many characters both begin with."""
    if one == other[: len(one)]:
        return len(one)
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


# -- logic programs --------------------------------------------------------------------------------------------------


def _core(result: RunResult) -> ProofText | None:
    """The premises from which the goals follow, each in words."""
    answer = result.answer or {}
    core = [f"    {premise['name']}: {premise['words']}" for premise in answer.get("core") or ()]
    if not core:
        return None
    if str(result.verdict) == "inconsistent":
        return ProofText(OUTLINE, ("these premises contradict each other:", *core), "proof of the contradiction")
    goals = [f"{goal['name']}: {goal['words']}" for goal in answer.get("goals", ())]
    return ProofText(OUTLINE, (*goals, f"  found by {_solvers(result.trust_level)} to follow from:", *core))


# -- derivations -----------------------------------------------------------------------------------------------------


def _solvers(level: str | None) -> str:
    """At L3 both have shown every question; below it each was shown by one of them at least."""
    return "z3 and cvc5" if level == "L3" else "z3 or cvc5"


_OF = {"negation proved": "proof of the negation", "inconsistent": "proof of the contradiction"}


def _outline(folder: Path, claim: str, level: str | None, language: str = "") -> ProofText | None:
    evidence = json.loads(_read(folder / "derivation.json"))
    steps = evidence.get("steps")
    if not steps:
        return None  # a counterexample has values instead
    theorem = _read(folder / "theorem.smt2")
    stated_by_assert = 0 if "(prove" in theorem else 1  # then the negated goal is the last of them
    premises = theorem.count("(assert") > stated_by_assert
    drawn = _Outline(steps, _solvers(level), language, definitions="(define-" in theorem, premises=premises)
    lines = [f"with the auxiliary definition {' '.join(str(text).split())}" for text in evidence.get("auxiliary", ())]
    lines += [
        f"{worded_name(str(name), language)} is unfolded where {in_words(str(m), language)} falls"
        for name, m in evidence.get("measures", {}).items()
    ]
    lines += drawn.lines()
    if len(lines) > MAX_LINES:
        lines = [*lines[:MAX_LINES], f"... and {len(lines) - MAX_LINES} lines more"]
    return ProofText(OUTLINE, tuple(lines), _OF.get(claim, "proof"))


class _Outline:
    """The steps from the goal down: lemmas, which solvers are given as facts, first and by number; cases below each.

    ``definitions``, ``premises``: whether the theorem has any, which every question to a solver then brings along.
    """

    def __init__(
        self, steps: Sequence[_Step], solvers: str, language: str = "", *, definitions: bool, premises: bool
    ) -> None:
        self._steps, self._solvers, self._language = steps, solvers, language
        self._definitions, self._premises = definitions, premises
        self._place = {str(step["id"]): number for number, step in enumerate(steps)}
        cited = {str(name) for step in steps for name in step.get("query", {}).get("cites", ())}
        lemmas = (name for name in self._place if name in cited)
        self._lemmas = {name: number for number, name in enumerate(lemmas, 1)}
        self._told: set[str] = set()
        self._count = 0

    def lines(self) -> list[str]:
        lines = [line for name, number in self._lemmas.items() for line in self._told_as(f"lemma {number}", name)]
        return [*lines, *self._told_as("theorem", str(self._steps[-1]["id"]))]

    def _told_as(self, title: str, name: str) -> Iterator[str]:
        step = self._steps[self._place[name]]
        yield f"{title}: {in_words(str(step['sequent']), self._language)}"
        yield from (f"  {line}" for line in self._why(step))

    def _why(self, step: _Step) -> Iterator[str]:
        self._count += 1
        if "query" in step:
            yield f"closed by {self._solvers} from: {', '.join(self._sources(step)) or 'logic alone'}"
            return
        yield how(step["scheme"], self._language)
        here = self._place[str(step["id"])]
        cases = [str(name) for name in step["cites"]]
        for number, name in enumerate(cases, 1):
            title = "  then" if len(cases) == 1 else f"  case {number}"
            if self._place[name] >= here:
                raise ValueError("a step cites a later one")
            if name in self._lemmas:
                yield f"{title}: lemma {self._lemmas[name]}"
            elif name in self._told or self._count > MAX_LINES:
                yield f"{title}: {in_words(str(self._steps[self._place[name]]['sequent']), self._language)}, as above"
            else:
                self._told.add(name)
                yield from (f"{'  ' if more else ''}{line}" for more, line in enumerate(self._told_as(title, name)))

    def _sources(self, step: _Step) -> Iterator[str]:
        query = step["query"]
        if query.get("equations") and self._definitions:
            yield "definitions"
        at: dict[tuple[str, str], list[str]] = {}
        for instance in query.get("instances", ()):
            values = ", ".join(in_words(str(value), self._language) for value in instance["args"])
            at.setdefault((str(instance["of"]), str(instance["name"])), []).append(values)
        for (of, name), points in at.items():
            if of == "def":
                yield _at(worded_definition(name, self._language), points)
        (sequent,) = read(Source(str(step["sequent"])))
        parts = sequent.items if isinstance(sequent, Group) else []
        hypotheses = len(parts[2].items) if len(parts) > 2 and isinstance(parts[2], Group) else 0
        if hypotheses:
            yield "hypothesis" if hypotheses == 1 else "hypotheses"
        for name in map(str, query.get("cites", ())):
            yield _at(f"lemma {self._lemmas[name]}", at.get(("step", name), []))
        if self._premises:
            yield "premises"


def _at(what: str, values: Sequence[str]) -> str:
    if not values:
        return what
    more = f" and {len(values) - MOST_INSTANCES} more" if len(values) > MOST_INSTANCES else ""
    return f"{what} at {' and at '.join(f'({value})' for value in values[:MOST_INSTANCES])}{more}"


_SCHEMES = {
    "cases": "two cases, whether {on} holds",
    "constructors": "a case for each constructor of {on}",
    "conjuncts": "each conjunct by itself",
    "contradiction": "by contradiction",
    "intro": "what stands before the conclusion is assumed",
    "skolem": "what the hypotheses say to exist gets names",
}


def how(scheme: Mapping[str, Any], language: str = "") -> str:
    """A scheme of a certificate in words: ``induction on xs, for all ys``."""

    def named(name: Any) -> str:
        return worded_name(str(name), language)

    def worded_terms(terms: Iterable[Any]) -> str:
        return ", ".join(in_words(str(term), language) for term in terms)

    kind, on = str(scheme["kind"]), scheme.get("on", "")
    general = ", ".join(map(named, scheme.get("general") or ()))
    every = f", for all {general}" if general else ""
    if kind == "structural":
        depth = int(scheme.get("depth", 1))
        return f"induction on {named(on)}{f', {depth} constructors at a time' if depth > 1 else ''}{every}"
    if kind == "integer":
        way = "" if scheme.get("upward", True) else " downward"
        return f"induction on the integer {named(on)}{way} from {in_words(str(scheme.get('base', 0)), language)}{every}"
    if kind == "measure":
        return f"induction on the measure {in_words(str(scheme['measure']), language)}"
    if kind == "recursion":
        return f"induction along the recursion of {named(scheme['function'])}({worded_terms(scheme['at'])}){every}"
    if kind == "size":
        return f"induction on the size of {', '.join(map(named, on))}{every}"
    if kind == "witness":
        return f"with {worded_terms(scheme['at'])} as what exists"
    return _SCHEMES.get(kind, kind).format(on=in_words(str(on), language))
