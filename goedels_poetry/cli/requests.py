"""Options of the commands that search: `prove`, `formalize`, `ask`, `code`, `change` and `bench`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from goedels_poetry.cli.options import (
    BUDGETS,
    BackendName,
    Reported,
    Required,
    Search,
    SemanticsName,
    WorldName,
    argument,
    assume_flag,
    at_once,
    cluster_option,
    duration,
    flag,
    given,
    judge_flag,
    languages,
    many,
    option,
    out_option,
    post_option,
    require_option,
    round_trip_flag,
    units_option,
)
from goedels_poetry.kernel.verdict import Verdict

if TYPE_CHECKING:
    from goedels_poetry.evaluation import Limits

DAY = 86_400_000
"""Milliseconds."""


@dataclass(frozen=True, kw_only=True)
class Prove(Reported, Search):
    """Prove theorems; keep every run and its certificate.

    Exit code: 0 proved, 1 unknown or less than --require asks for, 2 invalid input, 3 refuted, 4 inconsistent premises,
    5 out of budget. Without any verdict: 75 another process works on the run, 74 a file or the disk failed, 69 a model
    could not be asked or a tool is missing, 70 a defect of this program. With several theorems it is that of the worst:
    70, invalid, inconsistent, refuted, 74, 69, 75, out of budget, unknown, proved.
    """

    inputs: Sequence[str] = argument(
        "Theorems in SMT-LIB 2 (.smt2), Lean 4 (.lean), Python with contracts (.py), JSON logic programs "
        "(.json): files, folders of them, FILE:NAME for one theorem of a file, - for standard input.",
        metavar="FILE...",
        default=...,
    )
    timeout: float | None = duration(
        "For each theorem, over all resumes: seconds, or 10s, 5m, 1h30m; 0: no limit. [default: 300]"
    )
    out: Path | None = out_option("certificates (default: in the run's folder)")
    jobs: int | None = at_once("Theorems at once. [default: 1; on a cluster what it has room for]")
    cluster: str | None = cluster_option()
    resume: bool = flag("Only go on with a run that exists.")
    language: str | None = option("Proof language, when the file name does not tell.", autocompletion=languages)
    theorem: str | None = option("One theorem of the file (the same as FILE:NAME).", metavar="NAME")
    lemmas: Path | None = option("SMT: goals to prove first, and to use for the others.", metavar="FILE")
    assume_definitions: bool = assume_flag()
    no_bank: bool = flag("Neither use nor feed the lemma bank.")
    max_concurrency: int | None = option("Agents' jobs at once; checks are counted apart.", min=1)
    max_steps: int | None = option("Budget: agent steps of a run.", min=0)
    max_nodes: int | None = option("Budget: goals of a run, cut ones included.", min=1)
    max_depth: int | None = option("Budget: levels of decomposition.", min=0)
    max_attempts: int | None = option("Budget: proof attempts on one goal.", min=1)
    max_solver_seconds: float | None = duration("Budget: time inside solvers.")
    budget: int | None = units_option()
    symbolic_queries: int | None = option(
        "With a model: solver queries of the search before it is asked. [default: 300]", min=0
    )
    model_first: bool = flag("Ask the model for each proof before the symbolic agents try.")
    record: Path | None = option("Write every request to a model and its reply; implies --no-bank.", metavar="FILE")
    replay: Path | None = option("Answer from such a file, without any network; implies --no-bank.", metavar="FILE")
    informal: bool = flag("FILE is a claim in plain words (text, or a .txt or .md file): formalize it.")
    context: Path | None = option(
        "With --informal: formal definitions that the formal theorem begins with.",
        metavar="FILE",
        rich_help_panel="Claims in words",
    )
    confirm: bool = option(
        "With --informal: show the formal statement and ask before proving.",
        default=False,
        rich_help_panel="Claims in words",
    )
    no_round_trip: bool = round_trip_flag()
    proof: bool | None = option("Print the proof. [default: when it has at most 12 lines]", "--proof/--no-proof")
    diff: bool = flag("Lean: print what filling the holes of each file changes in it.")
    write: bool = flag("Lean: fill the holes in the files; what they were is kept in FILE.orig.")
    lean: bool = flag("SMT: write each proof for Lean, too, into its certificate (level L4).")
    lean_timeout: float | None = duration("With --lean: for each. [default: 60]")
    proofs: bool = flag("SMT, Python: write a proof object for each obligation, too, into the certificate (level L4).")
    verbose: bool = flag(
        "Name each method and each function without a contract that a folder passes over.", "--verbose", "-v"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.fresh and self.resume:
            raise typer.BadParameter("--fresh and --resume exclude each other")
        if (self.context is not None or self.confirm or self.no_round_trip) and not self.informal:
            raise typer.BadParameter("--context, --confirm and --no-round-trip go with --informal")
        if self.lemmas is not None and self.informal:
            raise typer.BadParameter("--lemmas goes with formal theorems, --informal with claims in words")

    @property
    def budgets(self) -> dict[str, float]:
        """All of them."""
        return self.limits_of(tuple(BUDGETS))

    @property
    def fills(self) -> bool:
        """Whether files are to be filled."""
        return self.diff or self.write


@dataclass(frozen=True, kw_only=True)
class Formalize(Search):
    """State claims formally, test what was stated, and prove nothing. Needs a language model.

    Exit code: 0 every claim has a formal statement that nothing speaks against, 1 no formalization, 2 invalid input,
    3 the formal statement is false, 4 it contradicts itself, 5 out of budget; of several the worst, as for `prove`.
    """

    inputs: Sequence[str] = argument(
        "Claims in words: the text itself, .txt or .md files, folders, -.", metavar="[CLAIM]...", default=()
    )
    file: Path | None = option("A data set: JSON Lines or JSON with statements and steps.", metavar="ITEMS")
    language: str | None = option("Proof language: lean or smt. [default: smt]")
    out: Path | None = out_option("formal statements and their records")
    jobs: int = at_once("Claims worked on at once.", default=1)
    context: Path | None = option("Formal definitions that the formal statement begins with.", metavar="FILE")
    confirm: bool = flag("Show each formal statement and ask.")
    no_round_trip: bool = round_trip_flag()


@dataclass(frozen=True, kw_only=True)
class Ask(Search):
    """Answer a question in plain language (needs a language model), or logic programs (needs none).

    A model turns question and context into a program; whether its goal follows from its premises, its negation, or
    neither, is decided by solvers and confirmed by the checker. Exit code: 0 proved, 3 refuted, 1 unknown,
    4 inconsistent premises, 2 invalid, 5 out of budget; of several programs the worst, as for `prove`. A policy without
    a question runs its tests: 0 all agree, 1 one does not.
    """

    inputs: Sequence[str] = argument(
        "The question itself, or a .txt or .md file; with --program: programs.", metavar="[QUESTION]", default=()
    )
    context: str | None = option("The text that the answer is to rely on (- for standard input).", metavar="FILE")
    program: Sequence[str] = many("Answer a logic program (a file, a folder, - for standard input).", metavar="FILE")
    policy: Path | None = option(
        "Rules for the question, from a policy file; without a question its tests are run.", metavar="FILE"
    )
    formalise: Path | None = option("Write the policy from this rule text, with a model.", metavar="RULES")
    review: bool = flag("Print each sentence of the policy with its rules in words.")
    reviewed_by: str | None = option("Note in the policy who reviewed its rules as they are now.", metavar="NAME")
    backend: BackendName | None = option("Language of the programs. [default: smt2; by the file's suffix]")
    attempts: int = option(
        "Replies of the model that may be asked for.", "--attempts", "--max-attempts", min=1, default=3
    )
    choice: Sequence[str] = many(
        "A possible answer of a multiple-choice question; repeatable.", metavar="[LETTER=]TEXT"
    )
    verify_timeout: float = option(
        "Milliseconds for all checks of a program together.", min=1, max=DAY, metavar="MS", default=10_000
    )
    optimize_timeout: float | None = option(
        "The same for objectives. [default: as for the checks]", min=1, max=DAY, metavar="MS"
    )
    semantics: SemanticsName = option(
        "Does the goal follow, or is it only consistent?", default=SemanticsName.ENTAILMENT
    )
    world: WorldName = option("In a closed world what does not follow is false.", default=WorldName.OPEN)
    text_only: bool = flag("Allow no assumption that is not in the context.")
    no_judge: bool = judge_flag()
    post: Sequence[str] = post_option()
    best_guess: bool = flag("Where no answer follows, ask the model for its own word: of grade likely, and no verdict.")
    confirm: bool | None = option(
        "Programs: have verdicts confirmed by a fresh z3 and by cvc5. [default: for a single one]"
    )
    jobs: int | None = at_once("Programs at once. [default: one a processor]")
    out: Path | None = out_option("the certificate (default: in the run's folder)")
    timeout: float | None = duration("For a question, over all resumes; 0: no limit. [default: 900]")

    def __post_init__(self) -> None:
        super().__post_init__()
        ways = [bool(each) for each in (self.inputs, self.formalise, self.review, self.reviewed_by)]
        if any(ways[1:]) and (self.policy is None or sum(ways) > 1):
            raise typer.BadParameter("--formalise, --review and --reviewed-by go with --policy, one at a time")
        if self.policy is not None and self.program:
            raise typer.BadParameter("--policy and --program exclude each other")

    @property
    def asking(self) -> dict[str, Any]:
        """Fields of `Question`."""
        return {
            "backend": (self.backend or BackendName.SMT2).value,
            "semantics": self.semantics.value,
            "world": self.world.value,
            "max_attempts": self.attempts,
            "verify_timeout": int(self.verify_timeout),
            "optimize_timeout": int(self.optimize_timeout or self.verify_timeout),
            "world_knowledge": not self.text_only,
            "judged": not self.no_judge,
        }


@dataclass(frozen=True, kw_only=True)
class Code(Search):
    """Write a Python function that passes given checks: examples, tests, properties, contracts, limits.

    With a language model any task may be given; without one small functions are enumerated that fit examples and
    contract. A strategy that has failed twice is not tried a third time. What passes is also tried to be proved, where
    it has a contract. Exit code: 0 every check passed or proved, 1 unknown or less than --require asks for, 2 invalid
    input, 5 out of budget; of several the worst.
    """

    inputs: Sequence[str] = argument(
        "Tasks: TOML files, folders of them, or a HumanEval or MBPP file.", metavar="TASK...", default=...
    )
    problem: Sequence[str] = many("Of a HumanEval or MBPP file: these problems alone; repeatable.", metavar="NAME")
    limit: int | None = option("At most so many.", "--limit", "-n", min=1)
    save: Path | None = option("Write the function there; with several tasks a folder.", metavar="FILE")
    force: bool = flag("Overwrite the file at --save.")
    max_attempts: int | None = option("Functions by a model, for each task. [default: what the task says, 10]", min=1)
    ban: Sequence[str] = many(
        'A strategy not to use, e.g. "recursion and not memoisation"; repeatable.', metavar="TEXT"
    )
    model_first: bool = flag("Ask the model before small functions are enumerated.")
    no_prosecutor: bool = flag("Do not try to break a function that has passed.")
    no_proof: bool = flag("Do not try to prove the contract as well.")
    require: Required | None = require_option()
    timeout: float | None = duration("For each task, over all resumes; 0: no limit. [default: 900]")

    @property
    def fields(self) -> dict[str, Any]:
        """Fields of `CodeTask`, those given."""
        return given(
            max_attempts=self.max_attempts,
            model_first=self.model_first or None,
            prosecuted=False if self.no_prosecutor else None,
        )

    @property
    def required(self) -> Verdict | None:
        """The least that is asked for, see `exit_code_of`."""
        return Verdict(self.require) if self.require else None


@dataclass(frozen=True, kw_only=True)
class Change(Search):
    """Verify a change to a file by what it does, and decide: keep, refine, another approach, roll back.

    The file itself is only changed with --write. Exit code: 0 the error is gone and nothing broke (tested; no proof),
    1 unknown, 2 invalid input, 5 out of budget.
    """

    file: Path | None = argument("The file that is to be changed.", metavar="FILE")
    error: str | None = option("What is wrong: a traceback or words; - for standard input.", metavar="TEXT")
    error_file: Path | None = option("The same, from a file.", metavar="FILE")
    test: str | None = option('Command that runs the tests, e.g. "pytest -q tests".', metavar="COMMAND")
    command: str | None = option('Command that shows the error, e.g. "python main.py 3".', "--run", metavar="COMMAND")
    patch: Sequence[Path] = many(
        "A proposed change: a diff, search and replace blocks, or the new file.", metavar="FILE"
    )
    project: Path | None = option("Folder with the file and its tests. [default: found above it]", metavar="DIR")
    meant: Sequence[str] = many(
        "A function whose behaviour, or a test that, the change is meant to alter.", metavar="NAME"
    )
    max_attempts: int | None = option("Changes by a model. [default: 6]", min=1)
    test_seconds: float | None = duration("Processor time for one run of the tests. [default: 60]", least=1)
    write: bool = flag("Change the file itself; what it was is kept in FILE.orig.")
    save: Path | None = option("Write the changed file there.", metavar="FILE")
    history: str | None = option("Show the steps and decisions of a run.", metavar="RUN")
    restore: str | None = option("Print the file as a step left it; or --save, or --write.", metavar="RUN:STEP")
    back: str | None = option("Go back to that state and on from there, with --patch or --model.", metavar="RUN:STEP")
    export: Path | None = option("Write the conversation of the run as JSON Lines.", metavar="FILE")
    timeout: float | None = duration("Over all resumes; 0: no limit. [default: 900]")


def command_line(arguments: Sequence[str]) -> str:
    """The command that runs this again, without ``--fresh``, which would begin anew."""
    return shlex.join(["goedels-poetry", *(argument for argument in arguments if argument != "--fresh")])


@dataclass(frozen=True, kw_only=True)
class Bench(Reported, Search):
    """Prove theorems or ask data sets of questions, several times, and say how often that went right.

    The same command goes on with what an interrupted run left. Exit code: 0 everything was asked, 1 an error kept some
    questions from being answered, 2 invalid input, 5 a limit or Ctrl-C left something to do.
    """

    paths: list[str] = argument(
        "Data sets of questions, theorems, or results of bench: files, folders.", metavar="PATH...", default=...
    )
    dataset: str | None = option(
        "The files' format: folio, proofwriter, prontoqa, conditionalqa, strategyqa, generic; else told by "
        "their content.",
        metavar="NAME",
    )
    backend: BackendName | None = option("Language of the programs. [default: smt2]")
    semantics: SemanticsName | None = option("What an answer means: does it follow?, or can it be true?")
    world: WorldName | None = option("closed: what cannot be derived is false. [default: open]")
    attempts: int | None = option(
        "Replies of the model for one question. [default: 3]", "--attempts", "--max-attempts", min=1
    )
    verify_timeout: int | None = option("Milliseconds for all checks of one program.", min=1, metavar="MS")
    text_only: bool = flag("Allow no assumption that is not in the text.")
    no_judge: bool = judge_flag()
    post: Sequence[str] = post_option()
    facts: bool = flag("Give the facts of StrategyQA as the text to rely on.")
    limit: int | None = option("At most so many of each data set, drawn by the seed.", "--limit", "-n", min=1)
    jobs: int | None = at_once("Questions at once. [default: 1; on a cluster what it has room for]")
    cluster: str | None = cluster_option()
    out: Path | None = out_option("answers and report (default: in the data directory)")
    samples: int | None = option("Answers to each question.", min=1, max=10_000)
    pass_at: str | None = option("pass@k, e.g. 1,5,10: of theorems, questions, or results.", metavar="K,...")
    compare: bool = flag("The PATHs are results of runs over the same questions: the first with each other.")
    leave_out: Sequence[str] = many(
        "Of theorems: leave out decomposition, bans, repair, retrieval, bank, refutation, exploration.",
        "--without",
        metavar="IDEA,...",
    )
    bank: bool = flag("Of theorems: let each learn from those before it.")
    split: str | None = option("Of problems in rows: those of this split, e.g. test.", metavar="NAME")
    fresh: bool = flag("Ignore earlier answers; they are kept aside.")
    total_calls: int | None = option("Requests to models for the whole run.", min=0)
    total_tokens: int | None = option("Tokens for the whole run.", min=0)
    total_money: float | None = option("US dollars for the whole run.", min=0)
    total: float | None = duration("For this call.", "--total", "--total-seconds")
    budget: int | None = units_option()

    @property
    def budgets(self) -> dict[str, float]:
        """As of every search, and resource units."""
        return super().budgets | self.limits_of(("--budget",))

    @property
    def asking(self) -> dict[str, Any]:
        """How questions are asked: ``backend``, ``semantics``, ``world``, …; only those given."""
        return given(
            backend=self.backend and self.backend.value,
            semantics=self.semantics and self.semantics.value,
            world=self.world and self.world.value,
            max_attempts=self.attempts,
            verify_timeout=self.verify_timeout,
            world_knowledge=False if self.text_only else None,
            judged=False if self.no_judge else None,
        )

    @property
    def limits(self) -> Limits:
        """Of the whole run."""
        from goedels_poetry.evaluation import Limits

        return Limits(self.total_calls, self.total_tokens, self.total_money, self.total)

    @property
    def without(self) -> tuple[str, ...]:
        """Of theorems: ideas that the search does without; raises `BadData`, see `evaluation.answerers`."""
        from goedels_poetry.evaluation.answerers import names

        return names(self.leave_out)

    @property
    def line(self) -> str:
        """The command that goes on with a run that stopped."""
        return command_line(sys.argv[1:])
