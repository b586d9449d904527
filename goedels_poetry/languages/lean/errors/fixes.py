"""What to try about an error: Lean's own hints, names that are nearly the same, imports, and what replaces a tactic."""

from __future__ import annotations

import re
from collections.abc import Callable

from goedels_poetry.languages.lean.errors.code import Code
from goedels_poetry.languages.lean.errors.culprit import word_at
from goedels_poetry.languages.lean.errors.families import ErrorCategory, with_one_quote
from goedels_poetry.languages.lean.errors.names import Names
from goedels_poetry.languages.lean.errors.reading import Said

MOST_FIXES = 6
_NAME = r"'\[?(?P<{}>[^\]\n]+?)\]?'(?=[^\w']|\Z)"
"""A name in quotation marks; its own primes belong to it."""
_NAMED = re.compile(
    r"\A(?:\(kernel\) )?(?:unknown (?:identifier|constant|namespace|module prefix|package|attribute|option|declaration|"
    rf"free variable|universe level) {_NAME.format('a')}|[^\n]*does not contain {_NAME.format('b')}|"
    rf"{_NAME.format('c')} is not a |invalid (?:alternative|argument) name {_NAME.format('d')}|"
    rf"object file '[^'\n]*' of module (?P<e>\S+)|(?:failed to|could not) resolve {_NAME.format('f')}"
    r"|unknown attribute \[(?P<g>[^\]\n]+)\])",
    re.IGNORECASE,
)
_HINTED = re.compile(rf"The identifier {_NAME.format('a')} is unknown, and")
_DRAWN_OVER = re.compile("[^\n][\u0335-\u0338]")
_UNDERLINED = re.compile("[\u0332\u0333]")
"""How Lean marks, in plain text, what a hint takes away (struck through) and what it adds (underlined)."""

REPLACEMENTS = {
    "linarith": "omega for Nat and Int, else grind",
    "nlinarith": "grind, or omega after the products have been rewritten",
    "ring": "ac_rfl for sums or products alone, grind, or simp with the distributive laws",
    "ring_nf": "simp with the distributive laws",
    "norm_num": "decide, simp or omega",
    "tauto": "grind or simp_all",
    "aesop": "grind or simp_all",
    "positivity": "omega or exact Nat.zero_le _",
    "use": "exact ⟨WITNESS, PROOF⟩ or refine ⟨WITNESS, ?_⟩",
    "existsi": "refine ⟨WITNESS, ?_⟩",
    "assume": "intro",
    "by_contra": "refine Classical.byContradiction fun h => ?_",
    "push_neg": "simp only [Classical.not_forall, not_exists, not_and]",
    "contrapose": "intro h and then exact absurd ...",
    "split_ifs": "split",
    "linear_combination": "omega or grind",
    "interval_cases": "match or omega",
    "field_simp": "grind",
    "refl": "rfl",
    "dec_trivial": "decide",
    "library_search": "exact?",
    "cases'": "cases ... with, or rcases",
    "induction'": "induction ... with",
    "set": "let or generalize",
    "finish": "grind",
    "gcongr": "the monotonicity lemma by its name, or omega",
}
"""Tactics that are not part of Lean itself, and what does their work there."""

IMPORTS = {
    "linarith": "Mathlib.Tactic.Linarith",
    "nlinarith": "Mathlib.Tactic.Linarith",
    "ring": "Mathlib.Tactic.Ring",
    "ring_nf": "Mathlib.Tactic.Ring",
    "norm_num": "Mathlib.Tactic.NormNum",
    "positivity": "Mathlib.Tactic.Positivity",
    "tauto": "Mathlib.Tactic.Tauto",
    "aesop": "Aesop",
    "use": "Mathlib.Tactic.Use",
    "by_contra": "Mathlib.Tactic.ByContra",
    "push_neg": "Mathlib.Tactic.Push",
    "contrapose": "Mathlib.Tactic.Contrapose",
    "split_ifs": "Mathlib.Tactic.SplitIfs",
    "linear_combination": "Mathlib.Tactic.LinearCombination",
    "interval_cases": "Mathlib.Tactic.IntervalCases",
    "field_simp": "Mathlib.Tactic.FieldSimp",
    "gcongr": "Mathlib.Tactic.GCongr",
    "Real": "Mathlib.Data.Real.Basic",
    "Complex": "Mathlib.Data.Complex.Basic",
    "Finset": "Mathlib.Data.Finset.Basic",
    "Set": "Mathlib.Data.Set.Basic",
    "Multiset": "Mathlib.Data.Multiset.Basic",
    "Polynomial": "Mathlib.Algebra.Polynomial.Basic",
    "Matrix": "Mathlib.LinearAlgebra.Matrix.Defs",
    "Nat.Prime": "Mathlib.Data.Nat.Prime.Basic",
    "Nat.choose": "Mathlib.Data.Nat.Choose.Basic",
    "Nat.factorial": "Mathlib.Data.Nat.Factorial.Basic",
    "Std.HashMap": "Std.Data.HashMap",
    "Std.HashSet": "Std.Data.HashSet",
    "Std.TreeMap": "Std.Data.TreeMap",
    "Std.TreeSet": "Std.Data.TreeSet",
    "Lean": "Lean",
}
"""Modules that have a name, or the names below it."""

_ADVICE = {
    ErrorCategory.UNKNOWN_IDENTIFIER: "check spelling and namespace of the name, or import the module that has it",
    ErrorCategory.TYPE_MISMATCH: "compare the two types; convert, swap the arguments, or use another term",
    ErrorCategory.TACTIC_FAILED: "look at the goal that is left, and take a smaller step or another tactic",
    ErrorCategory.MISSING_PREMISE: "supply the hypothesis, instance or argument, from the context or as a new premise",
    ErrorCategory.SYNTAX_ERROR: "repair the text at this place: brackets, commas, `:=`, indentation",
    ErrorCategory.RESOURCE_LIMIT: "make the step smaller: fewer simp lemmas, a more exact term, lemmas of its own",
    ErrorCategory.OTHER: "do what the message says",
}


def name_in(message: Said, code: Code) -> str | None:
    """The name that a message says is not known; the tactic's for `unknown tactic`, when the code is there."""
    plain = with_one_quote(message.text.strip())
    found = _NAMED.match(plain) or _HINTED.search(plain)
    if found is not None:
        return next(group for group in found.groups() if group)
    if plain.lower().startswith("unknown tactic"):
        return word_at(message, code)[0] or None
    return None


def fixes(
    category: ErrorCategory,
    text: str,
    name: str | None,
    known: Names,
    local: Names,
    find_import: Callable[[str], str | None] | None = None,
) -> list[str]:
    """At most :data:`MOST_FIXES` sentences, Lean's own hints first.

    Args:
        category: what is wrong.
        text: the message.
        name: the name that is not known.
        known: the names of the environment.
        local: the names of the text itself.
        find_import: the module that has a name.
    """
    found = hints(text)
    if name is not None and category is ErrorCategory.UNKNOWN_IDENTIFIER:
        found += [f"did you mean {near}?" for near in (*local.near(name)[:2], *known.near(name))]
        module = (find_import(name) if find_import is not None else None) or import_of(name)
        if module:
            found.append(f"import {module} has {name}, where that library is there")
        if name in REPLACEMENTS:
            found.append(f"{name} is no tactic of Lean itself; without its library: {REPLACEMENTS[name]}")
    found.append(_ADVICE[category])
    return list(dict.fromkeys(found))[:MOST_FIXES]


def import_of(name: str) -> str | None:
    """The module of a well-known name, by the longest part of the name that our table has."""
    while name:
        if name in IMPORTS:
            return IMPORTS[name]
        name = name.rpartition(".")[0]
    return None


def hints(text: str) -> list[str]:
    """What Lean itself suggests in a message, with its marks for changed letters resolved."""
    found = []
    for block in re.findall(r"^(?:Hint|Try this|Did you mean)\b:?[^\n]*(?:\n {2,}[^\n]*)*", text, re.MULTILINE):
        plain = _UNDERLINED.sub("", _DRAWN_OVER.sub("", block))
        found.append(" ".join(plain.split()))
    _, separator, solutions = text.partition("possible solutions:\n")
    for line in solutions.split("\n") if separator else []:
        if not line.strip().startswith("- "):
            break
        found.append(line.strip(" -"))
    diagnostic = ("set_option trace", "set_option diagnostics", "Additional diagnostic")
    return [hint for hint in found if not any(word in hint for word in diagnostic)]
