"""The formalizer writes the program that answers a question, the corrector a better one in the same conversation."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from goedels_poetry.errors import InvalidInput
from goedels_poetry.models.prompts import Prompts
from goedels_poetry.models.replies import UnusableReply, blocks, json_objects, without_thinking
from goedels_poetry.models.requests import Reply
from goedels_poetry.questions.policy import with_case
from goedels_poetry.search.agents.conversation import Message, correction, note_of, write
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.tasks.question import ASK, MAX_PROGRAM, PROGRAM, Question, Sentence
from goedels_poetry.store.state import ProofNode, Queue

# The program in a model's reply, whatever it is wrapped in

UNCHANGED = "UNCHANGED"
"""What a model may answer, instead of the whole program again, when it stays with it."""
_GOAL = re.compile(r"\(\s*define-(?:fun(?:-rec)?|const)\s+\|?goal\b")
_TOKEN = re.compile(r';[^\n]*|"[^"]*"|\|[^|]*\||[()]')
_PROGRAM_LINE = re.compile(r"^[ \t]*[(;]", re.MULTILINE)
_SECTIONS = ("sorts", "functions", "knowledge_base", "verifications", "rules", "optimization")


def program_in(reply: Reply, backend: str) -> str:
    """The program, as the model wrote it; ``backend``: ``smt2`` or ``json``; raises UnusableReply."""
    fenced = blocks(reply.text)
    if (fenced and not fenced[-1].closed) or (reply.finish == "length" and not fenced):
        raise UnusableReply("the reply is cut off before the end of the program")
    pieces, bare = [block.text for block in fenced if block.text.strip()], without_thinking(reply.text)
    program = (_json if backend == "json" else _smt2)(pieces, bare)
    if not program.strip():
        raise UnusableReply("the reply holds no program")
    if len(program) > MAX_PROGRAM:
        raise UnusableReply(f"the program is longer than {MAX_PROGRAM} characters")
    return program


def says_unchanged(reply: Reply) -> bool:
    """Whether the model stays with its program: its last word says so, and there is no block."""
    words = without_thinking(reply.text).split()
    return not blocks(reply.text) and bool(words) and words[-1].strip("`*.!\"'") == UNCHANGED


def _smt2(fenced: Sequence[str], bare: str) -> str:
    """The last block with the goal; several blocks where only together they are a program; or the bare text."""
    if not fenced:
        start, end = _PROGRAM_LINE.search(bare), bare.rfind(")")
        return bare[start.start() : end + 1] + "\n" if start is not None and end > start.start() else ""
    pieces = [text for text in fenced if _PROGRAM_LINE.search(text) and not text.lstrip().startswith("{")]
    whole = [n for n, text in enumerate(pieces) if _is_balanced(text) and _GOAL.search(text) and "(declare-" in text]
    together = "\n".join(pieces)
    if not whole and len(pieces) > 1 and _is_balanced(together) and _GOAL.search(together):
        return together
    if whole:
        known = "".join(pieces[whole[-1]].split())
        for line in "\n".join(pieces[whole[-1] + 1 :]).splitlines():
            if line.lstrip().startswith("(") and "".join(line.split()) not in known:
                raise UnusableReply(
                    f"the block with the goal is followed by another one, with {line.strip()[:60]!r}: put the whole "
                    "program into one block"
                )
        return pieces[whole[-1]]
    return next((text for text in reversed(pieces) if _GOAL.search(text)), [*fenced, *pieces][-1])


def _is_balanced(text: str) -> bool:
    depth = 0
    for token in _TOKEN.finditer(text):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth < 0:
            return False
    return depth == 0


def _json(fenced: Sequence[str], bare: str) -> str:
    """The last object that is a program, also one inside of another object: in a block, else in the text."""
    for source in (*reversed(fenced), bare):
        inside = (part for text in json_objects(source) for part in (text, *json_objects(text[1:])))
        found = [text for text in inside if _is_program(text)]
        if found:
            return found[-1]
    pieces = [text for text in fenced if text.lstrip().startswith("{")]
    if pieces or fenced:
        return (pieces or list(fenced))[-1]
    return bare[bare.find("{") : bare.rfind("}") + 1] if "{" in bare else ""


def _is_program(text: str) -> bool:
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and any(name in value for name in _SECTIONS)


# What the first prompt says about a question

SHORT, SHORT_DOCUMENT = 40, 12
"""Sentences of a text, and of a document beside a case, that are rendered whole: in longer ones much is beside the
point, and in shorter ones a selection loses more than it saves."""


def part(name: str) -> str:
    """A text from which prompts and reports about questions are put together, see ``parts-question.md``."""
    return _parts()[name]


@cache
def _parts() -> dict[str, str]:
    text = Prompts().get("parts-question").text
    return dict(re.findall(r"^## (\S+)\n+(.*?)\s*(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))


DERIVED = {
    "smt2": '`(assert (! formula :named d1 :derived "Is Mira ill? No."))`',
    "json": '`{"name": "d1", "assertion": "formula", "derived": "Is Mira ill? No."}`',
}
"""How a premise says that it renders the answer to an earlier question."""


def first_prompt(question: Question) -> str:
    """Name of the prompt of the first turn."""
    if question.policy:
        return "question-policy"
    return f"question-{question.backend}"


def kind_of(question: Question) -> Kind:
    """What the question comes with: of the rules and examples of the prompt only those are shown that fit."""
    if not question.context:
        return "world"
    return "case" if question.facts else "text"


def variables(question: Question, note: str = "", prompts: Prompts | None = None) -> dict[str, str]:
    """What the first prompt may mention."""
    if question.policy:
        case = [s for s in question.sentences if s.number in case_numbers(question)]
        return {
            "vocabulary": "\n".join(question.rules.vocabulary()),
            "case": "\n".join(_sentence(sentence) for sentence in case),
            "question": question.asked,
            "goal": _goal(question),
            "facts": part("case-and-assumptions" if question.world_knowledge else "case-only"),
            "known": _known(question),
            "note": note,
        }
    kind = kind_of(question)
    own = (prompts or Prompts()).get(f"{first_prompt(question)}-{kind}")
    return {
        "table": table(kind, question.backend, "\n".join(s.text for s in question.sentences)),
        "goals": goals(kind, question.asked),
        "kind": own.messages({})[-1][1],
        "text": _listed(question) or part("no-text"),
        "question": question.asked,
        "goal": _goal(question),
        "facts": _facts(question),
        "world": part(f"{question.world}-world"),
        "known": _known(question),
        "note": note,
    }


def _listed(question: Question) -> str:
    """One sentence a line, with its number; last the case that the question tells of, and what it takes for granted."""
    lines = []
    case = len(question.sentences) - len(question.facts) - any(sentence.asked for sentence in question.sentences)
    for place, sentence in enumerate(question.sentences):
        if place == case and question.context and not sentence.asked:
            lines.append("\n(The case that the question is about:)")
        lines.append(_sentence(sentence))
    return "\n".join(lines)


def _sentence(sentence: Sentence) -> str:
    number = "" if sentence.number is None else f"[{sentence.number}] "
    return f"{number}{'(the question; only what it takes for granted) ' if sentence.asked else ''}{sentence.text}"


def case_numbers(question: Question) -> frozenset[int]:
    """Of a question to a policy: numbers of sentences that tell of the case."""
    return question.numbers - question.rules.sentences.keys()


def _facts(question: Question) -> str:
    if not question.context and (question.world_knowledge or not question.has_text):
        names = ["with-a-case"] * question.has_text + ["from-the-world"]
    else:
        short = SHORT_DOCUMENT if question.context and question.facts else SHORT
        allowed = "from-rules-and-a-case" if question.facts else "from-the-text"
        names = ["whole" if len(question.numbers) <= short else "selected"]
        names.append(allowed if question.world_knowledge else "text-only")
    return " ".join(map(part, names))


def _goal(question: Question) -> str:
    if not question.choices:
        return ""
    options = "\n".join(f"{letter}) {text}" for letter, text in question.choices)
    if question.backend == "json":
        goals = ", ".join(f'"{letter}": "formula"' for letter, _ in question.choices)
        form = f'write `"goals": {{{goals}}}` instead of `"goal"`'
    else:
        form = f"define {', '.join(f'`goal-{letter}`' for letter, _ in question.choices)} instead of `goal`"
    return f"The options are:\n{options}\n\nOne goal for each option says that this option is right: {form}."


def _known(question: Question) -> str:
    """Earlier questions: what has been derived, and what is open."""
    told = []
    if question.known:
        listed = "\n".join(f"- {answer}" for answer in question.known)
        told.append(
            "Answers to earlier questions, which were derived from the same text and may be used as premises marked as "
            f"derived ({DERIVED[question.backend]}; the words exactly as here):\n{listed}"
        )
    if question.open:
        listed = "\n".join(f"- {words}" for words in question.open)
        told.append(f"Earlier questions that are still open; assume nothing about them:\n{listed}")
    return "\n\n".join(told)


ROLE, REPORT_PROMPT = "formalizer", "question-report"
NOTE = (
    "(Your last reply could not be used: {}. Answer with the whole program in one fenced block, and keep the text "
    "around it short.)"
)


def sentences_of(question: Question) -> list[str]:
    """The sentences with a number, in their order; none without a text to rely on."""
    return [s.text for s in question.sentences if s.number is not None] if question.has_text else []


@agent(queue=Queue.FORMALIZE, name="formalizer")
async def formalizer(node: ProofNode, deps: Deps) -> Apply:
    """Ask for a program; the prompt says what was wrong with a reply that was none."""
    question = deps.task_as(Question)
    note = await note_of(deps, node, NOTE)
    prompt = first_prompt(question)
    words = variables(question, note, deps.models.prompts if deps.models is not None else None)
    if question.conversation and deps.models is not None:
        first = deps.models.prompts.get(prompt).messages(words)
        *earlier, (_, last) = question.conversation
        again = Message(ROLE, REPORT_PROMPT, {"report": last, "note": note}, (*first, *earlier))
        return await _program(node, deps, again)
    return await _program(node, deps, Message(ROLE, prompt, words))


@agent(queue=Queue.CORRECT, name="corrector")
async def corrector(node: ProofNode, deps: Deps) -> Apply:
    """One more turn."""
    return await _program(node, deps, await correction(deps, node, REPORT_PROMPT, NOTE))


async def _program(node: ProofNode, deps: Deps, message: Message) -> Apply:
    question = deps.task_as(Question)
    earlier = str(await deps.load(node, PROGRAM) or "")

    def read(reply: Reply) -> str:
        if earlier and says_unchanged(reply):
            return earlier
        program = program_in(reply, question.backend)
        if not question.policy:
            return program
        try:
            return with_case(question.rules, program, case_numbers(question))
        except InvalidInput as error:
            hint = f" ({error.hint})" if error.hint else ""
            raise UnusableReply(f"the case cannot be used: line {error.line}: {error.message}{hint}") from error

    schema = _schema(deps, message.role, question)
    return await write(node, deps, ASK, replace(message, sample=question.sample, schema=schema), read)


def _schema(deps: Deps, role: str, question: Question) -> dict[str, Any] | None:
    """The schema that the server holds the reply to, where the settings say that it always should.

    Otherwise none: a model that may think in words before it writes the program writes a better one.
    """
    endpoint = deps.models.endpoints.get(role) if deps.models is not None else None
    if question.backend != "json" or endpoint is None or endpoint.settings.structured != "on":
        return None

    return STRUCTURED_SCHEMA


_TEXT: dict[str, Any] = {"type": "string"}


def _list(element: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": element}


def _strict(**properties: dict[str, Any]) -> dict[str, Any]:
    """An object as servers with structured output want it: every key required, no other."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_TYPED = _list(_strict(name=_TEXT, sort=_TEXT))

STRUCTURED_SCHEMA: dict[str, Any] = {
    "title": "logic_program",
    **_strict(
        sorts=_list(_strict(name=_TEXT, type=_TEXT, values=_list(_TEXT), fields=_TYPED)),
        functions=_list(_strict(name=_TEXT, domain=_list(_TEXT), range=_TEXT)),
        constants=_TYPED,
        knowledge_base=_list(
            _strict(
                name=_TEXT,
                assertion=_TEXT,
                sentences=_list({"type": "integer"}),
                world=_TEXT,
                derived=_TEXT,
                reading=_TEXT,
                instead=_TEXT,
            )
        ),
        goal=_TEXT,
        goals=_list(_strict(name=_TEXT, constraint=_TEXT)),
        optimization=_strict(
            constraints=_list(_TEXT),
            objectives=_list(_strict(type={"type": "string", "enum": ["maximize", "minimize"]}, expression=_TEXT)),
        ),
    ),
}
"""Programs of a form with few choices: every key is there, what is not needed is an empty list or string.

Rules stand in the knowledge base; ``goal`` is what is asked, ``goals`` are the options of a multiple-choice question.
"""


Kind = Literal["text", "case", "world"]
"""What a question comes with: a text, rules and a case that they are applied to, or nothing."""
Row = dict[str, Any]
"""``english``, ``kinds`` and, where there are such, ``smt2``, ``json``, ``remark`` and ``where``."""


@cache
def rows() -> dict[str, list[Row]]:
    """The rows about ``sentences`` and about ``questions``."""
    return tomllib.loads(Path(__file__).with_name("english.toml").read_text(encoding="utf-8"))


def table(kind: Kind, backend: Literal["smt2", "json"], text: str = "") -> str:
    """The rows for questions of a kind, and those that words of ``text`` call for, as a table in Markdown."""
    return _markdown("| English | formula |", "sentences", kind, backend, text)


def goals(kind: Kind, question: str = "") -> str:
    """What questions of a kind ask, likewise, and what this one does."""
    return _markdown("| asked | goal |", "questions", kind, "", question)


def _markdown(head: str, part: str, kind: Kind, formula: str, text: str) -> str:
    found = [row for row in rows()[part] if kind in row["kinds"] or _stands_in(row.get("where", ""), text)]
    lines = [f"| {row['english']} | {_cell(row.get(formula, ''), row.get('remark', ''))} |" for row in found]
    return "\n".join((head, "|---|---|", *lines))


def _stands_in(pattern: str, text: str) -> bool:
    return bool(pattern) and re.search(pattern, text, re.IGNORECASE) is not None


def _cell(formula: str, remark: str) -> str:
    return "; ".join(filter(None, (f"`{formula}`" if formula else "", remark)))
