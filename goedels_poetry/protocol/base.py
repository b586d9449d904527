"""The Protocol behind which a proof language stands: one class, found by name, suffix or entry point.

The machine (store, supervisor, graph, agents) never looks inside statements, candidates, sketches or
proofs: to it they are text and JSON. Everything here must therefore survive ``json.dumps``/``loads``.
All methods that may take long are coroutines; they must honour cancellation by killing what they started.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from goedels_poetry.errors import GoedelsPoetryError

if TYPE_CHECKING:
    from goedels_poetry.settings.declared import Settings


EXHAUSTED = "exhausted"
"""``Outcome.reason`` with which a language says: no further attempt of this kind can help this goal."""


PASSED, WARNING, FAILED = "passed", "warning", "failed"
"""Outcomes of a test of a formal statement."""

REFUSED, VACUOUS, OPEN = "refused", "vacuous", "open"
"""What may be wrong with how a program comes to its answer: it rests on what was asked and not on the text, so that it
is no answer; it rests on nothing; neither the goal nor its negation follows."""


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem as its language has read it. ``data`` is the language's own and is never stored."""

    language: str
    text: str
    """The user's source, byte for byte as decoded."""
    options: dict[str, Any] = field(default_factory=dict)
    statement: str = ""
    """The goal in one readable line, for people."""
    warnings: tuple[str, ...] = ()
    data: Any = None
    seconds: float = 0.0
    """Wall time that reading it took, waiting excluded; counts against the run's budget."""
    tests: dict[str, Any] | None = None
    """Checks that the language's checker can run where nothing is proved: evidence of ``tested``, as JSON."""


@dataclass(frozen=True, slots=True)
class Premise:
    """Something that was found for a goal and that its proof may use."""

    name: str
    statement: str
    docstring: str = ""
    source: str = ""
    """Where it stands: "file", "library", or the service that knows it."""


@dataclass(frozen=True, slots=True)
class Citable:
    """Something that a proof may cite, as search sees it."""

    name: str
    conclusion: tuple[str, ...] = ()
    """Symbols of what it concludes: names of constants, literals (``#0``), pairs ``outer>inner`` of a symbol and one
    of its arguments'."""
    context: tuple[str, ...] = ()
    """Symbols of its variables and hypotheses."""
    statement: str = ""
    """"" where only the language knows it; see `Searchable.stated`."""
    docstring: str = ""
    source: str = "library"


UNITS_A_SECOND = 1_000_000
"""Resource units that count as a second where time is counted in units: about what z3 does in one on one core."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What an agent hands to the language about one node. JSON-able throughout."""

    theorem: str
    """The user's source text of the root theorem."""
    options: dict[str, Any]
    node_id: str
    statement: str
    """Text in the language; the root's is "" (the theorem itself)."""
    scope: tuple[tuple[str, str], ...] = ()
    """(step id, statement) of proven facts that may be cited: earlier siblings named in ``waits_for``, those
    of the ancestors, and retrieved lemmas. A proof that cites some lists their ids under ``"cites"``."""
    attempt: int = 0
    """0-based number of this attempt (proof attempts, or sketches tried when sketching)."""
    history: tuple[dict[str, Any], ...] = ()
    """Earlier attempts, sketches, decisions and failures of this node, oldest first."""
    banned: tuple[str, ...] = ()
    """Strategy fingerprints that must not be proposed again for this node."""
    depth_left: int = 0
    """How many further levels of decomposition are allowed below this node."""
    preferred: tuple[str, ...] = ()
    """Strategy names by past success, best first (a snapshot taken when the run began)."""
    premises: tuple[Premise, ...] = ()
    """What the retriever found for it, best first; only a hint."""
    seconds_left: float | None = None
    """Seconds that the run has left, by the clock; None without a limit."""
    in_units: bool = False
    """Whether these are not by the clock but count resource units, `UNITS_A_SECOND` each."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of any long job of a language; a key of ``value`` that its reader needs and misses is told by name."""

    ok: bool
    value: dict[str, Any] = field(default_factory=dict)
    reason: str = ""
    """One line for people when not ok; :data:`EXHAUSTED` when trying again cannot help."""
    cost: dict[str, float] = field(default_factory=dict)
    """``solver_seconds``, ``solver_calls``, ``cpu_seconds``: what this job has spent."""
    fault: bool = False
    """Whether our own code failed, which says nothing about what was asked."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", _Value(self.value))

    @property
    def exhausted(self) -> bool:
        """Whether the language said that no further attempt of this kind can help."""
        return not self.ok and (self.reason == EXHAUSTED or bool(self.value.get(EXHAUSTED)))

    @property
    def words(self) -> str:
        """The reason for people: ``value["reason"]`` when the reason itself is only :data:`EXHAUSTED`."""
        return str(self.value.get("reason", "")) if self.reason == EXHAUSTED else self.reason


class LacksKey(GoedelsPoetryError, KeyError):
    """An outcome says that a job went well, and does not have what was asked for."""

    def __str__(self) -> str:
        return str(self.args[0])


class _Value(dict[str, Any]):
    """What an outcome has found, by key."""

    def __missing__(self, key: str) -> Any:
        has = ", ".join(sorted(map(str, self))) or "nothing"
        raise LacksKey(f"the value of an Outcome lacks `{key}`, which is needed here; it has {has}")


class Incomplete(GoedelsPoetryError):
    """A finished tree lacks something that its evidence needs; trying again changes nothing."""


NO_SKETCHES = "the language cannot verify sketches"


@runtime_checkable
class Language(Protocol):
    """One proof language: it reads, searches, proposes and assembles. What is true its checker says, see `checker`.

    Instances are shared by all goals of a run and closed once by ``aclose``. What has a body here has a harmless
    default, for who derives from it (see `SimpleLanguage`): no decomposition, no repair, no library.
    """

    name: str
    suffixes: tuple[str, ...] = ()

    @abstractmethod
    async def read(self, text: str, options: dict[str, Any]) -> Theorem:
        """Parse and type-check the user's text; raises :class:`~goedels_poetry.errors.InvalidInput`."""

    async def judge(self, theorem: Theorem) -> Outcome:
        """Before any search: are the premises consistent, is the goal false outright?

        ``value``: ``{"verdict": "open" | "inconsistent" | "refuted" | "unknown", "core": [...],
        "counterexample": {...}, "reason": str}``. "open" goes on to search, "unknown" ends the run. With "open",
        ``"doubts"`` may say what may keep everybody from proving it, a line each.
        """
        return Outcome(True, {"verdict": "open"})

    @abstractmethod
    async def prove(self, goal: Goal) -> Outcome:
        """Look for a direct proof. ``value = {"candidate": {...}}``, or ``{"refuted": counterexample}``."""

    @abstractmethod
    async def verify(self, goal: Goal, candidate: dict[str, Any]) -> Outcome:
        """Check a candidate in a fresh solver: ``{"proof": {...}}`` when ok, else ``{"report": ...}``."""

    async def correct(self, goal: Goal, candidate: dict[str, Any], report: Any) -> Outcome:
        """Repair a rejected candidate: ``{"candidate": {...}}``."""
        return Outcome(False, reason=EXHAUSTED)

    async def sketch(self, goal: Goal) -> Outcome:
        """Propose a decomposition that is not banned.

        ``value = {"sketch": {"strategy": str, "fingerprint": str, "deterministic": bool = True,
        "shape": str = "", "children": [{"statement": str, "candidate"?: {...},
        "waits_for"?: [earlier indices]}], ...}}``; a child with a candidate enters ``verify`` directly.
        ``reason = EXHAUSTED`` when no unbanned strategy is left. ``shape`` groups goals in the statistics.
        """
        return Outcome(False, reason=EXHAUSTED)

    async def verify_sketch(self, goal: Goal, sketch: dict[str, Any]) -> Outcome:
        """Children imply the parent, and none of them is refuted.

        On failure ``{"refuted_child": i, "counterexample": ...}`` or ``{"report": ...}``;
        ``"correctable": True`` sends a deterministic sketch to ``correct_sketch`` too. On success
        ``{"sketch": ...}`` may replace it. A sketch without children that verifies is a proof.
        """
        return Outcome(False, {"report": NO_SKETCHES}, NO_SKETCHES)

    async def correct_sketch(self, goal: Goal, sketch: dict[str, Any], report: Any) -> Outcome:
        """Repair a rejected sketch: ``{"sketch": {...}}``."""
        return Outcome(False, reason=EXHAUSTED)

    async def retrieve(self, goal: Goal, lemmas: list[dict[str, Any]]) -> Outcome:
        """Choose from ``[{"id", "statement", "strategy"}]`` the lemmas that help: ``{"lemmas": [ids]}``."""
        return Outcome(True, {"lemmas": []})

    async def canonical(self, theorem: Theorem, statement: str) -> str:
        """Key of a statement, equal for statements that are equal up to renaming.

        Form ``theory:statement``, both hashes: only goals with the same definitions and premises share
        ``theory``. "" is the theorem itself. A proof is reused where key and statement text are both equal.
        """
        return f"{_hash(theorem.text)}:{_hash(statement)}"

    async def assemble(self, theorem: Theorem, derivation: list[dict[str, Any]]) -> dict[str, Any]:
        """A finished tree as the evidence that the language's checker reads; it says nothing about its truth.

        ``derivation``: steps in dependency order, root last, each ``{"id", "statement", "proof": JSON | None,
        "children": [ids], "scheme": sketch JSON | None, "scope": [ids it may cite]}``.

        Raises:
            Incomplete: something is missing. Whatever else it raises leaves the run resumable.
        """
        return {"derivation": derivation}

    async def assemble_answer(self, theorem: Theorem, answer: dict[str, Any]) -> dict[str, Any]:
        """The same for an answer found without a tree: ``answer`` is the value that `judge` gave."""
        return answer

    async def aclose(self) -> None:
        """Kill every process that this language started. Safe to call twice."""


class SimpleLanguage(Language):
    """A base for languages of plug-ins: `read`, `prove` and `verify` are left to write; see `Language` for the rest.

    Who decomposes adds `sketch` and `verify_sketch`.
    """


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:20]


@runtime_checkable
class ModelGuided(Protocol):
    """What a language offers besides so that language models can work on its goals.

    Text from a model is untrusted: it is read by the language's own parser in a separate process, and what comes
    of it goes through `verify` and `verify_sketch` like everything else.
    """

    proof_attempts: int
    """How many rounds of proof attempts by a model are worth their calls before a goal is sketched."""
    repair_prompt: str | None
    """Prompt about a rejected proof; None chooses among the general ones by the words of the report."""
    proof_schema: dict[str, Any] | None
    """JSON schema of a proof attempt, which may be a sketch instead; None when it is plain text."""
    sketch_schema: dict[str, Any] | None
    """JSON schema of a sketch; None when it is plain text."""
    verifier: str
    """What verifies, with versions: verdicts are remembered under this name."""

    async def describe(self, goal: Goal) -> dict[str, str]:
        """The goal in words for prompts, the same for the same goal.

        Keys: ``language``, ``statement``, ``definitions``, ``premises``, ``facts`` (what may be cited),
        ``functions``, ``tried_proofs`` and ``tried_sketches`` (what has failed before a model is asked),
        ``proof_format``, ``sketch_format``.
        """

    async def read_candidate(self, goal: Goal, reply: str | dict[str, Any]) -> Outcome:
        """A model's proof attempt, read: ``{"candidate": {...}}``, or a reason to send back.

        ``{"sketch": {...}}`` as of `read_sketch` when the model proposes a sketch instead.
        """

    async def read_sketch(self, goal: Goal, reply: str | dict[str, Any]) -> Outcome:
        """A model's sketch, read: ``{"sketch": {...}}`` with its fingerprint taken from what it proposes."""

    async def sketch_within(self, goal: Goal, calls: int, *, leave_open: bool) -> Outcome:
        """Like ``Language.sketch`` with at most ``calls`` solver queries.

        ``leave_open``: sketches with open subgoals count when no other is found.
        """


@runtime_checkable
class Refutable(Protocol):
    """What a language offers besides so that a model may say that a goal is false.

    For such a reply `ModelGuided.read_candidate` and `ModelGuided.read_sketch` give ``{"refutation": JSON}``; so they
    do for ``{"refuted": ...}``, what stands in a decision.
    """

    async def confirm_refutation(self, goal: Goal, refutation: Any) -> Outcome:
        """Whether the goal is false as the reply says, found out without believing it.

        ``{"refuted": counterexample, "detail": {...}}`` when it is: the counterexample as of `Language.prove`, the
        detail of a root goal as of `Language.judge`. ``{"open": words}`` when nothing refutes the goal and it does not
        follow all the same, for a function that its definition does not determine. Not ok: why the values do not
        refute it, in words for the model.
        """


@runtime_checkable
class Configurable(Protocol):
    """A language that settings say something about."""

    def configure(self, settings: Settings) -> None:
        """Called once, before anything else."""


class JobPool(Protocol):
    """Runs the jobs of a language; `goedels_poetry.solvers.worker_pool.WorkerPool` is one."""

    async def run(
        self, function: str, payload: dict[str, Any], seconds: float = 60.0, memory_mb: int = 4096, urgency: int = 0
    ) -> Any:
        """What the public function "module:function" returns of the payload; see `WorkerPool.run`."""

    async def aclose(self) -> None:
        """End what is under way."""


@runtime_checkable
class Spreading(Protocol):
    """A language whose jobs may be done on other machines."""

    def work_on(self, pool: JobPool) -> None:
        """Have all further jobs done by ``pool``, which the caller closes."""


@runtime_checkable
class Answering(Protocol):
    """What a language of programs that answer questions offers besides."""

    async def answer(self, text: str, options: dict[str, Any], requirements: dict[str, Any]) -> Outcome:
        """Read and decide a program that a model wrote for a question.

        Args:
            text: the program.
            options: as for `Language.read`.
            requirements: of the question, see `goedels_poetry.questions.jobs.ProgramRequirements`.

        Returns:
            ``{"result": a VerificationResult as JSON, "findings": [{"kind", "words", "reason"}], "world": lines of a
            countermodel, as far as the goal depends on it}``. Not ok when it cannot be read or decided: then the
            reason, and ``{"line", "column", "path", "hint"}``.
        """

    async def compare(self, text: str, options: dict[str, Any], question: str, sentences: Sequence[str]) -> Outcome:
        """Tests, without a model, of how well a program says what a question and the sentences of its text say.

        ``value["tests"]``: see `FormalizationTest` of `goedels_poetry.questions.confidence.score`;
        ``value["shown"]``: what models may be shown of program
        and text, see `ProgramView` there; ``value["doubts"]``: lines for its author,
        about what the verdict rests on.
        """

    async def facts(
        self, text: str, options: dict[str, Any], sentences: int, facts: Sequence[Mapping[str, Any]]
    ) -> Outcome:
        """Whether facts that a model has read in the text follow from the program; ``value["test"]``.

        Args:
            sentences: how many the text has.
            facts: each ``{"sentence", "words", "formula"}``.
        """


@runtime_checkable
class SeveralTheorems(Protocol):
    """What a language offers besides whose texts may state several theorems; ``options["theorem"]`` names one."""

    async def theorems(self, text: str) -> tuple[str, ...]:
        """Names of those that are still to be proved, in order; () for a text that `read` refuses."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A theorem of a text that states several in order."""

    name: str
    text: str
    """Its own text, which ends in it."""
    statement: str
    """As the theorems after it cite it."""
    key: str
    hide: tuple[str, ...] = ()
    """Names of those before it that its proof does without."""
    named: tuple[str, ...] = ()
    """Names of those that its author wants to be used."""
    symbols: tuple[str, ...] = ()
    """What is declared where it stands."""


@runtime_checkable
class InOrder(Protocol):
    """What a language offers besides whose theorems may use those that stand before them in the text, once proved."""

    async def goals(self, text: str, options: dict[str, Any]) -> tuple[str, tuple[Stated, ...]]:
        """The text of the theorem that ``options`` name, and all theorems up to it; () for a text with one theorem.

        ``options["lemmas"]`` states further ones before it. Raises InvalidInput: one of the texts is none, or no
        theorem is named where there are several.
        """

    def hint(self, goal: Goal) -> dict[str, Any] | None:
        """A sketch, as of `Language.sketch`, that is tried before anything else; None without a hint."""


@runtime_checkable
class Formalizable(Protocol):
    """What a language offers besides so that a model can state in it what somebody claims in plain words.

    What the model writes goes through `Language.read` like any text.
    """

    formal_language: str
    """The language and its dialect in words, for the prompt."""
    formal_format: str
    """The form of the reply: one fenced block, and with which tag."""
    formal_tags: tuple[str, ...]
    """Tags (lower case) of fenced blocks that hold a text of the language."""


@runtime_checkable
class Examinable(Protocol):
    """What a language offers besides to find out whether a statement that a model wrote is worth proving."""

    def plain(self, theorem: Theorem) -> str:
        """The formal text without comments and telling names: what a model that does not know the claim may see."""

    async def sanity_tests(self, theorem: Theorem, given: str) -> Outcome:
        """Tests of the statement on instances and with the cheapest proofs; it proves nothing.

        ``given``: definitions that stand before the model's text and are not looked at. ``value["tests"]``: each
        ``{"test": name, "outcome": PASSED | WARNING | FAILED, "words": one line}``. Not ok: the text is sent back,
        with the reason.
        """


@runtime_checkable
class Searchable(Protocol):
    """What a language offers besides so that premises can be looked up in its libraries."""

    async def library_id(self, goal: Goal) -> str:
        """Name of the library that the goal can use: equal names, equal contents. "" when it may change."""

    async def library(self, goal: Goal) -> list[Citable] | None:
        """Everything that the goal's imports prove; may take seconds. None when it cannot be known."""

    async def local_context(self, goal: Goal) -> tuple[Citable, list[Citable]]:
        """The goal itself, and what was proved before it in the user's text."""

    async def stated(self, goal: Goal, names: Sequence[str]) -> dict[str, str]:
        """Statements of those names that the goal may cite; the others are left out."""


class Variable(NamedTuple):
    """A variable of a goal; the goal is to hold for all its values."""

    name: str
    sort: str
    inductive: bool
    """Whether it is of a datatype that refers to itself, or an integer: so that induction on it says something."""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Sequent:
    """What a goal says. Texts are in the language."""

    statement: str
    """All of it in one text."""
    text: str
    """The same for people and models, in several lines."""
    variables: tuple[Variable, ...] = ()
    hypotheses: tuple[str, ...] = ()
    conclusion: str = ""
    functions: tuple[str, ...] = ()
    """Functions of the theorem that occur in it."""

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Sequent:
        """From what a worker process answers."""
        listed = {"hypotheses": tuple(found["hypotheses"]), "functions": tuple(found["functions"])}
        return cls(**{**found, **listed, "variables": tuple(Variable(*each) for each in found["variables"])})


@runtime_checkable
class Readable(Protocol):
    """What a language offers besides so that strategies see goals as data."""

    async def sequent(self, goal: Goal) -> Sequent:
        """The goal, at the root, too, where `Goal.statement` is empty."""
