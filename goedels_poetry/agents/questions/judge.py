"""The judge tests how far the program says what was meant. It changes no verdict; the result carries what it found.

Comparisons of formulas and words need no model. Where there is one, it puts the program into words without having seen
the question, and another reading compares the two. About a fault that either finds the formalizer is asked once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from goedels_poetry.agents.guidance import schedule
from goedels_poetry.agents.questions.asking import STRIDE, question_of
from goedels_poetry.agents.questions.failing import QuestionFailure
from goedels_poetry.agents.registry import Apply, Deps, agent
from goedels_poetry.agents.rounds import Round, ask_round
from goedels_poetry.languages.base import Answering, Outcome
from goedels_poetry.models import Reply, Request
from goedels_poetry.tasks.question import DECIDED, DOUBTED, Question, set_tested
from goedels_poetry.tree.state import ProofNode, Queue, Verdict
from goedels_poetry.tree.store import Txn

if TYPE_CHECKING:
    from goedels_poetry.languages.logic.confidence import FormalizationTest

FAULTS = frozenset({"back-translation", "answer polarity", "stated facts", "near duplicates", "goal connected"})
"""Tests whose failure is worth another look at the program: a reader's, and two names that keep a question open."""
SLIPS = frozenset({"polarity", "premise polarity", "quantifier words", "guards"})
"""Tests whose mere warning is worth it, too: they seldom cry wolf."""
DOUBT = (
    "Your program was decided ({answer}), but somebody who compared it with the words found that it may not say what "
    "was meant:\n{faults}\nCompare goal and premises with the question and the text, word by word. If "
    "there is such a fault, mend it. If your program is right, answer with the one word UNCHANGED."
)


@agent(queue=Queue.CHECK_SEMANTICS, name="judge", role="judge", on_failure=QuestionFailure.UNTESTED)
async def judge(node: ProofNode, deps: Deps) -> Apply:
    """Warnings and a level of confidence for the last program that was decided."""
    from goedels_poetry.languages.logic.confidence import FormalizationTest, confidence

    question, language = question_of(deps), deps.language
    assert isinstance(language, Answering)
    decided, doubted = await deps.load(node, DECIDED), await deps.load(node, DOUBTED)
    if doubted is not None and doubted["program"] == decided["program"]:  # the model stays with its program
        return lambda txn: set_tested(txn, node, {**doubted, "words": ""})
    program = str(await deps.store.on_thread(deps.store.load, decided["program"]))
    report = await deps.store.on_thread(deps.store.load, decided["report"])
    verdict = Verdict(report["result"]["verdict"])
    sentences = [s.text for s in question.sentences if s.number is not None] if question.has_text else []
    found = deps.charge(await language.compare(program, question.options, question.asked, sentences))
    tests = [FormalizationTest.of(test) for test in found.value.get("tests", ())]
    rounds: list[Round] = []
    if found.ok and question.judged and deps.has_model("judge") and question.semantics == "entailment":
        tests += await _read_by_models(node, deps, question, program, found.value["shown"], len(sentences), rounds)
    level = confidence(tests, verdict)
    warnings = [f"{t.name}: {t.text}" for t in tests if t.outcome in ("warning", "failed")]
    faults = [t.text for t in tests if _worth_asking(t, verdict)]
    listed = "\n".join(f"- {fault}" for fault in faults)
    trust = {
        "program": decided["program"],
        "confidence": level,
        "warnings": warnings,
        "reason": "; ".join(faults) or f"confidence {level['level']}",
        "words": DOUBT.format(answer=report["reason"], faults=listed) if faults else "",
    }

    def apply(txn: Txn) -> str:
        for done in rounds:
            done.log(txn, node)
        return set_tested(txn, node, trust)

    return apply


def _worth_asking(test: FormalizationTest, verdict: Verdict) -> bool:
    """Whether the formalizer is told. What is missing can undo no proof, but may be why a question stays open."""
    missing = test.name == "stated facts" and test.outcome == "warning" and verdict is Verdict.UNKNOWN
    slipped = test.name in SLIPS and test.outcome in ("warning", "failed")
    return missing or slipped or (test.outcome == "failed" and test.name in FAULTS)


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
    from goedels_poetry.languages.logic.confidence import FormalizationTest, ProgramView, model_tests

    language = deps.language
    assert isinstance(language, Answering)

    async def ask(prompt: str, variables: Mapping[str, str], schema: Mapping[str, Any]) -> dict[str, Any] | str:
        request = Request(
            role="judge",
            prompt=prompt,
            variables=dict(variables),
            attempt=node.attempts,
            schema=dict(schema),
            node=node.id,
            seed=deps.settings.seed + STRIDE * question.sample,
        )

        async def read(reply: Reply) -> Outcome:
            return Outcome(True, dict(reply.parsed or {}))

        done = await ask_round(deps, replace(schedule(deps).scheduled(request), samples=1), read)
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


__all__ = ["judge"]
