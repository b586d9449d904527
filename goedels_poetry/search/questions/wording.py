"""What the first prompt says about a question: its sentences by number, where facts may come from, what is asked."""

from __future__ import annotations

from goedels_poetry.models.prompts import Prompts
from goedels_poetry.questions.confidence.english import Kind, goals, table
from goedels_poetry.search.tasks.question import Question

SHORT, SHORT_DOCUMENT = 40, 12
"""Sentences of a text, and of a document beside a case, that are rendered whole: in longer ones much is beside the
point, and in shorter ones a selection loses more than it saves."""
WHOLE = "The text is short: render every sentence of it, also those that seem to have no bearing. "
SELECTED = "Render what bears on the question, and leave out the rest. "

NO_TEXT = "(There is no text: you have to bring the facts.)"

FROM_THE_TEXT = (
    "Premises render the text: each names the sentences that it renders. A premise that is not in the text is allowed "
    "only where every reader takes it for granted without being told (what kind of thing something is, that a part "
    "belongs to its whole, simple arithmetic, how the words of one sentence relate to those of another): mark it as "
    "knowledge of the world. Never assume what the question asks, and never a fact only to reach an answer. When the "
    "text leaves the question open, the goal must stay open, too: that is a right answer."
)
FROM_RULES_AND_A_CASE = (
    "The text gives the rules, and the case the facts. Premises render them: each names the sentences that it "
    "renders. How the facts of the case fall under the words of a rule is knowledge of the world. Where the text "
    "has a rule about what is asked, the goal is decided by it: no, when something that the case tells of fails a "
    "condition or falls under an exception; yes, when what it tells of meets them. A condition that decides and of "
    "which the case says nothing is taken to be met, unless something speaks against it: that is knowledge of the "
    'world, too, and its words begin with "Assumed: "; where the answer is the same without it, leave it out. Never '
    "assume the very thing that is asked, nor anything that text or case contradict. Only where the text has no "
    "rule about what is asked does the goal stay open: that is a right answer then."
)
TEXT_ONLY = (
    "Premises render the text: each names the sentences that it renders. Nothing else may be assumed, not even what "
    "everybody knows. When the text leaves the question open, the goal must stay open, too: that is a right answer."
)
WITH_A_CASE = "Premises render the sentences of the case; each names those that it renders. "
FROM_THE_WORLD = (
    "There is no text to look things up in, so facts and rules must come from you, as knowledge of the world. Take the "
    "question apart: which two or three facts, each one well known and checkable on its own, decide it, and which "
    "general rules connect them? Write those as premises, all that is needed for a yes or for a no, with numbers and "
    "dates where they matter: as they are where you know them, otherwise with a bound that is safe. The answer has to "
    "follow from them by reasoning: a premise that says the goal itself, or its opposite, is refused. Be sure of each "
    "fact; do not bend one to reach an answer. Take the words of the question in their ordinary sense."
)

DERIVED = {
    "smt2": '`(assert (! formula :named d1 :derived "Is Mira ill? No."))`',
    "json": '`{"name": "d1", "assertion": "formula", "derived": "Is Mira ill? No."}`',
}
"""How a premise says that it renders the answer to an earlier question."""

OPEN_WORLD = "What does not follow is not false: it is open."
CLOSED_WORLD = (
    "The world is closed: what does not follow is false. The system adds that itself; do not write premises for it."
)


def first_prompt(question: Question) -> str:
    """Name of the prompt of the first turn."""
    return f"question-{question.backend}"


def kind_of(question: Question) -> Kind:
    """What the question comes with: of the rules and examples of the prompt only those are shown that fit."""
    if not question.context:
        return "world"
    return "case" if question.facts else "text"


def variables(question: Question, note: str = "", prompts: Prompts | None = None) -> dict[str, str]:
    """What the first prompt may mention.

    Args:
        question: what is asked.
        note: about a reply that could not be used.
        prompts: where the part of the prompt is taken from that is about questions of this kind; None: those that ship.
    """
    kind = kind_of(question)
    own = (prompts or Prompts()).get(f"{first_prompt(question)}-{kind}")
    return {
        "table": table(kind, question.backend, "\n".join(s.text for s in question.sentences)),
        "goals": goals(kind, question.asked),
        "kind": own.messages({})[-1][1],
        "text": _listed(question) or NO_TEXT,
        "question": question.asked,
        "goal": _goal(question),
        "facts": _facts(question),
        "world": CLOSED_WORLD if question.world == "closed" else OPEN_WORLD,
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
        number = "" if sentence.number is None else f"[{sentence.number}] "
        asked = "(the question; only what it takes for granted) " if sentence.asked else ""
        lines.append(f"{number}{asked}{sentence.text}")
    return "\n".join(lines)


def _facts(question: Question) -> str:
    if not question.context and (question.world_knowledge or not question.has_text):
        return WITH_A_CASE + FROM_THE_WORLD if question.has_text else FROM_THE_WORLD
    return _scope(question) + _allowed(question)


def _scope(question: Question) -> str:
    """How much of the text is to be rendered."""
    most = SHORT_DOCUMENT if question.context and question.facts else SHORT
    return WHOLE if len(question.numbers) <= most else SELECTED


def _allowed(question: Question) -> str:
    if not question.world_knowledge:
        return TEXT_ONLY
    return FROM_RULES_AND_A_CASE if question.facts else FROM_THE_TEXT


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
