"""What a language model wrote, as a proof of the goal at hand: a block of Lean, a declaration or only a proof."""

from __future__ import annotations

import re
from dataclasses import dataclass

from goedels_poetry.languages.lean.runtime import THEOREMS, CheckRequest, LeanPool
from goedels_poetry.languages.lean.scan import scan
from goedels_poetry.languages.lean.sketch import CHECK_SECONDS, HELPER_KINDS
from goedels_poetry.languages.lean.source import normalised
from goedels_poetry.languages.lean.task import Task

MOST_CHARACTERS = 200_000
_FENCE = re.compile(r"^```[ \t]*(\w*)[^\n]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
_DECLARES = re.compile(r"^\s*(?:@\[[^\]]*\]\s*|private |protected )*(?:theorem|lemma)\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Written:
    """Proof and helpers as written; a reason when there are none."""

    proof: str = ""
    helpers: str = ""
    reason: str = ""


def lean_text(reply: str) -> str:
    """The last block of Lean in a reply, or the reply when it has none; "" for one that was cut off."""
    blocks = [body for tag, body in _FENCE.findall(reply) if tag.lower() in ("", "lean", "lean4")]
    if blocks:
        return str(blocks[-1]).strip("\n")
    return "" if "```" in reply else reply.strip("\n")


async def read_reply(lean: LeanPool, task: Task, reply: str) -> Written:
    """The proof in a model's reply. Its own statement of the theorem is not looked at: ours stands."""
    text = normalised(lean_text(reply))
    if not text.strip():
        return Written(reason="the reply has no complete block of Lean; give one block ```lean … ```")
    if len(text) > MOST_CHARACTERS:
        return Written(reason=f"the reply has more than {MOST_CHARACTERS} characters")
    lines = ("" if line.startswith("import ") else line for line in text.split("\n"))
    text = "\n".join(lines).strip("\n")
    refused = next((f for f in scan(text, task.prefix) if f.rule != "sorry"), None)
    if refused is not None:  # before Lean sees it: a native Lean would run what it says
        return Written(reason=f"not allowed here, {refused}")
    if not _DECLARES.search(text):
        return Written(text.strip().removeprefix(":=").strip())
    text = text.removeprefix(task.prefix)
    seen = await lean.check(CheckRequest(text, prefix=task.prefix, seconds=CHECK_SECONDS, commands=True))
    if seen.status != "done":
        return Written(reason=f"Lean gave no answer: {seen.error or seen.status}")
    base = len(task.prefix)
    theirs = {name for c in seen.commands if c.end <= base for name in c.names}
    own = [c for c in seen.commands if c.start >= base and c.declaration]
    short = task.name.rpartition(".")[2]
    at = next((i for i, c in enumerate(own) if [n.rpartition(".")[2] for n in c.names[:1]] == [short]), None)
    if at is None:
        found = [i for i, c in enumerate(own) if c.declaration in THEOREMS]
        if not found:
            return Written(reason=f"the reply does not declare {task.name}")
        at = found[-1]
    body = text[own[at].head - base : own[at].end - base].strip()
    if own[at].head < 0 or not body.startswith(":="):
        return Written(reason=f"write the proof of {task.name} after `:=`")
    extra = [c for c in own[:at] if not set(c.names) & theirs]
    odd = next((c for c in extra if c.declaration not in HELPER_KINDS), None)
    if odd is not None:
        return Written(reason=f"a command is not allowed here: {odd.declaration}")
    return Written(body.removeprefix(":=").strip(), "\n\n".join(text[c.start - base : c.end - base] for c in extra))


__all__ = ["Written", "lean_text", "read_reply"]
