"""Binary search stays within the list, and what it finds is there."""

from goedels_poetry.contracts import ensures


@ensures(lambda result, xs: -1 <= result < len(xs))
@ensures(lambda result, xs, x: result == -1 or xs[result] == x)
def binary_search(xs: list[int], x: int) -> int:
    low, high = 0, len(xs) - 1
    while low <= high:
        middle = (low + high) // 2
        if xs[middle] == x:
            return middle
        if xs[middle] < x:
            low = middle + 1
        else:
            high = middle - 1
    return -1
