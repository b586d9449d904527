"""Names that people and solvers can read: what is shown of one, and which ones solvers keep for themselves."""

from __future__ import annotations

import re
from unicodedata import is_normalized

from goedels_poetry.kernel.terms import Sort

# Names that z3 or cvc5 keep for themselves although SMT-LIB 2.6 leaves them to the user. z3 even takes ``log`` and
# ``!`` silently for its own functions after they were declared. It matters where a solver is shown the user's words.
_SOLVER_WORDS = """
    exp sin cos tan csc sec cot arcsin arccos arctan arccsc arcsec arccot sqrt log ln pow pow2 iand piand ^ ** ~ ! ->
    && % implies iff if rem div0 mod0 rem0 /0 default map as-array choice witness lambda union intersection setminus
    subset complement update tuple bag bit2bool ext_rotate_left ext_rotate_right mkstr eqrange sbv_to_int sep pto
    wand emp root-obj partial-order linear-order tree-order piecewise-linear-order transitive-closure
    special-relation RNE RNA RTP RTN RTZ roundNearestTiesToEven roundNearestTiesToAway roundTowardPositive
    roundTowardNegative roundTowardZero to_fp fp Set Bag Seq Tuple UnitTuple Table Relation Nullable FiniteField
    RoundingMode FloatingPoint Float16 Float32 Float64 Float128 Char Unicode RegEx List Proof
    as BINARY DECIMAL HEXADECIMAL NUMERAL STRING
"""
_SOLVER_NAMES = frozenset(_SOLVER_WORDS.split())
_SOLVER_PREFIXES = (
    *(".", "@", "str.", "re.", "seq.", "set.", "bag.", "rel.", "table.", "fp.", "ff.", "char.", "tuple."),
    *("int.", "real.", "bv", "nullable.", "sep.", "array."),
)
_READ_BY_SOLVERS = re.compile(r"[\x20-\x7b\x7d\x7e]+")


def legible(name: str) -> str:
    """``name``, with numbers for what a reader could not see, or not as it was written.

    Such are control characters, marks that turn the direction of a line, and letters that two ways of writing share:
    they are different names, which must not look the same. What solvers are told is `encoding`'s concern.
    """
    if name.isascii() and name.isprintable() and name:
        return name
    seen = is_normalized("NFC", name) and name
    return name if seen and name.isprintable() else "u_" + "".join(_numbered(c) for c in name)


def _numbered(character: str) -> str:
    return character if _READ_BY_SOLVERS.fullmatch(character) else f"_{ord(character):x}_"


def means_something_to_solvers(name: str) -> bool:
    """Whether a solver may read ``name`` as something of its own, or not at all."""
    own = name in _SOLVER_NAMES or name.startswith(_SOLVER_PREFIXES)
    return own or _READ_BY_SOLVERS.fullmatch(name) is None


def sort_word(sort: Sort) -> str:
    """A sort as part of a name."""
    return "_".join((sort.name, *map(str, sort.indices), *map(sort_word, sort.args)))
