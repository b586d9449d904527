"""What to search for, from the goal alone: other queries each time, so that a new start finds other lemmas."""

from __future__ import annotations

from collections.abc import Collection

from goedels_poetry.protocol.base import Citable

EVERYWHERE = frozenset({"Eq", "Nat", "List", "Bool", "Prop", "Type", "Bool.true", "Exists", "And", "Iff", "Not", "Or"})
"""Symbols that say little about what a goal is about."""
AT_ONCE = 2


def queries_for(goal: Citable, failed: Citable | None, earlier: Collection[str]) -> tuple[str, ...]:
    """The next queries that were not asked before, best first; () when there is nothing left to ask.

    In this order: the goal; the subgoal that failed last; what the failed subgoal has and the goal has not; each
    function of either by itself, with its arguments.
    """
    wanted = [_word_query(goal.conclusion, goal.context)]
    if failed is not None:
        wanted.insert(0, _word_query(failed.conclusion, failed.context))
        mine = {*goal.conclusion, *goal.context}
        wanted.append(_word_query(tuple(s for s in failed.conclusion if s not in mine), ()))
    for statement in (failed, goal):
        if statement is not None:
            wanted += [_about(name, statement) for name in _functions(statement)]
    fresh = [query for query in dict.fromkeys(wanted) if query and query not in earlier]
    return tuple(fresh[:AT_ONCE])


def _word_query(conclusion: tuple[str, ...], context: tuple[str, ...]) -> str:
    return " ".join((*conclusion, *context))


def _functions(statement: Citable) -> list[str]:
    names = [s for s in (*statement.conclusion, *statement.context) if ">" not in s and not s.startswith("#")]
    return [name for name in names if name not in EVERYWHERE]


def _about(name: str, statement: Citable) -> str:
    pairs = [s for s in (*statement.conclusion, *statement.context) if name in s.split(">") and ">" in s]
    return " ".join((name, *pairs))
