"""Terms as Lean text: as a value of Lean's type, or, where it is a formula, as a proposition.

A Bool of SMT-LIB is a `Bool` where it is a value (an argument, a field, what a function gives) and a proposition where
it is asserted: ``b`` is ``b = true`` there, `and` is `∧`. Every literal says its type, and everything compound stands
in parentheses, so nothing rests on Lean's precedences or on what it infers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, pairwise

from goedels_poetry.kernel.obligations import is_quantified
from goedels_poetry.kernel.terms import BOOL, INT, BitVector, Kind, Sort, Term
from goedels_poetry.lean.statement.vocabulary import NotTranslatable, Open, Vocabulary, typed

MAX_TEXT = 200_000
"""Characters of one term."""
_CONNECTIVES = frozenset({"and", "or", "not", "=>", "xor"})
BITS = {
    **{"bvadd": "({0} + {1})", "bvsub": "({0} - {1})", "bvmul": "({0} * {1})", "bvneg": "(-{0})", "bvnot": "(~~~{0})"},
    **{"bvand": "({0} &&& {1})", "bvor": "({0} ||| {1})", "bvxor": "({0} ^^^ {1})", "bvnand": "(~~~({0} &&& {1}))"},
    **{"bvnor": "(~~~({0} ||| {1}))", "bvxnor": "(~~~({0} ^^^ {1}))", "bvshl": "({0} <<< {1})"},
    **{"bvlshr": "({0} >>> {1})", "bvashr": "(BitVec.sshiftRight' {0} {1})", "bvurem": "({0} % {1})"},
    **{"bvudiv": "(BitVec.smtUDiv {0} {1})", "bvsdiv": "(BitVec.smtSDiv {0} {1})", "bvsrem": "(BitVec.srem {0} {1})"},
    **{"bvsmod": "(BitVec.smod {0} {1})", "bvcomp": "(BitVec.ofBool ({0} == {1}))", "concat": "({0} ++ {1})"},
}
BIT_ORDERS = {"bvult": "({0} < {1})", "bvule": "({0} ≤ {1})", "bvugt": "({1} < {0})", "bvuge": "({1} ≤ {0})"}
SIGNED_ORDERS = {
    **{"bvslt": "(BitVec.slt {0} {1})", "bvsle": "(BitVec.sle {0} {1})"},
    **{"bvsgt": "(BitVec.slt {1} {0})", "bvsge": "(BitVec.sle {1} {0})"},
}
ORDERS = {"<": "({0} < {1})", "<=": "({0} ≤ {1})", ">": "({0} > {1})", ">=": "({0} ≥ {1})"}


class Writer:
    """Writes terms of one vocabulary; ``call`` writes the application of a defined function.

    The texts of what was written before are kept, so a writer is of use as long as `call` gives the same.
    """

    def __init__(self, words: Vocabulary, call: Callable[[str, Sequence[str]], str]) -> None:
        self.words = words
        self.signature = words.signature
        self._call = call
        self._values: dict[Term, str] = {}
        self._props: dict[Term, str] = {}
        self.classical = False
        """Whether something was written that has no value Lean could compute."""

    def value(self, term: Term) -> str:
        """The text of a term as a value.

        Raises:
            NotTranslatable: it speaks of what Lean's core has no counterpart for, or is too long.
        """
        return self._kept(self._values, self._value, term)

    def prop(self, term: Term) -> str:
        """The text of a formula as a proposition; raises as `value`."""
        return self._kept(self._props, self._prop, term)

    def _kept(self, done: dict[Term, str], write: Callable[[Term], str], term: Term) -> str:
        text = done.get(term)
        if text is None:
            text = done[term] = write(term)
            if len(text) > MAX_TEXT:
                raise NotTranslatable(f"a formula of more than {MAX_TEXT:,} characters")
        return text

    def binders(self, variables: Sequence[Term]) -> str:
        """``(x : Int) (y : Bool)``."""
        return " ".join(f"({self.words.variable(v)} : {self.words.sort(v.sort)})" for v in variables)

    # ---------------------------------------------------------------------------------------- propositions

    def _prop(self, term: Term) -> str:
        if term.kind is Kind.LIT:
            return "True" if term.value else "False"
        if term.kind in (Kind.FORALL, Kind.EXISTS):
            sign = "∀" if term.kind is Kind.FORALL else "∃"
            if term.kind is Kind.FORALL:
                return f"({sign} {self.binders(term.binders)}, {self.prop(term.body)})"
            opening = "".join(f"∃ {self.binders([v])}, " for v in term.binders)
            return f"({opening}{self.prop(term.body)})"
        if term.kind is Kind.VAR or term.name in self.signature.names:
            return f"({self.value(term)} = true)"
        return self._connective(term) or self._atom(term) or f"({self.value(term)} = true)"

    def _connective(self, term: Term) -> str:
        args = term.args
        match term.name:
            case "not":
                return f"(¬ {self.prop(args[0])})"
            case "and" | "or":
                return f"({(' ∧ ' if term.name == 'and' else ' ∨ ').join(map(self.prop, args))})"
            case "=>":
                return f"({' → '.join(map(self.prop, args))})"
            case "xor":
                text = self.prop(args[0])
                for a in args[1:]:
                    text = f"(¬ ({text} ↔ {self.prop(a)}))"
                return text
            case "ite":
                return f"(if {self.condition(args[0])} then {self.prop(args[1])} else {self.prop(args[2])})"
        return ""

    def condition(self, term: Term) -> str:
        """A proposition of which Lean finds that it is decidable."""
        return f"({self.value(term)} = true)" if is_quantified(term) else self.prop(term)

    def _atom(self, term: Term) -> str:
        """A proposition that is no connective; "" for what is a `Bool` in Lean."""
        args, name = term.args, term.name
        if name == "=":
            return self._all(self._equal(a, b) for a, b in pairwise(args))
        if name == "distinct":
            return self._all(f"(¬ {self._equal(a, b)})" for a, b in combinations(args, 2))
        if name == "is":
            return self._test(term)
        form = ORDERS.get(name) or BIT_ORDERS.get(name)
        if form is None:
            return ""
        if args[0].sort is not INT and name in ORDERS:
            raise NotTranslatable(f"`{name}` of the sort {args[0].sort!r}")
        return self._all(form.format(self.value(a), self.value(b)) for a, b in pairwise(args))

    @staticmethod
    def _all(parts: Iterable[str]) -> str:
        texts = list(parts)
        return texts[0] if len(texts) == 1 else f"({' ∧ '.join(texts)})"

    def _equal(self, left: Term, right: Term) -> str:
        if left.sort is BOOL and (self._formula(left) or self._formula(right)):
            return f"({self.prop(left)} ↔ {self.prop(right)})"
        return f"({self.value(left)} = {self.value(right)})"

    def _formula(self, term: Term) -> bool:
        """Whether a Bool is better a proposition than a value."""
        return not (
            term.kind in (Kind.VAR, Kind.LIT)
            or term.name in self.signature.names
            or term.name in ("select", *SIGNED_ORDERS)
            or (term.name == "ite" and not any(map(self._formula, term.args[1:])))
        )

    def _test(self, term: Term) -> str:
        name, subject = str(term.indices[0]), self.value(term.args[0])
        found = self.signature.constructor(name)
        assert found is not None
        datatype, constructor = found
        if len(datatype.constructors) == 1:
            return "True"
        if not constructor.fields:
            return f"({subject} = {self._built(name, (), term.args[0].sort)})"
        return f"({self._tester(name)} {subject} = true)"

    def _tester(self, constructor: str) -> str:
        self.words.used.add(constructor)
        return self.words.testers[constructor]

    # ---------------------------------------------------------------------------------------------- values

    def _value(self, term: Term) -> str:
        if term.kind is Kind.VAR:
            self.words.sort(term.sort)
            return self.words.variable(term)
        if term.kind is Kind.LIT:
            return self._literal(term)
        if term.kind is not Kind.APP:
            return self._decided(term)
        if term.name in self.signature.names:
            return self.applied(term.name, [self.value(a) for a in term.args], term.sort)
        if term.name == "ite":
            test, then, other = term.args
            return f"(if {self.condition(test)} then {self.value(then)} else {self.value(other)})"
        if term.sort is BOOL and term.name not in ("select", *SIGNED_ORDERS):
            return self._truth(term)
        return self._operation(term)

    def _literal(self, term: Term) -> str:
        value = term.value
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, BitVector):
            return f"({value.value}#{value.width} : {self.words.sort(term.sort)})"
        if term.sort is INT and isinstance(value, int):
            return self.integer(value)
        self.words.sort(term.sort)
        raise NotTranslatable(f"a literal of the sort {term.sort!r}")

    @staticmethod
    def integer(value: int) -> str:
        """An integer."""
        return f"({value} : Int)"

    def _truth(self, term: Term) -> str:
        """A formula as a `Bool`."""
        if term.name in _CONNECTIVES:
            parts = [self.value(a) for a in term.args]
            match term.name:
                case "not":
                    return f"(!{parts[0]})"
                case "and" | "or":
                    return f"({(' && ' if term.name == 'and' else ' || ').join(parts)})"
                case "=>":
                    return f"({' || '.join([*(f'!{p}' for p in parts[:-1]), parts[-1]])})"
            text = parts[0]
            for part in parts[1:]:
                text = f"({text} != {part})"
            return text
        if term.name == "=" and term.args[0].sort is BOOL:
            pairs = [f"({self.value(a)} == {self.value(b)})" for a, b in pairwise(term.args)]
            return pairs[0] if len(pairs) == 1 else f"({' && '.join(pairs)})"
        if term.name == "is":
            found = self.signature.constructor(str(term.indices[0]))
            if found is not None and len(found[0].constructors) > 1 and found[1].fields:
                return f"({self._tester(found[1].name)} {self.value(term.args[0])})"
        return self._decided(term)

    def _decided(self, term: Term) -> str:
        if not is_quantified(term):
            return f"(decide {self.prop(term)})"
        self.classical = True
        return f"(@decide {self.prop(term)} (Classical.propDecidable _))"

    def applied(self, name: str, args: Sequence[str], sort: Sort) -> str:
        """A symbol of the signature at arguments."""
        if self.signature.constructor(name) is not None:
            return self._built(name, args, sort)
        found = self.signature.selector(name)
        if found is not None:
            self.words.used.add(name)
            whole = len(found[0].constructors) == 1
            fallback = [] if whole else [self.words.opened(Open("selector", name))]
            return f"({' '.join([self.words.symbols[name], *fallback, *args])})"
        if name in self.words.defined:
            return self._call(name, args)
        for part in (*typed(self.signature, name)[0], sort):
            self.words.sort(part)
        head = self.words.opened(Open("function", name))
        return f"({' '.join([head, *args])})" if args else head

    def _built(self, name: str, args: Sequence[str], sort: Sort) -> str:
        text = " ".join([self.words.symbols[name], *args])
        datatype = self.signature.datatype(sort)
        if datatype is not None and self.words.parameters(datatype):
            return f"({text} : {self.words.sort(sort)})"
        self.words.sort(sort)
        return f"({text})" if args else text

    def _operation(self, term: Term) -> str:
        name, args = term.name, [self.value(a) for a in term.args]
        if name in ("select", "store", "const"):
            array = term.sort if name != "select" else term.args[0].sort
            self.words.sort(array)
            return f"({' '.join([self.words.opened(Open(name, array)), *args])})"
        if term.sort.name == "BitVec" or any(a.sort.name == "BitVec" for a in term.args):
            return self._bits(term, args)
        if term.sort is INT and all(a.sort is INT for a in term.args):
            return self._arithmetic(term, args)
        raise NotTranslatable(f"`{name}` has no counterpart in Lean's core")

    def _arithmetic(self, term: Term, args: list[str]) -> str:
        name = term.name
        if name in ("+", "*", "-") and len(args) > 1:
            text = args[0]
            for arg in args[1:]:
                text = f"({text} {name} {arg})"
            return text
        if name == "-":
            return f"(-{args[0]})"
        if name == "abs":
            return f"((Int.natAbs {args[0]} : Nat) : Int)"
        if name in ("div", "mod"):
            sign = "/" if name == "div" else "%"
            text = args[0]
            for arg, divisor in zip(args[1:], term.args[1:], strict=True):
                if divisor.kind is Kind.LIT and divisor.value != 0:
                    text = f"({text} {sign} {arg})"
                else:
                    by_zero = self.words.opened(Open(name, ""))
                    text = f"(if {arg} = {self.integer(0)} then {by_zero} {text} else {text} {sign} {arg})"
            return text
        raise NotTranslatable(f"`{name}` has no counterpart in Lean's core")

    def _bits(self, term: Term, args: list[str]) -> str:
        name, sort = term.name, self.words.sort(term.sort)
        if name in SIGNED_ORDERS:
            return SIGNED_ORDERS[name].format(*args)
        if name in BITS:
            text = args[0]
            for arg in args[1:] or [""]:
                text = BITS[name].format(text, arg)
            return f"({text} : {sort})" if name == "concat" else text
        indices = [int(i) for i in term.indices]
        match name:
            case "extract":
                high, low = indices
                return f"(BitVec.extractLsb' {low} {high - low + 1} {args[0]} : {sort})"
            case "zero_extend":
                return f"(BitVec.setWidth {term.sort.indices[0]} {args[0]} : {sort})"
            case "sign_extend":
                return f"(BitVec.signExtend {term.sort.indices[0]} {args[0]} : {sort})"
            case "rotate_left" | "rotate_right":
                side = "Left" if name == "rotate_left" else "Right"
                return f"(BitVec.rotate{side} {args[0]} {indices[0]})"
            case "repeat":
                return f"(BitVec.replicate {indices[0]} {args[0]} : {sort})"
            case "bv2nat" | "ubv_to_int":
                return f"((BitVec.toNat {args[0]} : Nat) : Int)"
            case "int2bv" | "nat2bv" | "int_to_bv":
                return f"(BitVec.ofInt {term.sort.indices[0]} {args[0]} : {sort})"
        raise NotTranslatable(f"`{name}` has no counterpart in Lean's core")
