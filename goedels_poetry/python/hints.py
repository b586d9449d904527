"""What a person says of a proof in the file itself, as lemmas about the translation: each is proved, or left out.

An invariant is Hoare's rule for its loop ("An Axiomatic Basis for Computer Programming", 1969) as a statement about the
function that the loop has become: from each state that satisfies it, the loop gives what the contract says. Further
lemmas are the contracts of functions that are called or named by ``uses``, and each condition of the contract, so that
what was proved before, assertions included, is known to those that follow.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.terms import INT, TRUE, Kind, Term, and_, app, forall, implies, integer, is_app, or_
from goedels_poetry.kernel.terms import rebuild, substitute, subterms
from goedels_poetry.python.translate.build import equal
from goedels_poetry.python.translate.functions import Translated
from goedels_poetry.python.translate.loops import hint
from goedels_poetry.python.translate.registry import HintedLoop, readable
from goedels_poetry.python.translate.script import Change, unfolded
from goedels_poetry.python.translate.translate import Translation, arguments_of, theorem_of

Json = dict[str, Any]


def hints_of(translation: Translation) -> list[Json]:
    """The lemmas, each after those that its proof may need.

    Each has its closed ``formula`` over the symbols of the script, what it ``says`` with the line, and may have
    functions ``along`` which an induction goes, a ``measure`` over the variables of the formula, and what is to hold for
    a round to keep an invariant: ``kept``.
    """
    functions = translation.functions
    _, _, expand = unfolded(functions.registry, translation.goal, translation.lemmas)
    main = functions.known[translation.function]
    others = [f for f in reversed(functions.known.values()) if f is not main]
    found = [hint for f in others if f.function.contract.ensures for hint in _of_function(translation, f, expand, True)]
    found += _of_function(translation, main, expand, bool(found))
    return list({hint["formula"]: hint for hint in found}.values())


def _of_function(translation: Translation, known: Translated, expand: Change, whole: bool) -> list[Json]:
    """``whole``: whether the conditions of the contract are lemmas even if nothing is said in the body."""
    functions, name = translation.functions, known.function.name
    arguments = arguments_of(functions, known, functions.registry.module.program.functions)
    stated = theorem_of(functions, known, arguments)
    domain, conclusion = stated.args if is_app(stated, "=>") and len(stated.args) == 2 else (TRUE, stated)
    domain, parts = expand(domain), _conjuncts(expand(conclusion))
    at = dict(zip(known.params, arguments, strict=True))
    found: list[Json] = []
    own = [loop for loop in functions.registry.loops if _free(loop) <= {*loop.states, *known.params}]
    for loop in sorted(own, key=lambda loop: -loop.line):
        found += _of_loop(loop, at, domain, parts, expand)
    measure = _measure(translation, known, arguments)
    said = measure or any(isinstance(n, ast.Assert) for n in ast.walk(known.function.node))
    if found or whole or said:
        for part in parts:
            lemma = {"formula": show(forall(arguments, implies(domain, part))), "says": f"the contract of {name}"}
            found.append({**lemma, "line": known.function.line, **({"measure": show(measure)} if measure else {})})
    return found


def _of_loop(
    loop: HintedLoop, at: dict[Term, Term], domain: Term, parts: list[Term], expand: Change
) -> Iterator[Json]:
    """Of each condition: it holds from each state on that satisfies the invariant."""
    states = readable(loop.states, [v.name for v in at.values()])
    here = {**at, **dict(zip(loop.states, states, strict=True))}

    def placed(term: Term) -> Term:
        return substitute(expand(term), here)

    invariant = and_([loop.invariant, *_counted(loop)])
    kept = substitute(invariant, dict(zip(loop.states, loop.again, strict=True)))
    variables = [*at.values(), *states]
    rest = {
        "line": loop.line,
        "says": loop.text,
        "along": list(loop.functions),
        "kept": show(forall(variables, implies(and_([domain, placed(and_([invariant, loop.more]))]), placed(kept)))),
        **({"measure": show(placed(loop.measure))} if loop.measure is not None else {}),
    }
    for part in parts:
        calls = {t for t in subterms(part) if t.kind is Kind.APP and t.name in loop.functions}
        if calls:
            general = _replaced(part, {call: _from_any_state(call, loop, states) for call in calls})
            yield {"formula": show(forall(variables, implies(and_([domain, placed(invariant)]), general))), **rest}


def _from_any_state(call: Term, loop: HintedLoop, states: tuple[Term, ...]) -> Term:
    kept = loop.functions[call.name]
    return rebuild(call, (*(states[i] for i in kept), *call.args[len(kept) :]))


def _counted(loop: HintedLoop) -> Iterator[Term]:
    """What a counter of a range satisfies: it is at its first number, or there was a round at the one before."""
    for state, first, after in zip(loop.states, loop.entry, loop.again, strict=True):
        if is_app(after, "+") and after.args[0] is state and state in loop.more.free and state.sort is INT:
            before = app("-", (state, after.args[1]), INT)
            if isinstance(after.args[1].value if after.args[1].kind is Kind.LIT else None, int):
                yield app(">=", (state, first), TRUE.sort)
                yield or_([equal(state, first), substitute(loop.more, {state: before})])


def _measure(translation: Translation, known: Translated, arguments: list[Term]) -> Term | None:
    """What gets smaller with each call, as the first statement says; None where it says nothing."""
    frame = translation.functions.clause_frame(known, arguments)
    for node in known.function.node.body:
        call = node.value if isinstance(node, ast.Expr) else None
        stated = hint(frame, call) if isinstance(call, ast.Call) else None
        if isinstance(stated, ast.Compare) and isinstance(call, ast.Call):
            if translation.module.contracts.kind(call.func) == "decreases":
                return frame.value(stated.left).term
        if not isinstance(call, ast.Constant | ast.Call):
            break
    return None


def _free(loop: HintedLoop) -> frozenset[Term]:
    return frozenset().union(*(t.free for t in (loop.invariant, loop.more, *loop.entry, *loop.again)))


def _conjuncts(term: Term) -> list[Term]:
    return [part for a in term.args for part in _conjuncts(a)] if is_app(term, "and") else [term]


def _replaced(term: Term, replacements: dict[Term, Term]) -> Term:
    done = replacements.get(term)
    if done is not None or not term.args:
        return term if done is None else done
    return rebuild(term, tuple([_replaced(a, replacements) for a in term.args]))
