"""A reply that says that a Lean goal is false: values, or a proof of the negation. Lean finds out whether it is so."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from goedels_poetry.lean.refute import Refutation, refuted_at
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest
from goedels_poetry.lean.text.scan import scan
from goedels_poetry.lean.text.sketch import check_proof
from goedels_poetry.lean.text.task import Task, lemma_type

Json = dict[str, Any]

CONFIRM_SECONDS = 20.0
MOST_VALUE = 500
"""Characters of one value."""
_NAME = "gp_compared"
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


async def says(lean: LeanPool, task: Task, text: str, name: str, closed: str, *, negated: bool = False) -> bool:
    """Whether a theorem says, to Lean, what a lemma without proof says, or the negation.

    ``text``: up to the end of its statement; ``name``: its full name.
    """
    code = f"{task.stubs}{text} := sorry\n\n{_statement(closed, negated=negated)} := @{name}\n"
    return (await lean.check(CheckRequest(code, prefix=task.prefix, seconds=CONFIRM_SECONDS))).ok


def _statement(closed: str, *, negated: bool) -> str:
    levels = closed.partition(" : ")[0].partition(".{")[2]
    type_ = f"¬ ({lemma_type(closed)})" if negated else lemma_type(closed)
    return f"theorem {_NAME}{'.{' + levels if levels else ''} : {type_}"


async def confirm(lean: LeanPool, closed: Task, refutation: Json) -> Refutation | str:
    """The refutation with its proof, which Lean has accepted; or why it is none, in words for the model.

    ``closed``: the goal as a lemma without facts.
    """
    if "proof" in refutation:
        return await _proved(lean, closed, str(refutation["proof"]))
    at: Mapping[str, str] = refutation["at"]
    shown = ", ".join(f"{name} = {value}" for name, value in at.items())
    refused = next((f for value in at.values() for f in scan(f"example := ({value})", closed.prefix)), None)
    if refused is not None:  # before Lean sees it: a native Lean would run what it says
        return f"not allowed in a value: {refused}"
    found = await refuted_at(lean, closed, at, seconds=CONFIRM_SECONDS)
    return found or (
        f"Lean does not find the goal false at {shown}: name a value for each variable of the goal by its name; each "
        "hypothesis has to hold there, and the conclusion has to be false, by evaluation"
    )


async def _proved(lean: LeanPool, closed: Task, proof: str) -> Refutation | str:
    negated = replace(closed, head=_statement(closed.head, negated=True), name=_NAME)
    seen = await check_proof(lean, negated, proof, seconds=CONFIRM_SECONDS)
    if seen.reason:
        return f"Lean does not accept the proof of the negation: {seen.reason}"
    return Refutation("its negation is proved", proof)
