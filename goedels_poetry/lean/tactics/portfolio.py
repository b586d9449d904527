"""The cheap proofs of a goal: single tactics, hypotheses taken apart, witnesses."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from goedels_poetry.lean.runtime.protocol import CheckRequest, LeanRuntime, Message
from goedels_poetry.lean.tactics.theory import Goal, Theory, Variable, renamed
from goedels_poetry.lean.text.sketch import check_proof
from goedels_poetry.lean.text.task import Task
from goedels_poetry.protocol.trials import Status, trial_log

# Many proofs of one theorem, tried in order until Lean accepts one

SMALL, LARGE = 4_000, 40_000
"""Heartbeats (Lean's measure of work: thousands of small allocations) of an attempt in the first round, and in the
second for those that it was too few for; about 0.5 s and 5 s."""
FIRST_BATCH, MOST_BATCH = 3, 5
BATCH_SECONDS = 40.0
_TRY_THIS = re.compile(r"Try this:\s*(?:\[\w+\]\s*)?(exact .+)", re.DOTALL)
_LIMIT = re.compile(r"maximum number of heartbeats|\(deterministic\) timeout")
LEAST_SECONDS = 5.0
"""A request that is cut off costs a new Lean process; heartbeats are the limit, not this clock."""
_ANY = re.compile(r"⟪(.+?)⟫", re.DOTALL)
_ATTRIBUTES = re.compile(r"@\[[^\]]*\]\s*")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proof that Lean has accepted for the task, or a sketch: the same with `sorry` where a subgoal is left."""

    proof: str
    """The text after ``:=``."""
    helpers: str = ""
    """Declarations to put before the theorem."""
    strategy: str = ""
    """For people: what the proof does first."""
    fingerprint: str = ""
    """What makes two sketches the same plan."""
    shape: str = ""
    """The kind of goal, for statistics of strategies."""


class Clock:
    """The wall time that an agent may still spend."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self._parts: list[Clock] = []

    @property
    def left(self) -> float:
        """Seconds, never negative."""
        return max(0.0, self._until - time.monotonic())

    @property
    def over(self) -> bool:
        """Whether nothing is left."""
        return self.left <= 0.05

    def part(self, seconds: float) -> Clock:
        """A clock that stops with this one, or earlier."""
        inner = Clock(min(seconds, self.left))
        self._parts.append(inner)
        return inner

    def stop(self) -> None:
        """Nothing is left from now on: who works by it ends after the request that is under way."""
        self._until = time.monotonic()
        for inner in self._parts:
            inner.stop()


async def first_success(
    lean: LeanRuntime, task: Task, proofs: Iterable[str], *, clock: Clock, strategy: str, start: str = ""
) -> Proposal | None:
    """The first proof that Lean accepts without `sorry`; those that need more work than most come last.

    ``strategy``: what the log of the job calls them; ``start``: how all of them begin, which it leaves out.
    """
    log = trial_log()
    log.begin(strategy)
    once = list(dict.fromkeys(proofs))
    slow = [proof for proof in once if "exact?" in proof]  # it reads the library, and notices too late what that costs
    found = await _round(lean, task, [proof for proof in once if proof not in slow], SMALL, clock, slow, start)
    found = found or await _round(lean, task, slow, LARGE, clock, [], start)
    if found is not None:
        log.end(Status.PROVED, "accepted", what=found.proof)
    else:
        log.end(*((Status.TIMEOUT, "the time was used up") if clock.over else (Status.FAILED, "none closes the goal")))
    return found


async def _round(
    lean: LeanRuntime, task: Task, proofs: Sequence[str], heartbeats: int, clock: Clock, slow: list[str], start: str
) -> Proposal | None:
    log = trial_log()
    size, at = FIRST_BATCH, 0
    while at < len(proofs) and not clock.over:
        batch = proofs[at : at + size]
        at += len(batch)
        size = MOST_BATCH
        log.at("; ".join(_tactic(proof, start) for proof in batch))
        for proof, messages in zip(batch, await tried(lean, task, batch, heartbeats, clock), strict=True):
            if messages is None or any(_LIMIT.search(m.text) for m in messages):
                slow.append(proof)
                if heartbeats >= LARGE:
                    log.tried(_tactic(proof, start), Status.TIMEOUT, f"stopped after {heartbeats} heartbeats")
                continue
            if any(m.severity == "error" or m.kind == "hasSorry" for m in messages):
                status, said, left = _verdict(messages)
                log.tried(_tactic(proof, start), status, said, left=left)
                continue
            reply = suggestion(messages)
            exact = proof if reply is None else proof.replace("exact?", reply)
            for text in await _narrowed(lean, task, exact, heartbeats, clock):
                if await accepted(lean, task, Proposal(text), clock):
                    return Proposal(text)
    return None


def _tactic(proof: str, start: str) -> str:
    """The tactic by itself, as a person reads it."""
    return " ".join(_cascade(proof.removeprefix(start)).split())


def _verdict(messages: Sequence[Message]) -> tuple[Status, str, str]:
    """What Lean says against a proof, in its first line, and what the first goal that it leaves asks for."""
    said = next((m.text for m in messages if m.severity == "error"), "it leaves a hole")
    if said.startswith("unsolved goals"):
        return Status.OPEN, "leaves a goal open", target_of(said)
    return Status.FAILED, next(iter(said.splitlines()), "").removesuffix(":"), ""


def target_of(goals: str) -> str:
    """What the first of the goals that Lean has printed asks for, from its ``⊢``."""
    return " ".join(goals.split("\n\n")[0].partition("⊢")[2].split())


def any_of(tactics: Sequence[str]) -> str:
    """A tactic that is any of these: in an attempt whichever works first, in the proof that is given only that one."""
    return f"⟪{'‖'.join(tactics)}⟫"


async def _narrowed(lean: LeanRuntime, task: Task, proof: str, heartbeats: int, clock: Clock) -> list[str]:
    """The proof with a single tactic for each `any_of` where one is enough, then as it was tried."""
    match = _ANY.search(proof)
    if match is None:
        return [proof]
    single = [_ANY.sub(tactic.replace("\\", "\\\\"), proof) for tactic in match[1].split("‖")]
    replies = zip(single, await tried(lean, task, single, heartbeats, clock), strict=True)
    good = [text for text, said in replies if said is not None and all(m.severity != "error" for m in said)]
    return [*good, _cascade(proof)]


def _cascade(proof: str) -> str:
    return _ANY.sub(lambda m: f"(first | {m[1].replace('‖', ' | ')})", proof)


def suggestion(messages: Sequence[Message]) -> str | None:
    """The tactic that `exact?` has found."""
    found = next(filter(None, (_TRY_THIS.search(message.text) for message in messages)), None)
    return " ".join(found[1].split()) if found else None


async def tried(
    lean: LeanRuntime, task: Task, proofs: Sequence[str], heartbeats: int, clock: Clock
) -> list[list[Message] | None]:
    """Lean's messages about each proof of the task; None for a proof about which it gave none in time."""
    code, lines = f"\n{task.stubs}", []
    first = task.prefix.count("\n") + 1
    for number, proof in enumerate(proofs):
        start = first + code.count("\n")
        head = _ATTRIBUTES.sub("", renamed(task, f"_{number}"))
        code += f"set_option maxHeartbeats {heartbeats} in\n{head} := {_cascade(proof)}\n\n"
        lines.append((start, first + code.count("\n")))
    seconds = min(max(clock.left, LEAST_SECONDS), BATCH_SECONDS)
    result = await lean.check(CheckRequest(code, prefix=task.prefix, seconds=seconds))
    if result.status == "done":
        return [[m for m in result.messages if a <= m.line < b] for a, b in lines]
    if len(proofs) == 1 or clock.over:
        return [None] * len(proofs)
    alone = [await tried(lean, task, [proof], heartbeats, clock) for proof in proofs]
    return [messages for (messages,) in alone]


async def accepted(lean: LeanRuntime, task: Task, proof: Proposal, clock: Clock) -> bool:
    """Whether the whole text elaborates under Lean's own limits, and the theorem rests on no axiom but the logic's."""
    checked = await check_proof(lean, task, proof.proof, proof.helpers, max(clock.left, 5.0))
    return not checked.reason


MOST_ARGUMENTS = 24
MOST_WITNESSES = 24
_PREMISES = (
    ("∣", ("Nat.dvd_add", "Nat.dvd_sub", "Nat.dvd_mul_right_of_dvd", "Nat.dvd_mul_left_of_dvd")),
    ("∣", ("Int.dvd_add", "Int.dvd_sub", "Int.dvd_mul_of_dvd_left", "Int.dvd_mul_of_dvd_right")),
    ("≤", ("Nat.mul_le_mul", "Nat.add_le_add", "Nat.pow_le_pow_left", "Nat.pow_le_pow_right")),
    ("<", ("Nat.mul_lt_mul_of_lt_of_le", "Nat.pow_lt_pow_left", "Nat.mul_pos", "Nat.pow_pos")),
)
"""Lemmas that take a goal apart, by its sign."""
_POWERS = "Nat.pow_succ, Int.pow_succ, Nat.pow_mul, Nat.mul_add, Nat.add_mul, Nat.pow_add"
_SQUARES = "(rename_i m l ih; have := Nat.mul_le_mul l (Nat.le_refl m); grind)"
"""What a bound of a number says of its square, in the step of an induction on that bound."""
EXTRA = {
    "norm_num": ("norm_num", "norm_num [{known}]"),
    "linarith": ("linarith",),
    "nlinarith": ("nlinarith", "nlinarith [sq_nonneg ({a} - {b}), sq_nonneg ({a} + {b})]"),
    "positivity": ("positivity",),
    "ring": ("ring", "(push_cast; ring)", "(simp [{known}]; ring)"),
    "field_simp": ("(field_simp; ring)",),
    "aesop": ("aesop",),
    "tauto": ("tauto",),
    "gcongr": ("gcongr",),
}
"""Tactics that Lean itself does not have, and how each is tried; only where the file's imports bring them."""


@dataclass(frozen=True, slots=True)
class Hints:
    """What tactics may be told about a goal: comma-separated names; "" for none."""

    definitions: str
    lemmas: str
    predicates: str = ""
    extra: tuple[str, ...] = ()
    """Those tactics of `EXTRA` that the environment has."""
    rules: str = ""
    """Of the inductive predicates."""

    @property
    def known(self) -> str:
        """Definitions and lemmas."""
        return _joined(self.definitions, self.lemmas)

    @property
    def all(self) -> str:
        """What `grind` may use: inductive predicates as well."""
        return _joined(self.definitions, self.lemmas, self.predicates)


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _brackets(names: str) -> str:
    return f" [{names}]" if names else ""


async def extra_tactics(lean: LeanRuntime, prefix: str, seconds: float) -> tuple[str, ...]:
    """The tactics of `EXTRA` that the environment after ``prefix`` has. They are parsed, never run."""
    code = "".join(f"\nexample : True := by first | trivial | {name}" for name in EXTRA)
    result = await lean.check(CheckRequest(code, prefix=prefix, seconds=seconds))
    if result.status != "done":
        return ()
    first = prefix.count("\n") + 2
    wrong = {m.line for m in result.errors}
    # The error of a word that does not parse stands at that word or at the beginning of what follows.
    lines = {name: {first + n, first + n + 1} if n + 1 < len(EXTRA) else {first + n} for n, name in enumerate(EXTRA)}
    return tuple(name for n, name in enumerate(EXTRA) if first + n not in wrong and lines[name] - wrong)


def hints_of(
    goal: Goal, theory: Theory, facts: Sequence[str], types: Sequence[str] = (), extra: tuple[str, ...] = ()
) -> Hints:
    """The names of the prefix that concern the goal (those that it mentions first) and the facts of the scope.

    ``types``: the inductive types of the prefix; those without data constructors are predicates.
    """
    text = goal.statement + goal.target
    used = [n for n in theory.names if mentions(text, n)]
    rest = [n for n in theory.names if n not in used]
    predicates = [t for t in types if t not in theory.constructors and mentions(text, t)]
    return Hints(
        ", ".join([theory.written(n) for n in [*used, *rest][:MOST_ARGUMENTS]]),
        ", ".join([*theory.lemmas, *facts][:MOST_ARGUMENTS]),
        ", ".join(predicates),
        extra,
        ", ".join(n for n in theory.rules if n.rpartition(".")[0] in predicates),
    )


def mentions(text: str, name: str) -> bool:
    """Whether the constant occurs in a text of Lean, by its full name or after a dot."""
    name = name.removeprefix("_root_.")
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)|\.{re.escape(name.split('.')[-1])}(?!\w)", text) is not None


def closers(goal: Goal, hints: Hints) -> list[str]:
    """What mostly closes the cases of a structural step, the likeliest first. Each is one tactic."""
    simp, grind = _brackets(hints.known), _brackets(hints.all)
    rules = [f"solve_by_elim [{hints.rules}]"] if hints.rules else []
    powers = [f"(simp_all [{_joined(hints.known, _POWERS)}] <;> omega)", _SQUARES] if "^" in goal.target else []
    return [
        f"simp_all{simp}",
        f"grind{grind}",
        *rules,
        f"(simp_all{simp} <;> omega)",
        f"(simp_all{simp} <;> grind{_brackets(hints.predicates)})",
        "omega",
        *powers,
        *_foreign(hints, ()),
    ]


def _foreign(hints: Hints, names: Sequence[str]) -> list[str]:
    """The tactics of the imports."""
    a, b = [*names, "1", "0"][:2]
    texts = [text.format(known=hints.known, a=a, b=b) for name in hints.extra for text in EXTRA[name]]
    return [text.replace(" []", "") for text in texts]


def direct(goal: Goal, hints: Hints) -> list[str]:
    """Tactics that close the goal as it stands, cheapest first."""
    known, grind = hints.known, _brackets(hints.all)
    tactics = ["rfl", "omega", "simp", "decide", "grind", "simp_all"]
    if grind:
        tactics += [f"simp [{known}]", f"grind{grind}", f"simp_all [{known}]", f"(simp_all [{known}] <;> omega)"]
    data = [v.name for v in goal.context if v.type in ("Nat", "Int", "Real", "ℕ", "ℤ", "ℝ", "ℚ")]
    tactics += _foreign(hints, data)
    if "BitVec" in goal.target or any("BitVec" in v.type for v in goal.context):
        tactics.append("bv_decide")
    for sign, premises in _PREMISES:
        if sign in goal.target:
            tactics.append(f"(repeat (first | assumption | omega | {' | '.join(f'apply {p}' for p in premises)}))")
    return tactics


def apart(goal: Goal, theory: Theory) -> list[tuple[str, str, str]]:
    """Hypotheses that may hide a witness: (hypothesis, how to get it, name of the witness)."""
    found = []
    for v in goal.context:
        if (is_proof(v) and (v.type.startswith("∃") or " ∣ " in v.type)) or _defined(v.type, theory):
            found.append((v.name, f"obtain ⟨k_{v.name}, h_{v.name}⟩ := {v.name}", f"k_{v.name}"))
        if (v.type.startswith("∀") and "∃" in v.type) or _defined(v.type, theory):
            choice = f"obtain ⟨s_{v.name}, p_{v.name}⟩ := Classical.axiomOfChoice {v.name}"
            found.append((v.name, choice, f"s_{v.name}"))
    return found


def witnesses(goal: Goal, theory: Theory, hints: Hints, steps: Sequence[tuple[str, str, str]]) -> list[str]:
    """Terms for what the goal says to exist, after those of ``steps`` (see `apart`) that Lean has accepted."""
    grind, simp = f"grind{_brackets(hints.all)}", f"simp_all{_brackets(hints.known)}"
    close = any_of(["omega", grind, simp, f"({simp} <;> omega)"])
    start = "".join(f"{step}\n  " for _, step, _ in steps)
    tactics = [f"{start}{close}"] if steps else []
    if not ("∃" in goal.target or "∣" in goal.target or _defined(goal.target, theory)):
        return tactics
    found = [name for _, _, name in steps if name.startswith("k_")]
    functions = [name for _, _, name in steps if name.startswith("s_")]
    if functions:
        start += "intro arg\n  " if not goal.target.startswith("∃") else ""
        base = ["arg"] if start.endswith("arg\n  ") else [v.name for v in goal.context if not is_proof(v)][-2:]
        once = [f"{f} {x}" for f in functions for x in base]
        twice = [f"{f} ({t})" for f in functions for t in once]
        return tactics + [f"{start}exact ⟨{term}, by {any_of([simp, grind])}⟩" for term in [*once, *twice]]
    names = found + [v.name for v in goal.context if v.type in ("Nat", "Int")]
    names += [v.name for v in goal.context if "∃" in goal.target and v.info == "default" and not is_proof(v)]
    names = list(dict.fromkeys(names))[:5]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    terms = [*names, *(f"{a} + {b}" for a, b in pairs), *(f"{a} * {b}" for a, b in pairs)]
    terms += ["0", "1", *(f"{n} + 1" for n in names), *(f"{a} + {b} + 1" for a, b in pairs)]
    terms += [text.format(n) for n in names for text in ("2 * {}", "2 * {} + 1", "2 * {} + 2", "{} + 2", "{} - 1")]
    terms += [f"{a} - {b}" for a, b in pairs]
    terms += [*(f"2 * {a} * {b}" for a, b in pairs), *(f"2 * {a} * {b} + {a} + {b}" for a, b in pairs)]
    if not names:
        terms = list(dict.fromkeys([*re.findall(r"\b\d+\b", goal.target), *map(str, range(MOST_WITNESSES)), "[]"]))
    terms = terms[:MOST_WITNESSES]
    tactics.append(start + any_of([f"exact ⟨{term}, by omega⟩" for term in terms]))
    return tactics + [f"{start}exact ⟨{term}, by {any_of([grind, simp, 'decide'])}⟩" for term in terms]


def _defined(type_: str, theory: Theory) -> bool:
    """Whether it is an application of a definition of the prefix."""
    return _head(type_) in theory.names and not re.search(r" [=≠<≤>≥↔∧∨] ", type_)


def _head(text: str) -> str:
    found = re.match(r"[\w.']+", text)
    return found[0] if found else ""


def is_proof(variable: Variable) -> bool:
    """Whether the variable is a hypothesis: its type speaks about others with a relation."""
    return bool(re.search(r"[=≤<≥>∣∈∧∨¬↔≠∀∃]|→ (False|Prop)$", variable.type)) or variable.type.startswith("¬")
