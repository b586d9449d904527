"""The largest element of a list that is not empty."""

from goedels_poetry.contracts import ensures, requires


@requires(lambda xs: len(xs) > 0)
@ensures(lambda result, xs: result in xs)
@ensures(lambda result, xs: all(x <= result for x in xs))
def largest(xs: list[int]) -> int:
    best = xs[0]
    for x in xs[1:]:
        if x > best:
            best = x
    return best
