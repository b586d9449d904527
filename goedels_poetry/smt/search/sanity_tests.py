"""Is a statement that a model wrote worth proving? What its text says without any solver."""

from __future__ import annotations

import re

from goedels_poetry.kernel.terms import TRUE, Kind, Term, is_app
from goedels_poetry.protocol.base import FAILED, PASSED, Outcome

_COMMENT = re.compile(r'(\|[^|]*\||"[^"]*(?:""[^"]*)*")|;[^\r\n]*')


def sanity_tests(empty: bool) -> Outcome:
    """See `Examinable`; ``empty``: see `says_nothing`. Counterexamples and contradictions are the judge's."""
    text = "it says nothing: its conclusion holds by the form alone" if empty else "its conclusion has content"
    test = {"test": "says something", "outcome": FAILED if empty else PASSED, "words": text}
    return Outcome(not empty, {"tests": [test]}, text if empty else "")


def plain(text: str) -> str:
    """The script without comments. See `Examinable.plain`."""
    kept = _COMMENT.sub(lambda match: match[1] or "", text)
    return "\n".join(line.rstrip() for line in kept.splitlines() if line.strip())


def says_nothing(goal: Term) -> bool:
    """Whether the conclusion, below quantifiers and hypotheses, is ``true`` or ``(= t t)``."""
    known: dict[Term, bool] = {}

    def empty(term: Term) -> bool:
        while term.kind is Kind.FORALL or is_app(term, "=>"):
            term = term.args[-1]
        if term not in known:
            if is_app(term, "and"):
                known[term] = all(map(empty, term.args))
            elif is_app(term, "or"):
                known[term] = any(map(empty, term.args))
            else:
                known[term] = term is TRUE or (is_app(term, "=") and len(set(term.args)) == 1)
        return known[term]

    return empty(goal)
