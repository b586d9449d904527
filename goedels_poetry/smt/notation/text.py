"""SMT-LIB text of users and models, read by the kernel: what it refuses is told as `InvalidInput`.

The kernel knows none of the program's exceptions. Whoever is to tell a user what is wrong reads through this door.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Problem, Signature
from goedels_poetry.kernel.reading import parser
from goedels_poetry.kernel.refutation.theory import definitions
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Sort, Term
from goedels_poetry.protocol.lines import as_invalid_input

MAX_SHOWN = 440
"""Characters of one premise."""


@as_invalid_input()
def parse_problem(text: str | bytes) -> Problem:
    """Read a theorem.

    Raises:
        InvalidInput: with line, column and, where there is one, a hint; for every text that is not a theorem.
    """
    return parser.parse_problem(text)


@as_invalid_input()
def parse_term(text: str, signature: Signature, variables: Sequence[Term] = (), sort: Sort | None = None) -> Term:
    """Read one term over ``signature`` whose free variables are among ``variables``; names stay as they are.

    Raises:
        InvalidInput: not exactly one well-sorted term (of ``sort``, when given).
    """
    return parser.parse_term(text, signature, variables, sort)


@as_invalid_input()
def parse_sequent(text: str, signature: Signature) -> Sequent:
    """Read a sequent as certificates have it.

    Raises:
        InvalidInput: malformed, ill-sorted, or a variable that shares its name with another or with a symbol.
    """
    return parser.parse_sequent(text, signature)


def name_premises(names: Iterable[str], problem: Problem) -> list[str]:
    """``name (line 3): formula`` for premises, ``definition-of-f: ...`` for definitions; other names as they are."""
    known = {p.name: f"{p.name} (line {p.line}): {show(p.formula)}" for p in problem.premises}
    for definition in problem.signature.definitions:
        name = f"definition-of-{definition.name}"
        known[name] = f"{name}: {definitions(Signature(definitions=(definition,)))[0]}"
    found = [known.get(name, name) for name in names]
    return [text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..." for text in found]
