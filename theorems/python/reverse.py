"""A loop that puts each element in front of the ones before."""

from goedels_poetry.contracts import ensures


@ensures(lambda result, xs: result == xs[::-1])
@ensures(lambda result, xs: len(result) == len(xs))
def reverse(xs: list[int]) -> list[int]:
    result: list[int] = []
    for x in xs:
        result = [x] + result
    return result
