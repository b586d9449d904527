"""The verifier reads the program and has its goal decided; what it reports is what the model is told."""

from __future__ import annotations

from goedels_poetry.protocol.base import OPEN, Answering
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.questions.failing import QuestionFailure
from goedels_poetry.search.questions.reports import report_on
from goedels_poetry.search.questions.writer import question_of, sentences_of
from goedels_poetry.search.tasks.question import PROGRAM, set_report
from goedels_poetry.store.state import ProofNode, Queue


@agent(queue=Queue.VERIFY, name="verifier", on_failure=QuestionFailure.UNREADABLE_PROGRAM)
async def verifier(node: ProofNode, deps: Deps) -> Apply:
    """Read, check what the question requires, pose the premises, premises and goal, premises and not goal."""
    question = question_of(deps)
    language = deps.language
    if not isinstance(language, Answering):
        raise TypeError(f"{language.name} is no language of programs that answer questions")
    program = str(await deps.load(node, PROGRAM))
    requirements = {
        "numbers": sorted(question.numbers),
        "asked": [s.number for s in question.sentences if s.asked],
        "text": bool(question.context),
        "world_knowledge": question.world_knowledge,
        "choices": [letter for letter, _ in question.choices],
        "known": list(question.known),
    }
    outcome = deps.charge(await language.answer(program, question.options, requirements))
    report = report_on(question, program, outcome)
    if report["kind"] == OPEN:  # the model is told at once what else may be amiss, not in a round of its own
        found = await language.compare(program, question.options, question.asked, sentences_of(question))
        report = report_on(question, program, outcome, deps.charge(found).value.get("doubts", ()))
    return lambda txn: set_report(txn, node, report)
