"""Only what is positive, and no more than there was."""

from goedels_poetry.contracts import ensures


@ensures(lambda result: all(x > 0 for x in result))
@ensures(lambda result, xs: len(result) <= len(xs))
def positives(xs: list[int]) -> list[int]:
    kept = []
    for x in xs:
        if x > 0:
            kept.append(x)
    return kept
