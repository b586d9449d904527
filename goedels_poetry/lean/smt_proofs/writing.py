"""The words that every part of a proof's Lean text shares: names of steps and of hypotheses, statements, ways to cite.

Names of ours begin with an underscore, which no name of the translation does, so nothing of the user's is hidden.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from goedels_poetry.kernel.problem import Problem, Signature
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.sizes import Sizes
from goedels_poetry.kernel.terms import INT, Kind, Sort, Term, subterms
from goedels_poetry.lean.statement.vocabulary import WORDS

HYPOTHESIS = "_h"
LEMMA = "_l"
STEP = "_step_"
_IS_FORMULA = re.compile("[∀∃=≠∧∨¬↔≤≥<>]")
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "=", "distinct"})
_THEORY = frozenset({"+", "-", "*", "<", "<=", ">", ">=", "=", "ite", "and", "or", "not", "=>", "div", "mod", "abs"})
KNOWN = "(by first | assumption | (intros; first | assumption | solve_by_elim | simp_all) | grind)"
"""A proof of a hypothesis of a cited step, from what stands in the context."""


class Words(Protocol):
    """How what a proof speaks of is called in Lean: a `LeanTheory`, or the words of a user's own file."""

    @property
    def header(self) -> str:
        """The text that stands before all steps."""

    @property
    def context(self) -> str:
        """Commands that make what is open, and the premises, variables of the theorems that follow."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """What a theorem under `context` has to be given first."""

    @property
    def hypotheses(self) -> tuple[tuple[str, str], ...]:
        """Names and texts of the premises."""

    @property
    def equations(self) -> Mapping[str, tuple[tuple[str, str], ...]]:
        """Names and texts of hypotheses that say what functions are that the text does not define."""

    @property
    def definitions(self) -> Mapping[str, str]:
        """Lean's names of defined functions, selectors and testers."""

    def name(self, symbol: str) -> str:
        """Lean's name of a function or constructor."""

    def sort(self, sort: Sort) -> str:
        """Lean's type for a sort."""

    def binders(self, variables: Sequence[Term]) -> str:
        """Variables with their types."""

    def prop(self, term: Term) -> str:
        """A formula as a proposition; raises `NotTranslatable`."""

    def value(self, term: Term) -> str:
        """A term as a value; raises `NotTranslatable`."""


@dataclass(frozen=True, slots=True)
class Writing:
    """What a proof's text is written with. ``problem`` has the auxiliary definitions of the proof, too."""

    problem: Problem
    theory: Words
    sizes: Sizes
    proved: Mapping[str, Sequent] = field(default_factory=dict)
    """The steps of the derivation, by id."""
    needs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """What is left open and each step, or one it cites, speaks of."""

    def given(self, step: str) -> tuple[str, ...]:
        """What step ``step`` has to be given before its own variables: hypotheses, and what its statement speaks of."""
        needed = self.needs.get(step, frozenset())
        return tuple(a for a in self.theory.arguments if a in needed)

    def premises(self) -> list[tuple[str, Term]]:
        """The premises, by the names of the hypotheses that they are."""
        premises, names = self.problem.premises, self.theory.hypotheses
        return [(name, p.formula) for p, (name, _) in zip(premises, names, strict=True)] if names else []

    @property
    def context(self) -> str:
        """The commands before the steps, of which each has what it needs of this."""
        return "\n".join(x for x in self.theory.context.split("\n") if x and not x.startswith("include "))

    def before(self, step: str, stated: str = "") -> list[str]:
        """The command before a theorem with what a step states that makes it about all that the step needs."""
        stated = stated or self.theorem("_", self.proved[step])
        words = [w for w in self.given(step) if not spoken(w, stated)]
        return [f"include {' '.join(words)}"] if words else []

    def needed(self, opened: Mapping[str, str], terms: Sequence[Term]) -> frozenset[str]:
        """What terms speak of and is ``opened``, with the hypotheses that are about something that they speak of."""
        text = " ".join(map(self.theory.value, terms))
        hypotheses = {name: formula for name, formula in opened.items() if _IS_FORMULA.search(formula)}
        functions = [name for name in opened if name not in hypotheses]
        defined = self.definitions(*terms)
        found = {name for name in opened if spoken(name, text)}
        while True:
            new = set()
            for name, formula in hypotheses.items():
                about = [f for f in functions if spoken(f, formula)]
                known = found.intersection(about) if about else [d for d in defined if spoken(d, formula)]
                if name not in found and (known or not (about or "Smt." in formula)):
                    new |= {name, *about}
            if new <= found:
                return frozenset(found)
            found |= new

    def theorem(self, name: str, sequent: Sequent) -> str:
        """The statement of a sequent: its variables and hypotheses are binders."""
        hyps = "".join(f" ({HYPOTHESIS}{i} : {self.theory.prop(h)})" for i, h in enumerate(sequent.hyps, 1))
        binders = f" {self.theory.binders(sequent.vars)}" if sequent.vars else ""
        return f"theorem {name}{binders}{hyps} : {self.theory.prop(sequent.concl)}"

    def cited(self, step: str, case: Sequent, values: Mapping[Term, str] | None = None) -> str:
        """Step ``step``, which states ``case`` up to names, applied to the variables of the case and to what is known.

        Args:
            step: its id.
            case: the instance of a scheme that it proves.
            values: Lean text for variables of the case; by default their names.
        """
        given, known = values or {}, self.proved[step]
        if len(known.vars) == len(case.vars):
            args = [given.get(v) or self.theory.value(v) for v in case.vars]
        else:  # what the keys of both leave out
            args = ["_"] * len(known.vars)
        return " ".join([name_of(step), *self.given(step), *args, *[KNOWN] * len(known.hyps)])

    def step(self, step: str) -> str:
        """The name of a step, given what every theorem is about; in parentheses where that is needed."""
        given = self.given(step)
        return f"({' '.join([name_of(step), *given])})" if given else name_of(step)

    def have(self, steps: Sequence[str]) -> str:
        """Tactics that bring steps into the context."""
        return "".join(
            f"have {LEMMA}{s} := {self.step(s) if self.given(s) else '@' + name_of(s)}\n" for s in dict.fromkeys(steps)
        )

    def grind(self, steps: Sequence[str], more: Sequence[str] = (), options: str = "") -> str:
        """`grind` with steps and other names; steps with a pattern of their own are known to it."""
        steps = [s for s in steps if not self._is_told(s)]
        known = [name_of(s) for s in steps if not self.given(s)]
        given = self.have([s for s in steps if self.given(s)])
        return f"{given}grind{options}{listed([*more, *known])}"

    def pattern(self, step: str) -> tuple[Term, ...]:
        """The terms at which `grind` is to use a step; none where it finds good ones by itself.

        It does not in comparisons of numbers, which it brings into a form of its own first.
        """
        sequent = self.proved[step]
        concl = sequent.concl
        if not (concl.kind is Kind.APP and concl.name in _COMPARISONS and concl.args[0].sort is INT):
            return ()
        terms = [*subterms(concl), *(t for h in sequent.hyps for t in subterms(h))]
        calls = [t for t in dict.fromkeys(terms) if self._is_call(t)]
        wanted, chosen = frozenset(sequent.vars), list[Term]()
        for call in sorted(calls, key=lambda t: (-len(t.free & wanted), t.size)):
            if call.free & wanted - frozenset().union(*[c.free for c in chosen]):
                chosen.append(call)
        return tuple(chosen) if wanted <= frozenset().union(*[c.free for c in chosen]) else ()

    def _is_call(self, term: Term) -> bool:
        """Whether a term is a function of the theorem's, applied to terms without theory symbols."""
        return (
            term.kind is Kind.APP
            and bool(term.args)
            and self.problem.signature.type_of(term.name) is not None
            and not any(t.binders or t.kind is Kind.LIT or t.name in _THEORY for a in term.args for t in subterms(a))
        )

    def patterns(self, steps: Sequence[str]) -> list[str]:
        """The commands that tell `grind` where to use steps."""
        told = [s for s in dict.fromkeys(steps) if self._is_told(s)]
        return [
            f"local grind_pattern {name_of(s)} => {', '.join(map(self.theory.value, self.pattern(s)))}" for s in told
        ]

    def _is_told(self, step: str) -> bool:
        """Whether `grind` is told where to use a step: what is left open would have to stand in the pattern."""
        return bool(self.pattern(step)) and not self.given(step)

    def splits(self, sequent: Sequent) -> list[str]:
        """The datatypes of the variables, for `grind` to tell cases apart."""
        sorts = dict.fromkeys(v.sort for v in sequent.vars if self.is_datatype(v.sort))
        return [f"cases {self.theory.sort(s).strip('()').split(' ')[0]}" for s in sorts]

    def selected(self, terms: Sequence[Term]) -> list[Term]:
        """Variables of which the terms select fields."""
        selected = [t for term in terms for t in subterms(term) if self.problem.signature.selector(t.name) is not None]
        return [v for v in dict.fromkeys(t.args[0] for t in selected) if v.kind is Kind.VAR]

    def size(self, term: Term) -> str:
        """The size of a term of a datatype."""
        return f"sizeOf {self.theory.value(term)}"

    def smaller(self, terms: Sequence[Term]) -> str:
        """The proof that a point, given by its terms, is below the one at hand; `_hm` says what number that has."""
        splits = " <;> ".join(f"cases {self.theory.value(v)}" for v in self.selected(terms))
        names = {
            n for f, n in self.theory.definitions.items() if f.startswith("is-") or self.problem.signature.selector(f)
        }
        parts = f" | ({splits} <;> simp_all{listed(sorted(names))} <;> omega)" if splits and names else ""
        ways = f"omega | (simp; done) | (simp; omega) | (simp_all; omega){parts} | grind"
        return f"(by subst _hm; first | {ways})"

    def definitions(self, *terms: Term) -> list[str]:
        """The Lean names of the defined functions that the terms speak of, through their definitions."""
        return defined(self.problem.signature, terms, self.theory.definitions)

    def is_spoken(self, term: Term) -> bool:
        """Whether the text has all selectors and testers that a term needs."""
        return all(self._has(t) for t in subterms(term) if t.kind is Kind.APP)

    def _has(self, term: Term) -> bool:
        signature = self.problem.signature
        if term.name != "is":
            return signature.selector(term.name) is None or term.name in self.theory.definitions
        found = signature.constructor(str(term.indices[0]))
        plain = found is None or not found[1].fields or len(found[0].constructors) == 1
        return plain or f"is-{term.indices[0]}" in self.theory.definitions

    def is_datatype(self, sort: Sort) -> bool:
        """Whether values of the sort are built by constructors."""
        return self.problem.signature.datatype(sort) is not None


def _symbols(term: Term) -> list[str]:
    """Names of functions and selectors, and of testers as `LeanTheory.definitions` has them."""
    return sorted({f"is-{t.indices[0]}" if t.name == "is" else t.name for t in subterms(term) if t.kind is Kind.APP})


def defined(signature: Signature, terms: Sequence[Term], names: Mapping[str, str], *, deep: bool = True) -> list[str]:
    """The Lean names of the functions that terms speak of and of those in their definitions; of the latter, unless
    ``deep``, only those without recursion."""
    found: dict[str, None] = {}
    waiting = [name for t in terms for name in _symbols(t)]
    while waiting:
        name = waiting.pop(0)
        definition = signature.definition(name)
        if name not in found and definition is not None:
            inner = [(n, signature.definition(n)) for n in _symbols(definition.body)]
            waiting += [n for n, d in inner if deep or (d is not None and not d.recursive)]
        found[name] = None
    return list(dict.fromkeys(names[name] for name in found if name in names))


def listed(names: Sequence[str]) -> str:
    """Names as an argument of a tactic."""
    return f" [{', '.join(names)}]" if names else ""


def spoken(name: str, text: str) -> bool:
    """Whether a name stands in a text."""
    return re.search(rf"(?<![\w.']){re.escape(name)}(?![\w'])", text) is not None


def own_name(full: str) -> str:
    """The name of a constructor without that of its type, as `induction … with` has it."""
    name = full.rpartition(".")[2]
    return f"«{name}»" if name in WORDS else name


def name_of(step: str) -> str:
    """The Lean name of a step."""
    return f"{STEP}{step}"


def indented(text: str, by: int = 2) -> str:
    """Every line further to the right."""
    return "\n".join(f"{' ' * by}{line}" if line else line for line in text.split("\n"))


def in_section(before: Sequence[str], theorem: str) -> str:
    """A theorem with the commands that are for it alone."""
    return "\n".join(["section", *before, f"{theorem}end\n"]) if before else theorem


def hypotheses(sequent: Sequent) -> list[str]:
    """The names of the hypotheses of a theorem made of the sequent."""
    return [f"{HYPOTHESIS}{i}" for i in range(1, len(sequent.hyps) + 1)]


def together(proofs: Sequence[str]) -> str:
    """A proof of the conjunction."""
    return proofs[0] if len(proofs) == 1 else f"⟨{', '.join(proofs)}⟩"
