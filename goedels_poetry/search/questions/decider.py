"""The verifier of a question reads the program and has its goal decided; the decider chooses by a table what follows.

What the verifier reports is what the model reads. No model decides: the choice is whether another reply is worth its
price, and the solver's answer says so.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.models.requests import Reply, object_of
from goedels_poetry.protocol.base import OPEN, REFUSED, VACUOUS, Answering, Outcome
from goedels_poetry.questions.policy import case_of, read_rules
from goedels_poetry.search.agents.conversation import conversation
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.failure import ERROR, FailureTable, writes
from goedels_poetry.search.agents.guidance import NOTHING
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.rounds import Round, ask_once
from goedels_poetry.search.questions.writer import kind_of, part, sentences_of, table
from goedels_poetry.search.tasks.base import CONVERSATION, NO_REPLY, REPLY, REPORT, set_report
from goedels_poetry.search.tasks.question import (
    ADVISE,
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
    set_advised,
    set_move,
    set_tested,
    set_unusable_advice,
)
from goedels_poetry.store.reads import Txn
from goedels_poetry.store.state import ProofNode, Queue

if TYPE_CHECKING:
    from goedels_poetry.questions.confidence.score import FormalizationTest


# What came of a program, in words that a model can act on, and in one line for people

MOST_PREMISES = 20
"""Premises that a report lists."""
MOST_WORDS = 3_000
"""Characters of a countermodel in words that a report shows."""

Report = dict[str, Any]
Json = Mapping[str, Any]


def report_on(question: Question, program: str, outcome: Outcome, doubts: Sequence[str] = ()) -> Report:
    """The report on a program that `Answering.answer` has looked at: see `question.set_report`."""
    found = outcome.value
    result = found.get("result")
    if not outcome.ok or result is None:
        return _unreadable(*case_of(program) if question.policy else (0, program), outcome)
    findings: list[Json] = found.get("findings", [])
    refused = [f for f in findings if f["kind"] == REFUSED]
    if refused:
        words = "\n".join(str(f["words"]) for f in refused)
        return {"kind": REFUSED, "words": words, "reason": str(refused[0]["reason"]), "result": result}
    verdict = Verdict(result["verdict"])
    if verdict is Verdict.INCONSISTENT:
        core = result.get("core") or ()
        reason = f"the premises contradict each other: {', '.join(str(premise['name']) for premise in core)}"
        words = part("inconsistent").format(listed=_listed(question, core))
        final = bool(question.policy)  # a case may well contradict the rules: that is a finding
        return {"kind": INCONSISTENT, "words": words, "reason": reason, "result": result, "final": final}
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
        words = part("limits").format(ms=question.verify_timeout, reason=result["reason"])
        reason = str(result["reason"] or "no answer within the limits")
        return {"kind": LIMITS, "words": words, "reason": reason, "result": result}
    return _open(question, result, found.get("world", ()), list(dict.fromkeys(doubts)))


def _unreadable(ours: int, program: str, outcome: Outcome) -> Report:
    """A program that the reader refuses, with the line that is meant; before it stood lines of ``ours``."""
    where, message = outcome.value, outcome.words or "the program cannot be read"
    line, column = where.get("line") and max(1, where["line"] - ours), where.get("column")
    place = f"line {line}" + (f", column {column}" if column else "") if line else ""
    place = ", ".join(filter(None, (place, str(where.get("path") or ""))))
    reason = f"{place}: {message}" if place else message
    lines = program.splitlines()
    quoted = f"\n    {lines[line - 1].strip()[:300]}" if line and line <= len(lines) else ""
    hint = f"\n{where['hint']}" if where.get("hint") else ""
    return {"kind": UNREADABLE, "words": f"The program cannot be read:\n{reason}{quoted}{hint}", "reason": reason}


def _open(question: Question, result: Json, world: Sequence[str], hints: Sequence[str]) -> Report:
    told = "\n".join(f"- {line[:MOST_WORDS]}" for line in world)
    pressed = ["open-binary"] * (not question.may_stay_open) + ["open"] + ["open-case"] * bool(question.facts)
    asked = " ".join(map(part, pressed if question.context else ["open-facts"]))
    world_text = f" Here is a world in which all premises are true and the goal is false:\n{told}" if told else ""
    amiss = ["What may be amiss:", *(f"- {hint}" for hint in hints)] if hints else []
    neither = f"Neither the goal nor its negation follows from the premises.{world_text}"
    words = "\n".join((neither, *amiss, asked))
    reason = str(result["reason"] or "neither the goal nor its negation follows")
    # a third answer is offered, or the rules are given: then the model is not asked for another
    stays = bool(question.policy) or (question.may_stay_open and not hints)
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
        source = str(premise.get("words") or "")
        if said:
            source = f"sentence {', '.join(map(str, premise['sentences']))}: {said}"
        lines.append(f"- {premise['name']}{f' ({source})' if source else ''}: {premise['formula']}")
    return "\n".join(lines)


@agent(queue=Queue.VERIFY, name="verifier")
async def verifier(node: ProofNode, deps: Deps) -> Apply:
    """Read, check what the question requires, pose the premises, premises and goal, premises and not goal."""
    question = deps.task_as(Question)
    language = deps.language
    if not isinstance(language, Answering):
        raise TypeError(f"{language.name} is no language of programs that answer questions")
    program = str(await deps.load(node, PROGRAM))
    requirements = {
        "numbers": sorted(question.numbers),
        "asked": [s.number for s in question.sentences if s.asked],
        "text": bool(question.context or question.policy),
        "world_knowledge": question.world_knowledge,
        "choices": [letter for letter, _ in question.choices],
        "known": list(question.known),
        "may_stay_open": question.may_stay_open,
    }
    outcome = deps.charge(await language.answer(program, question.options, requirements))
    report = report_on(question, program, outcome)
    if report["kind"] == OPEN and not question.policy:  # at once what else may be amiss, not in a round of its own
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
    left = node.attempts < deps.task_as(Question).max_attempts

    def apply(txn: Txn) -> str:
        report = txn.store.load(node.refs[REPORT])
        trust = txn.store.load(node.refs[TRUST]) if TRUST in node.refs else None
        if trust is not None:
            asked = not trust.get("words") or DOUBTED in node.refs
        else:
            asked = _is_settled(report, programs(txn.store.history(node.id)))
        order = POLICY[report["kind"]] if trust is None else AFTER_TESTS
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


OF_RULES = frozenset({"unused premises", "premise polarity", "guards", "text given"})
"""Tests of what a person has reviewed, where the rules are a policy's."""
FAULTS = frozenset({"back-translation", "answer polarity"})
"""Tests by a reader whose failure, or a difference that matters for the answer, is worth another look."""


@agent(queue=Queue.CHECK_SEMANTICS, name="judge", role="judge")
async def judge(node: ProofNode, deps: Deps) -> Apply:
    """Warnings and a level of confidence for the last program that was decided."""
    from goedels_poetry.questions.confidence.score import FormalizationTest, confidence, otherwise

    question, language = deps.task_as(Question), deps.language
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
    tests = [test for test in tests if not (question.policy and test.name in OF_RULES)]
    doubts: list[str] = list(found.value.get("doubts", ()))
    rounds: list[Round] = []
    judged = question.judged and not question.policy and question.semantics == "entailment"
    if found.ok and judged and deps.has_model("judge"):
        shown, count = found.value["shown"], len(sentences)
        tests += await _read_by_models(node, deps, question, program, shown, count, rounds)
    tests += [] if question.policy else otherwise(report["result"])
    level = confidence(tests, verdict)
    warnings = [f"{t.name}: {t.text}" for t in tests if t.outcome in ("warning", "failed")]
    doubts += [t.text for t in tests if t.name in FAULTS and (t.outcome == "failed" or t.about)]
    said = [text for role, text in await conversation(deps, node) if role == "user"]
    faults = [fault for fault in doubts if not any(fault in text for text in said)]
    listed = "\n".join(f"- {fault}" for fault in faults)
    trust = {
        "program": decided["program"],
        "confidence": level,
        "warnings": warnings,
        "reason": "; ".join(faults) or f"confidence {level['level']}",
        "words": part("doubt").format(faults=listed) if faults else "",
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
        skipped = FormalizationTest("stated facts", "skipped", found.words)
        return FormalizationTest.of(found.value["test"]) if found.ok else skipped

    conventions = table(kind_of(question), question.backend, "\n".join(s.text for s in question.sentences))
    return await model_tests(ProgramView.of(told | {"table": conventions}), ask, check)


PROMPTS = {
    "rules": "policy-rules",
    "critique": "question-critique",
    "decompose": "question-decompose",
    "steps": "question-least-to-most",
    "guess": "question-guess",
}
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
RULES_SCHEMA = object_of(
    "rules",
    closed=True,
    symbols=[object_of("", closed=True, declaration="string", words="string")],
    rules=[object_of("", closed=True, sentences=["integer"], formula="string")],
    left_out=[object_of("", closed=True, sentence="integer", why="string")],
)

SCHEMAS = {
    "critique": CRITIQUE_SCHEMA,
    "rules": RULES_SCHEMA,
    "guess": object_of("guess", closed=True, reason="string", answer="string"),
}
"""Of what is asked for; of everything else `SPLIT_SCHEMA`."""

_SENTENCE = re.compile(r"(?i)[\s`\[(]*(?:sentences?|s)?[\s#\[(]*(\d{1,5})\b")
_NAMED = re.compile(r':named\s+\|?([^\s|()]+)|"name"\s*:\s*"([^"]+)"|\b(goal(?:[-_]\w+)?)\b')
_SHORT = 5
"""Words of a place that is named and not quoted: ``premise p2``, ``the assertion of w1``."""


@agent(queue=ADVISE, name="refiner")
async def refiner(node: ProofNode, deps: Deps) -> Apply:
    """One request; a reply that cannot be used costs one attempt."""
    question = deps.task_as(Question)
    critique = question.task == "critique"
    role = "judge" if critique and deps.has_model("judge") else "formalizer"
    schema = SCHEMAS.get(question.task, SPLIT_SCHEMA)
    tries = 0

    async def read(reply: Reply) -> Outcome:
        nonlocal tries
        said, tries = reply.parsed or {}, tries + 1
        if question.task == "rules":
            added, wrong = await asyncio.to_thread(read_rules, question.rules, said)
            kept = tries > 1 or not wrong  # faults are sent back once
            return Outcome(kept, {"added": added} if kept else {}, "\n".join(wrong))
        if question.task == "guess":
            return _guessed(said, question)
        found = faults_in(said, question) if critique else {"subquestions": subquestions_in(said, question)}
        return Outcome(True, found)

    words, sample = variables(question), question.sample
    prompt, again = PROMPTS[question.task], question.task == "rules"
    done = await ask_once(deps, node, role, prompt, words, schema, sample=sample, read=read, again=again)
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
    if question.task == "rules":
        unsaid = {number: question.rules.sentences[number] for number in question.rules.unsaid}
        sentences = "\n".join(f"[{number}] {text}" for number, text in unsaid.items())
        return {"vocabulary": "\n".join(question.rules.vocabulary()) or NOTHING, "sentences": sentences}
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


def _guessed(said: dict[str, Any], question: Question) -> Outcome:
    """``{"answer": yes or no, or an option's letter, "reason"}``; not ok for other words."""
    letters = {letter.lower(): letter for letter, _ in question.choices}
    words: dict[str, Any] = letters or {"yes": True, "true": True, "no": False, "false": False}
    word = str(said["answer"]).strip().strip(".)(").lower()
    if word not in words:
        return Outcome(False, {}, f"{word[:40]!r} is none of {', '.join(words)}")
    return Outcome(True, {"answer": words[word], "reason": " ".join(str(said["reason"]).split())[:MAX_WORDS]})


def subquestions_in(said: dict[str, Any], question: Question) -> list[str]:
    """The subquestions, each once, without the question itself."""
    asked = {_plain(question.text).casefold(), _plain(question.asked).casefold()}
    found: dict[str, str] = {}
    for text in said["subquestions"]:
        words = " ".join(str(text).split())
        if words and len(words) <= MAX_WORDS and _plain(words).casefold() not in asked:
            found.setdefault(_plain(words).casefold(), words)
    return list(found.values())[: question.most]
