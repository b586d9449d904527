"""A question in plain language: what is asked, of which text, under which reading, and its sentences by number.

Beside it stand the moves of a run that answers one. The root carries everything: the conversation with the model, the
present program, the report on it, and the last program that could be decided at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.models.client import Models
from goedels_poetry.protocol.base import REFUSED, Language
from goedels_poetry.search.tasks.base import (
    ANSWERED,
    FORMAL,
    REPORT,
    Loop,
    Refs,
    Report,
    Session,
    Stop,
    Task,
    Turn,
    decided,
    ended,
    headline,
)
from goedels_poetry.store.reads import HistoryEntry, Txn
from goedels_poetry.store.results import ONLY_ADVICE
from goedels_poetry.store.state import ROOT, NodeStatus, ProofNode, Queue

if TYPE_CHECKING:  # a theorem must not wait for the reader of policies
    from goedels_poetry.questions.policy import Policy

MAX_SENTENCES = 2_000
"""Further text goes into the last sentence: nothing is lost, but it cannot be told apart."""

_HEADING = re.compile(r"#{1,6}\s")
_DOCUMENT = re.compile(r"(?i)document\s*[-:–]")
_ITEM = re.compile(r"(?:[-*•–·]|\d{1,3}[.)]|\(?[a-zA-Z][)])\s+(?=\S)")
_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s)")
_OPENING = "\"'“‘(["
_TITLES = "mr mrs ms dr prof rev hon st sr jr gen col capt lt sgt gov sen rep pres messrs mt ft inc ltd corp"
_OTHERS = "vs cf eg ie e.g i.e viz approx ca fig figs eq eqs sec ch vol ed eds pp u.s u.k u.s.a u.n e.u ph.d m.d b.sc"
_MONTHS = "jan feb mar apr jun jul aug sep sept oct nov dec"
_NEVER_LAST = frozenset(f"{_TITLES} {_OTHERS}".split())
"""Abbreviations, without their last dot, that a sentence goes on behind."""
_BEFORE_A_NUMBER = frozenset(f"no nos nr p art para {_MONTHS}".split())
"""Those that a number follows; before anything else they end a sentence."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, heading or item of a list."""

    text: str
    number: int | None = None
    """From 1; None for a heading, which nothing can rest on."""
    asked: bool = False
    """Whether it is the sentence that asks: what it takes for granted may be used, what it asks may not."""


def split(text: str) -> list[str]:
    """The sentences of a text in order, headings with their ``#``, items of lists with their mark."""
    return [sentence for line in _lines(text) for sentence in _of_line(line)]


def numbered(texts: Iterable[str], first: int = 1) -> tuple[Sentence, ...]:
    """Sentences with their numbers, from ``first`` on; headings have none."""
    found: list[Sentence] = []
    number = first
    for text in texts:
        if is_heading(text):
            found.append(Sentence(text))
        elif number - first >= MAX_SENTENCES:
            last = next(n for n in range(len(found) - 1, -1, -1) if found[n].number is not None)
            found[last] = Sentence(f"{found[last].text} {text}", found[last].number)
        else:
            found.append(Sentence(text, number))
            number += 1
    return tuple(found)


def is_heading(text: str) -> bool:
    """Whether a line is a heading: marked as one, or the title of a document."""
    return bool(_HEADING.match(text)) or (text.endswith(":") and bool(_DOCUMENT.match(text)))


def _lines(text: str) -> Iterator[str]:
    """Lines without the space around them; one that was broken in the middle of a sentence is put together again."""
    waiting = ""
    for raw in text.splitlines():
        line = " ".join(raw.split())
        goes_on = waiting and line[:1].islower() and not _ITEM.match(line) and waiting[-1] not in ".!?:;"
        if goes_on and not is_heading(waiting):
            waiting = f"{waiting} {line}"
            continue
        if waiting:
            yield waiting
        waiting = line
    if waiting:
        yield waiting


def _of_line(line: str) -> Iterator[str]:
    if is_heading(line):
        yield line
        return
    begin = 0
    mark = _ITEM.match(line)
    for end in _END.finditer(line, mark.end() if mark else 0):
        if _ends_here(line, begin, end):
            yield line[begin : end.end()].strip()
            begin = end.end()
    if rest := line[begin:].strip():
        yield rest


def _ends_here(line: str, begin: int, end: re.Match[str]) -> bool:
    """Whether a sentence ends at a mark: not behind an abbreviation, nor before something written small."""
    following = line[end.end() :].lstrip()
    start = following.lstrip(_OPENING)[:1]
    if not start or start.islower():
        return False
    if end[0][0] != ".":
        return True
    word = line[begin : end.start()].rsplit(None, 1)[-1:] or [""]
    last = word[0].lstrip(_OPENING).lower()
    if last in _NEVER_LAST:
        return False
    if last in _BEFORE_A_NUMBER and start.isdigit():
        return False
    initial = len(last) == 1 and last.isalpha() and last != "i" and word[0].lstrip(_OPENING).isupper()
    # "J. Smith" and "F. D. Roosevelt", but "Vitamin C. It ...": an initial stands first or behind another name's part.
    return not (initial and _looks_like_a_name(line[begin : end.start() - 1], following))


def _looks_like_a_name(before: str, following: str) -> bool:
    previous = before.split()[-1:]
    behind_a_name = not previous or previous[0][:1].isupper() or previous[0].endswith(".")
    first = following.split(None, 1)[0].lower().strip(",.")
    return behind_a_name and first not in _BEGINNINGS


_STARTS = "the a an it he she they we you this that these those if all no some every each there"
_BEGINNINGS = frozenset(_STARTS.split())
"""Words that begin a sentence, not a surname."""


MAX_QUESTION = 100_000
"""Characters of a question, and of the text that it comes with."""
MAX_PROGRAM = 200_000
"""Characters of a program by a model."""
PROGRAM, DECIDED, TRUST, DOUBTED = "program", "decided", "trust", "doubted"
"""References of the root besides those of `attempts`: the present program; the last program that could be decided, with
the report on it; what the tests of its formalisation say, and what they said when the model was asked about it once
more."""
ADVISE = "refine"
"""Queue of the refiner."""
OPPOSITE = "the opposite of what is asked follows from the premises"
NO_MODEL = (
    "a question in plain language needs a language model for the role formalizer: give --model NAME and, unless it is "
    "OpenAI's, --base-url ADDRESS, or set GOEDELS_POETRY__MODELS__FORMALIZER__MODEL; from Python, "
    "ProofOfThought(llm=...). A program needs none: goedels-poetry ask --program FILE"
)

ANSWER, INCONSISTENT, LIMITS = "answer", "inconsistent", "limits"
UNREADABLE = "unreadable"
"""What may come of an attempt besides `OPEN`, `REFUSED`, `VACUOUS`, `REPLY` and `NO_REPLY`: an answer; contradictory
premises; no answer within the limits; a program that cannot be read."""

Aim = Literal["answer", "critique", "decompose", "steps", "rules", "guess"]
"""An answer by a program; a critique of one; independent subquestions; subquestions that rest on each other; rules for
the sentences of ``policy`` that have none; the model's own word."""

_ASKS = re.compile(r"(?i)^\s*question\s*:\s*", re.MULTILINE)
_SCENARIO = re.compile(r"(?i)^\s*(?:scenario|situation|background)\s*:\s*")
_STATEMENT = re.compile(
    r"(?i)\b(?:following|this|that|above) (?:statement|claim|sentence|conclusion)\b|"
    r"\b(?:true|false|correct|valid)\b[^.!?]*\?|\b(?:does|do|would) (?:it|this|that) (?:follow|hold)\b"
)
_THIRD_ANSWER = re.compile(
    r"(?i)\b(?:uncertain|undetermined|unknown|cannot be (?:determined|known|told)|can't be (?:determined|told)|"
    r"not enough information|insufficient information)\b"
)


@dataclass(frozen=True)
class Question(Task):
    """What somebody wants to know. Everything that determines the answer, but for the model."""

    kind: ClassVar[str] = "question"

    text: str
    context: str = ""
    """The text to rely on; "" when there is none, then the model must bring the facts, as knowledge of the world."""
    backend: Literal["smt2", "json"] = "smt2"
    semantics: Literal["entailment", "satisfiability"] = "entailment"
    world: Literal["open", "closed"] = "open"
    verify_timeout: int = 10_000
    """Milliseconds for all checks of one program."""
    optimize_timeout: int = 100_000
    """Milliseconds for all objectives of one program."""
    max_attempts: int = 3
    """Replies of the model that are asked for."""
    world_knowledge: bool = True
    """Whether a program may use premises that are not in the text."""
    choices: tuple[tuple[str, str], ...] = ()
    """Of a multiple-choice question: letters and what they stand for."""
    judged: bool = True
    """Whether a model puts the program into words and compares them with the question, where there is a judge."""
    sample: int = 0
    """Which of several independent answers to the same question this is."""
    known: tuple[str, ...] = ()
    """Answers to earlier questions, in words, that premises marked ``:derived`` may render."""
    open: tuple[str, ...] = ()
    """Earlier questions that nothing is known of, in words: nothing may be assumed about them."""
    conversation: tuple[Turn, ...] = ()
    """Turns that follow the first prompt: earlier programs (assistant) and what was said about them (user)."""
    task: Aim = "answer"
    """What is wanted: an answer, or advice about a program (the ``conversation``) or about the question."""
    most: int = 5
    """Subquestions that advice about the question may propose."""
    policy: str = ""
    """A policy file, whose rules are the premises; ``context`` and question tell of the case."""

    @cached_property
    def rules(self) -> Policy:
        """The policy; raises InvalidInput."""
        from goedels_poetry.questions.policy import read_policy

        return read_policy(self.policy)

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """Sentences of policy and context, then those of the question that tell of the case it is about."""
        rules = sorted(self.rules.sentences.items()) if self.policy else []
        listed = [Sentence(text, number) for number, text in rules]
        facts, asks = self._parts
        for texts in (split(self.context), facts):
            listed += numbered(texts, max((s.number or 0 for s in listed), default=0) + 1)
        last = max((s.number or 0 for s in listed), default=0)
        # What a question takes for granted ("I already owe 1600 pounds, can I ...?") may be cited, where facts may be.
        # A bare statement ("Anne is nice.") takes nothing for granted: listed here it would look like a fact.
        grants = asks.endswith("?") and (self.context or facts) and not self._is_about_a_statement
        if grants or self.policy:
            listed.append(Sentence(asks, last + 1, asked=True))
        return tuple(listed)

    @property
    def numbers(self) -> frozenset[int]:
        """Numbers of sentences."""
        return frozenset(s.number for s in self.sentences if s.number is not None)

    @property
    def facts(self) -> tuple[str, ...]:
        """The case that the question tells of, sentence by sentence."""
        return tuple(self._parts[0])

    @property
    def has_text(self) -> bool:
        """Whether there are sentences to rely on, beside the one that asks."""
        return any(not sentence.asked for sentence in self.sentences if sentence.number is not None)

    @property
    def asked(self) -> str:
        """The question without the case that it tells of."""
        return self._parts[1]

    @property
    def may_stay_open(self) -> bool:
        """Whether the question itself offers a third answer, such as "uncertain"."""
        return bool(_THIRD_ANSWER.search(self.asked))

    @cached_property
    def _parts(self) -> tuple[list[str], str]:
        """Facts of the case and what is asked. A statement that is to be judged is never a fact."""
        text = self.text.strip()
        marks = list(_ASKS.finditer(text))
        if marks and _SCENARIO.match(text):
            case = _SCENARIO.sub("", text[: marks[-1].start()], count=1)
            return split(case), text[marks[-1].end() :].strip()
        if self._is_about_a_statement or not text.endswith("?"):
            return [], text
        sentences = split(text)
        asks = [n for n, sentence in enumerate(sentences) if sentence.endswith("?")]
        first = asks[0]
        return sentences[:first], "\n".join(sentences[first:])

    @property
    def _is_about_a_statement(self) -> bool:
        """Whether something that is said is to be judged: "Sam is soft. Is that true?" states nothing."""
        return bool(_STATEMENT.search(self.text))

    @property
    def options(self) -> dict[str, Any]:
        """What the language needs to know."""
        return {
            "dialect": self.backend,
            "semantics": self.semantics,
            "world": self.world,
            "verify_timeout": self.verify_timeout,
            "optimize_timeout": self.optimize_timeout,
        }

    @property
    def title(self) -> str:
        """See `Task`: its beginning."""
        return headline(self.text)

    @property
    def first_queue(self) -> str:
        """See `Task`."""
        return Queue.FORMALIZE if self.task == "answer" else ADVISE

    def check(self, language: Language, models: Models | None) -> None:
        """See `Task`."""
        if not self.text.strip():
            raise InvalidInput("the question is empty")
        if self.policy and self.rules.text and (self.backend != "smt2" or self.semantics != "entailment"):
            raise InvalidInput("questions to a policy are SMT-LIB programs, and ask what follows")
        for what, text in (("question", self.text), ("context", self.context)):
            if len(text) > MAX_QUESTION:
                raise InvalidInput(f"the {what} is longer than {MAX_QUESTION} characters")
        if self.max_attempts < 1 or self.verify_timeout < 1:
            raise InvalidInput("max_attempts and verify_timeout must be at least 1")
        if models is None or not models.has("formalizer"):
            raise InvalidInput(NO_MODEL)

    async def settle(self, stop: Stop, session: Session) -> Stop:
        """An answer that only waits for tests of its formalisation is not lost with the time for these."""
        if stop.status != "out_of_budget" or session.interrupted:
            return stop
        if (await session.root()).queue != Queue.CHECK_SEMANTICS:
            return stop
        untested = f"the formalisation was not tested: {stop.reason}"
        session.warn(untested)
        await session.commit("untested", lambda txn: set_move(txn, txn.get(ROOT), "accept", untested))
        root = await session.root()
        return Stop("proved") if root.status is NodeStatus.PROVED else Stop("finished", root.reason)


# -- moves -----------------------------------------------------------------------------------------------------


def _noted(txn: Txn, node: ProofNode, refs: Refs, report: Report) -> dict[str, Any]:
    """The history entry of an attempt; adds the last program that could be decided to the references.

    ``report`` may have: ``"result"``: VerificationResult; ``"final"``: no further reply is needed; ``"again"``,
    ``"again_if_changed"``: one reply need not be enough.
    """
    result = report.get("result")
    better = result is not None and _worth(report) >= _worth(_decided(txn, node))
    if better or (result is not None and DOUBTED in node.refs and report["kind"] != REFUSED):
        refs[DECIDED] = txn.save({"program": refs[PROGRAM], "report": refs[REPORT]})
    program = {"program_ref": refs[PROGRAM]} if PROGRAM in refs else {}
    return {"verdict": str(result["verdict"]) if result is not None else "invalid", **program}


ASK = Loop(
    artifact=PROGRAM,
    stale=(TRUST,),
    entry="program",
    queues={"correct": Queue.CORRECT, "ask_again": Queue.FORMALIZE, "test": Queue.CHECK_SEMANTICS},
    noted=_noted,
)


def set_tested(txn: Txn, node: ProofNode, trust: dict[str, Any]) -> str:
    """What the tests of the formalisation say: the decider has the last word before the checker.

    ``trust``: ``{"program" (its reference), "confidence": {"level", "score", "tests"}, "warnings", "reason" (one line),
    "words" (for the model; "" when nothing need be asked)}``.
    """
    refs = {**node.refs, TRUST: txn.save(trust)}
    if trust.get("words"):
        refs[ANSWERED] = refs[TRUST]
    txn.reason = str(trust.get("reason", ""))
    txn.put(replace(node, queue=Queue.DECIDE, refs=refs))
    return str(trust.get("confidence", {}).get("level") or "not tested")


def set_move(txn: Txn, node: ProofNode, move: str, reason: str) -> str:
    """What the decider chose: ``correct``, ``ask_again``, ``test``, ``accept`` or ``give_up``."""
    decided(txn, node, move, reason)
    if move in ASK.queues:
        refs = dict(node.refs)
        if move == "correct" and TRUST in refs:  # the tests found a fault, and what comes next is another program
            refs[DOUBTED] = refs.pop(TRUST)
        txn.put(replace(node, queue=ASK.queues[move], refs=refs))
        return move
    return _end(txn, node, reason)


def set_advised(txn: Txn, node: ProofNode, reply: dict[str, Any]) -> str:
    """A model's advice is there: the run ends with it. It is no answer."""
    txn.put(replace(node, queue=None, status=NodeStatus.FAILED, attempts=node.attempts + 1, reason=ONLY_ADVICE))
    txn.set_verdict(Verdict.UNKNOWN, ONLY_ADVICE, {"result": {"said": reply}})
    return "advised"


def set_unusable_advice(txn: Txn, node: ProofNode, reason: str, *, most: int) -> str:
    """There is nothing in the reply that could be used: one attempt of ``most``."""
    node = replace(node, attempts=node.attempts + 1, reason=reason)
    txn.reason = reason
    if node.attempts < most:
        txn.put(node)
        return "rejected"
    ended(txn, node, reason)
    return "no advice"


def _end(txn: Txn, node: ProofNode, reason: str) -> str:
    """The run ends with the last program that could be decided; the checker has the last word about it."""
    if DECIDED not in node.refs:
        ended(txn, node, reason)
        return "no program"
    report = _decided(txn, node)
    result = report["result"]
    if report["kind"] == REFUSED:
        result = result | {"verdict": str(Verdict.UNKNOWN), "answer": None, "reason": report["reason"]}
    verdict = Verdict(result["verdict"])
    line = str(result["reason"] or (OPPOSITE if verdict is Verdict.REFUTED else reason))
    refs = {**node.refs, FORMAL: txn.store.load(node.refs[DECIDED])["program"]}
    core = [str(premise["name"]) for premise in result.get("core") or ()]  # of premises that contradict each other
    txn.remember("statement", " ".join(str(goal["formula"]) for goal in result["goals"])[:2_000])
    if verdict is Verdict.PROVED:
        refs["proof"] = txn.save(result)
        txn.put(replace(node, queue=None, status=NodeStatus.PROVED, reason="", refs=refs))
        return "answered"
    status = NodeStatus.REFUTED if verdict is Verdict.REFUTED else NodeStatus.FAILED
    txn.put(replace(node, queue=None, status=status, reason=line, refs=refs))
    evidence = {"verdict": str(verdict), "result": result}
    txn.set_verdict(verdict, line, evidence | ({"core": core} if verdict is Verdict.INCONSISTENT else {}))
    return "answered" if verdict is Verdict.REFUTED else str(verdict)


def _decided(txn: Txn, node: ProofNode) -> dict[str, Any]:
    """The report on the last program that could be decided; {} when there is none."""
    if DECIDED not in node.refs:
        return {}
    report: dict[str, Any] = txn.store.load(txn.store.load(node.refs[DECIDED])["report"])
    return report


def _worth(report: Report) -> int:
    """Of two programs the one with an answer counts, then one that leaves the question open, then the later one."""
    if not report:
        return 0
    if report["kind"] == REFUSED:
        return 1
    return {"proved": 4, "refuted": 4, "unknown": 3}.get(str(report["result"]["verdict"]), 2)


def programs(history: Iterable[HistoryEntry]) -> list[dict[str, Any]]:
    """The attempts of a run, oldest first."""
    return [entry.entry for entry in history if entry.kind == ASK.entry]
