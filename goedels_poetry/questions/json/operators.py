"""Operators that are written as calls: how many arguments, of which form, and the term they make."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from goedels_poetry.kernel.terms import BOOL, INT, REAL, STRING, Sort, bitvec
from goedels_poetry.questions.json.symbols import MAX_WIDTH, show
from goedels_poetry.questions.json.syntax import ExpressionError
from goedels_poetry.questions.json.terms import (
    Typed,
    apply,
    balanced,
    bits,
    choose,
    conjunction,
    fit,
    is_bits,
    is_numeral,
    join,
    number,
    numeric,
    select,
    signed,
)

# Arithmetic

MAX_EXPONENT = 16
_MAX_BITS = 4_000


def total(terms: Sequence[tuple[bool, Typed]], at: int) -> Typed:
    """``a + b - c``; strings are joined."""
    given = [term for _, term in terms]
    minus = [negative for negative, _ in terms]
    if any(term.sort is STRING for term in given) and not any(minus):
        return apply("str.++", tuple(fit(term, STRING, "what is joined to a String") for term in given), STRING, at)
    operands = numeric(given, at, "-" if any(minus) else "+")
    sort = operands[0].sort
    if all(map(is_numeral, operands)):
        return number(
            _exactly(sum((-1 if m else 1) * _value(t) for m, t in zip(minus, operands, strict=True)), sort is REAL),
            sort,
            at,
        )
    if len(operands) == 1:
        return operands[0]
    plus = [term for term, negative in zip(operands, minus, strict=True) if not negative]
    less = [term for term, negative in zip(operands, minus, strict=True) if negative]
    if is_bits(sort):
        positive = balanced("bvadd", plus, at)
        return apply("bvsub", (positive, balanced("bvadd", less, at)), sort, at) if less else positive
    if len(operands) == 2 and less:
        return apply("-", operands, sort, at)
    signed_terms = [apply("-", (t,), sort, at) if m else t for t, m in zip(operands, minus, strict=True)]
    return apply("+", tuple(signed_terms), sort, at)


def _value(term: Typed) -> int | Fraction:
    assert term.number is not None
    return term.number


def _exactly(value: int | Fraction, real: bool) -> int | Fraction:
    return Fraction(value) if real else int(value)


def product(given: Sequence[Typed], at: int) -> Typed:
    """``a * b``."""
    operands = numeric(given, at, "*")
    sort = operands[0].sort
    if len(operands) == 1:
        return operands[0]
    if all(map(is_numeral, operands)):
        if sum(_bits(_value(t)) for t in operands) > _MAX_BITS:
            raise ExpressionError("this product of numbers is too large", at)
        return number(_exactly(math.prod(map(_value, operands)), sort is REAL), sort, at)
    return balanced("bvmul", operands, at) if is_bits(sort) else apply("*", operands, sort, at)


def _bits(value: int | Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def negative(term: Typed, at: int) -> Typed:
    """``-a``."""
    (term,) = numeric((term,), at, "-")
    if is_numeral(term):
        return number(-_value(term), term.sort, at)
    return apply("bvneg" if is_bits(term.sort) else "-", (term,), term.sort, at)


def quotient(left: Typed, right: Typed, at: int) -> Typed:
    """``a / b``: the exact quotient, a Real; of bit-vectors the signed one, rounded towards zero."""
    operands = numeric((left, right), at, "/")
    if is_bits(operands[0].sort):
        signed((left, right), operands, "/", "UDiv(a, b)")
        return apply("bvsdiv", operands, operands[0].sort, at)
    if is_numeral(right) and right.number == 0:
        raise ExpressionError("a division by zero", at)
    if is_numeral(left) and is_numeral(right):
        return number(Fraction(_value(left)) / Fraction(_value(right)), REAL, at)
    top, bottom = (fit(operand, REAL, "an operand of `/`") for operand in operands)
    return apply("/", (top, bottom), REAL, at)


def rounded_quotient(operator: str, left: Typed, right: Typed, at: int) -> Typed:
    """``a // b`` and ``a % b`` on Int, as in Python: rounded down, the remainder with the sign of the divisor."""
    operands = numeric((left, right), at, operator)
    sort = operands[0].sort
    if is_bits(sort):
        if operator == "//":
            raise ExpressionError("`//` does not divide bit-vectors", at, "write a / b (signed) or UDiv(a, b)")
        signed((left, right), operands, "%", "URem(a, b)")
        return apply("bvsmod", operands, sort, at)
    if sort is REAL:
        raise ExpressionError(f"`{operator}` takes Int, not Real", at, "write a / b, or ToInt(a / b)")
    a, b = operands
    head = "div" if operator == "//" else "mod"
    if b.number is None:
        return _of_any_sign(head, a, b, at)
    if b.number == 0:
        raise ExpressionError("a division by zero", at)
    if b.number < 0:
        hint = f"write -(a {operator} b) or (-a) {operator} b with a positive b, whichever is meant"
        raise ExpressionError(f"`{operator}` by a negative number is rounded differently by different people", at, hint)
    if a.number is not None:
        whole, rest = divmod(int(a.number), int(b.number))
        return number(whole if head == "div" else rest, INT, at)
    return apply(head, operands, INT, at)


def _of_any_sign(head: str, a: Typed, b: Typed, at: int) -> Typed:
    """Rounded down by a divisor whose sign is not known: SMT-LIB rounds down only by positive ones."""
    flipped = apply(head, (apply("-", (a,), INT, at), apply("-", (b,), INT, at)), INT, at)
    if head == "mod":
        flipped = apply("-", (flipped,), INT, at)
    below = apply("<", (b, number(0, INT, at)), BOOL, at)
    return apply("ite", (below, flipped, apply(head, (a, b), INT, at)), INT, at)


def power(base: Typed, exponent: Typed, at: int) -> Typed:
    """``a ** n`` for a constant n: worked out for a number, a product otherwise."""
    (base,) = numeric((base,), at, "**")
    count = exponent.number
    if count is None or exponent.sort is not INT or not isinstance(count, int):
        raise ExpressionError("an exponent must be a whole number", exponent.at, "write it out, for example x**2")
    if is_numeral(base):
        value = _value(base)
        if count < 0 and value == 0:
            raise ExpressionError("a division by zero", at)
        if abs(count) * max(_bits(value) - 1, 1 if _bits(value) > 1 else 0) > _MAX_BITS or abs(count) > 10**9:
            raise ExpressionError("this power is too large", at, f"numbers have at most {_MAX_BITS:,} bits")
        sort = REAL if count < 0 else base.sort
        return number(_exactly(Fraction(value) ** count, sort is REAL), sort, at)
    if not 0 <= count <= MAX_EXPONENT:
        raise ExpressionError(f"an exponent must lie between 0 and {MAX_EXPONENT}", exponent.at, "multiply it out")
    if count == 0:
        return fit(number(1, INT, at), base.sort, "1")
    return product((base,) * count, at)


def bitwise(operator: str, given: Sequence[Typed], at: int) -> Typed:
    """``&``, ``|``, ``^``, ``<<`` and ``>>`` (which keeps the sign) on bit-vectors."""
    instead = {"&": "write And(p, q)", "|": "write Or(p, q)", "^": "write Xor(p, q), or x**2 for a power"}
    operands = bits(given, at, operator, instead.get(operator, "write x * 2**n"))
    head = {"&": "bvand", "|": "bvor", "^": "bvxor", "<<": "bvshl", ">>": "bvashr"}[operator]
    if operator == ">>":
        signed(given[:1], operands[:1], operator, "LShR(a, b)")
    return balanced(head, operands, at)


def ordered(operator: str, left: Typed, right: Typed, at: int) -> Typed:
    """``a < b`` and the like: of numbers, of bit-vectors as signed numbers, of strings by their characters."""
    given = (left, right)
    if any(term.sort is STRING for term in given):
        first, second = (fit(term, STRING, f"an operand of `{operator}`") for term in given)
        flipped = operator.startswith(">")
        pair = (second, first) if flipped else (first, second)
        return apply(f"str.{operator.replace('>', '<')}", pair, BOOL, at)
    for term in given:
        if term.sort not in (INT, REAL) and not is_bits(term.sort):
            hint = "a chain of comparisons, such as a < b < c, needs no parentheses" if term.sort is BOOL else ""
            raise ExpressionError(f"`{operator}` orders numbers, not {show(term.sort)}", term.at, hint)
    operands = numeric(given, at, operator)
    if not is_bits(operands[0].sort):
        return apply(operator, operands, BOOL, at)
    name = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}[operator]
    signed(given, operands, operator, f"U{name.upper()}(a, b)")
    return apply(f"bvs{name}", operands, BOOL, at)


class Call(NamedTuple):
    """The name that is called, and where."""

    name: str
    at: int


Build: TypeAlias = Callable[[tuple[Typed, ...], Call], Typed]
Guard: TypeAlias = Callable[[Typed, Typed, int], Typed]
"""An element of a comprehension under its condition."""


@dataclass(frozen=True, slots=True)
class Operator:
    """``form`` is how it is written, for messages and the reference; without ``build`` the typer has a rule for it."""

    form: str
    build: Build | None = None
    counts: tuple[int, ...] = ()
    """Allowed numbers of arguments; () for a list, a comprehension or ``least`` or more arguments."""
    least: int = 1
    guard: Guard | None = None
    """What conditions of a comprehension mean; None where it may have none."""


def _plain(form: str, counts: int | tuple[int, ...], build: Build) -> Operator:
    return Operator(form, build, (counts,) if isinstance(counts, int) else counts)


def _junction(form: str, head: str) -> Operator:
    """``and`` or ``or`` of any number of formulas."""

    def build(args: tuple[Typed, ...], call: Call) -> Typed:
        return conjunction([fit(arg, BOOL, f"the operands of `{call.name}`") for arg in args], call.at, head)

    def guard(condition: Typed, element: Typed, at: int) -> Typed:
        return apply("=>" if head == "and" else "and", (condition, fit(element, BOOL, "an element")), BOOL, at)

    return Operator(form, build, guard=guard)


def _folded(form: str, unit: int, fold: Callable[[Sequence[Typed], int], Typed]) -> Operator:
    """Sum and Product; elements whose condition is false count as ``unit``."""

    def guard(condition: Typed, element: Typed, at: int) -> Typed:
        return choose(condition, element, number(unit, INT, at), at)

    return Operator(form, lambda args, call: fold(args, call.at), guard=guard)


def _fitted(args: Sequence[Typed], params: Sequence[Sort], name: str) -> tuple[Typed, ...]:
    places = enumerate(zip(args, params, strict=True), 1)
    return tuple([fit(arg, sort, f"argument {i} of `{name}`") for i, (arg, sort) in places])


def _fixed(form: str, head: str, params: tuple[Sort, ...], result: Sort) -> Operator:
    """A symbol of SMT-LIB with arguments of given sorts."""
    return _plain(form, len(params), lambda args, call: apply(head, _fitted(args, params, call.name), result, call.at))


def _two_bits(name: str, head: str, result: Sort | None = None) -> Operator:
    """A symbol of SMT-LIB on two bit-vectors of one width; ``result`` None is their sort."""

    def build(args: tuple[Typed, ...], call: Call) -> Typed:
        operands = bits(args, call.at, name)
        return apply(head, operands, operands[0].sort if result is None else result, call.at)

    return _plain(f"{name}(a, b)", 2, build)


def _connective(head: str) -> Build:
    """``=>``, ``=``, ``xor`` or ``not`` of formulas."""

    def build(args: tuple[Typed, ...], call: Call) -> Typed:
        return apply(head, tuple([fit(a, BOOL, f"the operands of `{call.name}`") for a in args]), BOOL, call.at)

    return build


def _store(args: tuple[Typed, ...], call: Call) -> Typed:
    """An array with another element at an index."""
    base = args[0].sort
    if base.name != "Array" or len(base.args) != 2:
        raise ExpressionError(f"`{call.name}` takes an array, not {show(base)}", args[0].at)
    index, element = fit(args[1], base.args[0], "the index"), fit(args[2], base.args[1], "the element")
    return apply("store", (args[0], index, element), base, call.at)


def _index_of(args: tuple[Typed, ...], call: Call) -> Typed:
    """Where a part first stands in a string."""
    start = args[2] if len(args) == 3 else number(0, INT, call.at)
    return apply("str.indexof", _fitted((*args[:2], start), (STRING, STRING, INT), call.name), INT, call.at)


def _distinct(args: tuple[Typed, ...], call: Call) -> Typed:
    """All different from each other."""
    return apply("distinct", join(args, call.at, "the operands of `Distinct`"), BOOL, call.at)


def _absolute(args: tuple[Typed, ...], call: Call) -> Typed:
    """``|x|`` of an Int or Real."""
    (term,) = numeric(args, call.at, call.name)
    if is_bits(term.sort):
        raise ExpressionError(f"`{call.name}` takes Int or Real, not {show(term.sort)}", call.at)
    if term.number is not None:
        return number(max(term.number, -term.number), term.sort, call.at)
    if term.sort is INT:
        return apply("abs", (term,), INT, call.at)
    below = apply("<", (term, number(Fraction(0), REAL, call.at)), BOOL, call.at)
    return apply("ite", (below, negative(term, call.at), term), REAL, call.at)


def _pairwise(choose: Callable[[Typed, Typed], Typed], terms: Sequence[Typed]) -> Typed:
    """Combine neighbours until one is left: terms that each choice repeats are repeated log n times, not n."""
    row = list(terms)
    while len(row) > 1:
        row = [choose(*row[i : i + 2]) if i + 1 < len(row) else row[i] for i in range(0, len(row), 2)]
    return row[0]


def _extreme(operator: str) -> Build:
    """The least (``<=``) or greatest (``>=``) of Int or Real terms."""

    def better(call: Call) -> Callable[[Typed, Typed], Typed]:
        def choose(a: Typed, b: Typed) -> Typed:
            return apply("ite", (apply(operator, (a, b), BOOL, call.at), a, b), a.sort, call.at)

        return choose

    def build(args: tuple[Typed, ...], call: Call) -> Typed:
        operands = numeric(args, call.at, call.name)
        if is_bits(operands[0].sort):
            hint = "write If(ULT(a, b), a, b)"
            raise ExpressionError(f"`{call.name}` takes Int or Real, not {show(operands[0].sort)}", call.at, hint)
        return _pairwise(better(call), operands)

    return build


def _to_real(args: tuple[Typed, ...], call: Call) -> Typed:
    """A number as a Real."""
    return fit(args[0], REAL, f"the argument of `{call.name}`")


def _to_int(args: tuple[Typed, ...], call: Call) -> Typed:
    """A number rounded down to an Int."""
    if args[0].sort is INT:
        return args[0]
    return apply("to_int", (fit(args[0], REAL, f"the argument of `{call.name}`"),), INT, call.at)


def _joined(args: tuple[Typed, ...], call: Call) -> Typed:
    """Strings, or bit-vectors, one behind the other."""
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


def _width(width: int, call: Call) -> int:
    if not 1 <= width <= MAX_WIDTH:
        raise ExpressionError(f"a bit-vector has 1 to {MAX_WIDTH:,} bits, not {width:,}", call.at)
    return width


def _numeral(term: Typed, what: str) -> int:
    if not isinstance(term.number, int) or term.sort is not INT or term.number < 0:
        raise ExpressionError(f"{what} must be a whole number", term.at, "write it as a numeral")
    return term.number


def _vector(term: Typed, call: Call) -> int:
    if not is_bits(term.sort):
        raise ExpressionError(f"`{call.name}` takes a bit-vector, not {show(term.sort)}", term.at)
    return term.sort.indices[0]


def _extract(args: tuple[Typed, ...], call: Call) -> Typed:
    """Bits ``high`` to ``low`` of a bit-vector, counted from 0."""
    high, low = (_numeral(arg, "the first and the last bit") for arg in args[:2])
    width = _vector(args[2], call)
    if not low <= high < width:
        hint = "write Extract(high, low, x), counting from 0"
        raise ExpressionError(f"bits {high} to {low} are not in a bit-vector of {width} bits", call.at, hint)
    return apply(f"(_ extract {high} {low})", args[2:], bitvec(high - low + 1), call.at)


def _resized(head: str, width_of: Callable[[int, int], int], first: bool) -> Build:
    """``first``: the numeral comes before the bit-vector."""

    def build(args: tuple[Typed, ...], call: Call) -> Typed:
        amount, term = args if first else reversed(args)
        by = _numeral(amount, f"how far `{call.name}` goes")
        width = _width(width_of(_vector(term, call), by), call)
        return apply(f"(_ {head} {by})", (term,), bitvec(width), call.at)

    return build


def _from_bits(args: tuple[Typed, ...], call: Call) -> Typed:
    """The Int that a bit-vector is, unsigned unless told otherwise."""
    width = _vector(args[0], call)
    unsigned = apply("bv2nat", args[:1], INT, call.at)
    if len(args) == 1 or args[1].head == "false":
        return unsigned
    if args[1].head != "true":
        raise ExpressionError("whether it is signed must be True or False", args[1].at)
    negative = apply("bvslt", (args[0], number(0, args[0].sort, call.at)), BOOL, call.at)
    shifted = total([(False, unsigned), (True, number(1 << width, INT, call.at))], call.at)
    return apply("ite", (negative, shifted, unsigned), INT, call.at)


def _to_bits(args: tuple[Typed, ...], call: Call) -> Typed:
    """An Int modulo a power of two, as a bit-vector."""
    width = _width(_numeral(args[1], "the number of bits"), call)
    term = fit(args[0], INT, f"the argument of `{call.name}`")
    return apply(f"(_ int2bv {width})", (term,), bitvec(width), call.at)


def _bit_value(args: tuple[Typed, ...], call: Call) -> Typed:
    """A numeral as a bit-vector that holds it."""
    if args[0].number is None or args[0].sort is not INT:
        raise ExpressionError("`BitVecVal` takes a number and a number of bits", call.at, "write BitVecVal(5, 8)")
    return fit(args[0], bitvec(_width(_numeral(args[1], "the number of bits"), call)), "the value")


def _value_of(sort: Sort) -> Build:
    """A literal of a sort."""

    def build(args: tuple[Typed, ...], call: Call) -> Typed:
        if args[0].speaks:
            raise ExpressionError(f"`{call.name}` takes a literal", args[0].at)
        return fit(args[0], sort, f"the argument of `{call.name}`")

    return build


def _counted(sign: str) -> Build:
    """How many formulas are true, compared with the last argument."""

    def build(args: tuple[Typed, ...], call: Call) -> Typed:
        limit = number(_numeral(args[-1], "the last argument"), INT, call.at)
        one, zero = number(1, INT, call.at), number(0, INT, call.at)
        what = f"the operands of `{call.name}`"
        ones = [apply("ite", (fit(arg, BOOL, what), one, zero), INT, call.at) for arg in args[:-1]]
        total = ones[0] if len(ones) == 1 else apply("+", tuple(ones), INT, call.at)
        return apply(sign, (total, limit), BOOL, call.at)

    return build


def _total(terms: Sequence[Typed], at: int) -> Typed:
    return total([(False, term) for term in terms], at)


_SUM = _folded("Sum(a, b)", 0, _total)
_LENGTH = _fixed("Length(s)", "str.len", (STRING,), INT)
_ABS = _plain("Abs(x)", 1, _absolute)

OPERATORS: dict[str, Operator] = {
    "And": _junction("And(p, q)", "and"),
    "Or": _junction("Or(p, q)", "or"),
    "all": _junction("all(p(x) for x in [a, b])", "and"),
    "any": _junction("any(p(x) for x in [a, b])", "or"),
    "Not": _plain("Not(p)", 1, _connective("not")),
    "Implies": _plain("Implies(p, q)", 2, _connective("=>")),
    "Iff": _plain("Iff(p, q)", 2, _connective("=")),
    "Xor": _plain("Xor(p, q)", 2, _connective("xor")),
    "If": _plain("If(condition, then, otherwise)", 3, lambda args, call: choose(args[0], args[1], args[2], call.at)),
    "Distinct": Operator("Distinct(a, b)", _distinct, least=2),
    "ForAll": Operator("ForAll([x, y], formula)"),
    "Exists": Operator("Exists([x, y], formula)"),
    "AtMost": Operator("AtMost(p, q, 1)", _counted("<="), least=2),
    "AtLeast": Operator("AtLeast(p, q, 1)", _counted(">="), least=2),
    "Exactly": Operator("Exactly(p, q, 1)", _counted("="), least=2),
    "Sum": _SUM,
    "sum": _SUM,
    "Product": _folded("Product(a, b)", 1, product),
    "Abs": _ABS,
    "abs": _ABS,
    "Min": Operator("Min(a, b)", _extreme("<="), least=1),
    "min": Operator("min(a, b)", _extreme("<="), least=1),
    "Max": Operator("Max(a, b)", _extreme(">="), least=1),
    "max": Operator("max(a, b)", _extreme(">="), least=1),
    "range": Operator("for x in range(1, 4)"),
    "ToReal": _plain("ToReal(x)", 1, _to_real),
    "ToInt": _plain("ToInt(x)", 1, _to_int),
    "IsInt": _fixed("IsInt(x)", "is_int", (REAL,), BOOL),
    "IntVal": _plain("IntVal(5)", 1, _value_of(INT)),
    "RealVal": _plain("RealVal(0.5)", 1, _value_of(REAL)),
    "BoolVal": _plain("BoolVal(True)", 1, _value_of(BOOL)),
    "StringVal": _plain('StringVal("a")', 1, _value_of(STRING)),
    "BitVecVal": _plain("BitVecVal(5, 8)", 2, _bit_value),
    "Select": _plain("Select(array, index)", 2, lambda args, call: select(args[0], args[1], call.at)),
    "Store": _plain("Store(array, index, element)", 3, _store),
    "Update": _plain("Update(array, index, element)", 3, _store),
    "K": Operator("K(Int, value)"),
    **{name: _two_bits(name, f"bv{name.lower()}", BOOL) for name in ("ULT", "ULE", "UGT", "UGE")},
    **{name: _two_bits(name, f"bv{name.lower()}") for name in ("UDiv", "URem", "SRem")},
    "LShR": _two_bits("LShR", "bvlshr"),
    "Concat": Operator("Concat(a, b)", _joined, least=1),
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
