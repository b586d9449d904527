"""Operators that are written as calls: those of z3's Python interface and a few of Python itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn

from goedels_poetry.languages.json_logic import arithmetic, syntax
from goedels_poetry.languages.json_logic.fitting import (
    bits,
    conjunction,
    fit,
    is_bits,
    join,
    negation,
    numeric,
)
from goedels_poetry.languages.json_logic.rules import Rule
from goedels_poetry.languages.json_logic.sorts import MAX_WIDTH, show, smt_sort
from goedels_poetry.languages.json_logic.syntax import Expression, ExpressionError
from goedels_poetry.languages.json_logic.typed import Typed, apply, number
from goedels_poetry.languages.smt.terms import BOOL, INT, REAL, STRING, Sort, array, bitvec

if TYPE_CHECKING:
    from goedels_poetry.languages.json_logic.typer import Typer

    Scope = Mapping[str, Typed]

RuleOf = Callable[["Typer", syntax.Call, Any], Rule]


@dataclass(frozen=True, slots=True)
class Operator:
    """``form`` is how it is written, for messages and the reference."""

    form: str
    rule: RuleOf


def _refuse(call: syntax.Call, form: str) -> NoReturn:
    raise ExpressionError(f"`{call.function}` got {len(call.arguments)} arguments", call.at, f"write {form}")


def _plain(form: str, count: int | Sequence[int], build: Callable[[tuple[Typed, ...], syntax.Call], Typed]) -> Operator:
    """A fixed number of arguments (or one of several), all terms."""
    counts = (count,) if isinstance(count, int) else count

    def rule(typer: Typer, call: syntax.Call, scope: Scope) -> Rule:
        if len(call.arguments) not in counts:
            _refuse(call, form)
        return build((yield typer.terms(call.arguments, scope)), call)

    return Operator(form, rule)


def _operands(typer: Typer, call: syntax.Call, scope: Scope, form: str, conditions: bool = False) -> Rule:
    """The terms of ``F(a, b)``, ``F([a, b])`` or ``F(e for x in ...)``, each with its conditions."""
    only = call.arguments[0] if len(call.arguments) == 1 else None
    if isinstance(only, syntax.Comprehension):
        return (yield typer.expanded(only, scope, conditions))
    arguments = only.items if isinstance(only, syntax.Listing) else call.arguments
    if not arguments:
        raise ExpressionError(f"`{call.function}` of nothing", call.at, f"write {form}")
    terms = yield typer.terms(arguments, scope)
    return [((), term) for term in terms]


def _junction(form: str, head: str) -> Operator:
    def rule(typer: Typer, call: syntax.Call, scope: Scope) -> Rule:
        rows = yield _operands(typer, call, scope, form, conditions=True)
        parts = []
        for conditions, term in rows:
            part = fit(term, BOOL, f"the operands of `{call.function}`")
            if conditions:
                known = conjunction(conditions, call.at)
                parts.append(apply("=>" if head == "and" else "and", (known, part), BOOL, call.at))
            else:
                parts.append(part)
        return conjunction(parts, call.at, head)

    return Operator(form, rule)


def _folded(form: str, unit: int, build: Callable[[Sequence[Typed], int], Typed]) -> Operator:
    """Sum and Product; elements whose condition is false count as ``unit``."""

    def rule(typer: Typer, call: syntax.Call, scope: Scope) -> Rule:
        rows = yield _operands(typer, call, scope, form, conditions=True)
        terms = [
            typer.choose(conjunction(conditions, call.at), term, number(unit, INT, call.at), call.at)
            if conditions
            else term
            for conditions, term in rows
        ]
        return build(terms, call.at)

    return Operator(form, rule)


def _several(form: str, least: int, build: Callable[[tuple[Typed, ...], syntax.Call], Typed]) -> Operator:
    """``least`` or more arguments, or a list of them."""

    def rule(typer: Typer, call: syntax.Call, scope: Scope) -> Rule:
        rows = yield _operands(typer, call, scope, form)
        if len(rows) < least:
            raise ExpressionError(f"`{call.function}` takes {least} or more terms, got {len(rows)}", call.at)
        return build(tuple(term for _, term in rows), call)

    return Operator(form, rule)


def _quantifier(name: str, head: str) -> Operator:
    return Operator(f"{name}([x, y], formula)", lambda typer, call, scope: typer.quantified(head, call, scope))


def _fixed(form: str, head: str, params: tuple[Sort, ...], result: Sort) -> Operator:
    def build(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
        fitted = [
            fit(a, s, f"argument {i} of `{call.function}`")
            for i, (a, s) in enumerate(zip(args, params, strict=True), 1)
        ]
        return apply(head, tuple(fitted), result, call.at)

    return _plain(form, len(params), build)


def _two_bits(name: str, head: str, result: Sort | None = None) -> Operator:
    def build(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
        operands = bits(args, call.at, name)
        return apply(head, operands, operands[0].sort if result is None else result, call.at)

    return _plain(f"{name}(a, b)", 2, build)


# ------------------------------------------------------------------------------------------- builders


def _implies(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    left, right = (fit(arg, BOOL, f"the operands of `{call.function}`") for arg in args)
    return apply("=>", (left, right), BOOL, call.at)


def _same(head: str) -> Callable[[tuple[Typed, ...], syntax.Call], Typed]:
    def build(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
        operands = tuple(fit(arg, BOOL, f"the operands of `{call.function}`") for arg in args)
        return apply(head, operands, BOOL, call.at)

    return build


def _not(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    return negation(fit(args[0], BOOL, f"the operand of `{call.function}`"), call.at)


def _distinct(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    return apply("distinct", join(args, call.at, "the operands of `Distinct`"), BOOL, call.at)


def _absolute(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    (term,) = numeric(args, call.at, call.function)
    if is_bits(term.sort):
        raise ExpressionError(f"`{call.function}` takes Int or Real, not {show(term.sort)}", call.at)
    if term.number is not None:
        return number(max(term.number, -term.number), term.sort, call.at)
    if term.sort is INT:
        return apply("abs", (term,), INT, call.at)
    below = apply("<", (term, number(Fraction(0), REAL, call.at)), BOOL, call.at)
    return apply("ite", (below, arithmetic.negative(term, call.at), term), REAL, call.at)


def _pairwise(choose: Callable[[Typed, Typed], Typed], terms: Sequence[Typed]) -> Typed:
    """Combine neighbours until one is left: terms that each choice repeats are repeated log n times, not n."""
    row = list(terms)
    while len(row) > 1:
        row = [choose(*row[i : i + 2]) if i + 1 < len(row) else row[i] for i in range(0, len(row), 2)]
    return row[0]


def _extreme(operator: str) -> Callable[[tuple[Typed, ...], syntax.Call], Typed]:
    def better(call: syntax.Call) -> Callable[[Typed, Typed], Typed]:
        def choose(a: Typed, b: Typed) -> Typed:
            return apply("ite", (apply(operator, (a, b), BOOL, call.at), a, b), a.sort, call.at)

        return choose

    def build(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
        operands = numeric(args, call.at, call.function)
        if is_bits(operands[0].sort):
            hint = "write If(ULT(a, b), a, b)"
            raise ExpressionError(f"`{call.function}` takes Int or Real, not {show(operands[0].sort)}", call.at, hint)
        return _pairwise(better(call), operands)

    return build


def _to_real(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    return fit(args[0], REAL, f"the argument of `{call.function}`")


def _to_int(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    if args[0].sort is INT:
        return args[0]
    return apply("to_int", (fit(args[0], REAL, f"the argument of `{call.function}`"),), INT, call.at)


def _joined(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    if any(arg.sort is STRING for arg in args):
        return apply("str.++", tuple(fit(arg, STRING, "what `Concat` joins") for arg in args), STRING, call.at)
    for arg in args:
        if not is_bits(arg.sort):
            hint = "give numbers their width: BitVecVal(5, 8)"
            raise ExpressionError(f"`Concat` takes bit-vectors or strings, not {show(arg.sort)}", arg.at, hint)
    result = args[0]
    for arg in args[1:]:
        width = _width(result.sort.indices[0] + arg.sort.indices[0], call)
        result = apply("concat", (result, arg), bitvec(width), call.at)
    return result


def _width(width: int, call: syntax.Call) -> int:
    if not 1 <= width <= MAX_WIDTH:
        raise ExpressionError(f"a bit-vector has 1 to {MAX_WIDTH:,} bits, not {width:,}", call.at)
    return width


def _numeral(term: Typed, what: str) -> int:
    if not isinstance(term.number, int) or term.sort is not INT or term.number < 0:
        raise ExpressionError(f"{what} must be a whole number", term.at, "write it as a numeral")
    return term.number


def _vector(term: Typed, call: syntax.Call) -> int:
    if not is_bits(term.sort):
        raise ExpressionError(f"`{call.function}` takes a bit-vector, not {show(term.sort)}", term.at)
    return term.sort.indices[0]


def _extract(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    high, low = (_numeral(arg, "the first and the last bit") for arg in args[:2])
    width = _vector(args[2], call)
    if not low <= high < width:
        hint = "write Extract(high, low, x), counting from 0"
        raise ExpressionError(f"bits {high} to {low} are not in a bit-vector of {width} bits", call.at, hint)
    return apply(f"(_ extract {high} {low})", args[2:], bitvec(high - low + 1), call.at)


def _resized(
    head: str, width_of: Callable[[int, int], int], first: bool
) -> Callable[[tuple[Typed, ...], syntax.Call], Typed]:
    """``first``: the numeral comes before the bit-vector."""

    def build(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
        amount, term = args if first else reversed(args)
        by = _numeral(amount, f"how far `{call.function}` goes")
        width = _width(width_of(_vector(term, call), by), call)
        return apply(f"(_ {head} {by})", (term,), bitvec(width), call.at)

    return build


def _from_bits(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    width = _vector(args[0], call)
    unsigned = apply("bv2nat", args[:1], INT, call.at)
    if len(args) == 1 or args[1].head == "false":
        return unsigned
    if args[1].head != "true":
        raise ExpressionError("whether it is signed must be True or False", args[1].at)
    negative = apply("bvslt", (args[0], number(0, args[0].sort, call.at)), BOOL, call.at)
    shifted = arithmetic.total([(False, unsigned), (True, number(1 << width, INT, call.at))], call.at)
    return apply("ite", (negative, shifted, unsigned), INT, call.at)


def _to_bits(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    width = _width(_numeral(args[1], "the number of bits"), call)
    term = fit(args[0], INT, f"the argument of `{call.function}`")
    return apply(f"(_ int2bv {width})", (term,), bitvec(width), call.at)


def _bit_value(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    if args[0].number is None or args[0].sort is not INT:
        raise ExpressionError("`BitVecVal` takes a number and a number of bits", call.at, "write BitVecVal(5, 8)")
    return fit(args[0], bitvec(_width(_numeral(args[1], "the number of bits"), call)), "the value")


def _value_of(sort: Sort) -> Callable[[tuple[Typed, ...], syntax.Call], Typed]:
    def build(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
        if args[0].speaks:
            raise ExpressionError(f"`{call.function}` takes a literal", args[0].at)
        return fit(args[0], sort, f"the argument of `{call.function}`")

    return build


def _store(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    base = args[0].sort
    if base.name != "Array" or len(base.args) != 2:
        raise ExpressionError(f"`{call.function}` takes an array, not {show(base)}", args[0].at)
    index, element = fit(args[1], base.args[0], "the index"), fit(args[2], base.args[1], "the element")
    return apply("store", (args[0], index, element), base, call.at)


def _index_of(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    start = args[2] if len(args) == 3 else number(0, INT, call.at)
    places = (STRING, STRING, INT)
    fitted = [
        fit(a, s, f"argument {i} of `IndexOf`")
        for i, (a, s) in enumerate(zip((*args[:2], start), places, strict=True), 1)
    ]
    return apply("str.indexof", tuple(fitted), INT, call.at)


def _counted(sign: str) -> Callable[[tuple[Typed, ...], syntax.Call], Typed]:
    def build(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
        limit = number(_numeral(args[-1], "the last argument"), INT, call.at)
        one, zero = number(1, INT, call.at), number(0, INT, call.at)
        what = f"the operands of `{call.function}`"
        ones = [apply("ite", (fit(arg, BOOL, what), one, zero), INT, call.at) for arg in args[:-1]]
        total = ones[0] if len(ones) == 1 else apply("+", tuple(ones), INT, call.at)
        return apply(sign, (total, limit), BOOL, call.at)

    return build


def _constant_array(typer: Typer, call: syntax.Call, scope: Scope) -> Rule:
    if len(call.arguments) != 2:
        _refuse(call, "K(Int, value)")
    index: Expression = call.arguments[0]
    element = yield typer.term(call.arguments[1], scope)
    sort = array(typer.sorts.sort_of(index), element.sort)
    return apply(f"(as const {smt_sort(sort)})", (element,), sort, call.at)


def _select(typer: Typer, call: syntax.Call, scope: Scope) -> Rule:
    if len(call.arguments) != 2:
        _refuse(call, "Select(array, index)")
    term, index = yield typer.terms(call.arguments, scope)
    return typer.select(term, index, call.at)


def _if(typer: Typer, call: syntax.Call, scope: Scope) -> Rule:
    if len(call.arguments) != 3:
        _refuse(call, "If(condition, then, otherwise)")
    condition, then, otherwise = yield typer.terms(call.arguments, scope)
    return typer.choose(condition, then, otherwise, call.at)


def _range(typer: Typer, call: syntax.Call, scope: Scope) -> Rule:
    yield typer.listed(call, scope)


def _total(terms: Sequence[Typed], at: int) -> Typed:
    return arithmetic.total([(False, term) for term in terms], at)


_SUM = _folded("Sum(a, b)", 0, _total)
_LENGTH = _fixed("Length(s)", "str.len", (STRING,), INT)
_ABS = _plain("Abs(x)", 1, _absolute)

OPERATORS: dict[str, Operator] = {
    "And": _junction("And(p, q)", "and"),
    "Or": _junction("Or(p, q)", "or"),
    "all": _junction("all(p(x) for x in [a, b])", "and"),
    "any": _junction("any(p(x) for x in [a, b])", "or"),
    "Not": _plain("Not(p)", 1, _not),
    "Implies": _plain("Implies(p, q)", 2, _implies),
    "Iff": _plain("Iff(p, q)", 2, _same("=")),
    "Xor": _plain("Xor(p, q)", 2, _same("xor")),
    "If": Operator("If(condition, then, otherwise)", _if),
    "Distinct": _several("Distinct(a, b)", 2, _distinct),
    "ForAll": _quantifier("ForAll", "forall"),
    "Exists": _quantifier("Exists", "exists"),
    "AtMost": _several("AtMost(p, q, 1)", 2, _counted("<=")),
    "AtLeast": _several("AtLeast(p, q, 1)", 2, _counted(">=")),
    "Exactly": _several("Exactly(p, q, 1)", 2, _counted("=")),
    "Sum": _SUM,
    "sum": _SUM,
    "Product": _folded("Product(a, b)", 1, arithmetic.product),
    "Abs": _ABS,
    "abs": _ABS,
    "Min": _several("Min(a, b)", 1, _extreme("<=")),
    "min": _several("min(a, b)", 1, _extreme("<=")),
    "Max": _several("Max(a, b)", 1, _extreme(">=")),
    "max": _several("max(a, b)", 1, _extreme(">=")),
    "range": Operator("for x in range(1, 4)", _range),
    "ToReal": _plain("ToReal(x)", 1, _to_real),
    "ToInt": _plain("ToInt(x)", 1, _to_int),
    "IsInt": _fixed("IsInt(x)", "is_int", (REAL,), BOOL),
    "IntVal": _plain("IntVal(5)", 1, _value_of(INT)),
    "RealVal": _plain("RealVal(0.5)", 1, _value_of(REAL)),
    "BoolVal": _plain("BoolVal(True)", 1, _value_of(BOOL)),
    "StringVal": _plain('StringVal("a")', 1, _value_of(STRING)),
    "BitVecVal": _plain("BitVecVal(5, 8)", 2, _bit_value),
    "Select": Operator("Select(array, index)", _select),
    "Store": _plain("Store(array, index, element)", 3, _store),
    "Update": _plain("Update(array, index, element)", 3, _store),
    "K": Operator("K(Int, value)", _constant_array),
    **{name: _two_bits(name, f"bv{name.lower()}", BOOL) for name in ("ULT", "ULE", "UGT", "UGE")},
    **{name: _two_bits(name, f"bv{name.lower()}") for name in ("UDiv", "URem", "SRem")},
    "LShR": _two_bits("LShR", "bvlshr"),
    "Concat": _several("Concat(a, b)", 1, _joined),
    "Extract": _plain("Extract(high, low, x)", 3, _extract),
    "ZeroExt": _plain("ZeroExt(n, x)", 2, _resized("zero_extend", lambda width, n: width + n, True)),
    "SignExt": _plain("SignExt(n, x)", 2, _resized("sign_extend", lambda width, n: width + n, True)),
    "RepeatBitVec": _plain("RepeatBitVec(n, x)", 2, _resized("repeat", lambda width, n: width * n, True)),
    "RotateLeft": _plain("RotateLeft(x, n)", 2, _resized("rotate_left", lambda width, n: width, False)),
    "RotateRight": _plain("RotateRight(x, n)", 2, _resized("rotate_right", lambda width, n: width, False)),
    "BV2Int": _plain("BV2Int(x)", (1, 2), _from_bits),
    "Int2BV": _plain("Int2BV(x, 8)", 2, _to_bits),
    "Length": _LENGTH,
    "len": _LENGTH,
    "Contains": _fixed("Contains(s, part)", "str.contains", (STRING, STRING), BOOL),
    "PrefixOf": _fixed("PrefixOf(part, s)", "str.prefixof", (STRING, STRING), BOOL),
    "SuffixOf": _fixed("SuffixOf(part, s)", "str.suffixof", (STRING, STRING), BOOL),
    "SubString": _fixed("SubString(s, start, length)", "str.substr", (STRING, INT, INT), STRING),
    "IndexOf": _plain("IndexOf(s, part)", (2, 3), _index_of),
    "Replace": _fixed("Replace(s, part, by)", "str.replace", (STRING, STRING, STRING), STRING),
    "StrToInt": _fixed("StrToInt(s)", "str.to_int", (STRING,), INT),
    "IntToStr": _fixed("IntToStr(x)", "str.from_int", (INT,), STRING),
}

_SECTIONS = 'declare it in the program\'s "constants", "variables" or "functions"'
ELSEWHERE: dict[str, str] = {
    **dict.fromkeys(("Const", "Consts", "Bool", "Int", "Real", "BitVec", "String", "FreshConst"), _SECTIONS),
    **dict.fromkeys(("Bools", "Ints", "Reals", "Function", "Array", "RecFunction", "Var"), _SECTIONS),
    **dict.fromkeys(("DeclareSort", "EnumSort", "Datatype"), 'declare it in the program\'s "sorts"'),
    "Lambda": "use a function, and say by ForAll what it is",
    "Sqrt": "write x * x == y with x >= 0",
}

__all__ = ["ELSEWHERE", "OPERATORS", "Operator"]
