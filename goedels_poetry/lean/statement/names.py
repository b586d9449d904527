"""Lean names for the user's names: legal, different where those are different, and never one that means something.

Functions, sorts and constructors stand in the namespace `Smt`, are `protected` and are always written in full
(``Smt.append``), so whatever the user calls them no word of Lean's own changes its meaning, and no word of Lean's is
mistaken for them. What is a variable in Lean (variables, declared functions and sorts, premises) has a name without a
dot, never one of `WORDS`, and no two of them share one: a binder hides what it hides in SMT-LIB and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

SPACE: Final = "Smt"
GOAL: Final = "goal"
"""The name of the theorem."""

_KEYWORDS = """
    abbrev abstract add_decl_doc admit alias all and_intros anonymous_constructor as assert at attribute axiom begin
    bif binder_predicate break builtin_dsimproc builtin_initialize builtin_simproc by by_elab calc case case' casesOn
    catch class coinductive constant continue conv dbg_trace declare_simproc declare_syntax_cat decreasing_by
    decreasing_with def default deriving do docs docs_to_verso dsimproc dsimproc_decl elab elab_rules else end error
    eval_prec eval_prio example exists export extends finally first for forall from fun gen_injective_theorems
    generalizing grind_annotated grind_pattern grind_propagator have haveI hide hiding if import in include includes
    inductive infix infixl infixr init_quot initialize inline instance is keyof leading_parser leave leftpad lemma let
    let_delayed let_fun let_tmp letI library_note local macro macro_rules match match_expr matches max_prec meta
    mod_cast module mut mutual namespace nat_lit native no_index nofun nomatch noncomputable nonrec notation obtain of
    omit only opaque open or partial partial_fixpoint postfix precheck prefix prelude private proof_wanted Prop
    protected prove public rec recommended_spelling reduce register_builtin_option register_option renaming repeat
    replacing return run_cmd run_elab run_meta scoped seal section set_option show show_term show_term_elab simproc
    simproc_decl sorry Sort stop structure suffices syntax tactic tactic_alt tactic_extension tactic_tag termination_by
    then theorem this throw trailing_parser try Type unif_hint universe universes unless unsafe unseal until using
    variable variables where while with with_weak_namespace
"""
_MEANINGS = """
    Bool BitVec Classical DecidableEq Decidable Int Nat Nonempty Inhabited Subtype PSigma PSum WellFounded Eq HEq
    Option List Array String Char Unit PUnit Prod Sum Exists Iff And Or Not True False Function Fin Float UInt8
    UInt16 UInt32 UInt64 USize Set Lean Std Init true false none some decide rfl id not and or xor ite dite absurd
    trivial sizeOf max min abs natAbs toNat propext funext
"""
LAW_VARIABLES: Final = ("array_1", "array_2", "index_1", "index_2", "element_1")
WHOLE, PART, OTHERWISE = "whole_1", "part_1", "otherwise_1"
"""Variables of our own: in the laws of arrays, in selectors and testers."""
HEADS: Final = frozenset({SPACE, "Classical", "Int", "BitVec"})
"""What stands before a dot in our own text: the namespace is open in definitions, and would be looked at first."""
WORDS: Final = frozenset({*_KEYWORDS.split(), *_MEANINGS.split(), *LAW_VARIABLES, WHOLE, PART, OTHERWISE, *HEADS, GOAL})
"""What a name without a dot may not be: words of Lean's grammar, and what stands for something in our own text."""
OWN: Final = re.compile(
    r"(rec|recOn|casesOn|below|brecOn|binductionOn|ibelow|ndrec|ndrecOn|noConfusion.*|ctor.*|toCtor.*|injEq|inj|"
    r"sizeOf.*|match_.*|eq_.*|induct.*|fun_cases.*|mutual_.*|unary|proof_.*|inst.*|dec.*Eq.*|repr.*|ofNat|mk|below_.*)"
)
"""Names that Lean makes by itself beside a type or a function."""
_SIGNS = {
    **{"<=": "le", ">=": "ge", "==": "eq", "=>": "implies", "->": "to", "++": "append", "&&": "and"},
    **{"<": "lt", ">": "gt", "=": "eq", "+": "add", "*": "mul", "/": "div", "!": "bang", "?": "ask", "%": "percent"},
    **{"-": "_", ".": "_", "$": "dollar", "&": "amp", "^": "hat", "~": "tilde", "@": "at", " ": "_", ":": "_"},
}
_PARTS = re.compile(r"[A-Za-z0-9_']+|<=|>=|==|=>|->|\+\+|&&|.", re.DOTALL)
_PLAIN = re.compile(r"[A-Za-z0-9_']+")
MOST = 60
"""Characters of a name; a longer one is cut off and told apart by a number."""


class Names:
    """Hands out names; each is given once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def qualified(self, written: str) -> str:
        """A name for the namespace, without it. Words of the grammar are none behind a dot."""
        return self._new(written, lambda name: name in HEADS or OWN.fullmatch(name) is not None)

    def constructor(self, written: str) -> str:
        """The last part of a constructor's name: where it is declared, it stands by itself."""
        return self._new(written, lambda name: name in WORDS or OWN.fullmatch(name) is not None)

    def local(self, written: str) -> str:
        """A name of a variable."""
        return self._new(written, WORDS.__contains__)

    def _new(self, written: str, means_something: Callable[[str], bool]) -> str:
        stem = legal(written)
        if means_something(stem):
            stem = f"u_{stem}"  # nothing that means something begins so
        name, number = stem, 0
        while name in self._taken:
            number += 1
            name = f"{stem}_{number}"
        self._taken.add(name)
        return name


def legal(written: str) -> str:
    """An identifier of Lean that resembles what the user has written. Different names may come to the same one."""
    parts = _PARTS.findall(written)
    text = "".join(_SIGNS.get(p) or (p if _PLAIN.fullmatch(p) else f"u{ord(p):x}") for p in parts)
    return (text if text[:1].isalpha() else f"u{text}")[:MOST]
