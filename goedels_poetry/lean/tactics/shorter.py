"""A proof that was found, made shorter: without steps and names that are of no use, names no longer than needed."""

from __future__ import annotations

import re
from dataclasses import replace

from goedels_poetry.lean.runtime.protocol import CheckRequest, LeanRuntime
from goedels_poetry.lean.tactics.portfolio import SMALL, Clock, Proposal, accepted, tried
from goedels_poetry.lean.text.task import Task

SECONDS = 3.0
"""For all of it, besides the time for the proof."""
MOST_NAMES = 8
_GIVEN = re.compile(r"\b(?:simp|simp_all|simpa|dsimp|grind|norm_num|solve_by_elim)(?: only)?( \[([^\[\]⟪⟫]*)\])")
_SPLIT = re.compile(r"^( *)(?:induction|fun_induction|cases)\b[^\n]*? <;> ", re.M)
_DOTTED = re.compile(r"(?<![\w.'!?«»])[^\W\d][\w'!?]*(?:\.[^\W\d][\w'!?]*)+(?![\w«])")
_SPACES = re.compile(
    r"^[ \t]*(?:namespace|open)[ \t]+(?:scoped[ \t]+)?([^\n(]+?)(?:[ \t]+(?:in|hiding|renaming)\b.*)?$", re.M
)


async def shorter(lean: LeanRuntime, task: Task, found: Proposal) -> Proposal:
    """The same proof with fewer and shorter words, which Lean has accepted, too."""
    clock = Clock(SECONDS)
    whole = task
    if found.helpers.strip():
        whole = replace(task, prefix=f"{task.prefix}{task.stubs}{found.helpers.strip()}\n\n", facts=())
    plain = _SPLIT.sub(r"\1", found.proof, count=1)
    alone = plain != found.proof and (await _good(lean, whole, [plain], clock))[0]
    made = replace(found, proof=await _with_less(lean, whole, plain if alone else found.proof, clock))
    made = await _with_short_names(lean, task, made, clock)
    return made if made == found or await accepted(lean, task, made, clock) else found


async def _with_less(lean: LeanRuntime, task: Task, proof: str, clock: Clock) -> str:
    """Without the names in brackets that a tactic does not need."""
    number = 0
    while not clock.over and len(lists := list(_GIVEN.finditer(proof))) > number:
        start, end = lists[number].span(1)
        names = [name.strip() for name in lists[number][2].split(",")]

        async def enough(ways: list[list[str]], begin: str = proof[:start], rest: str = proof[end:]) -> list[bool]:
            lists = [f" [{', '.join(some)}]" if some else "" for some in ways]
            return await _good(lean, task, [begin + given + rest for given in lists], clock)

        none, *without = await enough([[], *([n for n in names if n != name] for name in names)])
        needed = [name for name, fine in zip(names, without, strict=True) if not fine]
        ways = [needed, *([n for n in names if n in needed or n == name] for name in names)]  # one of several will do
        kept = [] if none else next((w for w, fine in zip(ways, await enough(ways), strict=True) if w and fine), names)
        given = f" [{', '.join(kept)}]" if kept else ""
        proof, number = f"{proof[:start]}{given}{proof[end:]}", number + bool(kept)
    return proof


async def _good(lean: LeanRuntime, task: Task, proofs: list[str], clock: Clock) -> list[bool]:
    replies = await tried(lean, task, proofs, SMALL, clock)
    bad = (said is None or any(m.severity == "error" or m.kind == "hasSorry" for m in said) for said in replies)
    return [not each for each in bad]


async def _with_short_names(lean: LeanRuntime, task: Task, found: Proposal, clock: Clock) -> Proposal:
    """Without the namespaces that the file is in or has opened."""
    spaces = {part for words in _SPACES.findall(task.prefix) for word in words.split() for part in word.split(".")}
    names = dict.fromkeys(n for n in _DOTTED.findall(f"{found.helpers}\n{found.proof}") if n.split(".")[0] in spaces)
    inside = re.compile(rf"^(?:(?:{'|'.join(map(re.escape, spaces))})\.)+")
    short = {name: inside.sub("", name) for name in names}
    for some in (short, *({name: new} for name, new in list(short.items())[: MOST_NAMES if len(short) > 1 else 0])):
        made = replace(found, proof=_renamed(found.proof, some), helpers=_renamed(found.helpers, some))
        request = CheckRequest(task.code(made.proof, made.helpers), prefix=task.prefix, seconds=max(clock.left, 0.1))
        if made != found and not clock.over and (await lean.check(request)).ok:
            found = made
            if some is short:
                break
    return found


def _renamed(text: str, names: dict[str, str]) -> str:
    return _DOTTED.sub(lambda m: names.get(m[0], m[0]), text)
