"""What a language model wrote, as a proof of the goal at hand: a block of Lean, a declaration or only a proof."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from goedels_poetry.lean.refute import Unreadable, claim_in, negation, read_claim, says
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import THEOREMS, CheckRequest, Command
from goedels_poetry.lean.text.scan import scan
from goedels_poetry.lean.text.sketch import CHECK_SECONDS, HELPER_KINDS
from goedels_poetry.lean.text.source import normalised
from goedels_poetry.lean.text.task import Task

MOST_CHARACTERS = 200_000
_FENCE = re.compile(r"^```[ \t]*(\w*)[^\n]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
_HEAD = r"^\s*(?:@\[[^\]]*\]\s*|private |protected )*"
_DECLARES = re.compile(rf"{_HEAD}(?:theorem|lemma)\b", re.MULTILINE)
_NAMED = re.compile(rf"{_HEAD}(?:theorem|lemma|def|abbrev)\s+([^\s:({{\[]+)", re.MULTILINE)
_BARE = re.compile(r"\s*(?::=|by\b|fun\b|λ|open\b|@\[|import\b|namespace\b|set_option\b|def\b)")
NO_BLOCK = "the reply has no complete block of Lean; give one block ```lean … ```"


@dataclass(frozen=True, slots=True)
class Written:
    """Proof and helpers as written, or a refutation of the goal; a reason when there is neither."""

    proof: str = ""
    helpers: str = ""
    reason: str = ""
    refutation: dict[str, Any] = field(default_factory=dict)
    """What `refutations.confirm` takes."""


def lean_text(reply: str) -> str:
    """The Lean in a reply: the last block, with those before it that it rests on, or the reply when it is Lean.

    "" for one that was cut off, and for prose.
    """
    blocks = [str(body).strip("\n") for tag, body in _FENCE.findall(reply) if tag.lower() in ("", "lean", "lean4")]
    if blocks:
        return _with_what_it_cites(blocks)
    if "```" in reply or not (_DECLARES.search(reply) or _BARE.match(reply)):
        return ""
    return reply.strip("\n")


def _with_what_it_cites(blocks: list[str]) -> str:
    """The last block; of earlier ones those that declare something new which is spoken of further down."""
    text = blocks[-1]
    for block in reversed(blocks[:-1]):
        declared, there = (set(_NAMED.findall(part)) for part in (block, text))
        if not declared & there and any(re.search(rf"(?<![\w.]){re.escape(name)}(?![\w'])", text) for name in declared):
            text = f"{block}\n\n{text}"
    return text


async def read_reply(lean: LeanPool, task: Task, reply: str | dict[str, Any], closed: str = "") -> Written:
    """The proof in a model's reply, or its refutation of the goal. What is proved is our statement, whatever it states.

    ``closed``: the goal as a lemma without proof; "" when it has no closed form, and then nothing is compared with it.
    """
    claim = claim_in(reply)
    if claim is not None:
        try:
            read = read_claim(claim)
        except Unreadable as fault:
            return Written(reason=str(fault))
        if "at" in read:
            return Written(refutation=read)
        reply = f"```lean\n{read['text']}\n```"
    text = normalised(lean_text(str(reply)))
    if not text.strip():
        return Written(reason=NO_BLOCK)
    if len(text) > MOST_CHARACTERS:
        return Written(reason=f"the reply has more than {MOST_CHARACTERS} characters")
    lines = ("" if line.startswith("import ") else line for line in text.split("\n"))
    text = "\n".join(lines).strip("\n")
    refused = next((f for f in scan(text, task.prefix) if f.rule != "sorry"), None)
    if refused is not None:  # before Lean sees it: a native Lean would run what it says
        return Written(reason=f"not allowed here, {refused}")
    if not _DECLARES.search(text):
        return Written(text.strip().removeprefix(":=").strip())
    return await _declared(lean, task, text.removeprefix(task.prefix), closed)


async def _declared(lean: LeanPool, task: Task, text: str, closed: str) -> Written:
    """What a text with theorems proves of the goal."""
    seen = await lean.check(CheckRequest(text, prefix=task.prefix, seconds=CHECK_SECONDS, commands=True))
    if seen.status != "done":
        return Written(reason=f"Lean gave no answer: {seen.error or seen.status}")
    base = len(task.prefix)
    theirs = {name for c in seen.commands if c.end <= base for name in c.names}
    own = [c for c in seen.commands if c.start >= base and c.declaration]
    short = task.name.rpartition(".")[2]
    named = next((i for i, c in enumerate(own) if [n.rpartition(".")[2] for n in c.names[:1]] == [short]), None)
    last = next((i for i in reversed(range(len(own))) if own[i].declaration in THEOREMS), None)
    at = last if named is None else named
    if at is None:
        return Written(reason=f"the reply does not declare {task.name}")
    theorem, stated = own[at], text[: own[at].head - base]
    body = text[theorem.head - base : theorem.end - base].strip()
    if theorem.head < 0 or not body.startswith(":="):
        return Written(reason=f"write the proof of {task.name} after `:=`")
    body = body.removeprefix(":=").strip()
    head = " ".join(text[theorem.start - base : theorem.head - base].split())
    same = named is not None and _after_name(head) == _after_name(" ".join(task.head.split()))
    if not same and closed:
        name = theorem.full_name()
        if await says(lean, task, stated, name, closed, negated=True):
            return _refuted(theorem, text, base, body, alone=at == 0)
        if not await says(lean, task, stated, name, closed):
            wanted = " ".join(task.head.split())
            return Written(reason=f"the reply states something else than the goal: `{head}`; it is `{wanted}`")
    extra = [c for c in own[:at] if not set(c.names) & theirs]
    if named is None:  # its variables may have other names than those of the goal
        extra.append(theorem)
        name = theorem.names[0]
        body = f"by\n  intros\n  first\n    | exact {name} ..\n    | apply {name} <;> assumption" if closed else body
        extra = extra if closed else extra[:-1]
    odd = next((c for c in extra if c.declaration not in HELPER_KINDS), None)
    if odd is not None:
        return Written(reason=f"a command is not allowed here: {odd.declaration}")
    return Written(body, "\n\n".join(text[c.start - base : c.end - base] for c in extra))


def _after_name(head: str) -> str:
    """A declaration without what stands before its binders."""
    return re.sub(r"^.*?\b(?:theorem|lemma)\s+\S+\s*", "", head)


def _refuted(theorem: Command, text: str, base: int, body: str, *, alone: bool) -> Written:
    if not alone:
        return Written(reason="write the proof of the negation as one theorem; what it needs goes inside, with `have`")
    head = text[theorem.start - base : theorem.head - base]
    statement = _after_name(" ".join(head.split()))
    return Written(refutation={"proof": negation(statement, body)})
