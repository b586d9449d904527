"""Terms of operators that are written as calls, from their typed arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from goedels_poetry.kernel.terms import BOOL, INT, REAL, STRING, Sort, bitvec
from goedels_poetry.questions.json import arithmetic, syntax
from goedels_poetry.questions.json.contract import Build
from goedels_poetry.questions.json.fitting import fit, is_bits, join, negation, numeric
from goedels_poetry.questions.json.sorts import MAX_WIDTH, show
from goedels_poetry.questions.json.syntax import ExpressionError
from goedels_poetry.questions.json.typed import Typed, apply, number


def implies(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    """``p => q``."""
    left, right = (fit(arg, BOOL, f"the operands of `{call.function}`") for arg in args)
    return apply("=>", (left, right), BOOL, call.at)


def same(head: str) -> Build:
    """``=`` or ``xor`` of two formulas."""

    def build(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
        operands = tuple(fit(arg, BOOL, f"the operands of `{call.function}`") for arg in args)
        return apply(head, operands, BOOL, call.at)

    return build


def inverted(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    """``not p``."""
    return negation(fit(args[0], BOOL, f"the operand of `{call.function}`"), call.at)


def distinct(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    """All different from each other."""
    return apply("distinct", join(args, call.at, "the operands of `Distinct`"), BOOL, call.at)


def absolute(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    """``|x|`` of an Int or Real."""
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


def extreme(operator: str) -> Build:
    """The least (``<=``) or greatest (``>=``) of Int or Real terms."""

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


def to_real(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    """A number as a Real."""
    return fit(args[0], REAL, f"the argument of `{call.function}`")


def to_int(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    """A number rounded down to an Int."""
    if args[0].sort is INT:
        return args[0]
    return apply("to_int", (fit(args[0], REAL, f"the argument of `{call.function}`"),), INT, call.at)


def joined(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
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


def extract(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    """Bits ``high`` to ``low`` of a bit-vector, counted from 0."""
    high, low = (_numeral(arg, "the first and the last bit") for arg in args[:2])
    width = _vector(args[2], call)
    if not low <= high < width:
        hint = "write Extract(high, low, x), counting from 0"
        raise ExpressionError(f"bits {high} to {low} are not in a bit-vector of {width} bits", call.at, hint)
    return apply(f"(_ extract {high} {low})", args[2:], bitvec(high - low + 1), call.at)


def resized(head: str, width_of: Callable[[int, int], int], first: bool) -> Build:
    """``first``: the numeral comes before the bit-vector."""

    def build(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
        amount, term = args if first else reversed(args)
        by = _numeral(amount, f"how far `{call.function}` goes")
        width = _width(width_of(_vector(term, call), by), call)
        return apply(f"(_ {head} {by})", (term,), bitvec(width), call.at)

    return build


def from_bits(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    """The Int that a bit-vector is, unsigned unless told otherwise."""
    width = _vector(args[0], call)
    unsigned = apply("bv2nat", args[:1], INT, call.at)
    if len(args) == 1 or args[1].head == "false":
        return unsigned
    if args[1].head != "true":
        raise ExpressionError("whether it is signed must be True or False", args[1].at)
    negative = apply("bvslt", (args[0], number(0, args[0].sort, call.at)), BOOL, call.at)
    shifted = arithmetic.total([(False, unsigned), (True, number(1 << width, INT, call.at))], call.at)
    return apply("ite", (negative, shifted, unsigned), INT, call.at)


def to_bits(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    """An Int modulo a power of two, as a bit-vector."""
    width = _width(_numeral(args[1], "the number of bits"), call)
    term = fit(args[0], INT, f"the argument of `{call.function}`")
    return apply(f"(_ int2bv {width})", (term,), bitvec(width), call.at)


def bit_value(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    """A numeral as a bit-vector that holds it."""
    if args[0].number is None or args[0].sort is not INT:
        raise ExpressionError("`BitVecVal` takes a number and a number of bits", call.at, "write BitVecVal(5, 8)")
    return fit(args[0], bitvec(_width(_numeral(args[1], "the number of bits"), call)), "the value")


def value_of(sort: Sort) -> Build:
    """A literal of a sort."""

    def build(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
        if args[0].speaks:
            raise ExpressionError(f"`{call.function}` takes a literal", args[0].at)
        return fit(args[0], sort, f"the argument of `{call.function}`")

    return build


def store(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    """An array with another element at an index."""
    base = args[0].sort
    if base.name != "Array" or len(base.args) != 2:
        raise ExpressionError(f"`{call.function}` takes an array, not {show(base)}", args[0].at)
    index, element = fit(args[1], base.args[0], "the index"), fit(args[2], base.args[1], "the element")
    return apply("store", (args[0], index, element), base, call.at)


def index_of(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
    """Where a part first stands in a string."""
    start = args[2] if len(args) == 3 else number(0, INT, call.at)
    places = (STRING, STRING, INT)
    fitted = [
        fit(a, s, f"argument {i} of `IndexOf`")
        for i, (a, s) in enumerate(zip((*args[:2], start), places, strict=True), 1)
    ]
    return apply("str.indexof", tuple(fitted), INT, call.at)


def counted(sign: str) -> Build:
    """How many formulas are true, compared with the last argument."""

    def build(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
        limit = number(_numeral(args[-1], "the last argument"), INT, call.at)
        one, zero = number(1, INT, call.at), number(0, INT, call.at)
        what = f"the operands of `{call.function}`"
        ones = [apply("ite", (fit(arg, BOOL, what), one, zero), INT, call.at) for arg in args[:-1]]
        total = ones[0] if len(ones) == 1 else apply("+", tuple(ones), INT, call.at)
        return apply(sign, (total, limit), BOOL, call.at)

    return build
