"""What to do about a name that nothing has."""

from __future__ import annotations

import difflib
import re
from collections.abc import Container, Iterable, Mapping

from goedels_poetry.kernel.theory import RULES, SORT_NAMES

MAX_LENGTH = 200
"""Characters of a name that are compared."""
MAX_NAMES = 5_000
"""Among more, none is looked for."""


def nearest(name: str, known: Iterable[str]) -> str:
    """``did you mean `mortal`?`` when a known name is like ``name``, else ""."""
    names = list(known)
    if len(names) > MAX_NAMES:
        return ""
    folded = _folded(name)
    same = [other for other in names if _folded(other) == folded]
    found = same or difflib.get_close_matches(name[:MAX_LENGTH], names, n=1, cutoff=0.7)
    return f"did you mean `{found[0]}`?" if found else ""


def _folded(name: str) -> str:
    """What is left of a name without its case and the way its words are joined."""
    return name[:MAX_LENGTH].lower().replace("-", "").replace("_", "")


_NUMBER = re.compile(r"(-?)([0-9]*\.?[0-9]+)")
_OTHER_LANGUAGES = {
    **dict.fromkeys(("lambda", "@", "choice"), "higher-order terms are not supported"),
    **dict.fromkeys(("!=", "<>", "/=", "=/="), "write (distinct x y)"),
    **dict.fromkeys(("==", "<=>", "<->"), "write (= x y)"),
    **dict.fromkeys(("^", "**", "pow"), "write a product"),
    **dict.fromkeys(("->", "==>"), "write (=> p q)"),
    **dict.fromkeys(("&", "&&"), "write (and p q)"),
    "if": "write (ite condition x y)",
    "%": "write (mod x y)",
}
_THEORIES = {
    "floating-point numbers": "Float16 Float32 Float64 Float128 FloatingPoint RoundingMode fp to_fp to_fp_unsigned "
    "+oo -oo +zero -zero NaN RNE RNA RTP RTN RTZ roundNearestTiesToEven roundNearestTiesToAway roundTowardPositive "
    "roundTowardNegative roundTowardZero fp.",
    "sequences": "Seq seq.",
    "sets": "Set set.",
    "bags": "Bag bag.",
    "relations": "Relation Table rel. table.",
    "tuples": "Tuple UnitTuple tuple.",
    "nullable values": "Nullable nullable.",
    "finite fields": "FiniteField ff.",
    "heaps": "sep.",
    "transcendental functions": "exp sin cos tan csc sec cot arcsin arccos arctan arccsc arcsec arccot sqrt",
}
"""Theories that solvers know and this reader does not: names in them, and (with a dot) what begins such names."""
_UNSUPPORTED = {name: theory for theory, names in _THEORIES.items() for name in names.split()}
SUPPORTED = "supported are Bool, Int, Real, String, RegLan, (_ BitVec n), Array, datatypes and sorts of your own"
_EARLIER = "declare it before it is used"


def unsupported(name: str) -> str:
    """The theory that a name belongs to which this reader does not know; "" for any other name."""
    beginning = name[: name.find(".") + 1]
    return _UNSUPPORTED.get(name) or (_UNSUPPORTED.get(beginning, "") if beginning else "")


def of_symbol(
    name: str, known: Iterable[str], sorts: Container[str], declared: Container[str], remarks: Mapping[str, str]
) -> str:
    """For a ``name`` in a term that no function has, among those ``known`` there and the names ``declared`` anywhere.

    ``remarks`` say why a name of the text means nothing in terms.
    """
    number = _NUMBER.fullmatch(name)
    if number:
        return f"negative numbers are written (- {number[2]})" if number[1] else f"write 0{name}"
    if name in _OTHER_LANGUAGES:
        return _OTHER_LANGUAGES[name]
    if name in remarks:
        return remarks[name]
    if name in sorts or name in SORT_NAMES:
        return "it is a sort: name one of its elements"
    if name in declared:
        return _EARLIER
    meant = nearest(name, (*known, *RULES, "true", "false"))
    return meant or "declare it with declare-fun or declare-const"


def of_sort(name: str, known: Iterable[str], declared: Container[str]) -> str:
    """For a ``name`` that no sort has, among those ``known`` so far and the names ``declared`` anywhere."""
    if name in ("=>", "->"):
        return "function sorts are not supported"
    if name in declared:
        return _EARLIER
    return nearest(name, known) or "declare it first"
