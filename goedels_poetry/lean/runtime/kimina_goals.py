"""Closed statements of the goals at holes, for a Lean that only shows goals as text.

Two more texts are checked. In the first each hole is a macro of ours that takes the hypotheses back into the goal and
has Lean print it; the second states what was printed as theorems, so that what Lean cannot read back is left out. That
it says the same as the goal is not compared here: a sketch has to be linked to its subgoals anyway.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from goedels_poetry.lean.runtime.kimina_text import commands_of, header_lines
from goedels_poetry.lean.runtime.protocol import Binder, CheckRequest, CheckResult, Hole, HoleGoal

_NAMES = re.compile(r"(?P<names>[^\s:]+(?: [^\s:]+)*) :(?P<rest>.*)")
_UNIVERSES = re.compile(r"\b(?:Type|Sort) (?:\((?P<several>[^()]*)\)|(?P<one>[^\s\d()\[\]{},:→]\S*?))(?=[\s)\]},]|$)")
_LEVEL = re.compile(r"[^\W\d][\w']*")
_DECLARED = re.compile(r"^universe\s+(.*)$", re.MULTILINE)
_PLAIN = {
    "pp.fullNames": "true",
    "pp.deepTerms": "true",
    "pp.proofs": "true",
    "pp.piBinderTypes": "true",
    "pp.letVarTypes": "true",
    "pp.fieldNotation": "false",
    "pp.mvars": "true",
}
_FORMS = (_PLAIN, {**_PLAIN, "pp.funBinderTypes": "true", "pp.numericTypes": "true", "pp.analyze": "true"})
"""How a statement is printed: the first form that Lean reads back is used."""


Asked = tuple[Hole, tuple[Binder, ...]]
"""A hole with one goal, and the hypotheses of that."""
Printed = dict[tuple[int, int], tuple[str, bool]]
"""By number of the hole and form: the goal, and whether the hole stands where a tactic does."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A statement that is to be read back, and its lines in the text: ``end`` is the first line after it."""

    number: int
    statement: str
    levels: tuple[str, ...]
    line: int
    end: int


def binders_of(goal: str) -> tuple[Binder, ...] | None:
    """The hypotheses of a goal as Lean shows it; None when they cannot be read."""
    shown = [line for line in goal.split("\n⊢")[0].split("\n") if not line.startswith((" ", "case ", "⊢"))]
    found: list[tuple[str, bool]] = []
    for line in shown:
        read = _NAMES.fullmatch(line)
        if read is None:
            return None
        found += [(name, ":=" in read["rest"]) for name in read["names"].split(" ")]
    taken = {name for name, _ in found}
    binders = []
    for name, let in found:
        stem, hidden, _ = name.partition("✝")
        if hidden:
            stem = re.sub(r"\W", "", stem) or "x"
            name = next(n for k in range(1, len(found) + 2) if (n := f"{stem}_{k}") not in taken)
            taken.add(name)
        binders.append(Binder(name, bool(hidden), let, "default"))
    return tuple(binders)


def asked_about(holes: Sequence[Hole]) -> list[Asked]:
    """The holes that can be asked about: those with one goal, whose hypotheses can be read."""
    return [
        (hole, binders)
        for hole in holes
        if len(hole.goals) == 1 and (binders := binders_of(hole.goals[0].goal)) is not None
    ]


def asking(request: CheckRequest, asked: Sequence[Asked], nonce: str) -> CheckRequest:
    """The text in which holes print their goals."""
    before, after = _split(request)
    for number, (hole, _) in reversed(list(enumerate(asked))):
        start, end = hole.start - len(before), hole.end - len(before)
        after = after[:start] + f"gp_hole_{number}" + after[end:]
    macros = "".join(_macro(number, binders, nonce) for number, (_, binders) in enumerate(asked))
    return CheckRequest(macros + after, before, request.seconds, request.options)


def printed(result: CheckResult, nonce: str) -> Printed:
    """What holes have printed."""
    texts = [m.text for m in result.messages if m.severity == "info"]
    marker = re.compile(rf"^{nonce} (\d+) (\d+) (tactic|term)$", re.MULTILINE)
    found: Printed = {}
    for text, following in pairwise([*texts, ""]):
        pieces = marker.split(text)
        for number, form, category, state in zip(*(pieces[i::4] for i in range(1, 5)), strict=True):
            goal = state.strip() or following  # one message or two: that depends on the version
            if goal.count("⊢") == 1:
                found[int(number), int(form)] = (goal, category == "tactic")
    return found


def asked_again(asked: Sequence[Asked], seen: Printed) -> list[Asked]:
    """The same holes with the hypotheses that were left in what they have printed; [] when none were."""
    left = {number: binders_of(goal) for (number, form), (goal, _) in seen.items() if form == 0}
    if not any(left.values()):
        return []
    return [(hole, left.get(number) or binders) for number, (hole, binders) in enumerate(asked)]


def probing(request: CheckRequest, asked: Sequence[Asked], seen: Printed) -> tuple[CheckRequest, list[Probe]]:
    """The text that states what was printed without any hypothesis, each before the command of its hole."""
    whole = request.prefix + request.code
    commands = commands_of(whole)
    probes: list[Probe] = []
    added: dict[int, str] = {}
    shown = [key for key in sorted(seen) if binders_of(seen[key][0]) == ()]
    for number, form in sorted(shown, key=lambda key: (asked[key[0]][0].start, key)):
        hole = asked[number][0]
        at = max((c.start for c in commands if c.start <= hole.start), default=len(request.prefix))
        if at < len(request.prefix) or whole[:at][-1:] not in ("", "\n"):
            continue  # nothing of ours can be put there
        statement = seen[number, form][0].partition("⊢ ")[2].strip()
        levels = levels_of(statement, whole[:at])
        declared = f".{{{', '.join(levels)}}}" if levels else ""
        text = f"theorem gp_probe_{number}_{form}{declared} : {statement} := sorry\n"
        line = whole.count("\n", 0, at) + sum(t.count("\n") for t in added.values()) + 1
        probes.append(Probe(number, statement, levels, line, line + text.count("\n")))
        added[at] = added.get(at, "") + text
    for at in sorted(added, reverse=True):
        whole = whole[:at] + added[at] + whole[at:]
    return CheckRequest(whole[len(request.prefix) :], request.prefix, request.seconds, request.options), probes


def stated(
    result: CheckResult, asked: Sequence[Asked], seen: Printed, probes: Sequence[Probe], probed: CheckResult
) -> CheckResult:
    """``result`` with the statements that Lean has read back: those without an error on their lines."""
    if probed.status != "done":
        return result
    new: dict[int, Hole] = {}
    for probe in probes:
        hole, binders = asked[probe.number]
        if hole.start not in new and not any(probe.line <= m.line < probe.end for m in probed.errors):
            goal = HoleGoal(hole.goals[0].goal, probe.statement, binders, probe.levels)
            new[hole.start] = replace(hole, tactic=seen[probe.number, 0][1], goals=(goal,))
    return replace(result, holes=tuple(new.get(hole.start, hole) for hole in result.holes))


def levels_of(statement: str, before: str) -> tuple[str, ...]:
    """Universes of a statement that nothing before it declares."""
    known = {word for match in _DECLARED.finditer(before) for word in match[1].split()}
    used = [w for m in _UNIVERSES.finditer(statement) for w in _LEVEL.findall(m["several"] or m["one"])]
    return tuple(dict.fromkeys(w for w in used if w not in known and w not in ("max", "imax")))


def _split(request: CheckRequest) -> tuple[str, str]:
    """The text before the place where commands of ours can be put, and the text after it."""
    whole = request.prefix + request.code
    lines = whole.split("\n")
    header = sum(len(line) + 1 for line in lines[: len(header_lines([line.rstrip("\r") for line in lines]))])
    at = max(len(request.prefix), header)
    return whole[:at], whole[at:]


def _macro(number: int, binders: tuple[Binder, ...], nonce: str) -> str:
    hidden = " ".join(b.name for b in binders if b.hidden)
    every = " ".join(b.name for b in binders)
    steps = [f"rename_i {hidden}"] * bool(hidden) + [f"revert {every}"] * bool(every)
    found = ""
    for category in ("tactic", "term"):
        shown = []
        for form, options in enumerate(_FORMS):
            prefixes = " ".join(f"set_option {name} {value} in" for name, value in options.items())
            shown += [f'trace "{nonce} {number} {form} {category}"', f"{prefixes} trace_state"]
        block = "; ".join([*steps, *shown, "sorry"])
        body = f"`(tactic| ({block}))" if category == "tactic" else f"`(by {block})"
        found += f'set_option hygiene false in local macro "gp_hole_{number}" : {category} => {body}\n'
    return found
