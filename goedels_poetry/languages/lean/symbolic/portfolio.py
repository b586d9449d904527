"""The cheap proofs of a goal: single tactics, hypotheses taken apart, witnesses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from goedels_poetry.languages.lean.runtime import CheckRequest, LeanRuntime
from goedels_poetry.languages.lean.symbolic.theory import Goal, Theory, Variable

MOST_ARGUMENTS = 24
MOST_WITNESSES = 24
_RING = "Nat.mul_add, Nat.add_mul, Nat.mul_comm, Nat.mul_left_comm, Nat.mul_assoc, Nat.pow_succ"
_PREMISES = (
    ("∣", ("Nat.dvd_add", "Nat.dvd_sub", "Nat.dvd_mul_right_of_dvd", "Nat.dvd_mul_left_of_dvd", "Nat.dvd_trans")),
    ("∣", ("Int.dvd_add", "Int.dvd_sub", "Int.dvd_mul_of_dvd_left", "Int.dvd_mul_of_dvd_right", "Int.dvd_trans")),
    ("≤", ("Nat.mul_le_mul", "Nat.add_le_add", "Nat.pow_le_pow_left", "Nat.pow_le_pow_right", "Nat.le_trans")),
    ("<", ("Nat.mul_lt_mul_of_lt_of_le", "Nat.lt_of_lt_of_le", "Nat.pow_lt_pow_left", "Nat.mul_pos", "Nat.pow_pos")),
    ("Perm", ("List.Perm.trans", "List.Perm.cons", "List.Perm.symm", "List.Perm.swap", "List.perm_append_comm")),
    ("Sublist", ("List.Sublist.trans", "List.Sublist.cons", "List.Sublist.cons₂")),
)
EXTRA = {
    "norm_num": ("norm_num", "norm_num [{known}]"),
    "linarith": ("linarith",),
    "nlinarith": ("nlinarith", "nlinarith [sq_nonneg ({a} - {b}), sq_nonneg ({a} + {b})]"),
    "positivity": ("positivity",),
    "ring": ("ring", "(simp [{known}]; ring)"),
    "field_simp": ("(field_simp; ring)",),
    "push_cast": ("(push_cast; ring)",),
    "aesop": ("aesop",),
    "tauto": ("tauto",),
    "gcongr": ("gcongr",),
}
"""Tactics that Lean itself does not have, and how each is tried; only where the file's imports bring them."""


@dataclass(frozen=True, slots=True)
class Words:
    """What tactics may be told about a goal: comma-separated names; "" for none."""

    definitions: str
    lemmas: str
    extra: tuple[str, ...] = ()
    """Those tactics of `EXTRA` that the environment has."""

    @property
    def known(self) -> str:
        """Definitions and lemmas."""
        return ", ".join(part for part in (self.definitions, self.lemmas) if part)


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


def words_of(goal: Goal, theory: Theory, facts: Sequence[str], extra: tuple[str, ...] = ()) -> Words:
    """The names of the prefix that concern the goal (those that it mentions first) and the facts of the scope."""
    text = goal.statement + goal.target
    used = [n for n in theory.names if mentions(text, n)]
    rest = [n for n in theory.names if n not in used]
    return Words(
        ", ".join([*used, *rest][:MOST_ARGUMENTS]),
        ", ".join([*theory.lemmas, *facts][:MOST_ARGUMENTS]),
        extra,
    )


def mentions(text: str, name: str) -> bool:
    """Whether the constant occurs in a text of Lean, by its full name or after a dot."""
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)|\.{re.escape(name.split('.')[-1])}(?!\w)", text) is not None


def closers(words: Words, *, thorough: bool = False) -> list[str]:
    """What closes the cases of a structural step, the likeliest first. Each is one tactic."""
    known = f" [{words.known}]" if words.known else ""
    found = [
        f"simp_all{known}",
        f"grind{known}",
        f"(simp_all{known} <;> omega)",
        f"(simp_all{known} <;> grind)",
        "omega",
    ]
    if not thorough:
        return found
    definitions = f" [{words.definitions}]" if words.definitions else ""
    found += [
        f"(simp{known} <;> split <;> simp_all{known} <;> omega)",
        f"((repeat' split) <;> simp_all{known} <;> grind)",
        f"(simp_all{known} <;> ac_rfl)",
        f"(simp_all [{', '.join(part for part in (words.known, _RING) if part)}] <;> omega)",
    ]
    if words.lemmas:
        found += [f"simp_all{definitions}", f"grind{definitions}", "grind"]
    if definitions:
        found += [f"(unfold {_spaced(words)} <;> grind)", f"(unfold {_spaced(words)} <;> (repeat' split) <;> simp_all)"]
    found += [*_foreign(words, ())]
    return found


def _spaced(words: Words) -> str:
    return words.definitions.replace(",", "").split()[0]


def _foreign(words: Words, names: Sequence[str]) -> list[str]:
    """The tactics of the imports."""
    a, b = [*names, "1", "0"][:2]
    texts = [text.format(known=words.known, a=a, b=b) for name in words.extra for text in EXTRA[name]]
    return [text.replace(" []", "") for text in texts]


def direct(goal: Goal, words: Words) -> list[str]:
    """Tactics that close the goal as it stands, cheapest first."""
    known, definitions = words.known, words.definitions
    tactics = ["rfl", "omega", "simp", "decide", "grind", "simp_all", "assumption"]
    if known:
        tactics += [f"simp [{known}]", f"grind [{known}]", f"simp_all [{known}]", f"(simp_all [{known}] <;> omega)"]
    if words.lemmas:
        tactics += [f"simp_all [{definitions}]", f"grind [{definitions}]"] if definitions else []
        tactics += [f"(apply {lemma} <;> first | assumption | omega | grind)" for lemma in words.lemmas.split(", ")]
        tactics += [f"(rw [{lemma}] <;> first | done | simp_all | grind)" for lemma in words.lemmas.split(", ")]
    data = [v.name for v in goal.context if v.type in ("Nat", "Int", "Real", "ℕ", "ℤ", "ℝ", "ℚ")]
    tactics += _foreign(words, data)
    if "BitVec" in goal.target or any("BitVec" in v.type for v in goal.context):
        tactics.append("bv_decide")
    if definitions:
        names = definitions.split(", ")
        for name in [n for n in names if mentions(goal.statement, n)]:
            tactics += [f"(unfold {name}; grind)", f"(unfold {name} <;> (repeat' split) <;> simp_all <;> omega)"]
        tactics += [f"(simp only [{definitions}] at * <;> {close})" for close in ("omega", "grind", "decide")]
        tactics.append(f"(intros; simp [{definitions}] at * <;> grind)")
    for sign, premises in _PREMISES:
        if sign in goal.target:
            tactics.append(f"(repeat (first | assumption | {' | '.join(f'apply {p}' for p in premises)}))")
            tactics.append(f"grind [{', '.join(premises)}]")
    brackets = f" [{known}]" if known else ""
    tactics += [
        f"(simp [{_RING}] <;> omega)",
        "ac_rfl",
        "(simp; ac_rfl)",
        f"(constructor <;> first | omega | (simp_all{brackets}; done) | grind{brackets})",
        f"(apply Iff.intro <;> intro hyp <;> first | (simp_all{brackets}; done) | grind{brackets})",
        f"(ext <;> first | (simp_all{brackets}; done) | grind{brackets})",
        f"(funext arg; first | (simp_all{brackets}; done) | grind{brackets})",
        "(simp_all <;> (repeat' constructor) <;> first | omega | grind)",
        "decide +revert",
        "exact?",
    ]
    return tactics


def witnesses(goal: Goal, theory: Theory, words: Words) -> list[str]:
    """Hypotheses taken apart, and terms for what the goal says to exist."""
    brackets = f" [{words.known}]" if words.known else ""
    close = f"first | omega | (simp_all{brackets}; done) | grind{brackets} | (simp_all{brackets} <;> omega)"
    steps, names = [], []
    for variable in goal.context:
        if _has_witness(variable, theory):
            name = variable.name
            steps.append(f"obtain ⟨k_{name}, h_{name}⟩ := {name}")
            names.append(f"k_{name}")
    apart = "".join(f"{step}\n  " for step in steps)
    tactics = [f"{apart}{close}"] if steps else []
    if not ("∃" in goal.target or "∣" in goal.target or _head(goal.target) in theory.names):
        return tactics
    names += [v.name for v in goal.context if v.type in ("Nat", "Int") or ("∃" in goal.target and v.info == "default")]
    names = [n for n in names if not any(v.name == n and is_proof(v) for v in goal.context)][:5]
    terms = [*names, "0", "1"]
    terms += [f"{n} + 1" for n in names] + [f"2 * {n}" for n in names]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    terms += [f"{a} + {b}" for a, b in pairs] + [f"{a} * {b}" for a, b in pairs]
    terms += [f"{a} + {b} + 1" for a, b in pairs] + [f"{a} - {b}" for a, b in pairs]
    terms += [f"2 * {a} * {b}" for a, b in pairs] + [f"{n} - 1" for n in names]
    tactics += [f"{apart}exact ⟨{term}, by {close}⟩" for term in terms[:MOST_WITNESSES]]
    return tactics


def _head(text: str) -> str:
    found = re.match(r"[\w.']+", text)
    return found[0] if found else ""


def _has_witness(variable: Variable, theory: Theory) -> bool:
    return (
        variable.type.startswith("∃")
        or " ∣ " in variable.type
        or (
            _head(variable.type) in theory.opaque + tuple(f.name for f in theory.functions)
            and " = " not in variable.type
        )
    )


def is_proof(variable: Variable) -> bool:
    """Whether the variable is a hypothesis: its type speaks about others with a relation."""
    return bool(re.search(r"[=≤<≥>∣∈∧∨¬↔≠∀∃]|→ (False|Prop)$", variable.type)) or variable.type.startswith("¬")


__all__ = ["EXTRA", "Words", "closers", "direct", "extra_tactics", "is_proof", "mentions", "witnesses", "words_of"]
