"""Run-length coding: decoding gives back what was encoded."""

from goedels_poetry.contracts import ensures


def decode(runs: list[tuple[int, int]]) -> list[int]:
    if len(runs) == 0:
        return []
    value, times = runs[0]
    return [value] * times + decode(runs[1:])


@ensures(lambda result, xs: decode(result) == xs)
def encode(xs: list[int]) -> list[tuple[int, int]]:
    if len(xs) == 0:
        return []
    rest = encode(xs[1:])
    if len(rest) > 0 and rest[0][0] == xs[0]:
        return [(xs[0], rest[0][1] + 1)] + rest[1:]
    return [(xs[0], 1)] + rest
