"""What a language model wrote, as a proof of the goal at hand: a block of Lean, a declaration or only a proof."""

from __future__ import annotations

import json
import re
import textwrap
from dataclasses import dataclass, field
from typing import Any

from goedels_poetry.lean.refute import Json, says
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


# -- A reply that says that a goal is false ------------------------------------------------------------------------

MOST_VALUE = 500
"""Characters of one value."""
_PAIR = re.compile(r"\s*([^\W\d][\w'₀-₉]*)\s*(?::=|=|:)\s*(.+?)\s*", re.DOTALL)
_OPENING, _CLOSING = "([{⟨", ")]}⟩"


class Unreadable(ValueError):
    """It says that the goal is false, and not how; the message goes back to the model."""


def claim_in(reply: str | Json) -> Any:
    """What a reply says with ``"refuted"``; None when it says nothing of the kind."""
    if isinstance(reply, str):
        for start in (found.start() for found in re.finditer(r"\{\s*\"refuted\"", reply)):
            try:
                value, _ = json.JSONDecoder().raw_decode(reply, start)
            except (ValueError, RecursionError):
                continue
            return value["refuted"]
        return None
    return reply.get("refuted")


def read_claim(claim: Any) -> Json:
    """``{"at": {variable: value}}``, or ``{"text": Lean}`` for what has to be read as a declaration.

    Raises:
        Unreadable: it is neither.
    """
    said = claim.get("at", claim.get("proof")) if isinstance(claim, dict) else claim
    if isinstance(said, list):
        said = {str(item.get("name")): item.get("value") for item in said if isinstance(item, dict)}
    if isinstance(said, str):
        if re.search(r"\b(?:theorem|lemma)\b", said):
            return {"text": said}
        said = dict(filter(None, map(_pair, _parts(said))))
    if not isinstance(said, dict) or not said:
        raise Unreadable('"refuted": write {"at": {"n": "3"}, "because": "…"} with a value for each variable')
    at = {str(name).strip(): str(value).strip() for name, value in said.items()}
    long = next((name for name, value in at.items() if not value or len(value) > MOST_VALUE), None)
    if long is not None:
        raise Unreadable(f'"refuted": the value of {long} has no text, or more than {MOST_VALUE} characters')
    return {"at": at}


def _parts(text: str) -> list[str]:
    """The text cut at commas that stand in no brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in _OPENING) - (character in _CLOSING)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _pair(text: str) -> tuple[str, str] | None:
    found = _PAIR.fullmatch(text)
    return (found[1], found[2]) if found else None


def negation(statement: str, body: str) -> str:
    """The proof of the negation that a theorem gives.

    Args:
        statement: the theorem after its name: binders, colon, type.
        body: what follows ``:=``.
    """
    claim = textwrap.indent(f"have claim {statement.strip()} := {body.strip()}", "  ").lstrip()
    return f"by\n  {claim}\n  exact claim"
