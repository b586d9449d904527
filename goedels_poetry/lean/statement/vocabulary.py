"""What sorts and symbols are called, and what a text leaves open: the parameters of everything that speaks of it.

Open are declared sorts and functions, and what SMT-LIB does not fix: division and remainder by zero, and selectors at
other constructors than their own. Arrays are open, too: any structure in which the two laws of the theory hold and
arrays with the same elements are the same, as the standard has it, and not all functions. A Lean theorem is about
all of these; a definition has those that it speaks of as parameters, in one order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from goedels_poetry.kernel.problem import Datatype, Signature
from goedels_poetry.kernel.reading.declare import sort_parts
from goedels_poetry.kernel.terms import BOOL, INT, Sort, Term

# Lean names for the user's names

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


class NotTranslatable(ValueError):
    """What the Lean text cannot say. ``args``: what it is."""


@dataclass(frozen=True, slots=True)
class Open:
    """Something that is left open. ``kind``: "sort", "function", "selector", "select", "store", "const", "div",
    "mod" or "law"; ``of``: the symbol or the sort."""

    kind: str
    of: str | Sort


Needs: TypeAlias = set[Open]
_ORDER = ("sort", "select", "store", "const", "law", "div", "mod", "selector", "function")
UNFIXED = {"div": "div_zero", "mod": "mod_zero"}


@dataclass
class Vocabulary:
    """Names of one signature; `sort` and what is built on it enters into ``needs`` what the text speaks of."""

    signature: Signature
    defined: frozenset[str]
    """The functions that Lean is given a definition of; others are left open, though they may be described."""
    names: Names = field(default_factory=Names)
    needs: Needs = field(default_factory=set)
    symbols: dict[str, str] = field(default_factory=dict)
    """Functions, constructors and selectors, by the user's names."""
    sorts: dict[Sort, str] = field(default_factory=dict)
    testers: dict[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    """Selectors, and constructors whose testers, a text has spoken of."""
    _locals: dict[Open, str] = field(default_factory=dict)
    _variables: dict[Term, str] = field(default_factory=dict)
    _params: dict[int, tuple[Sort, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        signature = self.signature
        for sort in signature.sorts:
            self.sorts[sort] = self.names.local(sort.name)
        for datatype in signature.datatypes:
            self.sorts[datatype.sort] = f"{SPACE}.{self.names.qualified(datatype.sort.name)}"
        for datatype in signature.datatypes:
            for constructor in datatype.constructors:
                own = self.names.constructor(constructor.name)
                self.symbols[constructor.name] = f"{self.sorts[datatype.sort]}.{own}"
                for selector, _ in constructor.fields:
                    self.symbols[selector] = f"{SPACE}.{self.names.qualified(selector)}"
        for function in (*signature.functions, *(d.name for d in signature.definitions)):
            if function in self.defined:
                self.symbols[function] = f"{SPACE}.{self.names.qualified(function)}"
            else:
                self.symbols[function] = self.names.local(function)
        for datatype in signature.datatypes:
            for constructor in datatype.constructors:
                self.testers[constructor.name] = f"{SPACE}.{self.names.qualified(f'is_{constructor.name}')}"

    # ------------------------------------------------------------------------------------------------- sorts

    def sort(self, sort: Sort) -> str:
        """Lean's type for a sort, in parentheses where it needs them. Raises NotTranslatable: there is none."""
        if sort is BOOL or sort is INT:
            return sort.name
        if sort.name == "BitVec" and sort.indices:
            return f"(BitVec {sort.indices[0]})"
        datatype = self.signature.datatype(sort)
        if datatype is not None:
            arguments = [self.sort(s) for s in self.parameters(datatype)]
            return f"({' '.join([self.sorts[sort], *arguments])})" if arguments else self.sorts[sort]
        if sort in self.signature.sorts or sort.name == "Array":
            if sort.name == "Array":
                for part in sort.args:
                    self.sort(part)
            return self.opened(Open("sort", sort))
        raise NotTranslatable(f"the sort {sort!r} has no counterpart in Lean's core")

    def parameters(self, datatype: Datatype) -> tuple[Sort, ...]:
        """The open sorts that a datatype and those declared with it are made of, in order."""
        found = self._params.get(datatype.group)
        if found is None:
            group = [d for d in self.signature.datatypes if d.group == datatype.group]
            inner = {d.sort for d in group}
            parts = dict.fromkeys(s for d in group for c in d.constructors for _, s in c.fields)
            opened: dict[Sort, None] = {}
            for part in parts:
                opened.update(dict.fromkeys(self._open_sorts(part, inner)))
            found = self._params[datatype.group] = tuple(sorted(opened, key=_array_depth))
        return found

    def _open_sorts(self, sort: Sort, inner: set[Sort]) -> Iterable[Sort]:
        if sort in inner:
            return
        datatype = self.signature.datatype(sort)
        if datatype is not None:
            yield from self.parameters(datatype)
        elif sort.name == "Array":
            if any(part in inner for part in sort_parts(sort)):
                raise NotTranslatable(f"a datatype with arrays of itself: {sort!r}")
            for part in sort.args:
                yield from self._open_sorts(part, inner)
            yield sort
        elif sort in self.signature.sorts:
            yield sort

    # -------------------------------------------------------------------------------------------- open things

    def opened(self, thing: Open) -> str:
        """The name of something open, which the text speaks of from now on."""
        self.needs.add(thing)
        return self.called(thing)

    def called(self, thing: Open) -> str:
        """The same, where nobody speaks of it."""
        name = self._locals.get(thing)
        if name is None:
            name = self._locals[thing] = self._call(thing)
        return name

    def _call(self, thing: Open) -> str:
        of = thing.of
        if isinstance(of, Sort):
            if of in self.sorts:
                return self.sorts[of]
            word = _word(of)
            return self.names.local(word if thing.kind == "sort" else f"{thing.kind}_{word}")
        if thing.kind == "function":
            return self.symbols[of]
        return self.names.local(UNFIXED.get(thing.kind, f"{of}_else"))

    def variable(self, variable: Term) -> str:
        """The name of a variable: one for each variable of a name and a sort."""
        name = self._variables.get(variable)
        if name is None:
            name = self._variables[variable] = self.names.local(variable.name)
        return name

    def closed(self, needs: Needs) -> tuple[Open, ...]:
        """Open things with all that their types speak of, in the order in which they are parameters."""
        outer, self.needs = self.needs, set(needs)
        try:
            while True:
                before = len(self.needs)
                for thing in tuple(self.needs):
                    self.type_of(thing)
                if len(self.needs) == before:
                    return tuple(sorted(self.needs, key=self._place))
        finally:
            self.needs = outer

    def _place(self, thing: Open) -> tuple[int, int, int, str]:
        depth = _array_depth(thing.of) if isinstance(thing.of, Sort) else 0
        declared = 0
        if thing.kind == "function":
            declared = list(self.symbols).index(str(thing.of))
        return _ORDER.index(thing.kind), depth, declared, self.called(thing)

    def type_of(self, thing: Open) -> str:
        """Lean's type of an open thing, or the law that is assumed of arrays."""
        of = thing.of
        if isinstance(of, Sort):
            return self._about_arrays(thing.kind, of) if thing.kind != "sort" else "Type"
        if thing.kind == "function":
            params, result = typed(self.signature, of)
            return " → ".join(map(self.sort, (*params, result)))
        if thing.kind == "selector":
            found = self.signature.selector(of)
            assert found is not None
            datatype, constructor, position = found
            return f"{self.sort(datatype.sort)} → {self.sort(constructor.fields[position][1])}"
        return "Int → Int"

    def _about_arrays(self, kind: str, sort: Sort) -> str:
        array, index, element = self.sort(sort), self.sort(sort.args[0]), self.sort(sort.args[1])
        if kind == "select":
            return f"{array} → {index} → {element}"
        if kind == "store":
            return f"{array} → {index} → {element} → {array}"
        if kind == "const":
            return f"{element} → {array}"
        select, store = (self.opened(Open(k, sort)) for k in ("select", "store"))
        a, b, i, j, v = LAW_VARIABLES
        laws = [
            f"(∀ ({a} : {array}) ({i} : {index}) ({v} : {element}), {select} ({store} {a} {i} {v}) {i} = {v})",
            f"(∀ ({a} : {array}) ({i} {j} : {index}) ({v} : {element}), {i} ≠ {j} →"
            f" {select} ({store} {a} {i} {v}) {j} = {select} {a} {j})",
            f"(∀ ({a} {b} : {array}), (∀ ({i} : {index}), {select} {a} {i} = {select} {b} {i}) → {a} = {b})",
        ]
        const = Open("const", sort)
        if const in self.needs:
            laws.append(f"(∀ ({i} : {index}) ({v} : {element}), {select} ({self.called(const)} {v}) {i} = {v})")
        return " ∧ ".join(laws)

    def inferred(self, things: Iterable[Open], explicit: Iterable[Sort]) -> set[Sort]:
        """The open sorts that Lean finds from the types of the arguments of sorts ``explicit`` and of open things."""
        outer, self.needs = self.needs, set()
        try:
            for sort in explicit:
                self.sort(sort)
            for thing in things:
                if thing.kind not in ("sort", "law"):
                    self.type_of(thing)
            return {n.of for n in self.needs if n.kind == "sort" and isinstance(n.of, Sort)}
        finally:
            self.needs = outer


def typed(signature: Signature, function: str) -> tuple[tuple[Sort, ...], Sort]:
    """The sorts of the arguments and of the result of a declared or defined function."""
    found = signature.type_of(function)
    assert found is not None
    return found


def _word(sort: Sort) -> str:
    return "_".join([sort.name, *map(str, sort.indices), *map(_word, sort.args)])


def _array_depth(sort: Sort) -> int:
    return 1 + max(map(_array_depth, sort.args)) if sort.name == "Array" else 0
