"""The verifier of a question reads the program and has its goal decided; the decider chooses by a table what follows.

What the verifier reports is what the model reads. No model decides: the choice is whether another reply is worth its
price, and the solver's answer says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.protocol.base import OPEN, REFUSED, VACUOUS, Answering, Outcome
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.failure import ERROR, FailureTable, writes
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.questions.writer import question_of, sentences_of
from goedels_poetry.search.tasks.attempts import CONVERSATION, NO_REPLY, REPLY, REPORT, set_report
from goedels_poetry.search.tasks.question import (
    ANSWER,
    ASK,
    DECIDED,
    DOUBTED,
    INCONSISTENT,
    LIMITS,
    PROGRAM,
    TRUST,
    UNREADABLE,
    Question,
    programs,
    set_move,
    set_tested,
)
from goedels_poetry.store.state import ProofNode, Queue
from goedels_poetry.store.txn import Txn

# What came of a program, in words that a model can act on, and in one line for people

MOST_PREMISES = 20
"""Premises that a report lists."""
MOST_WORDS = 3_000
"""Characters of a countermodel in words that a report shows."""

OPEN_TEXT = """If the text settles the question, the program lacks a sentence, something that every reader takes for \
granted, or the link between two wordings of one notion (two names of people are always two people): add what is \
missing. If the text leaves it open, answer with the one word UNCHANGED; that is a right answer then. Do not assume \
the goal, its negation, or anything that the text does not support."""
OPEN_BINARY = """The question is put as one of yes or no, so suppose first that the text settles it: which sentence, \
or which link between words of two sentences that every reader makes, excludes this world? """
OPEN_CASE = """ Where the case says nothing about a condition of the rule that decides, and a reader would take it to \
be met, state that as knowledge of the world whose words begin with "Assumed: "."""
OPEN_FACTS = """A fact is missing, or facts are not connected: which well-known fact decides the question in this \
world, and which general rule connects it with the goal? Add what is missing, as knowledge of the world, for a yes or \
for a no, whichever is true. Do not write the goal or its negation as a premise. If what is known about the world \
really does not decide it, answer with the one word UNCHANGED."""

Report = dict[str, Any]
Json = Mapping[str, Any]


def report_on(question: Question, program: str, outcome: Outcome, doubts: Sequence[str] = ()) -> Report:
    """The report on a program that `Answering.answer` has looked at: see `question.set_report`."""
    found = outcome.value
    result = found.get("result")
    if not outcome.ok or result is None:
        return _unreadable(program, outcome)
    findings: list[Json] = found.get("findings", [])
    refused = [f for f in findings if f["kind"] == REFUSED]
    if refused:
        words = "\n".join(str(f["words"]) for f in refused)
        return {"kind": REFUSED, "words": words, "reason": str(refused[0]["reason"]), "result": result}
    verdict = Verdict(result["verdict"])
    if verdict is Verdict.INCONSISTENT:
        return _inconsistent(question, result)
    if verdict in (Verdict.PROVED, Verdict.REFUTED) and result["answer"] is not None:
        vacuous = [f for f in findings if f["kind"] == VACUOUS]
        if vacuous:
            words, reason = str(vacuous[0]["words"]), str(vacuous[0]["reason"])
            return {"kind": VACUOUS, "words": words, "reason": reason, "result": result}
        answer = result["answer"]
        reason = f"the answer is {str(answer).lower() if isinstance(answer, bool) else answer}"
        return {"kind": ANSWER, "words": reason, "reason": reason, "result": result}
    checks = [goal.get("checks") or {} for goal in result.get("goals", ())]
    if any("unknown" in (each.get("with_goal"), each.get("with_negation")) for each in checks):
        return _limits(question, result)
    return _open(question, result, found.get("world", ()), list(dict.fromkeys(doubts)))


def _unreadable(program: str, outcome: Outcome) -> Report:
    """A program that the reader refuses, with the line that is meant."""
    where, message = outcome.value, outcome.words or "the program cannot be read"
    line, column = where.get("line"), where.get("column")
    place = f"line {line}" + (f", column {column}" if column else "") if line else ""
    place = ", ".join(filter(None, (place, str(where.get("path") or ""))))
    reason = f"{place}: {message}" if place else message
    lines = program.splitlines()
    quoted = f"\n    {lines[line - 1].strip()[:300]}" if line and line <= len(lines) else ""
    hint = f"\n{where['hint']}" if where.get("hint") else ""
    return {"kind": UNREADABLE, "words": f"The program cannot be read:\n{reason}{quoted}{hint}", "reason": reason}


def _inconsistent(question: Question, result: Json) -> Report:
    core = result.get("core") or ()
    words = (
        "The premises contradict each other, so anything would follow from them and there is no answer. These cannot "
        f"all be true together:\n{_listed(question, core)}\n"
        "Most often one of them says more than its sentence says, or was assumed without need: a rule whose exception "
        "stands in another sentence ('usually', 'often'), an exclusive 'or' where both may hold, two names for one "
        "thing called different, a fact about the case that the text does not state."
    )
    names = ", ".join(str(premise["name"]) for premise in core)
    return {
        "kind": INCONSISTENT,
        "words": words,
        "reason": f"the premises contradict each other: {names}",
        "result": result,
    }


def _limits(question: Question, result: Json) -> Report:
    words = (
        f"The solver reached no answer within {question.verify_timeout} ms ({result['reason']}). Make the program "
        "easier for it: leave out premises that have nothing to do with the question, declare individuals as "
        "constants, avoid nested quantifiers, functions from a sort into itself and multiplication of variables, and "
        "say with one predicate what you say with several."
    )
    return {
        "kind": LIMITS,
        "words": words,
        "reason": str(result["reason"] or "no answer within the limits"),
        "result": result,
    }


def _open(question: Question, result: Json, world: Sequence[str], hints: Sequence[str]) -> Report:
    told = "\n".join(f"- {line[:MOST_WORDS]}" for line in world)
    pressed = ("" if question.may_stay_open else OPEN_BINARY) + OPEN_TEXT + (OPEN_CASE if question.facts else "")
    asked = pressed if question.context else OPEN_FACTS
    words = "\n".join(
        (
            "Neither the goal nor its negation follows from the premises."
            + (f" Here is a world in which all premises are true and the goal is false:\n{told}" if told else ""),
            *(("What may be amiss:", *(f"- {hint}" for hint in hints)) if hints else ()),
            asked,
        )
    )
    reason = str(result["reason"] or "neither the goal nor its negation follows")
    stays = question.may_stay_open and not hints  # it offers a third answer: then nobody is pressed for another
    return {
        "kind": OPEN,
        "words": words,
        "reason": reason,
        "result": result,
        "final": stays,
        "again": not question.context,
        "again_if_changed": not question.may_stay_open,
    }


def _listed(question: Question, premises: Iterable[Json]) -> str:
    texts = {s.number: s.text for s in question.sentences}
    lines = []
    for premise in list(premises)[:MOST_PREMISES]:
        said = " ".join(f'"{texts[n]}"' for n in premise.get("sentences", ()) if n in texts)
        source = (
            f"sentence {', '.join(map(str, premise['sentences']))}: {said}" if said else str(premise.get("words") or "")
        )
        told = f" ({source})" if source else ""
        lines.append(f"- {premise['name']}{told}: {premise['formula']}")
    return "\n".join(lines)


@agent(queue=Queue.VERIFY, name="verifier")
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
    return lambda txn: set_report(txn, node, ASK, report)


MOVES = {
    "test": "the program has an answer; how far it says what was meant is tested",
    "accept": "there is nothing left to mend",
    "correct": "the model is shown what came of its program",
    "ask_again": "the model is asked anew",
    "give_up": "all attempts are used up",
}
"""move -> why it may be chosen."""

POLICY: dict[str, tuple[str, ...]] = {
    ANSWER: ("test", "accept"),
    OPEN: ("correct", "test", "accept"),
    INCONSISTENT: ("correct", "accept"),
    LIMITS: ("correct", "accept"),
    REFUSED: ("correct", "accept"),
    VACUOUS: ("correct", "test", "accept"),
    UNREADABLE: ("correct", "accept", "give_up"),
    REPLY: ("correct", "accept", "give_up"),
    NO_REPLY: ("correct", "ask_again", "accept", "give_up"),
}
"""kind of report -> moves in order of preference; the first legal one is taken."""

AFTER_TESTS = ("correct", "accept")
"""The same when the formalisation has been tested; about a fault that the tests found the model is asked once."""

ONCE = frozenset({OPEN, VACUOUS})
"""Kinds after which the model is asked about its program once: if it stays with it, so be it. But a question of yes or
no whose program changed is asked about again; without a text, one that stays open lacks facts in any case."""


def unreadable_program(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """The program could not be checked; the decider is next."""
    words = f"The program could not be checked: {reason}"
    set_report(txn, node, ASK, {"kind": UNREADABLE, "words": words, "reason": reason})
    return ERROR


def untested(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """Nothing is used up: the answer stands, with the note that its formalisation was not tested."""
    set_tested(txn, node, {"reason": f"the formalisation was not tested: {reason}"})
    return ERROR


def give_up(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """The run ends with what it has."""
    set_move(txn, node, "give_up", reason)
    return ERROR


FAILURES = FailureTable.of(
    {
        Queue.FORMALIZE: writes(ASK),
        Queue.CORRECT: writes(ASK),
        Queue.VERIFY: unreadable_program,
        Queue.CHECK_SEMANTICS: untested,
    },
    otherwise=give_up,
)


@agent(queue=Queue.DECIDE, quick=True, name="decider")
async def decider(node: ProofNode, deps: Deps) -> Apply:
    """The first legal move of the table."""
    left = node.attempts < question_of(deps).max_attempts

    def apply(txn: Txn) -> str:
        report = txn.store.load(node.refs[REPORT])
        trust = txn.store.load(node.refs[TRUST]) if TRUST in node.refs else None
        if trust is not None:
            order, asked = AFTER_TESTS, not trust.get("words") or DOUBTED in node.refs
        else:
            order, asked = POLICY[report["kind"]], _is_settled(report, programs(txn.store.history(node.id)))
        legal = {
            "correct": left and not asked and CONVERSATION in node.refs,
            "ask_again": left and CONVERSATION not in node.refs,
            "test": trust is None and "result" in report,
            "accept": DECIDED in node.refs,
        }
        move = next((m for m in order if legal.get(m)), "give_up")
        return set_move(txn, node, move, f"{node.reason}; {MOVES[move]}" if node.reason else MOVES[move])

    return apply


def _is_settled(report: Report, past: list[dict[str, Any]]) -> bool:
    """Whether the model need not be asked about its program (once more); the report is on the last of ``past``."""
    last = [entry.get("program_ref") for entry in past[-2:]]
    unchanged = len(last) == 2 and last[0] is not None and last[0] == last[1]
    again = report.get("again") or (report.get("again_if_changed") and not unchanged)
    often = sum(entry["outcome"] == report["kind"] for entry in past)
    return bool(report.get("final")) or (report["kind"] in ONCE and often > 1 and not again)
