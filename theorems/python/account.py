"""An account that is never overdrawn."""

from goedels_poetry.contracts import ensures, invariant, old, raises, requires


@invariant(lambda self: self.balance >= 0)
class Account:
    def __init__(self) -> None:
        self.balance = 0

    @requires(lambda amount: amount > 0)
    @ensures(lambda self, amount: self.balance == old(self.balance) + amount)
    def deposit(self, amount: int) -> None:
        self.balance += amount

    @requires(lambda amount: amount > 0)
    @raises(ValueError, when=lambda self, amount: amount > self.balance)
    @ensures(lambda self, amount, result: result == old(self.balance) - amount)
    def withdraw(self, amount: int) -> int:
        if amount > self.balance:
            raise ValueError("not enough")
        self.balance -= amount
        return self.balance
