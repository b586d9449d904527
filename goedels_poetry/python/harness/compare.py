"""Whether a result is the expected value: plain data by exact type, part by part, before ``==`` is asked."""

from __future__ import annotations

import math

TYPE_CHECKING = False  # the module typing takes longer to load than any of ours
if TYPE_CHECKING:
    from typing import Any

_SEQUENCES = (list, tuple)


def difference(actual: Any, expected: Any, depth: int = 0) -> str:
    """ "" when they are the same; else what is different, to be put behind both.

    A bool is no int and an int no float; where a float is expected, the int that equals it will do. Floats may differ
    by rounding (a relative 1e-9).
    """
    kind, wanted = type(actual), type(expected)
    if wanted is float and kind in (float, int):
        near = abs(actual) < 1 << 1000 and math.isclose(actual, expected, rel_tol=1e-9, abs_tol=1e-12)
        near = near or actual == expected  # infinities
        return "" if near or (actual != actual and expected != expected) else " (not near)"
    if kind is not wanted:
        return f" ({kind.__name__}, not {wanted.__name__})"
    if depth > 200:
        return " (nested too deep)"
    if kind in _SEQUENCES:
        if len(actual) != len(expected):
            return f" (of length {len(actual)}, not {len(expected)})"
        return next((d for a, e in zip(actual, expected, strict=True) if (d := difference(a, e, depth + 1))), "")
    if kind is dict:
        if len(actual) != len(expected) or any(key not in expected for key in actual):
            return " (with other keys)"
        return next((d for key in expected if (d := difference(actual[key], expected[key], depth + 1))), "")
    if isinstance(actual, int | str | bytes | complex | set | frozenset | range | None.__class__):
        return "" if actual == expected else " "
    state = getattr(actual, "__dict__", None)
    if isinstance(state, dict) and "__eq__" not in vars(kind):
        return difference(state, vars(expected), depth + 1)
    return "" if actual == expected else " "
