"""Methods of classes: each is a theorem, with the invariants of its class; a refutation is a state that breaks it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from goedels_poetry import GoedelsPoetryFramework, Settings
from goedels_poetry.checker import check_any
from goedels_poetry.contracts import ContractViolation, enabled, ensures, invariant, old, requires
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.python.testing.reading import passed_over
from goedels_poetry.python.translate.program import read_program, with_contracts

HERE = Path(__file__).parent
ACCOUNT = (HERE.parents[1] / "theorems" / "python" / "account.py").read_text("utf-8")
BROKEN = ACCOUNT.replace("amount > self.balance:", "amount > self.balance + 9:")


def test_methods_are_theorems_by_the_names_of_their_classes() -> None:
    names = ("Account.__init__", "Account.deposit", "Account.withdraw")
    assert with_contracts(read_program(ACCOUNT)) == names
    assert passed_over(ACCOUNT + "\n    def show(self) -> int:\n        return 1\n") == [(25, "Account.show")]


def test_a_method_is_proved_or_refuted_and_its_certificate_holds(tmp_path: Path) -> None:
    with GoedelsPoetryFramework(Settings(home=tmp_path), checkpoint_all=False) as framework:
        proved = framework.run(ACCOUNT, name="account.py", options={"theorem": "Account.withdraw"})
        refuted = framework.run(BROKEN, name="account.py", options={"theorem": "Account.withdraw"})
    assert proved.verdict is Verdict.PROVED and proved.certificate is not None, proved.reason
    assert check_any(proved.certificate, ACCOUNT, theorem="Account.withdraw").verdict is Verdict.PROVED
    assert check_any(proved.certificate, ACCOUNT, theorem="Account.deposit").verdict is not Verdict.PROVED
    assert refuted.verdict is Verdict.REFUTED and refuted.certificate is not None
    assert refuted.counterexample == {"self": "Account_state(balance=0)", "amount": "1"}
    assert refuted.reason.startswith("ensures self.balance >= 0 (line 6): ")
    assert "then self is Account(balance=-1) (the state before satisfies the invariants)" in refuted.reason
    assert check_any(refuted.certificate, BROKEN).verdict is Verdict.REFUTED


@invariant(lambda self: self.x >= 0)
class Counter:
    def __init__(self, x: int) -> None:
        self.x = x

    @ensures(lambda self, n: self.x == old(self.x) + n)
    def add(self, n: int) -> None:
        self.x += n + (n == 7)

    def there_and_back(self) -> None:
        self.x -= 100
        self.add(100)

    def fail(self) -> None:
        self.x = -1
        raise ValueError

    @property
    def value(self) -> int:
        return self.x

    @value.setter
    def value(self, value: int) -> None:
        self.x = value


class Down(Counter):
    def down(self) -> None:
        self.x -= 100


@invariant(lambda one: one.low <= one.high)
@dataclass(frozen=True)
class Interval:
    low: int
    high: int


@ensures(lambda xs, result: len(xs) == old(len(xs)) - 1 and result == old(xs[-1]))
def pop(xs: list[int]) -> int:
    return xs.pop()


@requires(lambda xs: xs)
@ensures(lambda xs: xs == [*old(xs), 1])
def wrong(xs: list[int]) -> None:
    xs.append(2)


@pytest.mark.parametrize(
    "call",
    [
        lambda: Counter(-1),
        lambda: Counter(1).add(7),
        lambda: Counter(1).fail(),
        lambda: setattr(Counter(1), "value", -1),
        lambda: Down(1).down(),
        lambda: Interval(2, 1),
        lambda: wrong([1]),
    ],
)
def test_a_broken_invariant_or_an_old_value_is_a_violation_at_run_time(call: Callable[[], object]) -> None:
    with pytest.raises(ContractViolation):
        call()


def test_kept_ones_are_none_nor_those_within_a_method_nor_where_contracts_are_off() -> None:
    counter = Counter(1)
    counter.add(2)
    counter.there_and_back()
    counter.value = 5
    assert (counter.value, Interval(1, 2)) == (5, Interval(1, 2)) and pop([3]) == 3
    with enabled(False):
        assert Counter(-1).x == -1
    with pytest.raises(TypeError, match="ensures"):
        old(1)
