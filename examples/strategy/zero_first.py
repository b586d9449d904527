"""A strategy that knows one thing of its field: to commute an addition, show first what it does to zero."""

from goedels_poetry import strategy


@strategy(name="zero first", languages=("smt",))
async def zero_first(goal):
    """The lemma, then an induction on the first variable; both are proved like everything else."""
    for variable in goal.variables:
        if variable.inductive and "plus" in goal.functions:
            return goal.lemma("(forall ((x N)) (= (plus x zero) x))").induct(variable)
    return None
