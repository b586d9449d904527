"""Operators that are written as calls: those of z3's Python interface and a few of Python itself."""

from __future__ import annotations

from collections.abc import Sequence

from goedels_poetry.kernel.terms import BOOL, INT, REAL, STRING, array
from goedels_poetry.questions.json import arithmetic, building, syntax
from goedels_poetry.questions.json.contract import Scope, TermBuilder
from goedels_poetry.questions.json.rules import Rule
from goedels_poetry.questions.json.shapes import (
    Operator,
    fixed,
    folded,
    junction,
    plain,
    quantifier,
    refuse,
    several,
    two_bits,
)
from goedels_poetry.questions.json.sorts import smt_sort
from goedels_poetry.questions.json.syntax import Expression
from goedels_poetry.questions.json.typed import Typed, apply


def _constant_array(typer: TermBuilder, call: syntax.Call, scope: Scope) -> Rule:
    if len(call.arguments) != 2:
        refuse(call, "K(Int, value)")
    index: Expression = call.arguments[0]
    element = yield typer.term(call.arguments[1], scope)
    sort = array(typer.sorts.sort_of(index), element.sort)
    return apply(f"(as const {smt_sort(sort)})", (element,), sort, call.at)


def _select(typer: TermBuilder, call: syntax.Call, scope: Scope) -> Rule:
    if len(call.arguments) != 2:
        refuse(call, "Select(array, index)")
    term, index = yield typer.terms(call.arguments, scope)
    return typer.select(term, index, call.at)


def _if(typer: TermBuilder, call: syntax.Call, scope: Scope) -> Rule:
    if len(call.arguments) != 3:
        refuse(call, "If(condition, then, otherwise)")
    condition, then, otherwise = yield typer.terms(call.arguments, scope)
    return typer.choose(condition, then, otherwise, call.at)


def _range(typer: TermBuilder, call: syntax.Call, scope: Scope) -> Rule:
    yield typer.listed(call, scope)


def _total(terms: Sequence[Typed], at: int) -> Typed:
    return arithmetic.total([(False, term) for term in terms], at)


_SUM = folded("Sum(a, b)", 0, _total)
_LENGTH = fixed("Length(s)", "str.len", (STRING,), INT)
_ABS = plain("Abs(x)", 1, building.absolute)

OPERATORS: dict[str, Operator] = {
    "And": junction("And(p, q)", "and"),
    "Or": junction("Or(p, q)", "or"),
    "all": junction("all(p(x) for x in [a, b])", "and"),
    "any": junction("any(p(x) for x in [a, b])", "or"),
    "Not": plain("Not(p)", 1, building.inverted),
    "Implies": plain("Implies(p, q)", 2, building.implies),
    "Iff": plain("Iff(p, q)", 2, building.same("=")),
    "Xor": plain("Xor(p, q)", 2, building.same("xor")),
    "If": Operator("If(condition, then, otherwise)", _if),
    "Distinct": several("Distinct(a, b)", 2, building.distinct),
    "ForAll": quantifier("ForAll", "forall"),
    "Exists": quantifier("Exists", "exists"),
    "AtMost": several("AtMost(p, q, 1)", 2, building.counted("<=")),
    "AtLeast": several("AtLeast(p, q, 1)", 2, building.counted(">=")),
    "Exactly": several("Exactly(p, q, 1)", 2, building.counted("=")),
    "Sum": _SUM,
    "sum": _SUM,
    "Product": folded("Product(a, b)", 1, arithmetic.product),
    "Abs": _ABS,
    "abs": _ABS,
    "Min": several("Min(a, b)", 1, building.extreme("<=")),
    "min": several("min(a, b)", 1, building.extreme("<=")),
    "Max": several("Max(a, b)", 1, building.extreme(">=")),
    "max": several("max(a, b)", 1, building.extreme(">=")),
    "range": Operator("for x in range(1, 4)", _range),
    "ToReal": plain("ToReal(x)", 1, building.to_real),
    "ToInt": plain("ToInt(x)", 1, building.to_int),
    "IsInt": fixed("IsInt(x)", "is_int", (REAL,), BOOL),
    "IntVal": plain("IntVal(5)", 1, building.value_of(INT)),
    "RealVal": plain("RealVal(0.5)", 1, building.value_of(REAL)),
    "BoolVal": plain("BoolVal(True)", 1, building.value_of(BOOL)),
    "StringVal": plain('StringVal("a")', 1, building.value_of(STRING)),
    "BitVecVal": plain("BitVecVal(5, 8)", 2, building.bit_value),
    "Select": Operator("Select(array, index)", _select),
    "Store": plain("Store(array, index, element)", 3, building.store),
    "Update": plain("Update(array, index, element)", 3, building.store),
    "K": Operator("K(Int, value)", _constant_array),
    **{name: two_bits(name, f"bv{name.lower()}", BOOL) for name in ("ULT", "ULE", "UGT", "UGE")},
    **{name: two_bits(name, f"bv{name.lower()}") for name in ("UDiv", "URem", "SRem")},
    "LShR": two_bits("LShR", "bvlshr"),
    "Concat": several("Concat(a, b)", 1, building.joined),
    "Extract": plain("Extract(high, low, x)", 3, building.extract),
    "ZeroExt": plain("ZeroExt(n, x)", 2, building.resized("zero_extend", lambda width, n: width + n, True)),
    "SignExt": plain("SignExt(n, x)", 2, building.resized("sign_extend", lambda width, n: width + n, True)),
    "RepeatBitVec": plain("RepeatBitVec(n, x)", 2, building.resized("repeat", lambda width, n: width * n, True)),
    "RotateLeft": plain("RotateLeft(x, n)", 2, building.resized("rotate_left", lambda width, n: width, False)),
    "RotateRight": plain("RotateRight(x, n)", 2, building.resized("rotate_right", lambda width, n: width, False)),
    "BV2Int": plain("BV2Int(x)", (1, 2), building.from_bits),
    "Int2BV": plain("Int2BV(x, 8)", 2, building.to_bits),
    "Length": _LENGTH,
    "len": _LENGTH,
    "Contains": fixed("Contains(s, part)", "str.contains", (STRING, STRING), BOOL),
    "PrefixOf": fixed("PrefixOf(part, s)", "str.prefixof", (STRING, STRING), BOOL),
    "SuffixOf": fixed("SuffixOf(part, s)", "str.suffixof", (STRING, STRING), BOOL),
    "SubString": fixed("SubString(s, start, length)", "str.substr", (STRING, INT, INT), STRING),
    "IndexOf": plain("IndexOf(s, part)", (2, 3), building.index_of),
    "Replace": fixed("Replace(s, part, by)", "str.replace", (STRING, STRING, STRING), STRING),
    "StrToInt": fixed("StrToInt(s)", "str.to_int", (STRING,), INT),
    "IntToStr": fixed("IntToStr(x)", "str.from_int", (INT,), STRING),
}

_SECTIONS = 'declare it in the program\'s "constants", "variables" or "functions"'
ELSEWHERE: dict[str, str] = {
    **dict.fromkeys(("Const", "Consts", "Bool", "Int", "Real", "BitVec", "String", "FreshConst"), _SECTIONS),
    **dict.fromkeys(("Bools", "Ints", "Reals", "Function", "Array", "RecFunction", "Var"), _SECTIONS),
    **dict.fromkeys(("DeclareSort", "EnumSort", "Datatype"), 'declare it in the program\'s "sorts"'),
    "Lambda": "use a function, and say by ForAll what it is",
    "Sqrt": "write x * x == y with x >= 0",
}
