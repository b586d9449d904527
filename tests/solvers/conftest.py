from collections.abc import Callable, Iterator

import pytest

from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.process import SolverProcess
from goedels_poetry.solvers.z3_process import Z3Process

MAKERS: dict[str, Callable[[], SolverProcess]] = {"z3": Z3Process, "cvc5": Cvc5Process}


@pytest.fixture(params=MAKERS)
def solver(request: pytest.FixtureRequest) -> Iterator[SolverProcess]:
    """Every kind of solver process in turn."""
    with MAKERS[request.param]() as process:
        yield process


@pytest.fixture
def z3() -> Iterator[Z3Process]:
    with Z3Process() as process:
        yield process


@pytest.fixture(scope="session")
def hard() -> str:
    """Sums of three cubes: no solver here decides it in seconds; it keeps each busy until it is stopped."""
    return """
(declare-const x Int) (declare-const y Int) (declare-const z Int)
(assert (= (+ (* x x x) (* y y y) (* z z z)) 42))
(assert (> x 2))
"""


@pytest.fixture(scope="session")
def huge() -> str:
    """Bit-blasting a product and a quotient of 20,000 bits each needs far more than 200 MB."""
    return """
(declare-const a (_ BitVec 20000)) (declare-const b (_ BitVec 20000))
(assert (= (bvmul a b) (bvudiv b (bvadd a b))))
"""
