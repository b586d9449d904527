"""The judge tests how far the program says what was meant. It changes no verdict; the result carries what it found.

Comparisons of formulas and words need no model. Where there is one, it puts the program into words without having seen
the question, and another reading compares the two. About faults of the goal, and of premises that the verdict uses, the
formalizer is asked once, about all in one message; what else was found stands in the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.protocol.base import Answering
from goedels_poetry.search.agents.conversation import conversation
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.rounds import Round, ask_once
from goedels_poetry.search.questions.writer import question_of, sentences_of
from goedels_poetry.search.tasks.question import DECIDED, DOUBTED, Question, set_tested
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
    """The tests that ask a model; each exchange is added to ``rounds``.

    Args:
        told: what models may be shown, as JSON.
        sentences: how many the text has.
    """
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
