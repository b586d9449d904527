"""Bills that are shared out: each function keeps its contract for all inputs, which CI proves."""

from goedels_poetry.contracts import ensures, requires


@requires(lambda people: people > 0)
@ensures(lambda result, total, people: 0 <= total - result * people < people)
def share(total: int, people: int) -> int:
    """What each pays at least, in cents."""
    return total // people


@requires(lambda total, people, place: people > 0 and 0 <= place < people)
@ensures(lambda result, total, people: result * people <= total + people - 1 and total <= (result + 1) * people - 1)
def pays(total: int, people: int, place: int) -> int:
    """What the person at a place pays: the first ones pay the cents that are left over."""
    least = share(total, people)
    return least + 1 if place < total - least * people else least
