"""Terms, and what becomes of them by equations; no solver is asked.

* `matching`: patterns and occurrences; `replace`: terms in the place of others.
* `statements`: formulas as closed lemmas.
* `rewrite`: definitions as rewrite rules; `rules`: proven equations as ordered ones.
* `unfold`: instances of definitions at calls; `ground`: instances of lemmas there; `written_out`: without such calls.
"""

from __future__ import annotations

from goedels_poetry.languages.smt.engine.rewriting.ground import lemma_instances
from goedels_poetry.languages.smt.engine.rewriting.matching import match, occurrences
from goedels_poetry.languages.smt.engine.rewriting.replace import replace_subterm
from goedels_poetry.languages.smt.engine.rewriting.rewrite import Rewriter
from goedels_poetry.languages.smt.engine.rewriting.rules import Rules
from goedels_poetry.languages.smt.engine.rewriting.statements import apart, lemma, ordered_variables
from goedels_poetry.languages.smt.engine.rewriting.unfold import Unfolder
from goedels_poetry.languages.smt.engine.rewriting.written_out import written_out

__all__ = [
    "Rewriter",
    "Rules",
    "Unfolder",
    "apart",
    "lemma",
    "lemma_instances",
    "match",
    "occurrences",
    "ordered_variables",
    "replace_subterm",
    "written_out",
]
