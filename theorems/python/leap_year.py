"""The Gregorian rule, two ways."""

from goedels_poetry.contracts import ensures


@ensures(lambda result, year: result == (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)))
def is_leap(year: int) -> bool:
    if year % 400 == 0:
        return True
    if year % 100 == 0:
        return False
    return year % 4 == 0
