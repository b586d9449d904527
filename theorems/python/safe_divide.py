"""An exception that is part of the contract."""

from goedels_poetry.contracts import ensures, raises


@raises(ZeroDivisionError, when=lambda b: b == 0)
@ensures(lambda result, a, b: result * b <= a if b > 0 else True)
def safe_divide(a: int, b: int) -> int:
    return a // b
