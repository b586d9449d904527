"""The judge tests how far the program says what was meant. It changes no verdict; the result carries what it found.

Comparisons of formulas and words need no model. Where there is one, it puts the program into words without having seen
the question, and another reading compares the two. About faults of the goal, and of premises that the verdict uses, the
formalizer is asked once, about all in one message; what else was found stands in the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.models.requests import Reply, object_of
from goedels_poetry.protocol.base import Answering, Outcome
from goedels_poetry.search.agents.conversation import conversation
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.guidance import NOTHING
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.rounds import Round, ask_once
from goedels_poetry.search.questions.writer import question_of, sentences_of
from goedels_poetry.search.tasks.question import (
    ADVISE,
    DECIDED,
    DOUBTED,
    Question,
    set_advised,
    set_tested,
    set_unusable_advice,
)
from goedels_poetry.store.state import ProofNode, Queue
from goedels_poetry.store.txn import Txn

if TYPE_CHECKING:
    from goedels_poetry.questions.confidence.score import FormalizationTest


FAULTS = frozenset({"back-translation", "answer polarity"})
"""Tests by a reader whose failure is worth another look at the program."""
DOUBT = (
    "The program could be read and decided. Its goal, and the premises that decide, were compared with the words of "
    "question and text. This was noticed, and may be right as it stands:\n{faults}\nLook at the words of each place "
    "again. Mend what says something else than its words, and leave the rest as it is, whatever the answer becomes. If "
    "all of it is right, answer with the one word UNCHANGED."
)


@agent(queue=Queue.CHECK_SEMANTICS, name="judge", role="judge")
async def judge(node: ProofNode, deps: Deps) -> Apply:
    """Warnings and a level of confidence for the last program that was decided."""
    from goedels_poetry.questions.confidence.score import FormalizationTest, confidence

    question, language = question_of(deps), deps.language
    assert isinstance(language, Answering)
    decided, doubted = await deps.load(node, DECIDED), await deps.load(node, DOUBTED)
    if doubted is not None and doubted["program"] == decided["program"]:  # the model stays with its program
        return lambda txn: set_tested(txn, node, {**doubted, "words": ""})
    program = str(await deps.store.on_thread(deps.store.load, decided["program"]))
    report = await deps.store.on_thread(deps.store.load, decided["report"])
    verdict = Verdict(report["result"]["verdict"])
    sentences = sentences_of(question)
    found = deps.charge(await language.compare(program, question.options, question.asked, sentences))
    tests = [FormalizationTest.of(test) for test in found.value.get("tests", ())]
    doubts: list[str] = list(found.value.get("doubts", ()))
    rounds: list[Round] = []
    if found.ok and question.judged and deps.has_model("judge") and question.semantics == "entailment":
        shown, count = found.value["shown"], len(sentences)
        tests += await _read_by_models(node, deps, question, program, shown, count, rounds)
    level = confidence(tests, verdict)
    warnings = [f"{t.name}: {t.text}" for t in tests if t.outcome in ("warning", "failed")]
    doubts += [t.text for t in tests if t.name in FAULTS and t.outcome == "failed"]
    said = [text for role, text in await conversation(deps, node) if role == "user"]
    faults = [fault for fault in doubts if not any(fault in text for text in said)]
    listed = "\n".join(f"- {fault}" for fault in faults)
    trust = {
        "program": decided["program"],
        "confidence": level,
        "warnings": warnings,
        "reason": "; ".join(faults) or f"confidence {level['level']}",
        "words": DOUBT.format(faults=listed) if faults else "",
    }

    def apply(txn: Txn) -> str:
        for done in rounds:
            done.log(txn, node)
        return set_tested(txn, node, trust)

    return apply


async def _read_by_models(
    node: ProofNode,
    deps: Deps,
    question: Question,
    program: str,
    told: dict[str, Any],
    sentences: int,
    rounds: list[Round],
) -> list[FormalizationTest]:
    """The tests that ask a model; each exchange is added to ``rounds``."""
    from goedels_poetry.questions.confidence.model_tests import ProgramView, model_tests
    from goedels_poetry.questions.confidence.score import FormalizationTest

    language = deps.language
    assert isinstance(language, Answering)

    async def ask(prompt: str, variables: Mapping[str, str], schema: Mapping[str, Any]) -> dict[str, Any] | str:
        done = await ask_once(deps, node, "judge", prompt, dict(variables), dict(schema), sample=question.sample)
        rounds.append(done)
        return done.winner.value if done.winner is not None else done.reason

    async def check(facts: Sequence[Mapping[str, Any]]) -> FormalizationTest:
        found = deps.charge(await language.facts(program, question.options, sentences, facts))
        return (
            FormalizationTest.of(found.value["test"])
            if found.ok
            else FormalizationTest("stated facts", "skipped", found.words)
        )

    return await model_tests(ProgramView.of(told), ask, check)


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
