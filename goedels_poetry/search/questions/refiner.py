"""The refiner looks at a question or at a program from outside: what is wrong with it, what could be asked first?

It writes no program and gives no answer. What a model says here is advice for post-processors: a fault counts when it
names a place that there is, and a subquestion is only asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from goedels_poetry.models.requests import Reply, object_of
from goedels_poetry.protocol.base import Outcome
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.rounds import ask_once
from goedels_poetry.search.agents.story import NOTHING
from goedels_poetry.search.questions.writer import question_of
from goedels_poetry.search.tasks.question import ADVISE, Question, set_advised, set_unusable_advice
from goedels_poetry.store.state import ProofNode
from goedels_poetry.store.txn import Txn

PROMPTS = {"critique": "question-critique", "decompose": "question-decompose", "steps": "question-least-to-most"}
"""What is asked for -> the prompt that asks for it."""
MAX_FAULTS = 12
MAX_WORDS = 1_000
"""Characters of one part of a fault, and of a subquestion."""
LEAST_QUOTE = 3
"""Characters of a piece of the program, so that it names a place."""

CRITIQUE_SCHEMA = object_of(
    "critique",
    closed=True,
    comparison="string",
    faults=[object_of("", closed=True, where="string", fault="string", fix="string")],
)

SPLIT_SCHEMA = object_of("subquestions", closed=True, reason="string", subquestions=["string"])

_SENTENCE = re.compile(r"(?i)[\s`\[(]*(?:sentences?|s)?[\s#\[(]*(\d{1,5})\b")
_NAMED = re.compile(r':named\s+\|?([^\s|()]+)|"name"\s*:\s*"([^"]+)"|\b(goal(?:[-_]\w+)?)\b')
_SHORT = 5
"""Words of a place that is named and not quoted: ``premise p2``, ``the assertion of w1``."""


@agent(queue=ADVISE, name="refiner")
async def refiner(node: ProofNode, deps: Deps) -> Apply:
    """One request; a reply that cannot be used costs one attempt."""
    question = question_of(deps)
    critique = question.task == "critique"
    role = "judge" if critique and deps.has_model("judge") else "formalizer"
    schema = CRITIQUE_SCHEMA if critique else SPLIT_SCHEMA

    async def read(reply: Reply) -> Outcome:
        said = reply.parsed or {}
        return Outcome(
            True, faults_in(said, question) if critique else {"subquestions": subquestions_in(said, question)}
        )

    done = await ask_once(
        deps, node, role, PROMPTS[question.task], variables(question), schema, sample=question.sample, read=read
    )
    said = dict(done.winner.value) if done.winner is not None else {}
    if said.get("faults") and deps.models is not None:
        told = {"faults": "\n".join(f"- {f['where']}: {f['fault']}\n  {f['fix']}" for f in said["faults"])}
        said["message"] = deps.models.prompts.get("question-refine").messages(told)[-1][1]

    def apply(txn: Txn) -> str:
        done.log(txn, node)
        if done.winner is None:
            # A second critique of the same program would be another question: see the post-processor.
            return set_unusable_advice(txn, node, done.reason, most=1 if critique else question.max_attempts)
        return set_advised(txn, node, said)

    return apply


def variables(question: Question) -> dict[str, str]:
    """What the prompts may mention."""
    lines = [f"{s.number}. {s.text}" if s.number is not None else s.text for s in question.sentences]
    told = dict(question.conversation)
    options = [f"{letter}) {text}" for letter, text in question.choices]
    return {
        "question": "\n".join((question.text, *options)),
        "sentences": "\n".join(lines) or NOTHING,
        "known": "\n".join(f"- {words}" for words in question.known) or NOTHING,
        "program": told.get("assistant", NOTHING),
        "result": told.get("user", NOTHING),
        "most": str(question.most),
    }


def faults_in(said: dict[str, Any], question: Question) -> dict[str, Any]:
    """``{"faults": those that name a place, "vague": how many do not}``.

    A place is a piece of the program, letter for letter but for white space, a premise or goal by its name, or a
    sentence of the text by its number.
    """
    program = dict(question.conversation).get("assistant", "")
    named, vague = [], 0
    for fault in said["faults"][:MAX_FAULTS]:
        words = {name: " ".join(str(fault[name]).split())[:MAX_WORDS] for name in ("where", "fault", "fix")}
        if words["fault"] and _is_a_place(words["where"], program, question.numbers):
            named.append(words)
        else:
            vague += 1
    return {"faults": named, "vague": vague}


def _is_a_place(where: str, program: str, numbers: Iterable[int]) -> bool:
    sentence = _SENTENCE.match(where)
    if sentence is not None and int(sentence[1]) in numbers:
        return True
    words = re.findall(r"[^\s`\"',:;()]+", where)
    names = {name for found in _NAMED.findall(program) for name in found if name}
    if len(words) <= _SHORT and not names.isdisjoint(words):
        return True
    quoted = _plain(where.strip("`\"' "))
    return len(quoted) >= LEAST_QUOTE and quoted in _plain(program)


def _plain(text: str) -> str:
    return "".join(text.split())


def subquestions_in(said: dict[str, Any], question: Question) -> list[str]:
    """The subquestions, each once, without the question itself."""
    asked = {_plain(question.text).casefold(), _plain(question.asked).casefold()}
    found: dict[str, str] = {}
    for text in said["subquestions"]:
        words = " ".join(str(text).split())
        if words and len(words) <= MAX_WORDS and _plain(words).casefold() not in asked:
            found.setdefault(_plain(words).casefold(), words)
    return list(found.values())[: question.most]
