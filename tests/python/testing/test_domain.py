"""Where inputs of a contract come from."""

from typing import Any

import pytest

from goedels_poetry.python.harness.domain import Domain
from goedels_poetry.python.harness.inputs import Maker, Shapes

INTEGER = ("int",)


@pytest.mark.parametrize(
    ("accepts", "least"),
    [(lambda given: True, 150), (lambda given: given[0] > 90, 20), (lambda given: 0 < given[0] < 7, 6)],
    ids=["all", "large ones", "six"],
)
def test_where_hardly_an_input_is_new_the_search_for_more_ends_soon(accepts: Any, least: int) -> None:
    maker, thrown = Maker(Shapes({}, {}), [], [], seed=1), 0
    make = maker.any_of

    def any_of(*wanted: Any) -> Any:
        nonlocal thrown
        thrown += 1
        return make(*wanted)

    maker.any_of = any_of  # type: ignore[method-assign]
    inputs, at_the_last = [], 0
    for given in Domain(maker, [INTEGER], accepts, {}, seconds=60.0).random(False):
        inputs.append(given)
        at_the_last = thrown
    assert len(inputs) == len(set(inputs)) >= least
    assert all(map(accepts, inputs))
    assert thrown - at_the_last < 1200, "not thousands of throws that have all been seen"
